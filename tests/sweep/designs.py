#!/usr/bin/python3
"""Designs of experiments: the points that they describe, and what is refused."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["top_srcdir"], "python"))

from m2s.sweep.design import Design, DesignError # noqa: E402

FOLDER = tempfile.TemporaryDirectory()
PROGRAM = '[[program]]\ncommand = "prog {n}"\n'


def read(text):
    path = os.path.join(FOLDER.name, "design.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return Design(path)


def check(name, good, found=""):
    print(f"{'ok' if good else 'not ok'} - designs: {name}")
    if not good:
        print(f"# found: {found}")


def points(name, text, expected):
    found = [values for _, values in read(text).points()]
    check(name, found == expected, found)


def refused(name, text, message):
    try:
        list(read(text).points())
    except DesignError as error:
        check(name, message in str(error) and "design.toml" in str(error),
              error)
    else:
        check(name, False, "no error")


points("no parameter", PROGRAM, [{}])
points("a product, the last one fastest",
       PROGRAM + "[parameters]\na = [1, 2]\nb = ['x', 'y']\n",
       [{"a": 1, "b": "x"}, {"a": 1, "b": "y"},
        {"a": 2, "b": "x"}, {"a": 2, "b": "y"}])
points("a variable's name needs no quotes",
       PROGRAM + "[parameters]\nMemory.L1Size = '4k'\n",
       [{"Memory.L1Size": "4k"}])
points("ranges", PROGRAM + "[parameters]\n"
       "a = {from = 1, to = 7, step = 3}\nb = {from = 2, to = 9, times = 2}\n",
       [{"a": a, "b": b} for a in (1, 4, 7) for b in (2, 4, 8)])
points("a range by one", PROGRAM + "[parameters]\nseed = {from = 3, to = 5}\n",
       [{"seed": 3}, {"seed": 4}, {"seed": 5}])
points("lists that change together",
       PROGRAM + "[parameters]\nn = [1, 2]\n[[zip]]\na = [1, 2]\nb = [3, 4]\n",
       [{"n": n, "a": a, "b": a + 2} for n in (1, 2) for a in (1, 2)])
points("parameters of a program",
       PROGRAM + "[program.parameters]\nn = [5]\n"
       "[[program]]\nname = 'other'\ncommand = 'x'\n[parameters]\na = [1]\n",
       [{"a": 1, "n": 5}, {"a": 1}])
points("conditions", "where = ['n * 2 <= Memory.L1Size', 'not (n == 1)']\n" +
       PROGRAM + "[parameters]\nn = [1, 512, 1024]\nMemory.L1Size = ['1k', '2k']\n",
       [{"n": 512, "Memory.L1Size": "1k"}, {"n": 512, "Memory.L1Size": "2k"},
        {"n": 1024, "Memory.L1Size": "2k"}])
points("a condition of another program's parameter",
       "where = 'n > 1'\n" + PROGRAM + "[program.parameters]\nn = [1, 2]\n"
       "[[program]]\nname = 'other'\ncommand = 'x'\n", [{"n": 2}, {}])
points("a condition of the program",
       "where = \"program == 'b' or n > 1\"\n"
       "[[program]]\nname = 'a'\ncommand = 'x'\n"
       "[[program]]\nname = 'b'\ncommand = 'x'\n[parameters]\nn = [1, 2]\n",
       [{"n": 2}, {"n": 1}, {"n": 2}])

refused("no program", "name = 'x'\n", "at least one [[program]]")
refused("no command", "[[program]]\nname = 'x'\n", "command is missing")
refused("not TOML", "[program\n", "design.toml: ")
refused("an unknown entry", "programs = 3\n" + PROGRAM,
        "programs: no such entry")
refused("an unknown report", "reports = ['gpu']\n" + PROGRAM,
        "reports: gpu: expected x86, evg")
refused("a range without an end", PROGRAM + "[parameters]\nn = {from = 1}\n",
        "parameters.n: expected a list of values, or from, to")
refused("a range that stands still",
        PROGRAM + "[parameters]\nn = {from = 1, to = 2, step = 0}\n",
        "expected more than 0")
refused("no values", PROGRAM + "[parameters]\nn = []\n", "no values")
refused("a list in a list", PROGRAM + "[parameters]\nn = [[1]]\n",
        "expected a number, a text")
refused("lists of two lengths", PROGRAM + "[[zip]]\na = [1]\nb = [1, 2]\n",
        "lists of one length")
refused("a parameter twice",
        PROGRAM + "[parameters]\na = [1]\n[[zip]]\na = [1]\nb = [2]\n",
        "parameter a is given twice")
refused("two programs of one name", PROGRAM + PROGRAM, "have the name prog")
refused("a condition of nothing", "where = 'm > 1'\n" + PROGRAM +
        "[parameters]\nn = [1]\n", "no parameter m")
refused("code in a condition", "where = '__import__(\"os\")'\n" + PROGRAM,
        "Call is not for conditions")
refused("attributes in a condition", "where = 'n.__class__ == 1'\n" + PROGRAM +
        "[parameters]\nn = [1]\n", "no parameter n.__class__")
refused("texts and numbers", "where = 'n < 3'\n" + PROGRAM +
        "[parameters]\nn = ['a']\n", "not supported")
