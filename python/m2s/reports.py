"""Reports of m2s, in each of their formats.

    report = read_report("evg.json")
    report["Device"]["Cycles"]        # 42841
    report.kind                       # "evg"
    report.incomplete                 # None, or why the run was cut short

A value is an int or a float where it looks like one, else a string. What
stands in the section Provenance stays text."""

import csv
import json
import re
import xml.etree.ElementTree as xml

from m2s.files import ReadError, frame, number, read_text, whole_lines

__all__ = ["Report", "read_report", "number"]

PROVENANCE = "Provenance"


class Report(dict):
    """Sections by name; each is a dict of variables by name."""

    def __init__(self, sections=(), incomplete=None, path=None):
        super().__init__(sections)
        self.incomplete = incomplete
        self.path = path

    def flat(self):
        """("Section.Variable", value) of every variable, in order."""
        for section, variables in self.items():
            for name, value in variables.items():
                yield f"{section}.{name}", value

    @property
    def kind(self):
        """evg, kernel, mem, net or x86 as in the options --KIND-report,
        threads, or None: a report without figures, or not one of m2s."""
        if "Global" in self and "Instructions" in self["Global"]:
            return "x86"
        if "Config.Device" in self or "Emulator" in self:
            return "evg"
        for section, variables in self.items():
            if section.startswith("NDRange["):
                return "kernel"
            if section.startswith("Network."):
                continue
            if "Accesses" in variables or "HitRatio" in variables:
                return "mem"
        if any(section.startswith("Network.") for section in self):
            return "net"
        if any(name.startswith("Projected.") for _, variables in self.items()
               for name in variables):
            return "threads"
        return None

    @property
    def provenance(self):
        """What was run; empty in a report of --provenance none."""
        return self.get(PROVENANCE, {})

    def matching(self, pattern):
        """Sections whose name the regular expression matches as a whole."""
        return {section: variables for section, variables in self.items()
                if re.fullmatch(pattern, section)}

    def total(self, pattern, name):
        """The sum of a variable over the sections that match."""
        return sum(variables.get(name, 0)
                   for variables in self.matching(pattern).values())

    def frame(self):
        """A pandas.DataFrame with a row for each variable."""
        return frame([(section, name, value)
                      for section, variables in self.items()
                      for name, value in variables.items()],
                     ["section", "name", "value"])


def _value(section, text):
    if isinstance(text, list):
        # A row of counts in JSON; a text in the other formats.
        return " ".join(map(str, text))
    return text if section == PROVENANCE else number(text)


def _read_ini(path, text):
    report, section = Report(path=path), None
    for count, line in enumerate(whole_lines(path, text), 1):
        line = line.strip()
        if line.startswith("; INCOMPLETE: "):
            report.incomplete = line[len("; INCOMPLETE: "):]
        if not line or line[0] in ";#":
            continue
        if line[0] == "[":
            if line[-1] != "]":
                raise ReadError(path, "a section without its end", count)
            name = line[1:-1].strip()
            section = report.setdefault(name, {})
            continue
        variable, equals, value = line.partition("=")
        if not equals:
            raise ReadError(path, f"expected NAME = VALUE, found '{line}'",
                            count)
        if section is None:
            raise ReadError(path, "a variable outside of sections", count)
        section[variable.strip()] = _value(name, value.strip())
    return report


def _read_json(path, text):
    try:
        sections = json.loads(text)
    except json.JSONDecodeError as error:
        raise ReadError(path, f"truncated, or no JSON: {error.msg}",
                        error.lineno) from None
    incomplete = sections.pop("incomplete", None)
    for section, variables in sections.items():
        if not isinstance(variables, dict):
            raise ReadError(path, f"no report of m2s: '{section}' is no "
                            "section")
    return Report({section: {name: _value(section, value)
                             for name, value in variables.items()}
                   for section, variables in sections.items()}, incomplete,
                  path)


def _read_csv(path, text):
    report = Report(path=path)
    rows = csv.reader(whole_lines(path, text))
    header = next(rows, [])
    if header[:3] != ["section", "name", "value"]:
        raise ReadError(path, "no report of m2s: a report's first line begins "
                        "with section,name,value", 1)
    for row in rows:
        if len(row) != len(header):
            raise ReadError(path, f"{len(row)} fields in place of "
                            f"{len(header)}", rows.line_num)
        section = report.setdefault(row[0], {})
        section[row[1]] = _value(row[0], row[2])
        if header[-1] == "incomplete":
            report.incomplete = row[-1] or report.incomplete
    return report


def _read_xml(path, text):
    try:
        root = xml.fromstring(text)
    except xml.ParseError as error:
        raise ReadError(path, f"truncated, or no XML: {error}",
                        error.position[0]) from None
    if root.tag != "report":
        raise ReadError(path, f"no report of m2s: <{root.tag}>")
    report = Report(incomplete=root.get("incomplete"), path=path)
    for section in root.iter("section"):
        name = section.get("name")
        report[name] = {
            variable.get("name"): _value(name, variable.get("value"))
            for variable in section.iter("stat")}
    return report


def read_report(path):
    """Reads a report of any format; the first character tells which. Raises
    ReadError."""
    text = read_text(path)
    start = text.lstrip()[:1]
    if not start:
        raise ReadError(path, "the file is empty")
    if start == "{":
        return _read_json(path, text)
    if start == "<":
        return _read_xml(path, text)
    if start in "[;":
        return _read_ini(path, text)
    return _read_csv(path, text)
