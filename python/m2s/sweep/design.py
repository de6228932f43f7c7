"""The file of an experiment (TOML), and the points that it describes."""

import ast
import itertools
import os
import shlex
import tomllib

from m2s.reports import number


class DesignError(Exception):
    """A mistake in a design; the text names the file and the entry."""


_KEYS = {"name", "m2s", "options", "reports", "keep", "keep_reports", "files",
         "time_limit", "program", "parameters", "zip", "where", "folder"}
_PROGRAM_KEYS = {"name", "command", "folder", "stdin", "env", "files",
                 "options", "parameters"}
_RANGE_KEYS = {"from", "to", "step", "times"}
_SCALES = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
REPORTS = {"x86": "--x86-report", "evg": "--evg-report",
           "kernel": "--evg-report-kernel", "mem": "--mem-report",
           "net": "--net-report"}


def _range(spec, place):
    """from..to, by step or by factor; both ends belong to it."""
    if not spec.keys() <= _RANGE_KEYS or not {"from", "to"} <= spec.keys():
        raise DesignError(f"{place}: expected a list of values, or from, to, "
                          "and step or times")
    first, last = spec["from"], spec["to"]
    step, times = spec.get("step"), spec.get("times")
    if step is not None and times is not None:
        raise DesignError(f"{place}: expected one of step and times")
    if times is None:
        step = 1 if step is None else step
        if step <= 0:
            raise DesignError(f"{place}: step {step}: expected more than 0")
    elif times <= 1 or first <= 0:
        raise DesignError(f"{place}: times {times} from {first}: expected "
                          "more than 1 and more than 0")
    values, value = [], first
    while value <= last:
        values.append(value)
        value = value + step if times is None else value * times
    return values


def _is_values(entry):
    return not isinstance(entry, dict) or entry.keys() & _RANGE_KEYS


def _parameters(table, place):
    """{name: values}. TOML reads the name A.B without quotes as a table."""
    found = {}
    for name, entry in table.items():
        if not _is_values(entry):
            for inner, values in _parameters(entry, place).items():
                found[f"{name}.{inner}"] = values
            continue
        where = f"{place}.{name}"
        if isinstance(entry, dict):
            entry = _range(entry, where)
        if not isinstance(entry, list):
            entry = [entry]
        if not entry:
            raise DesignError(f"{where}: no values")
        for value in entry:
            if isinstance(value, (dict, list)):
                raise DesignError(f"{where}: {value!r}: expected a number, a "
                                  "text, true or false")
        found[name] = entry
    return found


def _zipped(table, place):
    """A group of parameters that change together, as a list of dicts."""
    group = _parameters(table, place)
    lengths = {name: len(values) for name, values in group.items()}
    if len(set(lengths.values())) > 1:
        raise DesignError(f"{place}: lists of one length expected, found "
                          f"{lengths}")
    return [dict(zip(group, row)) for row in zip(*group.values())]


def text_of(value):
    """A value as m2s and programs read it."""
    if isinstance(value, bool):
        return "t" if value else "f"
    return str(value)


class _Condition:
    """A condition over parameters: comparisons, and, or, not, arithmetic."""

    _ALLOWED = (ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp,
                ast.Not, ast.USub, ast.Compare, ast.Eq, ast.NotEq, ast.Lt,
                ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn, ast.BinOp,
                ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod,
                ast.Tuple, ast.List, ast.Constant, ast.Name, ast.Attribute,
                ast.Load)

    def __init__(self, text, place, names):
        self.text, self.place, self.names = text, place, names
        try:
            tree = ast.parse(text, mode="eval")
        except SyntaxError as error:
            raise DesignError(f"{place}: {text}: {error.msg}") from None
        for node in ast.walk(tree):
            if not isinstance(node, self._ALLOWED):
                raise DesignError(f"{place}: {text}: {type(node).__name__} is "
                                  "not for conditions")
        self.used = set()
        self.code = compile(self._bind(tree), place, "eval")

    def _dotted(self, node):
        if isinstance(node, ast.Name):
            return node.id
        if isinstance(node, ast.Attribute):
            return f"{self._dotted(node.value)}.{node.attr}"
        raise DesignError(f"{self.place}: {self.text}: expected the name of a "
                          "parameter before .")

    def _bind(self, tree):
        condition = self

        class Binder(ast.NodeTransformer):
            def _name(self, node):
                name = condition._dotted(node)
                if name not in condition.names:
                    raise DesignError(f"{condition.place}: {condition.text}: "
                                      f"no parameter {name}")
                condition.used.add(name)
                return ast.copy_location(ast.Subscript(
                    ast.Name("_values", ast.Load()), ast.Constant(name),
                    ast.Load()), node)

            visit_Name = visit_Attribute = _name

        return ast.fix_missing_locations(Binder().visit(tree))

    @staticmethod
    def _comparable(value):
        """16k is 16384 in a condition."""
        if isinstance(value, str) and value[-1:].lower() in _SCALES:
            size = number(value[:-1])
            if isinstance(size, int):
                return size * _SCALES[value[-1].lower()]
        return number(value)

    def holds(self, values):
        """A program that lacks a parameter is not meant."""
        if not self.used <= values.keys():
            return True
        bound = {name: self._comparable(value)
                 for name, value in values.items()}
        try:
            return bool(eval(self.code, {"__builtins__": {}},
                             {"_values": bound}))
        except (TypeError, ZeroDivisionError) as error:
            raise DesignError(f"{self.place}: {self.text}: {error}, with "
                              f"{values}") from None


def _expect(entry, kind, place):
    if not isinstance(entry, kind):
        raise DesignError(f"{place}: {entry!r}: unexpected type")
    return entry


def _words(entry, place):
    if isinstance(entry, str):
        return shlex.split(entry)
    return [text_of(word) for word in _expect(entry, list, place)]


def _known(table, keys, place):
    for key in table:
        if key not in keys:
            raise DesignError(f"{place}: {key}: no such entry; there are "
                              + ", ".join(sorted(keys)))


class Design:
    """An experiment. `folder` is that of its file: relative paths are from
    there."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.folder = os.path.dirname(self.path)
        try:
            with open(path, "rb") as file:
                table = tomllib.load(file)
        except OSError as error:
            raise DesignError(f"{path}: cannot read: {error.strerror}") \
                from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise DesignError(f"{path}: {error}") from None
        _known(table, _KEYS, path)
        self.name = table.get("name") or \
            os.path.splitext(os.path.basename(path))[0]
        self.m2s = table.get("m2s")
        self.options = _words(table.get("options", []), f"{path}: options")
        self.reports = _expect(table.get("reports", []), list,
                               f"{path}: reports")
        for report in self.reports:
            if report not in REPORTS:
                raise DesignError(f"{path}: reports: {report}: expected "
                                  + ", ".join(REPORTS))
        self.keep = _expect(table.get("keep", ["*"]), list, f"{path}: keep")
        self.keep_reports = _expect(table.get("keep_reports", False), bool,
                                    f"{path}: keep_reports")
        self.files = _expect(table.get("files", []), list, f"{path}: files")
        self.time_limit = _expect(table.get("time_limit", 0), (int, float),
                                  f"{path}: time_limit")
        self.programs = self._programs(table.get("program"))
        self._axes(table)

    def _programs(self, entries):
        if not entries:
            raise DesignError(f"{self.path}: expected at least one "
                              "[[program]]")
        programs = []
        for index, entry in enumerate(_expect(entries, list,
                                              f"{self.path}: program")):
            place = f"{self.path}: program {index + 1}"
            _known(entry, _PROGRAM_KEYS, place)
            if "command" not in entry:
                raise DesignError(f"{place}: command is missing")
            command = _words(entry["command"], f"{place}: command")
            programs.append({
                "name": entry.get("name") or os.path.basename(command[0]),
                "command": command,
                "folder": entry.get("folder", "."),
                "stdin": entry.get("stdin"),
                "env": entry.get("env", {}),
                "files": entry.get("files", []),
                "options": _words(entry.get("options", []),
                                  f"{place}: options"),
                "parameters": _parameters(entry.get("parameters", {}),
                                          f"{place}: parameters"),
            })
        names = [program["name"] for program in programs]
        for name in names:
            if names.count(name) > 1:
                raise DesignError(f"{self.path}: two programs have the name "
                                  f"{name}")
        return programs

    def _axes(self, table):
        self.parameters = _parameters(table.get("parameters", {}),
                                      f"{self.path}: parameters")
        self.zipped = [_zipped(entry, f"{self.path}: zip {index + 1}")
                       for index, entry in enumerate(table.get("zip", []))]
        names = list(self.parameters)
        for rows in self.zipped:
            names += rows[0].keys()
        for name in names:
            if names.count(name) > 1:
                raise DesignError(f"{self.path}: parameter {name} is given "
                                  "twice")
        where = table.get("where", [])
        self.where = [where] if isinstance(where, str) else where
        self.names = names

    def _values_of(self, program):
        """Every combination for a program, as dicts."""
        own = {**self.parameters, **program["parameters"]}
        axes = [[{name: value} for value in values]
                for name, values in own.items()] + self.zipped
        for choice in itertools.product(*axes):
            values = {}
            for part in choice:
                values.update(part)
            yield values

    def points(self):
        """Each point, in order, as (program, values)."""
        names = {"program", *self.names}
        for program in self.programs:
            names.update(program["parameters"])
        conditions = [_Condition(text, f"{self.path}: where", names)
                      for text in self.where]
        for program in self.programs:
            for values in self._values_of(program):
                bound = {"program": program["name"], **values}
                if all(condition.holds(bound) for condition in conditions):
                    yield program, values

    def fill(self, words, values, place):
        """Words with {name} replaced by the parameter's value."""
        filled = []
        for word in words:
            for name, value in values.items():
                word = word.replace("{%s}" % name, text_of(value))
            filled.append(word)
        return filled
