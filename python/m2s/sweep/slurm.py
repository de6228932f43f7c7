"""Points on a Slurm cluster: arrays of tasks, each with some points.

A submission's folder is slurm/NAME below the experiment's: `points` has the
manifests, one a line; job.sh is what sbatch got; NAME-TASK.out is what a task
printed. A task runs its points one after the other and writes nothing but
their folders."""

import json
import os
import re
import shlex
import subprocess
import sys
import time

from m2s.sweep.point import Runs, folder_of, read_json, run_point, write_json


class SlurmError(Exception):
    """A Slurm command failed."""


def _slurm(*words):
    try:
        run = subprocess.run(words, capture_output=True, text=True,
                             check=False)
    except FileNotFoundError:
        raise SlurmError(f"{words[0]}: no such command: is Slurm installed?") \
            from None
    if run.returncode:
        raise SlurmError(f"{' '.join(words)}: {run.stderr.strip()}")
    return run.stdout


def _largest_array():
    """The number of tasks that an array may have."""
    match = re.search(r"^MaxArraySize\s*=\s*(\d+)",
                      _slurm("scontrol", "show", "config"), re.MULTILINE)
    return int(match.group(1)) if match else 1001


def _script(folder, options, first, command):
    lines = ["#!/bin/sh"]
    lines += [f"#SBATCH {option}" for option in options]
    lines.append("exec " + " ".join(shlex.quote(word) for word in command) +
                 f' "$(({first} + SLURM_ARRAY_TASK_ID))"')
    path = os.path.join(folder, f"job-{first}.sh")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return path


def submit(out, manifests, settings):
    """Submits the points as arrays; returns the jobs' numbers. settings:
    partition, time, memory, running (tasks at a time), chunk (points of a
    task), extra (further options of sbatch)."""
    name = time.strftime("%Y%m%d-%H%M%S") + f"-{os.getpid()}"
    folder = os.path.join(out, "slurm", name)
    os.makedirs(folder)
    with open(os.path.join(folder, "points"), "w", encoding="utf-8") as file:
        for manifest in manifests:
            file.write(json.dumps(manifest) + "\n")
    tasks = -(-len(manifests) // settings["chunk"])
    largest = _largest_array()
    jobs = []
    for first in range(0, tasks, largest):
        last = min(tasks - first, largest) - 1
        limit = f"%{settings['running']}" if settings["running"] else ""
        options = [f"--job-name=m2s-sweep", "--requeue",
                   f"--output={folder}/%A-%a.out",
                   f"--array=0-{last}{limit}"]
        for option in ("partition", "time", "mem"):
            if settings[option]:
                options.append(f"--{option}={settings[option]}")
        options += settings["extra"]
        command = [sys.executable, os.path.realpath(sys.argv[0]), "task", out,
                   folder, str(settings["chunk"])]
        script = _script(folder, options, first, command)
        jobs.append(_slurm("sbatch", "--parsable", script).strip()
                    .partition(";")[0])
    write_json(os.path.join(folder, "jobs.json"), jobs)
    return jobs


def run_task(out, folder, chunk, task):
    """The points of one task. One that has a result is not run again: a task
    that was requeued goes on."""
    failed, runs = 0, Runs()
    with open(os.path.join(folder, "points"), encoding="utf-8") as file:
        for index, line in enumerate(file):
            if index // chunk != task:
                continue
            manifest = json.loads(line)
            path = os.path.join(folder_of(out, manifest["id"]), "result.json")
            result = read_json(path) or run_point(out, manifest, runs)
            if not result:
                print(manifest["id"], "runs elsewhere", flush=True)
                continue
            print(result["id"], result["status"], result["error"], flush=True)
            failed += result["status"] != "done"
    return failed


def waiting_points(out):
    """IDs of the points of jobs that Slurm still has: set, or an empty one
    where there is no Slurm."""
    folder = os.path.join(out, "slurm")
    if not os.path.isdir(folder):
        return set()
    ids = set()
    for name in os.listdir(folder):
        inner = os.path.join(folder, name)
        jobs = read_json(os.path.join(inner, "jobs.json")) or []
        try:
            alive = jobs and _slurm("squeue", "--noheader", "--format=%A",
                                    "--jobs=" + ",".join(jobs)).strip()
        except SlurmError:
            continue # forgotten by Slurm: the jobs have ended
        if alive:
            with open(os.path.join(inner, "points"),
                      encoding="utf-8") as file:
                ids.update(json.loads(line)["id"] for line in file)
    return ids
