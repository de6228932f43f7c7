"""Points as input of other tools."""

import json
import os
import shlex
import sys


def _write_points(out, manifests):
    """The folder that has the points of a task."""
    folder = os.path.join(out, "export")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "points"), "w", encoding="utf-8") as file:
        for manifest in manifests:
            file.write(json.dumps(manifest) + "\n")
    return folder


def _command(out, folder):
    words = [os.path.realpath(sys.argv[0]), "task", out, folder, "1"]
    return " ".join(shlex.quote(word) for word in words)


def parallel(out, manifests, hosts):
    """A command line of GNU parallel, which runs every point on this machine
    or on hosts that see the same folders."""
    folder = _write_points(out, manifests)
    words = ["parallel", "--joblog", os.path.join(out, "parallel.log")]
    if hosts:
        words += ["--sshlogin", hosts]
    line = " ".join(shlex.quote(word) for word in words)
    return f"{line} {_command(out, folder)} ::: {{0..{len(manifests) - 1}}}\n"


_SNAKEFILE = """# Made by m2s-sweep. snakemake --cores 4 --snakefile THIS
import json

POINTS = [json.loads(line) for line in open({points!r})]
RESULTS = [f"{out}/points/{{p['id'][:2]}}/{{p['id']}}/result.json"
           for p in POINTS]

rule all:
    input: RESULTS

rule point:
    output: "{out}/points/{{head}}/{{id}}/result.json"
    params: index=lambda wildcards: [p["id"] for p in POINTS].index(wildcards.id)
    shell: "{command} {{params.index}}"
"""


def snakemake(out, manifests):
    """A Snakefile."""
    folder = _write_points(out, manifests)
    return _SNAKEFILE.format(out=out, points=os.path.join(folder, "points"),
                             command=_command(out, folder))
