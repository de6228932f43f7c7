"""Machine code and source lines with their figures."""

import re

# Of a row of --evg-annotate FILE.csv.
_FIGURES = ("executions", "active", "slots", "transactions", "bank_conflicts",
            "cycles", "stall_cycles")


def _number(text):
    if not text:
        return 0
    value = float(text)
    return int(value) if value == int(value) else value


def _source_lines(run):
    """Text of source lines by "FILE:LINE": those that the listing quotes, and
    those of *.cl files where the program has a single one."""
    texts = {}
    for match in re.finditer(r"\| ; ([^ ]+:\d+): (.*)", run.listing or ""):
        texts[match[1]] = match[2].strip()
    if len(run.sources) == 1:
        lines = next(iter(run.sources.values()))
        for number, text in enumerate(lines, 1):
            texts.setdefault(f"source:{number}", text)
    return texts


def _slots(text):
    """The slots of a VLIW group that are filled: bits of xyzwt."""
    found = 0
    for line in text.splitlines():
        match = re.match(r"\s*(?:\d+\s+)?([xyzwt]): ", line)
        if match:
            found |= 1 << "xyzwt".index(match[1])
    return found


def _blocks(instructions):
    """ALU clauses: [first row, number of groups, cycles], hottest first."""
    blocks, block = [], None
    for row, one in enumerate(instructions):
        if one["kind"] != "alu":
            block = None
            continue
        if block is None:
            block = [row, 0, 0]
            blocks.append(block)
        block[1] += 1
        block[2] += one["cycles"]
    return sorted(blocks, key=lambda one: -one[2])[:8]


def _sum_sources(instructions, texts):
    lines = {}
    for one in instructions:
        if not one["source"]:
            continue
        line = lines.setdefault(one["source"], dict.fromkeys(
            ("executions", "cycles", "stall_cycles", "transactions",
             "bank_conflicts", "slots", "groups", "lanes", "instructions"), 0))
        line["instructions"] += 1
        line["lanes"] += one["active"] * one["executions"]
        for name in ("executions", "cycles", "stall_cycles", "transactions",
                     "bank_conflicts"):
            line[name] += one[name]
        if one["kind"] == "alu":
            line["groups"] += one["executions"]
            line["slots"] += one["slots"] * one["executions"]
    rows = []
    for place in sorted(lines, key=lambda name: (
            name.rpartition(":")[0], int(name.rpartition(":")[2] or 0))):
        line = lines[place]
        rows.append({
            "place": place, "text": texts.get(place, ""),
            "cycles": line["cycles"], "stall_cycles": line["stall_cycles"],
            "transactions": line["transactions"],
            "bank_conflicts": line["bank_conflicts"],
            "instructions": line["instructions"],
            "active": line["lanes"] / line["executions"]
            if line["executions"] else 0,
            "slots": line["slots"] / line["groups"] if line["groups"] else 0})
    return rows


def code_of(run):
    """A list of kernels, each with instructions, source lines and blocks."""
    kernels = {}
    for row in run.annotation or []:
        one = {name: _number(row.get(name)) for name in _FIGURES}
        one.update(kind=row["kind"], text=row["text"], source=row["source"],
                   address=_number(row["address"]))
        if row["kind"] == "alu":
            one["mask"] = _slots(row["text"])
        kernels.setdefault(row["kernel"], []).append(one)
    texts = _source_lines(run)
    return [{"name": name, "instructions": instructions,
             "lines": _sum_sources(instructions, texts),
             "blocks": _blocks(instructions)}
            for name, instructions in kernels.items()]


def x86_code_of(run):
    """The hottest functions and instructions of programs on simulated cores:
    a table."""
    rows = run.x86_profile or []
    if not rows:
        return None
    parts = [name for name in rows[0]
             if name[:1].isupper() and name != "Base"]
    table = []
    for row in rows:
        if row["kind"] not in ("function", "line", "instruction"):
            continue
        slots = _number(row["slots"])
        if not slots or (row["kind"] == "line" and not row["line"]):
            continue
        worst = max(parts, key=lambda name: _number(row[name]))
        table.append([row["kind"], row["function"], row["line"],
                      row["address"], _number(row["executions"]), slots,
                      worst if _number(row[worst]) else "Base",
                      _number(row["mispredicted"]), row["text"]])
    table.sort(key=lambda row: -row[5])
    return {"columns": ["kind", "function", "line", "address", "executions",
                        "slots of retirement", "most are lost to",
                        "mispredicted", "instruction"],
            "rows": table[:1000]}
