"""Reports of m2s, in each of their formats.

    report = read_report("evg.json")
    report["Device"]["Cycles"]        # 42841
    report.incomplete                 # None, or why the run was cut short

A value is an int or a float where it looks like one, else a string."""

import csv
import json
import re
import xml.etree.ElementTree as xml

_INTEGER = re.compile(r"-?\d+$")


def number(text):
    """An int, a float, or the text itself."""
    if not isinstance(text, str):
        return text
    if _INTEGER.match(text):
        return int(text)
    try:
        return float(text)
    except ValueError:
        return text


class Report(dict):
    """Sections by name; each is a dict of variables by name."""

    def __init__(self, sections=(), incomplete=None):
        super().__init__(sections)
        self.incomplete = incomplete

    def flat(self):
        """("Section.Variable", value) of every variable, in order."""
        for section, variables in self.items():
            for name, value in variables.items():
                yield f"{section}.{name}", value


def _read_ini(text):
    report, section = Report(), None
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("; INCOMPLETE: "):
            report.incomplete = line[len("; INCOMPLETE: "):]
        if not line or line[0] in ";#":
            continue
        if line[0] == "[":
            section = report.setdefault(line[1:-1].strip(), {})
            continue
        name, _, value = line.partition("=")
        section[name.strip()] = number(value.strip())
    return report


def _read_json(text):
    sections = json.loads(text)
    incomplete = sections.pop("incomplete", None)
    return Report({section: {name: number(value)
                             for name, value in variables.items()}
                   for section, variables in sections.items()}, incomplete)


def _read_csv(text):
    report = Report()
    for row in csv.DictReader(text.splitlines()):
        section = report.setdefault(row["section"], {})
        section[row["name"]] = number(row["value"])
        report.incomplete = row.get("incomplete") or report.incomplete
    return report


def _read_xml(text):
    root = xml.fromstring(text)
    report = Report(incomplete=root.get("incomplete"))
    for section in root.iter("section"):
        report[section.get("name")] = {
            variable.get("name"): number(variable.get("value"))
            for variable in section.iter("stat")}
    return report


def read_report(path):
    """Reads a report of any format; the first character tells which."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    start = text.lstrip()[:1]
    if start == "{":
        return _read_json(text)
    if start == "<":
        return _read_xml(text)
    if start in "[;":
        return _read_ini(text)
    return _read_csv(text)
