#!/usr/bin/python3
"""The notebook doc/paper-figures.ipynb: its cells run, in plain Python, its
figures show what the sweep measured, and they are near those that the notebook
has stored. GOLDEN_REBASE=1 stores the new ones."""

import contextlib
import io
import json
import os
import tempfile
import xml.etree.ElementTree as xml

TOP = os.path.realpath(os.environ["top_srcdir"])
BUILD = os.path.realpath(os.environ["top_builddir"])
PATH = os.path.join(TOP, "doc/paper-figures.ipynb")


def check(name, good, found=""):
    print(f"{'ok' if good else 'not ok'} - notebook: {name}")
    if not good:
        print(f"# {found}")


def values(svg):
    """The figures that a picture shows, by what they belong to."""
    found = []
    for title in xml.fromstring(svg).iter(
            "{http://www.w3.org/2000/svg}title"):
        label, _, value = title.text.rpartition(": ")
        if label:
            found.append((label, float(value.split(", ")[-1])))
    return found


def near(one, two):
    return len(one) == len(two) and all(
        a == b and abs(x - y) <= 0.05 * max(abs(x), abs(y), 0.01)
        for (a, x), (b, y) in zip(one, two))


def execute(cells, folder):
    """(text, [picture]) of each cell of code, run one after the other."""
    names = {"__name__": "__main__"}
    seen = set()
    for cell in cells:
        if cell["cell_type"] != "code":
            continue
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            exec(compile("".join(cell["source"]), PATH, "exec"), names)
        new = sorted(name for name in os.listdir(folder)
                     if name.endswith(".svg") and name not in seen)
        seen.update(new)
        pictures = []
        for name in new:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                pictures.append(file.read())
        yield cell, text.getvalue(), pictures, names


def outputs(text, pictures):
    """As a notebook stores them."""
    found = [{"output_type": "stream", "name": "stdout",
              "text": text.splitlines(keepends=True)}] if text else []
    return found + [{"output_type": "display_data", "metadata": {},
                     "data": {"image/svg+xml":
                              picture.splitlines(keepends=True)}}
                    for picture in pictures]


with open(PATH, encoding="utf-8") as file:
    notebook = json.load(file)
count = 0
with tempfile.TemporaryDirectory() as folder:
    os.environ.update(FIGURES=folder, CHECKOUT=TOP, BUILD=BUILD)
    for cell, text, pictures, names in execute(notebook["cells"], folder):
        stored = ["".join(output["data"]["image/svg+xml"])
                  for output in cell["outputs"] if "data" in output]
        if os.environ.get("GOLDEN_REBASE"):
            cell["outputs"] = outputs(text, pictures)
            stored = pictures
        for index, picture in enumerate(pictures):
            count += 1
            found = values(picture)
            check(f"figure {count} has {len(found)} values", len(found) > 5)
            check(f"figure {count} is near the stored one",
                  index < len(stored) and near(found, values(stored[index])),
                  found)
    sweep = names["sweep"]
    check("three figures", count == 3, count)
    check("all points of the sweep", len(sweep) == 16 and
          all(point.status == "done" for point in sweep), len(sweep))
    # The first figure's values from the points themselves.
    cycles = {(point.program, point["Device.NumComputeUnits"],
               point["Memory.L1Size"]): point["evg:Device.Cycles"]
              for point in sweep}
    with open(os.path.join(folder, "speedup.svg"), encoding="utf-8") as file:
        found = values(file.read())
    expected = [cycles[program, 2, "8k"] / cycles[program, units, "8k"]
                for program in sweep.programs for units in (2, 4, 8, 16)]
    check("the first is made of them", len(found) == 8 and
          all(abs(value - wanted) < 1e-4 * wanted
              for (_, value), wanted in zip(found, expected)),
          (found, expected))
if os.environ.get("GOLDEN_REBASE"):
    with open(PATH, "w", encoding="utf-8") as file:
        json.dump(notebook, file, indent=1)
        file.write("\n")
