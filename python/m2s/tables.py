"""Files of m2s with comma-separated values: figures over time
(--stats-interval), listings (--evg-annotate, --x86-annotate), predictors
(m2s-predict --csv), tables of sweeps.

    rows = read_table("m2s-intervals.csv")
    rows.kind                   # "intervals"
    rows.column("L1Hits")       # [0, 231, ...]
    rows[0]["EndCycle"]         # 2016"""

import csv

from m2s.files import ReadError, frame, number, read_text, whole_lines

# The first columns of each kind.
KINDS = {
    "intervals": ["NDRange", "Kernel", "EndCycle", "Cycles"],
    "listing": ["kernel", "address", "kind", "executions"],
    "x86-listing": ["kind", "process", "thread", "file", "function"],
    "predictors": ["Trace", "Predictor", "Kind"],
    "sweep": ["id", "program"],
}


def kind_of(header):
    """The kind of a table with these columns, or None."""
    for kind, columns in KINDS.items():
        if header[:len(columns)] == columns:
            return kind
    return None


class Table(list):
    """Rows; each is a dict of values by column."""

    def __init__(self, rows=(), columns=(), path=None):
        super().__init__(rows)
        self.columns = list(columns)
        self.path = path

    @property
    def kind(self):
        return kind_of(self.columns)

    @property
    def incomplete(self):
        """None, or why the run was cut short."""
        for row in reversed(self):
            return row.get("incomplete") or row.get("Incomplete") or None

    def column(self, name):
        """The values of a column."""
        if name not in self.columns:
            raise KeyError(f"no column {name}: there are "
                           f"{', '.join(self.columns)}")
        return [row[name] for row in self]

    def where(self, **values):
        """The rows that have these values."""
        return Table([row for row in self
                      if all(row[name] == value
                             for name, value in values.items())],
                     self.columns, self.path)

    def frame(self):
        """A pandas.DataFrame."""
        return frame(list(self), self.columns)


def read_table(path):
    """Reads a table of any kind. Raises ReadError."""
    rows = csv.reader(whole_lines(path, read_text(path)))
    header = next(rows, None)
    if not header:
        raise ReadError(path, "the file is empty")
    if not kind_of(header):
        raise ReadError(path, "no table of m2s: unknown columns "
                        f"{','.join(header[:4])}", 1)
    table = Table(columns=header, path=path)
    for row in rows:
        if len(row) != len(header):
            raise ReadError(path, f"{len(row)} fields in place of "
                            f"{len(header)}", rows.line_num)
        table.append(dict(zip(header, map(number, row))))
    return table
