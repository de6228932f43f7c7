"""The command line of m2s-sweep."""

import argparse
import os
import shutil
import signal
import sys
import time

from m2s.sweep import export, local, slurm, status, table
from m2s.sweep.design import Design, DesignError
from m2s.sweep.point import DONE, FAILED, TIMEOUT, Experiment, argv_of


class UsageError(Exception):
    """A request that cannot be served."""


def _find_m2s(design):
    """The simulator: the design's, or the one beside m2s-sweep, or of PATH."""
    if design.m2s:
        path = os.path.join(design.folder, design.m2s)
        found = path if os.path.exists(path) else shutil.which(design.m2s)
    else:
        beside = os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])),
                              "m2s")
        found = beside if os.path.exists(beside) else shutil.which("m2s")
    if not found:
        raise UsageError(f"{design.path}: m2s: {design.m2s or 'm2s'}: no such "
                         "program")
    return os.path.realpath(found)


def _open(arguments):
    """The experiment, and the list of its points."""
    design = Design(arguments.design)
    out = arguments.out or os.path.splitext(design.path)[0] + ".out"
    experiment = Experiment(design, out, _find_m2s(design))
    try:
        manifests = list(experiment.points())
    except OSError as error:
        raise UsageError(f"{design.path}: {error}") from None
    if not manifests:
        raise UsageError(f"{design.path}: no point: the conditions of where "
                         "exclude all")
    return experiment, manifests


def _open_points(experiment, manifests, retry):
    """What is left to run; with retry, failed points too."""
    left = []
    for manifest, state, _ in table.states(experiment, manifests):
        if state == table.OPEN or (retry and state in (FAILED, TIMEOUT)):
            left.append(manifest)
            if state != table.OPEN:
                os.unlink(os.path.join(experiment.folder(manifest["id"]),
                                       "result.json"))
    return left


class _Progress:
    """One line about the run: on a terminal it is overwritten, elsewhere
    written every ten seconds."""

    def __init__(self, total, quiet):
        self.total, self.quiet = total, quiet
        self.ended = self.failed = 0
        self.began = self.shown = time.monotonic()
        self.terminal = sys.stderr.isatty()

    def __call__(self, result):
        self.ended += 1
        if result["status"] != DONE:
            self.failed += 1
        now = time.monotonic()
        interval = 0.2 if self.terminal else 10
        if self.quiet or now - self.shown < interval:
            return
        self.shown = now
        rate = self.ended / (now - self.began)
        left = (self.total - self.ended) / rate
        print(f"{self.ended} of {self.total} points, {self.failed} failed, "
              f"{rate:.2f} a second, {status.duration(left)} left   ",
              file=sys.stderr, end="\r" if self.terminal else "\n",
              flush=True)


def _list_failed(experiment, manifests):
    for manifest in manifests:
        result = experiment.result(manifest["id"])
        if not result or result["status"] == DONE:
            continue
        values = " ".join(f"{name}={value}" for name, value
                          in manifest["parameters"].items())
        print(f"{result['status']}: {manifest['program']} {values}: "
              f"{result['error'] or 'exit status %s' % result['exit']} "
              f"({experiment.folder(manifest['id'])})")


def _report(experiment, manifests):
    _list_failed(experiment, manifests)
    done, ended = table.collect(experiment, manifests)
    print(f"{done} of {len(manifests)} points done, {ended - done} failed: "
          f"{os.path.join(experiment.out, 'table.csv')}")
    return 0 if done == len(manifests) else 1


def _run(arguments, retry=False):
    experiment, manifests = _open(arguments)
    left = _open_points(experiment, manifests, retry)
    progress = _Progress(len(left), arguments.quiet)
    local.run_all(experiment.out, left, arguments.jobs, progress)
    return _report(experiment, manifests)


def _retry(arguments):
    return _run(arguments, retry=True)


def _plan(arguments):
    experiment, manifests = _open(arguments)
    for manifest in manifests:
        print(manifest["id"], " ".join(argv_of(manifest, "FOLDER")))
    print(f"{len(manifests)} points, in {experiment.out}", file=sys.stderr)
    return 0


def _status(arguments):
    experiment, manifests = _open(arguments)
    status.watch(experiment, manifests, arguments.watch)
    _list_failed(experiment, manifests)
    return 0


def _collect(arguments):
    return _report(*_open(arguments))


def _submit(arguments):
    experiment, manifests = _open(arguments)
    left = _open_points(experiment, manifests, arguments.retry)
    if not left:
        print("no point is left to run")
        return 0
    jobs = slurm.submit(experiment.out, left, {
        "partition": arguments.partition, "time": arguments.time,
        "mem": arguments.mem, "running": arguments.running,
        "chunk": arguments.chunk, "extra": arguments.sbatch,
    })
    print(f"{len(left)} points in jobs {' '.join(jobs)}")
    return 0


def _export(arguments):
    experiment, manifests = _open(arguments)
    left = _open_points(experiment, manifests, False)
    if arguments.tool == "parallel":
        sys.stdout.write(export.parallel(experiment.out, left,
                                         arguments.hosts))
    else:
        sys.stdout.write(export.snakemake(experiment.out, left))
    return 0


def _task(arguments):
    return 1 if slurm.run_task(arguments.out, arguments.points,
                               arguments.chunk, arguments.task) else 0


def _positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text}: expected 1 or more")
    return value


def _parser():
    parser = argparse.ArgumentParser(
        prog="m2s-sweep", description="Runs m2s at every point of an "
        "experiment, and makes one table of the results. DESIGN is a TOML "
        "file (doc/sweeps.md). m2s-sweep DESIGN is m2s-sweep run DESIGN.")
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name, function, text):
        one = commands.add_parser(name, help=text, description=text)
        one.set_defaults(function=function)
        one.add_argument("design", metavar="DESIGN")
        one.add_argument("--out", metavar="FOLDER",
                         help="results (default: DESIGN without .toml, .out)")
        return one

    for name, function, text in (
            ("run", _run, "run on this machine what has no result yet"),
            ("retry", _retry, "like run, and failed points again")):
        one = command(name, function, text)
        one.add_argument("-j", "--jobs", type=_positive,
                         default=os.cpu_count(), metavar="N",
                         help="points at a time (default: one a processor)")
        one.add_argument("--quiet", action="store_true",
                         help="no progress on standard error")
    command("plan", _plan, "print the command line of every point")
    one = command("status", _status, "show a table of points by program and state, "
                  "and the running ones; list failed ones")
    one.add_argument("--watch", type=_positive, metavar="S",
                     help="again every S seconds, until all have ended")
    command("collect", _collect, "write table.csv and table.sqlite")
    one = command("submit", _submit, "give to Slurm what has no result yet")
    one.add_argument("--partition", metavar="NAME")
    one.add_argument("--time", metavar="T", help="limit of a task, as sbatch")
    one.add_argument("--mem", metavar="SIZE", help="of a task, as sbatch")
    one.add_argument("--running", type=_positive, metavar="K",
                     help="tasks that run at a time")
    one.add_argument("--chunk", type=_positive, default=1, metavar="N",
                     help="points of a task (default 1)")
    one.add_argument("--retry", action="store_true",
                     help="failed points again")
    one.add_argument("--sbatch", action="append", default=[], metavar="OPTION",
                     help="a further option of sbatch; may be repeated")
    one = command("export", _export, "print what another tool needs")
    one.add_argument("tool", choices=("parallel", "snakemake"))
    one.add_argument("--hosts", metavar="HOST,...",
                     help="of parallel: machines that see the same folders")
    task = commands.add_parser("task", help=argparse.SUPPRESS)
    task.set_defaults(function=_task)
    task.add_argument("out")
    task.add_argument("points")
    task.add_argument("chunk", type=_positive)
    task.add_argument("task", type=int)
    return parser, commands


def main(words):
    parser, commands = _parser()
    if words and words[0] not in commands.choices and words[0][:1] != "-":
        words = ["run", *words]
    arguments = parser.parse_args(words)
    # A shell's background jobs ignore SIGINT if nobody asks for it.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        return arguments.function(arguments)
    except (DesignError, UsageError, slurm.SlurmError) as error:
        print(f"m2s-sweep: error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("m2s-sweep: interrupted: the same command goes on",
              file=sys.stderr)
        return 130
