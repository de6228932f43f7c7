#!/usr/bin/python3
"""The commands of the labs (doc/labs) print what the labs say: texts exactly,
figures within 5 %, since teachers' answers rest on them. In a block between
lines ``` a line "$ command" is run, in a folder that looks like a checkout; lines
that end in a backslash go on. GOLDEN_REBASE=1 writes the labs anew."""

import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.realpath(os.environ["top_srcdir"])
BUILD = os.path.realpath(os.environ["top_builddir"])
NUMBER = re.compile(r"\d+(?:\.\d+)?")
CHECKSUM = re.compile(r"\b[0-9a-f]{8}\b")


def run(command, folder):
    done = subprocess.run(["bash", "-c", command], cwd=folder, timeout=120,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout.splitlines()


def again(lines, folder):
    """The lines of a document with its commands run again."""
    fenced = silent = False
    lines = iter(lines)
    for line in lines:
        if line.startswith("```"):
            fenced, silent = not fenced, False
            yield line
        elif fenced and line.startswith("$ "):
            command = line[2:]
            yield line
            while command.endswith("\\"):
                line = next(lines)
                yield line
                command = command[:-1] + line
            yield from run(command, folder)
            silent = True
        elif not silent:
            yield line


def alike(said, found):
    """The same text, with the same checksums, and figures that are near."""
    if CHECKSUM.findall(said) != CHECKSUM.findall(found):
        return False
    said, found = CHECKSUM.sub("#", said), CHECKSUM.sub("#", found)
    if NUMBER.sub("#", said) != NUMBER.sub("#", found):
        return False
    return all(abs(float(a) - float(b)) <= 0.05 * max(float(a), float(b))
               for a, b in zip(NUMBER.findall(said), NUMBER.findall(found)))


def check(path):
    with open(path, encoding="utf-8") as file:
        said = file.read().splitlines()
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(BUILD, os.path.join(folder, "build"))
        os.symlink(os.path.join(TOP, "doc"), os.path.join(folder, "doc"))
        found = list(again(said, folder))
    if os.environ.get("GOLDEN_REBASE"):
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(found) + "\n")
        said = found
    commands = sum(line.startswith("$ ") for line in said)
    wrong = [(a, b) for a, b in zip(said, found) if not alike(a, b)]
    good = commands >= 2 and not wrong and len(said) == len(found)
    print(f"{'ok' if good else 'not ok'} - lab {os.path.basename(path)}: "
          f"{commands} commands")
    for one, two in wrong[:5]:
        print(f"# said: {one}\n# found: {two}")


os.environ.pop("M2S", None)
for name in sys.argv[1:] or ("README", "divergence", "vliw", "memory"):
    check(os.path.join(TOP, "doc/labs", f"{name}.md"))
