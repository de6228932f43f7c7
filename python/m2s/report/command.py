"""The command line of m2s-report."""

import argparse
import os
import sys

from m2s.files import ReadError
from m2s.parts import join_parts
from m2s.report import inputs
from m2s.report.code import code_of, x86_code_of
from m2s.report.memory import memory_of
from m2s.report.model import model_of
from m2s.report.page import page_of
from m2s.report.sweep import sweep_of
from m2s.report.timeline import timeline_of


def _describe(run):
    model = model_of(run)
    timeline = timeline_of(run)
    model["code"] = code_of(run)
    model["x86_code"] = x86_code_of(run)
    model["memory"] = memory_of(run)
    model["timeline"] = timeline[0] if timeline else None
    return model, timeline[1] if timeline else None


def _write(path, text):
    """A file that is there whole or not at all."""
    part = f"{path}.part"
    with open(part, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(part, path)


def _collect(arguments):
    """Runs and paths of sweeps' tables. Files of the command line together
    are one run, each folder is another."""
    runs, tables, single = [], [], None
    for path in arguments.run:
        table = inputs.sweep_table(path)
        if table:
            tables.append(table)
        elif os.path.isdir(path):
            runs.append(inputs.folder_run(path))
        else:
            if single is None:
                single = inputs.Run("run")
                runs.append(single)
            inputs.add_file(single, path)
    for path in arguments.source:
        for run in runs:
            inputs.add_file(run, path)
    return runs, tables


def _point_pages(table):
    """A page for each point of a sweep that has kept its reports."""
    points = os.path.join(os.path.dirname(os.path.abspath(table)), "points")
    count = 0
    for folder, _, names in os.walk(points):
        if "manifest.json" not in names:
            continue
        try:
            run = inputs.folder_run(folder)
        except inputs.InputError:
            continue
        _write(os.path.join(folder, "report.html"),
               page_of(f"point {run.name}", [_describe(run)], []))
        count += 1
    return count


def main(words):
    parser = argparse.ArgumentParser(
        prog="m2s-report", description="Writes one HTML page about runs and "
        "sweeps, which needs nothing else (doc/reports-html.md).")
    parser.add_argument("run", metavar="RUN", nargs="+",
                        help="a folder with a run's reports, traces and "
                        "annotated listings, or of m2s-sweep; or such files, "
                        "which together are one run")
    parser.add_argument("-o", "--output", metavar="FILE",
                        default="report.html", help="default report.html; -: "
                        "standard output")
    parser.add_argument("--title", metavar="TEXT")
    parser.add_argument("--source", metavar="FILE.cl", action="append",
                        default=[], help="the kernels' source, for the heat "
                        "over source lines")
    parser.add_argument("--points", action="store_true",
                        help="a page for each point of a sweep, too, with "
                        "the reports that keep_reports has kept")
    parser.add_argument("--parts", action="store_true",
                        help="instead: x86 reports of --x86-load-part as one "
                        "estimate, on standard output")
    arguments = parser.parse_args(words)
    try:
        if arguments.parts:
            print(join_parts(arguments.run))
            return 0
        runs, tables = _collect(arguments)
        if arguments.points:
            for table in tables:
                if not _point_pages(table):
                    raise inputs.InputError(
                        f"{table}: --points: no point has kept its reports "
                        "(keep_reports = true)")
        place = None if arguments.output == "-" else arguments.output
        sweeps = [sweep_of(table, place) for table in tables]
        names = [run.name for run in runs] + [sweep["name"]
                                              for sweep in sweeps]
        text = page_of(arguments.title or "m2s: " + ", ".join(names),
                       [_describe(run) for run in runs], sweeps)
        if place is None:
            sys.stdout.write(text)
        else:
            _write(place, text)
    except (inputs.InputError, ReadError, OSError) as error:
        print(f"m2s-report: error: {error}", file=sys.stderr)
        return 2
    return 0
