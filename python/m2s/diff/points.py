"""Comparison of two sweeps, point by point."""

import json
import math
import os
import re

from m2s.diff.compare import Change
from m2s.diff.stacks import stacks_of_points


class PointChange(Change):
    """A statistic of a point, by the name that the sweep gives it."""

    __slots__ = ("full",)


class PointChanges:
    """A point of both sweeps: its parameters, and what moved."""

    def __init__(self, label, changes):
        self.label, self.changes = label, changes

    @property
    def moved(self):
        return sorted((change for change in self.changes if change.moved),
                      key=lambda change: -change.size)


class StatisticSummary:
    """A statistic over all points."""

    def __init__(self, name, pairs):
        """pairs: (label, change) of each point."""
        self.name, self.pairs = name, pairs
        self.moved = sum(change.moved for _, change in pairs)
        self.greatest = max(pairs, key=lambda pair: (pair[1].moved,
                                                     pair[1].size))

    @property
    def ratio(self):
        """The geometric mean of second over first, None where one of them is
        not positive."""
        if any(c.before <= 0 or c.after <= 0 for _, c in self.pairs):
            return None
        return math.exp(sum(math.log(c.after / c.before)
                            for _, c in self.pairs) / len(self.pairs))


class SweepComparison:
    """points, statistics: what both have; only: (side, label) of points that
    one alone has; texts: (point and statistic, before, after)."""

    def __init__(self, first, second, thresholds):
        self.names, self.thresholds = (first, second), thresholds
        self.points, self.statistics = [], []
        self.only, self.texts, self.notes = [], [], []
        self.fixed, self.inputs, self.stacks = [], [], []

    @property
    def differs(self):
        return bool(self.only or self.texts) or \
            any(point.moved for point in self.points)


def _keyed(found, side, sweep, names):
    points = {}
    for point in sweep:
        key = (point.program,) + tuple(point.parameters.get(name)
                                       for name in names)
        if key in points:
            found.notes.append(
                f"{found.names[side]} has several points "
                f"{_label(key, names)}: parameters that the other sweep "
                "lacks tell them apart; the first is compared")
            continue
        points[key] = point
    return points


def _label(key, names):
    return " ".join([str(key[0])] + [f"{name}={value}" for name, value in
                                     zip(names, key[1:]) if value is not None])


def _compare_point(found, label, before, after):
    changes = []
    if before.status != after.status:
        found.texts.append((f"{label}: status", before.status, after.status))
    names = dict.fromkeys([*before.statistics, *after.statistics])
    for name in names:
        if not found.thresholds.counts(name):
            continue
        values = before.statistics.get(name), after.statistics.get(name)
        if None in values:
            if before.status == after.status:
                found.only.append((0 if values[1] is None else 1,
                                   f"{label}: {name}"))
            continue
        report, _, rest = name.partition(":")
        section, _, variable = rest.rpartition(".")
        change = PointChange(report, section, variable, *values)
        change.full = name
        if not change.numeric:
            if values[0] != values[1]:
                found.texts.append((f"{label}: {name}", *values))
            continue
        change.moved = found.thresholds.exceeded(name, *values)
        changes.append(change)
    found.points.append(PointChanges(label, changes))
    return changes


def _manifest(sweep, point):
    """What a point was run with: where the sweep's folder is there."""
    path = os.path.join(sweep.path, "points", point.id[:2], point.id,
                        "manifest.json")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        manifest = json.load(file)
    # The parameters are options, too.
    parameters = {f"--set {name}={value}"
                  for name, value in manifest["parameters"].items()}
    options = [option.strip() for option in
               re.split(" (?=--)", " ".join(manifest.get("options", ())))]
    return {"options of m2s": [option for option in options
                               if option not in parameters],
            **{f"simulator: {name}": digest[:12]
               for name, digest in manifest.get("tools", {}).items()},
            **{f"contents of {name}": digest[:12]
               for name, digest in manifest.get("inputs", {}).items()}}


def _inputs(found, sweeps, sides):
    """What two points of the same parameters were given."""
    given = [_manifest(sweep, point) for sweep, point in zip(sweeps, sides)]
    if all(given):
        options = [side["options of m2s"] for side in given]
        for side, own, other in zip(given, options, options[::-1]):
            side["options of m2s"] = " ".join(
                option for option in own if option not in other) or None
        found.inputs += [
            row for row in ((name, given[0].get(name), given[1].get(name))
                            for name in dict.fromkeys([*given[0], *given[1]]))
            if row[1] != row[2] and row not in found.inputs]


def compare_sweeps(first, second, thresholds):
    """Compares two sweeps as of read_sweep(): points with the same program
    and the same values of the parameters that both have."""
    found = SweepComparison(first.path, second.path, thresholds)
    names = [name for name in first.parameters if name in second.parameters]
    for side, (sweep, other) in enumerate(((first, second),
                                           (second, first))):
        found.fixed += [(side, name, sweep.values(name))
                        for name in sweep.parameters
                        if name not in other.parameters]
    points = [_keyed(found, side, sweep, names)
              for side, sweep in enumerate((first, second))]
    statistics, pairs = {}, []
    for key in dict.fromkeys([*points[0], *points[1]]):
        label = _label(key, names)
        sides = points[0].get(key), points[1].get(key)
        if None in sides:
            found.only.append((0 if sides[1] is None else 1, label))
            continue
        pairs.append(sides)
        _inputs(found, (first, second), sides)
        for change in _compare_point(found, label, *sides):
            statistics.setdefault(change.full, []).append((label, change))
    found.statistics = sorted(
        (StatisticSummary(name, pairs) for name, pairs in statistics.items()),
        key=lambda one: (-one.moved, -one.greatest[1].size, one.name))
    found.stacks = stacks_of_points(pairs)
    return found
