"""The results of m2s-sweep: its folder (caches.out), or one of the tables in
it.

    sweep = read_sweep("caches.out")
    sweep.values("Memory.L1Size")                    # ["1k", "8k", "64k"]
    sweep.series("n", "evg:Device.Cycles", program="floyd-warshall")
                                                     # [(16, 2211), ...]"""

import csv
import json
import os
import sqlite3

from m2s.files import ReadError, frame, number, read_text, whole_lines


class Point:
    """One run: parameters and statistics by name; status is done, failed or
    timeout."""

    def __init__(self, name, program, status, exit_status):
        self.id, self.program = name, program
        self.status, self.exit = status, exit_status
        self.parameters, self.statistics = {}, {}

    def __getitem__(self, name):
        """A parameter, or a statistic."""
        if name == "program":
            return self.program
        if name in self.parameters:
            return self.parameters[name]
        return self.statistics[name]

    def has(self, values):
        """Whether it has these values; program counts as a parameter."""
        return all(self.program == value if name == "program" else
                   self.parameters.get(name) == value
                   for name, value in values.items())


class Sweep(list):
    """Points in the design's order."""

    def __init__(self, points=(), path=None):
        super().__init__(points)
        self.path = path

    def _names(self, kind):
        found = {}
        for point in self:
            found.update(dict.fromkeys(getattr(point, kind)))
        return list(found)

    @property
    def parameters(self):
        return self._names("parameters")

    @property
    def statistics(self):
        return self._names("statistics")

    @property
    def programs(self):
        return list(dict.fromkeys(point.program for point in self))

    def values(self, parameter):
        """The different values of a parameter, in order of appearance."""
        return list(dict.fromkeys(point.parameters[parameter]
                                  for point in self
                                  if parameter in point.parameters))

    def select(self, values=None, **more):
        """The points with these values, as {"Memory.L1Size": "8k"} or
        n=16."""
        wanted = {**(values or {}), **more}
        return Sweep([point for point in self if point.has(wanted)],
                     self.path)

    def series(self, x, y, values=None, **more):
        """(x, y) of the finished points with these values, sorted by x."""
        found = [(point[x], point[y])
                 for point in self.select(values, **more)
                 if point.status == "done" and y in point.statistics]
        if all(isinstance(key, (int, float)) for key, _ in found):
            found.sort()
        return found

    def frame(self):
        """A pandas.DataFrame: a row for each point."""
        return frame([{"id": point.id, "program": point.program,
                       **point.parameters, "status": point.status,
                       "exit": point.exit, **point.statistics}
                      for point in self])


def _read_csv(path):
    rows = csv.reader(whole_lines(path, read_text(path)))
    header = next(rows, [])
    if header[:2] != ["id", "program"] or "status" not in header or \
            "exit" not in header:
        raise ReadError(path, "no table of m2s-sweep: expected columns id, "
                        "program, status, exit", 1)
    status, end = header.index("status"), header.index("exit")
    sweep = Sweep(path=path)
    for row in rows:
        if len(row) != len(header):
            raise ReadError(path, f"{len(row)} fields in place of "
                            f"{len(header)}", rows.line_num)
        point = Point(row[0], row[1], row[status], number(row[end]))
        for name, value in list(zip(header, row))[2:status]:
            if value != "":
                point.parameters[name] = number(value)
        for name, value in list(zip(header, row))[end + 1:]:
            if value != "":
                point.statistics[name] = number(value)
        sweep.append(point)
    return sweep


def _read_sqlite(path):
    if not os.path.exists(path):
        raise ReadError(path, "No such file or directory")
    try:
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        points = {row[0]: Point(*row) for row in database.execute(
            "SELECT id, program, status, exit FROM point ORDER BY rowid")}
        for table in "parameter", "statistic":
            for name, variable, value in database.execute(
                    f"SELECT point, name, value FROM {table} "
                    "ORDER BY rowid"):
                getattr(points[name], table + "s")[variable] = number(value)
        database.close()
    except (sqlite3.Error, KeyError) as error:
        raise ReadError(path, f"no database of m2s-sweep: {error}") from None
    return Sweep(points.values(), path)


def _read_json(path):
    try:
        return json.loads(read_text(path))
    except json.JSONDecodeError as error:
        raise ReadError(path, f"truncated, or no JSON: {error.msg}",
                        error.lineno) from None


def _read_points(path):
    """The points' own folders, when nothing has been collected."""
    sweep = Sweep(path=path)
    for folder, _, files in sorted(os.walk(os.path.join(path, "points"))):
        if "manifest.json" not in files or "result.json" not in files:
            continue
        manifest = _read_json(os.path.join(folder, "manifest.json"))
        result = _read_json(os.path.join(folder, "result.json"))
        try:
            point = Point(manifest["id"], manifest["program"],
                          result["status"], result["exit"])
            point.parameters = dict(manifest["parameters"])
            point.statistics = dict(result["statistics"])
        except KeyError as error:
            raise ReadError(folder, f"no point of m2s-sweep: {error} is "
                            "missing") from None
        sweep.append(point)
    return sweep


def is_sweep(path):
    """Whether it is a sweep's folder or table."""
    if os.path.isdir(path):
        return os.path.exists(os.path.join(path, "table.csv")) or \
            os.path.isdir(os.path.join(path, "points"))
    if not os.path.exists(path):
        return False
    with open(path, "rb") as file:
        start = file.read(16)
    return start.startswith((b"SQLite format 3", b"id,program,"))


def read_sweep(path):
    """Reads the folder of a sweep, its table.csv or its table.sqlite. Raises
    ReadError."""
    if os.path.isdir(path):
        table = os.path.join(path, "table.csv")
        if os.path.exists(table):
            sweep = _read_csv(table)
            sweep.path = path
            return sweep
        if os.path.isdir(os.path.join(path, "points")):
            return _read_points(path)
        raise ReadError(path, "no folder of m2s-sweep: it has neither "
                        "table.csv nor points")
    if read_text(path, 6) == "" or path.endswith((".sqlite", ".db")):
        return _read_sqlite(path)
    return _read_csv(path)
