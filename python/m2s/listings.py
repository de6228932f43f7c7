"""Where the cycles of a program go: the files of --evg-annotate (text or CSV)
and --x86-annotate (CSV), by source line.

    listing = read_listing("listing.txt")
    for line in listing.lines:
        print(line.function, line.number, line.text, line["cycles"])"""

import re

from m2s.files import ReadError, number, read_text, whole_lines
from m2s.tables import read_table

# Columns of the text, whose names are those of the CSV file. Slots are those
# of a group on average; the CSV file has them for each instruction.
_COLUMNS = {"executions": "executions", "active": "active",
            "slots": "slots", "transactions": "transactions",
            "bank conflicts": "bank_conflicts", "cycles": "cycles",
            "stall cycles": "stall_cycles"}
SUMMED = ("executions", "active_lanes", "transactions", "bank_conflicts",
          "cycles", "stall_cycles")
_PLACE = re.compile(r"(?:(.*):)?(\d+)$")


class Line(dict):
    """Figures of a source line by name. number is None for code without a
    line, text is empty where the listing does not have it."""

    def __init__(self, function, file, line, text="", figures=()):
        super().__init__(figures)
        self.function, self.file = function, file
        self.number, self.text = line, text

    @property
    def place(self):
        if self.number is None:
            return "no source line"
        return f"{self.file}:{self.number}" if self.file else f"{self.number}"


class Listing:
    """kind: listing (of kernels) or x86-listing; lines in the order of the
    file; instructions: rows of a CSV file, else None."""

    def __init__(self, kind, path):
        self.kind, self.path = kind, path
        self.lines, self.instructions, self.incomplete = [], None, None
        self._functions = {}

    @property
    def functions(self):
        """Figures by kernel or function: sums, of a text those of its
        totals."""
        if self._functions:
            return self._functions
        found = {}
        for line in self.lines:
            function = found.setdefault(line.function, {})
            for name in SUMMED:
                if name in line:
                    function[name] = function.get(name, 0) + line[name]
        return found


def is_listing_text(start):
    """Whether a file that begins so is a kernel listing."""
    return "; executions: by wavefronts" in start


def _place(text):
    """File and line of FILE:LINE."""
    match = _PLACE.match(str(text))
    return (match[1] or "", int(match[2])) if match else ("", None)


def _read_text(path, text):
    listing = Listing("listing", path)
    kernel = heads = None
    inside = False
    for count, row in enumerate(whole_lines(path, text), 1):
        if row.startswith("; INCOMPLETE: "):
            listing.incomplete = row[len("; INCOMPLETE: "):]
        elif row.startswith("Kernel "):
            kernel, inside, heads = row[7:].split(":")[0], False, None
        elif row.startswith("Totals of source lines"):
            inside, heads = True, None
        elif not inside or "|" not in row:
            continue
        elif heads is None:
            heads = [(match[0], match.end()) for match in re.finditer(
                "bank conflicts|stall cycles|[a-z]+", row.split("|")[0])]
            unknown = [name for name, _ in heads if name not in _COLUMNS]
            if unknown or not heads:
                raise ReadError(path, f"unknown columns {unknown}", count)
        else:
            figures, _, label = row.partition("| ")
            if label == "the kernel":
                inside = False
                continue
            line, begin = Line(kernel, "", None), 0
            for name, end in heads:
                value = figures[begin:end].strip()
                line[_COLUMNS[name]] = number(value) if value else 0
                begin = end
            place, _, source = label.partition(": ")
            line.file, line.number = _place(place)
            line.text = source.strip()
            listing.lines.append(line)
    if kernel and not listing.lines:
        raise ReadError(path, "truncated: no totals of source lines", count)
    return listing


def _read_kernels(table):
    listing = Listing("listing", table.path)
    found = {}
    for row in table:
        key = row["kernel"], row["source"]
        if key not in found:
            found[key] = Line(row["kernel"], *_place(row["source"]))
        line = found[key]
        for name in SUMMED:
            if name in row:
                line[name] = line.get(name, 0) + (row[name] or 0)
    listing.lines = list(found.values())
    return listing


def _read_x86(table):
    """Figures are slots of retirement: cycles times the core's width."""
    listing = Listing("x86-listing", table.path)
    skip = ("kind", "process", "thread", "file", "function", "line",
            "address", "text", "incomplete")
    lines, functions = {}, {}
    for row in table:
        file = str(row["file"])
        if row["kind"] == "function":
            figures = functions.setdefault(str(row["function"]), {})
        elif row["kind"] == "line":
            number_of = row["line"] if isinstance(row["line"], int) else None
            figures = lines.setdefault(
                (file, number_of),
                Line(str(row["function"]), file, number_of, str(row["text"])))
        else:
            continue
        for name, value in row.items():
            if name not in skip and isinstance(value, (int, float)):
                figures[name] = figures.get(name, 0) + value
    listing.lines, listing._functions = list(lines.values()), functions
    return listing


def read_listing(path):
    """Reads a listing of --evg-annotate or --x86-annotate. Raises
    ReadError."""
    start = read_text(path, 1000)
    if is_listing_text(start):
        return _read_text(path, read_text(path))
    if start.lstrip().startswith("Threads"):
        raise ReadError(path, "the text of --x86-annotate is for people: name "
                        "its file .csv to have it read")
    table = read_table(path)
    if table.kind not in ("listing", "x86-listing"):
        raise ReadError(path, f"a table of kind {table.kind}, no listing")
    listing = _read_kernels(table) if table.kind == "listing" \
        else _read_x86(table)
    listing.instructions, listing.incomplete = table, table.incomplete
    return listing
