"""Finds out what each file of a run is: by its contents, not by its name."""

import csv
import gzip
import os

from m2s.files import ReadError
from m2s.report.timeline import read_trace
from m2s.reports import read_report

_MOST = 64          # files of a folder


class InputError(Exception):
    """A file that cannot be used."""


class Run:
    """What there is of a run; a missing part is None or empty."""

    def __init__(self, name):
        self.name = name
        self.reports = {}       # kind: Report
        self.annotation = None  # rows of --evg-annotate FILE.csv
        self.listing = None     # text of --evg-annotate FILE
        self.x86_profile = None # rows of --x86-annotate FILE.csv
        self.intervals = None   # rows of --stats-interval-file
        self.trace = None       # read_trace() of the file of --trace
        self.sources = {}       # OpenCL C, by file name: lines
        self.files = []

    def is_empty(self):
        return not self.files


def _kind_of_report(report):
    names = list(report)
    if "Config.Device" in report:
        return "evg"
    if any(name.startswith("NDRange[") for name in names):
        return "kernel"
    if "Config.General" in report or "Global" in report:
        return "x86"
    if any("Accesses" in section and "." not in name
           for name, section in report.items()):
        return "mem"
    if any(name.startswith("Network.") for name in names):
        return "net"
    return None


_TABLES = {"kernel,address,kind,": "annotation",
           "kind,process,thread,file,": "x86_profile",
           "NDRange,Kernel,EndCycle,": "intervals"}


def _load(run, path, head):
    """True when the file belongs to the run."""
    if head.startswith(b"\x1f\x8b") or b'"traceEvents"' in head:
        opener = gzip.open if head.startswith(b"\x1f\x8b") else open
        with opener(path, "rt", encoding="utf-8") as file:
            if '"traceEvents"' not in file.readline():
                return False
            run.trace = read_trace(file)
        return True
    text = head.decode("utf-8", "replace")
    for start, field in _TABLES.items():
        if text.startswith(start):
            with open(path, encoding="utf-8", newline="") as file:
                setattr(run, field, list(csv.DictReader(file)))
            return True
    if text.startswith("; executions: by wavefronts") or \
            "\n; executions: by wavefronts" in text:
        with open(path, encoding="utf-8") as file:
            run.listing = file.read()
        return True
    if path.endswith(".cl"):
        with open(path, encoding="utf-8", errors="replace") as file:
            run.sources[os.path.basename(path)] = file.read().splitlines()
        return True
    if text.lstrip()[:1] not in ("{", "<", "[", ";") and \
            not text.startswith("section,"):
        return False
    report = read_report(path)
    kind = _kind_of_report(report)
    if kind:
        run.reports[kind] = report
    return kind is not None


def add_file(run, path, must=True):
    """Adds a file to a run. `must`: it is an error when it is none of m2s's."""
    try:
        with open(path, "rb") as file:
            head = file.read(4096)
        known = _load(run, path, head)
    except ReadError as error:
        if not must:
            return
        raise InputError(str(error)) from None
    except (OSError, ValueError, KeyError, AttributeError, TypeError,
            SyntaxError) as error:
        if not must:
            return
        raise InputError(f"{path}: {error}") from None
    if known:
        run.files.append(os.path.basename(path))
    elif must:
        raise InputError(f"{path}: neither a report, a trace nor a table of "
                         "m2s")


def sweep_table(path):
    """The table of a sweep, of which `path` is the folder or the file; or
    None."""
    for name in (path, os.path.join(path, "table.csv")):
        if os.path.isfile(name):
            with open(name, "rb") as file:
                if file.read(11) == b"id,program,":
                    return name
    return None


def folder_run(path):
    """The run whose files are in a folder."""
    run = Run(os.path.basename(os.path.abspath(path)))
    names = sorted(name for name in os.listdir(path)
                   if os.path.isfile(os.path.join(path, name)) and
                   not name.startswith("."))
    for name in names[:_MOST]:
        if not name.endswith(".html"):
            add_file(run, os.path.join(path, name), must=False)
    if run.is_empty():
        raise InputError(f"{path}: a folder without any file that m2s-report "
                         "knows")
    return run
