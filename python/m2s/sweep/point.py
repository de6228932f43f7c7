"""One run of an experiment: its identity, its folder, its result.

A point's folder is points/XX/ID below the experiment's. It holds

manifest.json   what is run: command, hashes of all inputs, versions
lock            locked while it runs, by m2s too; who runs it, and since when
result.json     how it ended, and the kept statistics; written when it is whole
stdout, stderr  what the run printed
reports         only with keep_reports"""

import contextlib
import fcntl
import fnmatch
import hashlib
import json
import os
import platform
import signal
import subprocess
import threading
import time

from m2s.reports import read_report
from m2s.sweep.design import REPORTS, DesignError, text_of

DONE, FAILED, TIMEOUT = "done", "failed", "timeout"
_ERROR_BYTES = 4096


def write_json(path, data):
    """Writes a file that is there whole or not at all."""
    part = f"{path}.{os.getpid()}.{time.monotonic_ns()}"
    with open(part, "w", encoding="utf-8") as file:
        json.dump(data, file, indent=1)
        file.write("\n")
    os.replace(part, path)


def read_json(path):
    """The file's data, or None if there is no such file."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return None


class Hashes:
    """SHA-256 of files, each read once."""

    def __init__(self):
        self._known = {}

    def of(self, path):
        path = os.path.realpath(path)
        if path not in self._known:
            with open(path, "rb") as file:
                digest = hashlib.file_digest(file, "sha256")
            self._known[path] = digest.hexdigest()
        return self._known[path]


class Experiment:
    """A design's points and the folder of their results."""

    def __init__(self, design, out, m2s):
        self.design, self.out, self.m2s = design, os.path.abspath(out), m2s
        self._hashes = Hashes()

    def _tools(self):
        """Hashes of the simulator and of the compiler beside it."""
        tools = {"m2s": self._hashes.of(self.m2s)}
        compiler = os.path.join(os.path.dirname(self.m2s), "m2s-clc")
        if os.path.isfile(compiler):
            tools["m2s-clc"] = self._hashes.of(compiler)
        return tools

    def _inputs(self, words, patterns, folder):
        """Hashes of the files that words name and that patterns match."""
        paths = [word.partition("=")[2] if word.startswith("--") and
                 "=" in word else word for word in words]
        for pattern in patterns:
            head = os.path.join(folder, os.path.dirname(pattern))
            names = fnmatch.filter(
                sorted(os.listdir(head)) if os.path.isdir(head) else [],
                os.path.basename(pattern))
            if not names:
                raise DesignError(f"{self.design.path}: files: {pattern}: no "
                                  "such file")
            paths += [os.path.join(os.path.dirname(pattern), name)
                      for name in names]
        return {path: self._hashes.of(os.path.join(folder, path))
                for path in paths
                if path and os.path.isfile(os.path.join(folder, path))}

    def _options(self, program, values):
        """Options of m2s: the design's, the program's, the parameters'."""
        options = self.design.fill(
            self.design.options + program["options"], values,
            self.design.path)
        for name, value in values.items():
            if name.startswith("--"):
                if value is True:
                    options.append(name)
                elif value is not False:
                    options += [name, text_of(value)]
            elif "." in name:
                options += ["--set", f"{name}={text_of(value)}"]
        return options

    def point(self, program, values):
        """The manifest of a point. Its ID changes with everything that can
        change a result."""
        design = self.design
        folder = os.path.normpath(os.path.join(design.folder,
                                               program["folder"]))
        command = design.fill(program["command"], values, design.path)
        options = self._options(program, values)
        stdin = program["stdin"]
        # Arguments may name outputs, which must not change the identity.
        words = options + command[:1] + ([stdin] if stdin else [])
        identity = {
            "options": options,
            "command": command,
            "stdin": stdin,
            "env": program["env"],
            "reports": design.reports,
            "keep": design.keep,
            "inputs": self._inputs(words, design.files + program["files"],
                                   folder),
            "tools": self._tools(),
        }
        text = json.dumps(identity, sort_keys=True)
        return {
            "id": hashlib.sha256(text.encode()).hexdigest()[:20],
            "experiment": design.name,
            "program": program["name"],
            "parameters": values,
            **identity,
            "folder": folder,
            "m2s": self.m2s,
            "keep_reports": design.keep_reports,
            "time_limit": design.time_limit,
        }

    def points(self):
        """All manifests, in the design's order. Two points that are one run
        are one point."""
        seen = set()
        for program, values in self.design.points():
            manifest = self.point(program, values)
            if manifest["id"] not in seen:
                seen.add(manifest["id"])
                yield manifest

    def folder(self, point_id):
        return folder_of(self.out, point_id)

    def result(self, point_id):
        return read_json(os.path.join(self.folder(point_id), "result.json"))


def folder_of(out, point_id):
    return os.path.join(out, "points", point_id[:2], point_id)


def argv_of(manifest, folder):
    """The command line of a point's run."""
    argv = [manifest["m2s"], *manifest["options"]]
    if manifest["reports"]:
        argv += ["--report-format", "json"]
    for report in manifest["reports"]:
        argv += [REPORTS[report], os.path.join(folder, f"{report}.json")]
    return argv + manifest["command"]


def _last_error(folder):
    """The last line of stderr that says something."""
    try:
        with open(os.path.join(folder, "stderr"), "rb") as file:
            file.seek(0, os.SEEK_END)
            file.seek(max(0, file.tell() - _ERROR_BYTES))
            lines = file.read().decode(errors="replace").splitlines()
    except OSError:
        return ""
    lines = [line.strip() for line in lines if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or [""])[-1]


def _kept(manifest, folder):
    """The statistics that the design keeps; reports go away."""
    statistics, incomplete = {}, None
    for name in manifest["reports"]:
        path = os.path.join(folder, f"{name}.json")
        if not os.path.exists(path):
            continue
        report = read_report(path)
        incomplete = report.incomplete or incomplete
        for variable, value in report.flat():
            full = f"{name}:{variable}"
            if any(fnmatch.fnmatchcase(full, pattern)
                   for pattern in manifest["keep"]):
                statistics[full] = value
        if not manifest["keep_reports"]:
            os.unlink(path)
    return statistics, incomplete


class Runs:
    """The runs of this process, which can be ended all at once."""

    def __init__(self):
        self._lock = threading.Lock()
        self._processes = set()
        self.ended = False

    def add(self, process):
        with self._lock:
            self._processes.add(process)
            if self.ended:
                os.killpg(process.pid, signal.SIGKILL)

    def remove(self, process):
        with self._lock:
            self._processes.discard(process)

    def end(self):
        with self._lock:
            self.ended = True
            for process in self._processes:
                os.killpg(process.pid, signal.SIGKILL)


def _wait(process, limit):
    """The exit status, or None when the time is over."""
    try:
        return process.wait(limit or None)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return None


def lock(folder):
    """Takes a point: its lock file, or None if a run has it."""
    file = open(os.path.join(folder, "lock"), "a+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file


def _execute(manifest, folder, locked, runs):
    """Runs the point: how it ended, its exit status, an error. m2s keeps the
    lock, so that a run that outlives this process is not joined by
    another."""
    stdin = manifest["stdin"]
    with open(os.path.join(folder, "stdout"), "wb") as out, \
            open(os.path.join(folder, "stderr"), "wb") as err, \
            open(os.path.join(manifest["folder"], stdin) if stdin
                 else os.devnull, "rb") as source:
        process = subprocess.Popen(
            argv_of(manifest, folder), cwd=manifest["folder"], stdin=source,
            stdout=out, stderr=err, start_new_session=True,
            pass_fds=[locked.fileno()],
            env={**os.environ, **manifest["env"]})
        runs.add(process)
        status = _wait(process, manifest["time_limit"])
        runs.remove(process)
    if status is None:
        return TIMEOUT, None, \
            f"not ended after {manifest['time_limit']} s"
    return (DONE if status == 0 else FAILED), status, _last_error(folder)


def run_point(out, manifest, runs):
    """Runs one point and writes its result, which is returned; None if
    another process runs it, or if the runs have been ended."""
    folder = folder_of(out, manifest["id"])
    os.makedirs(folder, exist_ok=True)
    with (lock(folder) or contextlib.nullcontext()) as locked:
        if not locked or runs.ended:
            return None
        return _run_locked(folder, manifest, locked, runs)


def _run_locked(folder, manifest, locked, runs):
    write_json(os.path.join(folder, "manifest.json"), manifest)
    began = time.time()
    locked.truncate(0)
    json.dump({"host": platform.node(), "process": os.getpid(), "time": began,
               "slurm_job": os.environ.get("SLURM_JOB_ID")}, locked)
    locked.flush()
    try:
        status, code, error = _execute(manifest, folder, locked, runs)
    except OSError as problem:
        status, code, error = FAILED, None, str(problem)
    if runs.ended:
        return None
    statistics, incomplete = _kept(manifest, folder)
    result = {
        "id": manifest["id"], "status": status, "exit": code,
        "error": error if status != DONE else "",
        "incomplete": incomplete, "host": platform.node(),
        "machine": platform.platform(), "began": began,
        "seconds": round(time.time() - began, 3),
        "statistics": statistics,
    }
    write_json(os.path.join(folder, "result.json"), result)
    return result
