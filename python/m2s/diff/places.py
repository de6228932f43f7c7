"""Two runs by kernel and by source line."""

import difflib
import re

from m2s.listings import Line

# Figures of launches that are added up, by the name that is shown.
LAUNCH_SUMS = {"Cycles": "Cycles", "Instructions": "Inst_Count",
               "LaneOperations": "LaneOperations",
               "Transactions": "Global_Mem_Transactions",
               "BankConflicts": "Local_Mem_Bank_Conflicts"}
# What lines are sorted by: the one of these that changed most.
_ORDER = ("stall_cycles", "cycles", "slots", "executions")


class Kernel:
    """figures: {name: [first, second]}; launches of both."""

    def __init__(self, name):
        self.name, self.launches, self.figures = name, [0, 0], {}


def compare_kernels(first, second):
    """Figures of all launches of each kernel, the greatest change of cycles
    first."""
    found = {}
    for side, run in enumerate((first, second)):
        for section, variables in run.reports.get("kernel", {}).items():
            if not re.fullmatch(r"NDRange\[\d+\]", section):
                continue
            name = str(variables.get("Name"))
            kernel = found.setdefault(name, Kernel(name))
            kernel.launches[side] += 1
            for shown, variable in LAUNCH_SUMS.items():
                if variable in variables:
                    values = kernel.figures.setdefault(shown, [0, 0])
                    values[side] += variables[variable]
    if not all("kernel" in run.reports for run in (first, second)):
        return []
    return sorted(found.values(), key=lambda kernel: -abs(
        kernel.figures.get("Cycles", [0, 0])[1] -
        kernel.figures.get("Cycles", [0, 0])[0]))


class LinePair:
    """A source line in both runs; None where one does not have it."""

    def __init__(self, before, after, function=None):
        self.before, self.after = before, after
        self._function = function

    @property
    def place(self):
        """The line, in both files if it moved, or the function."""
        if self._function:
            return self._function
        if self.before is not None and self.after is not None and \
                self.before.place != self.after.place:
            return f"{self.before.place} -> {self.after.place}"
        return self.line.place

    @property
    def line(self):
        return self.after if self.before is None else self.before

    def values(self, figure):
        return [0 if side is None else side.get(figure, 0)
                for side in (self.before, self.after)]

    def figures(self):
        """The names of what changed."""
        return [name for name in dict.fromkeys(
            [*(self.before or ()), *(self.after or ())])
            if self.values(name)[0] != self.values(name)[1]]


def order_of(pairs):
    """The figure by which lines are sorted."""
    def changed(name):
        return sum(abs(after - before) for before, after in
                   (pair.values(name) for pair in pairs))
    return max(_ORDER, key=changed)


def _by_text(sides):
    """Pairs of the lines of one function by their text, since lines move when
    the source is changed."""
    ordered = [sorted(side, key=lambda line: (line.file, line.number or 0))
               for side in sides]
    texts = [[line.text for line in side] for side in ordered]
    match = difflib.SequenceMatcher(None, *texts, autojunk=False)
    for what, begin, end, begin2, end2 in match.get_opcodes():
        if what == "equal":
            for one, two in zip(ordered[0][begin:end],
                                ordered[1][begin2:end2]):
                yield LinePair(one, two)
            continue
        left = {line.place: line for line in ordered[1][begin2:end2]}
        for line in ordered[0][begin:end]:
            yield LinePair(line, left.pop(line.place, None))
        for line in left.values():
            yield LinePair(None, line)


def _functions(first, second):
    """Functions of a program, which mostly has no source lines."""
    sides = [{name: Line(name, "", None, "", figures)
              for name, figures in listing.functions.items()}
             for listing in (first, second)]
    return [LinePair(sides[0].get(name), sides[1].get(name), name)
            for name in dict.fromkeys([*sides[0], *sides[1]])]


def compare_lines(first, second):
    """Pairs of the lines of two listings, the greatest change first."""
    pairs = []
    groups = {}
    if first.kind == "x86-listing":
        pairs += _functions(first, second)
    for side, listing in enumerate((first, second)):
        for line in listing.lines:
            groups.setdefault(line.function, ([], []))[side].append(line)
    for sides in groups.values():
        if first.kind == "x86-listing":
            # What has no line stands among the functions.
            sides = [[line for line in side if line.number is not None]
                     for side in sides]
        if all(line.text for side in sides for line in side
               if line.number is not None):
            pairs += _by_text(sides)
            continue
        places = [{line.place: line for line in side} for side in sides]
        pairs += [LinePair(places[0].get(place), places[1].get(place))
                  for place in dict.fromkeys([*places[0], *places[1]])]
    figure = order_of(pairs)

    def size(pair):
        before, after = pair.values(figure)
        return -abs(after - before)
    return sorted(pairs, key=size)
