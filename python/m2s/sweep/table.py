"""The state of all points, and their results as one table."""

import contextlib
import csv
import os
import sqlite3

from m2s.sweep.design import text_of
from m2s.sweep.point import DONE, lock
from m2s.sweep.slurm import waiting_points

RUNNING, WAITING, OPEN = "running", "waiting", "open"


def _is_running(folder):
    """Whether a process has the point's lock."""
    if not os.path.exists(os.path.join(folder, "lock")):
        return False
    with (lock(folder) or contextlib.nullcontext()) as free:
        return not free


def state_of(experiment, manifest, slurm_ids):
    """done, failed, timeout, running, waiting (for Slurm), or open; and the
    result, or None."""
    result = experiment.result(manifest["id"])
    if result:
        return result["status"], result
    if _is_running(experiment.folder(manifest["id"])):
        return RUNNING, None
    return (WAITING if manifest["id"] in slurm_ids else OPEN), None


def states(experiment, manifests):
    """(manifest, state, result) of each point."""
    slurm_ids = waiting_points(experiment.out)
    for manifest in manifests:
        yield (manifest, *state_of(experiment, manifest, slurm_ids))


def _rows(experiment, manifests):
    """Parameters, statistics and outcome of each point that ended, in the
    design's order."""
    for manifest in manifests:
        result = experiment.result(manifest["id"])
        if result:
            yield manifest, result


def _columns(rows):
    """Names of all parameters and of all statistics, in order of
    appearance."""
    parameters, statistics = {}, {}
    for manifest, result in rows:
        parameters.update(dict.fromkeys(manifest["parameters"]))
        statistics.update(dict.fromkeys(result["statistics"]))
    return list(parameters), list(statistics)


def _write_csv(path, rows, parameters, statistics):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "program", *parameters, "status", "exit",
                         *statistics])
        for manifest, result in rows:
            values = manifest["parameters"]
            kept = result["statistics"]
            writer.writerow(
                [manifest["id"], manifest["program"]] +
                [text_of(values.get(name, "")) for name in parameters] +
                [result["status"], result["exit"]] +
                [kept.get(name, "") for name in statistics])


_TABLES = """
CREATE TABLE point (id TEXT PRIMARY KEY, experiment TEXT, program TEXT,
	status TEXT, exit INTEGER, error TEXT, host TEXT, began REAL,
	seconds REAL, command TEXT);
CREATE TABLE parameter (point TEXT REFERENCES point, name TEXT, value,
	PRIMARY KEY (point, name));
CREATE TABLE statistic (point TEXT REFERENCES point, name TEXT, value,
	PRIMARY KEY (point, name));
CREATE INDEX statistic_name ON statistic (name);
"""


def _write_sqlite(path, rows):
    if os.path.exists(path):
        os.unlink(path)
    database = sqlite3.connect(path)
    with database:
        database.executescript(_TABLES)
        for manifest, result in rows:
            point = manifest["id"]
            database.execute(
                "INSERT INTO point VALUES (?,?,?,?,?,?,?,?,?,?)",
                (point, manifest["experiment"], manifest["program"],
                 result["status"], result["exit"], result["error"],
                 result["host"], result["began"], result["seconds"],
                 " ".join(manifest["options"] + manifest["command"])))
            database.executemany(
                "INSERT INTO parameter VALUES (?,?,?)",
                [(point, name, value)
                 for name, value in manifest["parameters"].items()])
            database.executemany(
                "INSERT INTO statistic VALUES (?,?,?)",
                [(point, name, value)
                 for name, value in result["statistics"].items()])
    database.close()


def collect(experiment, manifests):
    """Writes table.csv and table.sqlite in the experiment's folder. Returns
    the numbers of points that are done and in the table."""
    rows = list(_rows(experiment, manifests))
    os.makedirs(experiment.out, exist_ok=True)
    for name, write in (
            ("table.csv", lambda part: _write_csv(part, rows, *_columns(rows))),
            ("table.sqlite", lambda part: _write_sqlite(part, rows))):
        path = os.path.join(experiment.out, name)
        write(f"{path}.part")
        os.replace(f"{path}.part", path)
    done = sum(result["status"] == DONE for _, result in rows)
    return done, len(rows)
