"""All that a run has written: one file, or a folder of reports, listings,
figures over time and traces.

    run = read_run("half")
    run.reports["evg"]["Device"]["Cycles"]
    run.intervals, run.listings, run.trace"""

import os
import re

from m2s.files import ReadError, read_text
from m2s.listings import is_listing_text, read_listing
from m2s.reports import read_report
from m2s.tables import kind_of, read_table
from m2s.traces import read_trace

_SECTION = re.compile(r"^(;[^\n]*\n|\s*\n)*\[ [^\n]+ \]\n")
_JSON = re.compile(r'^\s*\{\s*"[^"\n]+":\s*\{')


def _kind(path):
    """report, trace, listing, the kind of a table, or None: another file."""
    try:
        start = read_text(path, 4096)
    except ReadError:
        return None
    if '"traceEvents"' in start:
        return "trace"
    if is_listing_text(start):
        return "listing"
    if start.startswith("section,name,value") or _SECTION.match(start) or \
            "<report" in start or '"incomplete"' in start or \
            _JSON.match(start):
        return "report"
    return kind_of(start.split("\n")[0].split(","))


class Run:
    """reports: by kind, or by file name where a kind is there twice;
    listings, intervals, trace: None if there is none; others: files that are
    not of these kinds."""

    def __init__(self, path):
        self.path = path
        self.reports, self.listings, self.tables = {}, {}, {}
        self.intervals = self.trace = None
        self.others = []

    @property
    def incomplete(self):
        """None, or why the run was cut short."""
        for report in self.reports.values():
            if report.incomplete:
                return report.incomplete
        return None

    @property
    def provenance(self):
        """What was run, from the first report that says so."""
        for report in self.reports.values():
            if report.provenance:
                return report.provenance
        return {}

    def add(self, path, must=True):
        """Reads a file; with must, one that is not m2s's is an error."""
        kind = _kind(path)
        name = os.path.basename(path).split(".")[0]
        if kind == "report" or kind is None and must:
            report = read_report(path)
            if not report.kind and not report.provenance:
                if must:
                    raise ReadError(path, "no report of m2s: no section of "
                                    "one is there")
                self.others.append(path)
                return
            self._add_report(name, report)
        elif kind == "trace":
            self.trace = read_trace(path)
        elif kind in ("listing", "x86-listing"):
            self.listings.setdefault(kind, read_listing(path))
        elif kind == "intervals":
            self.intervals = read_table(path)
        elif kind in ("predictors", "sweep"):
            self.tables[kind] = read_table(path)
        else:
            self.others.append(path)

    def _add_report(self, name, report):
        key = report.kind or name
        there = self.reports.get(key)
        if there is None:
            self.reports[key] = report
        elif _stem(there.path) != _stem(report.path):
            # Not the same report in another format.
            self.reports[f"{key}/{name}"] = report


def _stem(path):
    return os.path.splitext(path)[0]


def read_run(*paths):
    """Reads the files and the folders of a run. Raises ReadError."""
    run = Run(os.fspath(paths[0]))
    for path in map(os.fspath, paths):
        if os.path.isdir(path):
            for name in sorted(os.listdir(path)):
                file = os.path.join(path, name)
                if os.path.isfile(file):
                    run.add(file, must=False)
        else:
            run.add(path)
    if not (run.reports or run.listings or run.tables or run.trace or
            run.intervals):
        raise ReadError(run.path, "nothing of m2s is there")
    return run
