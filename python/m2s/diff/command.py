"""The command m2s-diff."""

import argparse
import os
import sys

from m2s.diff.compare import compare_runs
from m2s.diff.page import run_page, sweep_page
from m2s.diff.points import compare_sweeps
from m2s.diff.text import run_text, sweep_text
from m2s.diff.thresholds import ThresholdError, Thresholds
from m2s.files import ReadError
from m2s.runs import read_run
from m2s.sweeps import is_sweep, read_sweep

SAME, MOVED, ERROR = 0, 1, 2


def _parser():
    parser = argparse.ArgumentParser(
        prog="m2s-diff", description="Compares two runs of m2s, or two "
        "sweeps, and says what the differences mean (doc/comparing-runs.md). "
        "The exit status is 0 when no statistic moved beyond the threshold, "
        "1 when one did, 2 after an error.")
    parser.add_argument("first", help="a report, a folder of reports, "
                        "listings and so on, or a sweep's folder or table")
    parser.add_argument("second", help="the same of the other run")
    parser.add_argument("--threshold", action="append", default=[],
                        metavar="[PATTERN=]VALUE", help="how far a statistic "
                        "may move: 1%%, or 100, or 1%%,100 for both; PATTERN "
                        "(*, ?) as evg:Device.*; may be repeated, the last "
                        "one that matches counts (default 0)")
    parser.add_argument("--only", action="append", default=[],
                        metavar="PATTERN", help="compare these statistics "
                        "only; may be repeated")
    parser.add_argument("--ignore", action="append", default=[],
                        metavar="PATTERN", help="leave these statistics out; "
                        "may be repeated")
    parser.add_argument("--top", type=int, default=30, metavar="N",
                        help="rows of each table (default 30)")
    parser.add_argument("--each", action="store_true", help="each compute "
                        "unit, cache, link and launch by itself")
    parser.add_argument("--html", metavar="FILE", help="write a page, too, "
                        "which needs no other file")
    parser.add_argument("--quiet", action="store_true",
                        help="no text, only the exit status")
    return parser


def _compare(arguments):
    thresholds = Thresholds(arguments.threshold, arguments.ignore,
                            arguments.only)
    paths = arguments.first, arguments.second
    sweeps = [is_sweep(path) for path in paths]
    if all(sweeps):
        found = compare_sweeps(*map(read_sweep, paths), thresholds)
        return found, sweep_text, sweep_page
    if any(sweeps):
        raise ReadError(paths[sweeps.index(False)], "not a sweep, but the "
                        "other one is")
    found = compare_runs(*map(read_run, paths), thresholds)
    return found, run_text, run_page


def _write(path, text):
    """The file is there whole, or not at all."""
    part = f"{path}.part"
    try:
        with open(part, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(part, path)
    except OSError as error:
        raise ReadError(path, f"cannot write: {error.strerror}") from None


def main(words):
    arguments = _parser().parse_args(words)
    try:
        found, text, page = _compare(arguments)
        if not arguments.quiet:
            print("\n".join(text(found, arguments.top, arguments.each)),
                  flush=True)
        if arguments.html:
            _write(arguments.html, page(found, arguments.top,
                                        arguments.each))
    except (ReadError, ThresholdError) as error:
        print(f"m2s-diff: {error}", file=sys.stderr)
        return ERROR
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return MOVED if found.differs else SAME
