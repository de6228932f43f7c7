"""What differs between two runs: configuration and inputs, statistics, cycle
stacks, kernels, source lines."""

import math
import os

from m2s.diff.inputs import (input_differences, is_configuration,
                             unnumbered)
from m2s.diff.places import compare_kernels, compare_lines
from m2s.diff.stacks import stacks_of
from m2s.reports import PROVENANCE


class Change:
    """A statistic in both runs."""

    # There may be millions: each launch has 50.
    __slots__ = ("report", "section", "variable", "before", "after", "moved")

    def __init__(self, report, section, name, before, after):
        self.report, self.section, self.variable = report, section, name
        self.before, self.after = before, after
        self.moved = False

    @property
    def name(self):
        return f"{self.report}:{self.section}.{self.variable}"

    @property
    def numeric(self):
        return isinstance(self.before, (int, float)) and \
            isinstance(self.after, (int, float))

    @property
    def delta(self):
        return self.after - self.before

    @property
    def relative(self):
        """Relative to the first run; infinite where that had 0."""
        if self.before == self.after:
            return 0.0
        return self.delta / abs(self.before) if self.before else \
            math.copysign(math.inf, self.delta)

    @property
    def size(self):
        """How big a change is, from 0 to 1: relative to the greater of the
        two, so that doubling and halving are alike."""
        if not self.numeric:
            return 1.0
        greatest = max(abs(self.before), abs(self.after))
        return min(abs(self.delta) / greatest, 1.0) if greatest else 0.0


class Fold:
    """The same variable of sections that differ only in their numbers
    (ComputeUnit 0, ComputeUnit 1, ...): sums, or means of what is no count."""

    def __init__(self, name, changes):
        self.name, self.changes = name, changes
        self.moved = any(change.moved for change in changes)
        self.count = sum(change.moved for change in changes)
        self.numeric = all(change.numeric for change in changes)
        self.mean = len(changes) > 1 and self.numeric and any(
            isinstance(value, float) for change in changes
            for value in (change.before, change.after))
        if self.numeric:
            parts = len(changes) if self.mean else 1
            self.before = sum(c.before for c in changes) / parts
            self.after = sum(c.after for c in changes) / parts
        else:
            self.before, self.after = changes[0].before, changes[0].after
        self.greatest = max(changes, key=lambda change: (
            change.moved, change.size))

    delta, relative = Change.delta, Change.relative

    @property
    def size(self):
        if not self.numeric:
            return 1.0
        # Changes that cancel out in the sum are changes.
        return max(Change.size.fget(self), self.greatest.size / 1000)


def fold(changes):
    """Changes, sections of the same kind together."""
    groups = {}
    for change in changes:
        groups.setdefault((change.report, unnumbered(change.section),
                           unnumbered(change.variable)), []).append(change)
    return [Fold(group[0].name if len(group) == 1 else
                 f"{report}:{section}.{name}", group)
            for (report, section, name), group in groups.items()]


class Comparison:
    """inputs: differences of what was run, as (what, before, after);
    changes: every statistic of both runs; only: (side, what) that one run
    alone has; stacks, kernels, lines: see their modules; notes: texts."""

    def __init__(self, first, second, thresholds):
        self.names = first, second
        self.thresholds = thresholds
        self.inputs, self.changes, self.texts = [], [], []
        self.only, self.stacks, self.kernels = [], [], []
        self.lines, self.notes = {}, []
        self.incomplete = None, None
        self.same_provenance = False

    @property
    def moved(self):
        """The statistics beyond the thresholds, the greatest first."""
        return sorted((change for change in self.changes if change.moved),
                      key=lambda change: -change.size)

    def folded(self, each=False):
        """The same, sections of one kind together unless each is wanted."""
        found = [Fold(change.name, [change]) for change in self.changes] \
            if each else fold(self.changes)
        return sorted((one for one in found if one.moved),
                      key=lambda one: (
                          -one.size, -abs(one.delta) if one.numeric else 0,
                          one.name))

    @property
    def differs(self):
        """Whether anything moved beyond the thresholds."""
        return bool(self.only) or any(c.moved for c in self.changes)


def _values(name, value):
    """(name, number) of each number in a value; counts in a row are several.
    A text is None."""
    if isinstance(value, (int, float)):
        return {name: value}
    words = value.split()
    try:
        return {f"{name}#{index}": float(word) if "." in word else int(word)
                for index, word in enumerate(words, 1)}
    except ValueError:
        return None


def _compare_section(found, key, section, before, after):
    """before and after: variables of the section in the two runs."""
    for name in dict.fromkeys([*before, *after]):
        if is_configuration(key, section, name):
            continue
        full = f"{key}:{section}.{name}"
        if not found.thresholds.counts(full):
            continue
        values = [side.get(name) for side in (before, after)]
        # A histogram has no row for what did not happen.
        if None in values and "[" in name:
            values = [0 if value is None else value for value in values]
        if None in values:
            found.only.append((0 if values[1] is None else 1, full))
            continue
        first, second = (_values(name, value) for value in values)
        if first is None or second is None or first.keys() != second.keys():
            if values[0] != values[1]:
                found.texts.append((full, *values))
                if "Digest" in name or first is not None or \
                        second is not None:
                    change = Change(key, section, name, *values)
                    change.moved = True
                    found.changes.append(change)
            continue
        for part in first:
            change = Change(key, section, part, first[part], second[part])
            change.moved = found.thresholds.exceeded(
                full, change.before, change.after)
            found.changes.append(change)


def _compare_report(found, key, before, after):
    names = dict.fromkeys([*before, *after])
    gone = {0: [], 1: []}
    for section in names:
        if section == PROVENANCE or section.startswith("Config."):
            continue
        sides = before.get(section), after.get(section)
        if None in sides:
            side = 0 if sides[1] is None else 1
            if any(found.thresholds.counts(f"{key}:{section}.{name}")
                   for name in sides[side]):
                gone[side].append(section)
            continue
        _compare_section(found, key, section, *sides)
    for side, sections in gone.items():
        groups = {}
        for section in sections:
            groups.setdefault(unnumbered(section), []).append(section)
        found.only += [
            (side, f"{key}: {len(group)} sections {name}" if len(group) > 1
             else f"{key}: section {group[0]}")
            for name, group in groups.items()]


def _pairs(first, second):
    """(key, report, report) of reports that both have, and what is left."""
    keys = [key for key in first if key in second]
    left = [[key for key in side if key not in keys]
            for side in (first, second)]
    return keys, left


def compare_runs(first, second, thresholds):
    """Compares two runs as of read_run()."""
    found = Comparison(first.path, second.path, thresholds)
    found.incomplete = first.incomplete, second.incomplete
    found.same_provenance = bool(first.provenance) and \
        bool(second.provenance)
    found.inputs = input_differences(first, second)
    keys, left = _pairs(first.reports, second.reports)
    for key in keys:
        if key.startswith("threads"):
            found.notes.append("the report of host threads is not compared: "
                               "it has the host's times")
            continue
        if key == "mem" and "net" in keys:
            # --mem-report has the networks, too.
            _compare_report(found, key, *(
                {section: variables
                 for section, variables in run.reports[key].items()
                 if not section.startswith("Network.")}
                for run in (first, second)))
            continue
        _compare_report(found, key, first.reports[key], second.reports[key])
    for side, names in enumerate(left):
        found.notes += [f"only {found.names[side]} has a report {name}"
                        for name in names]
    if not keys and not (first.listings and second.listings):
        found.notes.append("the runs have no report in common")
    for run in first, second:
        if run.others:
            names = sorted(map(os.path.basename, run.others))
            found.notes.append(
                f"{run.path}: not read, since they are no results of m2s "
                f"that programs read: {', '.join(names[:5])}"
                f"{' and more' if len(names) > 5 else ''}")
    found.stacks = stacks_of(first, second)
    found.kernels = compare_kernels(first, second)
    for kind in first.listings:
        if kind in second.listings:
            found.lines[kind] = compare_lines(first.listings[kind],
                                              second.listings[kind])
    return found
