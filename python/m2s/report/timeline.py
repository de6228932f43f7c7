"""The events of --trace, packed for the page.

A track's events are four numbers each: the gap since the last one ended, the
length, the name and the argument, as in a variable-length code of 7 bits a
byte. Times are in units of the greatest step that all times of the track are
multiples of. Neighbours of one name that touch become one event when there are
more events than a page can bear."""

import json
import math

_MOST = 2_000_000   # events in a page
_UNIT = 10          # the first process that is a compute unit


def _put(out, number):
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)


class _Track:
    def __init__(self, process, number):
        self.process, self.number = process, number
        self.events = []    # (start, end, name, argument), in picoseconds


class Trace:
    """The events of a file, by track."""

    def __init__(self):
        self.processes, self.tracks, self.track_names = {}, {}, {}
        self.names, self.other = {}, None

    def add(self, event):
        key = (event["pid"], event.get("tid", 0))
        if event["ph"] == "M":
            if event["name"] == "process_name":
                self.processes[event["pid"]] = event["args"]["name"]
            elif event["name"] == "thread_name":
                self.track_names[key] = event["args"]["name"]
            return
        track = self.tracks.get(key)
        if track is None:
            track = self.tracks[key] = _Track(*key)
        start = round(event["ts"] * 1000)
        arguments = event.get("args")
        value = 0
        if arguments:
            value = next(iter(arguments.values())) + 1
        track.events.append((start, start + round(event["dur"] * 1000),
                             self.names.setdefault(event["name"],
                                                   len(self.names)), value))


def read_trace(file):
    """Reads what follows the first line: m2s writes an event a line. An event
    at a time, since objects of all together would take gigabytes."""
    trace = Trace()
    for line in file:
        if line.startswith('{"ph"'):
            trace.add(json.loads(line.rstrip(",\n")))
        elif line.startswith("]"):
            trace.other = json.loads("{" + line[2:-1])["otherData"]
    if trace.other is None:
        raise ValueError("a trace that is not whole")
    return trace


def _thin(events, gap):
    """Joins neighbours of one name that are not further apart than `gap`."""
    joined = []
    for event in events:
        last = joined[-1] if joined else None
        if last and last[2] == event[2] and event[0] - last[1] <= gap:
            joined[-1] = (last[0], event[1], last[2], last[3])
        else:
            joined.append(event)
    return joined


def _pack(track, out):
    """Appends the track's events; its step in picoseconds."""
    step, at = 0, track.events[0][0] if track.events else 0
    first = at
    for start, end, _, _ in track.events:
        step = math.gcd(step, start - first, end - start)
    step = step or 1
    last = 0
    for start, end, name, value in track.events:
        _put(out, max(start - at, 0) // step)
        _put(out, (end - start) // step)
        _put(out, name)
        change = value - last
        _put(out, change * 2 if change >= 0 else -change * 2 - 1)
        last = value
        at = max(end, at)
    return step


def timeline_of(run):
    """(description, bytes), or None."""
    if not run.trace:
        return None
    tracks, processes = run.trace.tracks, run.trace.processes
    count = sum(len(track.events) for track in tracks.values())
    original, gap = count, 1000
    for track in tracks.values():
        track.events.sort()
    while count > _MOST:
        for track in tracks.values():
            if track.process >= _UNIT:
                track.events = _thin(track.events, gap)
        count = sum(len(track.events) for track in tracks.values())
        gap *= 4
    out, rows = bytearray(), []
    for key in sorted(tracks):
        track = tracks[key]
        at = len(out)
        first = track.events[0][0]
        step = _pack(track, out)
        rows.append({"process": track.process, "track": track.number,
                     "name": run.trace.track_names.get(key,
                                                      str(track.number)),
                     "count": len(track.events), "at": at, "first": first,
                     "step": step})
    return ({"processes": [[number, processes.get(number, str(number))]
                           for number in sorted({key[0] for key in tracks})],
             "names": list(run.trace.names), "tracks": rows, "events": count,
             "original": original, "incomplete": run.trace.other.get("incomplete"),
             "end": max((track.events[-1][1] for track in tracks.values()),
                        default=0)}, bytes(out))
