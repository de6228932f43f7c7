"""Reports of the parts of one program (--x86-load-part) as one estimate."""

import math

from m2s.files import ReadError
from m2s.reports import read_report

# Of the normal distribution: 95 % within so many standard deviations.
_Z = 1.959964


class Parts:
    """measured, parts: how many were measured, of how many. cpi: cycles per
    instruction, without those of page faults and system calls; interval: 95 %
    of confidence, of a sample only, else None. instructions: of the program.
    covered: share of the intervals whose part was measured."""

    def __init__(self, rows):
        weights = [part["Intervals"] for part, _ in rows]
        cpis = [unit["CPI"] for _, unit in rows]
        first = rows[0][0]
        self.kind = first["Kind"]
        self.parts, self.measured = first["Parts"], len(rows)
        self.instructions = first["Program.Instructions"]
        self.cpi = sum(w * c for w, c in zip(weights, cpis)) / sum(weights)
        self.interval = None
        if self.kind == "sample":
            squares = sum((c - self.cpi) ** 2 for c in cpis)
            self.interval = (_Z * math.sqrt(squares / (len(rows) - 1) /
                                            len(rows))
                             if len(rows) > 1 else 0)

    @property
    def cycles(self):
        return self.cpi * self.instructions

    def __str__(self):
        of = "" if self.interval is None else f" +- {self.interval:.6g}"
        return (f"Parts = {self.measured} of {self.parts}\n"
                f"CPI = {self.cpi:.6g}{of}\n"
                f"Instructions = {self.instructions}\n"
                f"Cycles = {self.cycles:.0f}")


# What the parts of one program have in common.
_SAME = "Parts", "Length", "Kind", "Program.Instructions"


def join_parts(paths):
    """The estimate from reports, each a path or a Report. A part that is there
    twice, or of another program, is refused."""
    rows, seen = [], {}
    for path in paths:
        report = path if isinstance(path, dict) else read_report(path)
        where = getattr(report, "path", None) or path
        part, unit = report.get("Part"), report.get("Sampling")
        if not part or not unit:
            raise ReadError(where, "expected an x86 report of "
                            "--x86-load-part")
        if not unit["Units"]:
            raise ReadError(where, "the run has ended before its part")
        if part["Number"] in seen:
            raise ReadError(where, f"part {part['Number']} is also in "
                            f"{seen[part['Number']]}")
        if rows and any(part[name] != rows[0][0][name] for name in _SAME):
            raise ReadError(where, "a part of another program than "
                            f"{next(iter(seen.values()))}")
        seen[part["Number"]] = where
        rows.append((part, unit))
    if not rows:
        raise ValueError("no reports")
    return Parts(rows)
