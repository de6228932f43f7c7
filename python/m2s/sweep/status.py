"""The state of a sweep as a table that can be watched."""

import json
import os
import shutil
import sys
import time

from m2s.sweep import table
from m2s.sweep.point import DONE, FAILED, TIMEOUT

STATES = (DONE, FAILED, TIMEOUT, table.RUNNING, table.WAITING, table.OPEN)


def duration(seconds):
    """A time as one reads it: "5 s", "2 min 5 s", "3 h 2 min"."""
    seconds = int(seconds)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"


def _aligned(rows):
    """Lines of columns, the first one to the left, the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join([row[0].ljust(widths[0]),
                       *(cell.rjust(width) for cell, width
                         in zip(row[1:], widths[1:]))]).rstrip()
            for row in rows]


def _programs(points):
    """How many points of each program are in each state, and the mean time of
    those that ended."""
    counts, seconds = {}, {}
    for manifest, state, result in points:
        program = manifest["program"]
        counts.setdefault(program, dict.fromkeys(STATES, 0))[state] += 1
        if result:
            seconds.setdefault(program, []).append(result["seconds"])
    used = [state for state in STATES
            if any(count[state] for count in counts.values())]
    rows = [("program", *used, "mean")]
    for program, count in counts.items():
        ended = seconds.get(program)
        mean = f"{sum(ended) / len(ended):.2f} s" if ended else "-"
        rows.append((program, *(str(count[state]) for state in used), mean))
    return _aligned(rows)


def _holder(folder):
    """Who runs the point of a folder, and since when; {} when that is not
    written yet."""
    try:
        with open(os.path.join(folder, "lock"), encoding="utf-8") as stream:
            return json.load(stream)
    except (OSError, ValueError):
        return {}


def _running(experiment, points):
    """A row for each running point, the longest first."""
    rows = []
    for manifest, state, _ in points:
        if state == table.RUNNING:
            holder = _holder(experiment.folder(manifest["id"]))
            rows.append((holder.get("time", time.time()), manifest,
                         holder.get("host", "-")))
    rows.sort(key=lambda row: row[0])
    lines = [("running", "for", "on", "parameters")]
    for began, manifest, host in rows:
        values = " ".join(f"{name}={value}" for name, value
                          in manifest["parameters"].items())
        lines.append((manifest["program"], duration(time.time() - began), host,
                      values))
    return _aligned(lines) if rows else []


def _summary(points):
    """The line of all points, with rate and remaining time, and the number of
    points that have not ended."""
    counts, ended = dict.fromkeys(STATES, 0), []
    for _, state, result in points:
        counts[state] += 1
        if result:
            ended.append(result["began"] + result["seconds"])
    line = ", ".join(f"{count} {state}" for state, count in counts.items()
                     if count)
    left = len(points) - len(ended)
    # The rate of the last points, so that an interruption does not count.
    last = sorted(ended)[-100:]
    if left and len(last) > 1 and counts[table.RUNNING]:
        rate = (len(last) - 1) / max(last[-1] - last[0], 1e-3)
        line += f"; {rate:.2f} a second, {duration(left / rate)} left"
    return f"{len(points)} points: {line}", left


def _print(lines, redraw):
    """On a terminal the new table replaces the old one."""
    if redraw and sys.stdout.isatty():
        width, height = shutil.get_terminal_size()
        hidden = len(lines) - (height - 1)
        if hidden > 0:
            lines = [*lines[:height - 3], f"... {hidden + 1} more", lines[-1]]
        sys.stdout.write("\033[H\033[J")
        lines = [line[:width] for line in lines]
    print("\n".join(lines), flush=True)


def watch(experiment, manifests, interval):
    """Prints the table, and every `interval` seconds again until all points
    have ended; None: once."""
    while True:
        points = list(table.states(experiment, manifests))
        line, left = _summary(points)
        blocks = [_programs(points), _running(experiment, points), [line]]
        lines = []
        for block in blocks:
            lines += ([""] if lines and block else []) + block
        _print(lines, interval)
        if not left or not interval:
            return
        time.sleep(interval)
