"""A comparison as text."""

import textwrap

from m2s.diff.places import order_of
from m2s.diff.words import figure, percent, relative, sentences

WIDTH = 120


def _change(before, after):
    return percent(relative(before, after))


def table(head, rows, left=1):
    """Rows in columns; the first ones are aligned to the left."""
    rows = [[str(cell) for cell in row] for row in [head, *rows]]
    widths = [max(len(row[at]) for row in rows) for at in range(len(head))]
    for row in rows:
        yield ("  " + "  ".join(
            cell.ljust(width) if at < left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths)))).rstrip()


def _short(text, length=60):
    text = "-" if text is None else str(text)
    return text if len(text) <= length else \
        text[:length // 2 - 2] + "..." + text[-(length // 2 - 1):]


def input_rows(found):
    return [[what, _short(before), _short(after)]
            for what, before, after in found.inputs]


def statistic_rows(found, top, each):
    """Rows of the statistics that moved, and how many are left out."""
    folded = found.folded(each)
    rows = []
    for one in folded[:top]:
        many = "" if len(one.changes) == 1 else \
            f"{'mean' if one.mean else 'sum'}, {one.count} of " \
            f"{len(one.changes)} moved"
        if one.numeric:
            rows.append([_short(one.name, 70), figure(one.before),
                         figure(one.after), _change(one.before, one.after),
                         many])
        else:
            rows.append([_short(one.name, 70), _short(one.before, 20),
                         _short(one.after, 20), "", many])
    return rows, max(0, len(folded) - top)


def stack_rows(stack):
    """Part, cycles of both, their shares, difference."""
    totals = [stack.total(0), stack.total(1)]
    rows = []
    for part, values in stack.parts.items():
        shares = [f"{value / total * 100:.1f} %" if total else ""
                  for value, total in zip(values, totals)]
        rows.append([part, figure(round(values[0])), shares[0],
                     figure(round(values[1])), shares[1],
                     _change(*values)])
    rows.append(["all", figure(round(totals[0])), "",
                 figure(round(totals[1])), "", _change(*totals)])
    if stack.work:
        each = [total / work for total, work in zip(totals, stack.work)]
        rows.append(["all, for each instruction", f"{each[0]:.3f}", "",
                     f"{each[1]:.3f}", "", _change(*each)])
    return rows


def kernel_rows(found):
    return [[kernel.name, name,
             *(figure(value) for value in values), _change(*values),
             f"{kernel.launches[0]}, {kernel.launches[1]}"]
            for kernel in found.kernels
            for name, values in kernel.figures.items()
            if name == "Cycles" or values[0] != values[1]]


def line_rows(pairs, top):
    """Rows of the lines that changed, the head, and how many are left out."""
    order = order_of(pairs)
    changed = [pair for pair in pairs
               if pair.before is None or pair.after is None or
               pair.figures()]
    rows = []
    for pair in changed[:top]:
        rows.append([pair.place, *(figure(value) for value in pair.values(order)),
                     _change(*pair.values(order)),
                     ", ".join(name for name in pair.figures()
                               if name != order)[:40],
                     _short(pair.line.text, 50)])
    return ["place", f"{order}, first", "second", "change", "also changed",
            "source"], rows, max(0, len(changed) - top)


def _left(count, what):
    return [f"  ... and {count} more {what} (--top)"] if count else []


def run_text(found, top=30, each=False):
    """The lines of a comparison of two runs."""
    yield f"first:  {found.names[0]}"
    yield f"second: {found.names[1]}"
    yield ""
    for sentence in sentences(found):
        yield from textwrap.wrap(sentence, WIDTH)
    for note in found.notes:
        yield f"note: {note}"
    if found.inputs:
        yield from ("", "Configuration and inputs", "")
        yield from table(["", "first", "second"], input_rows(found), 3)
    for side, what in found.only[:top]:
        yield f"only in the {'second' if side else 'first'}: {what}"
    yield from _left(max(0, len(found.only) - top), "of these")
    count = sum(change.moved for change in found.changes)
    yield from ("", f"Statistics: {count} of {len(found.changes)} moved "
                f"beyond the threshold {found.thresholds}", "")
    rows, left = statistic_rows(found, top, each)
    if rows:
        yield from table(["", "first", "second", "change", ""], rows)
        yield from _left(left, "statistics")
    for stack in found.stacks:
        # The other engines wait for the same; one kernel is the device.
        if not stack.changes() or not each and (
                stack.name in ("TEX engines", "CF engines") or
                len(found.kernels) == 1 and stack.name.startswith("kernel")):
            continue
        yield from ("", f"Cycles of {stack.name}", "")
        yield from table(["", "first", "", "second", "", "change"],
                         stack_rows(stack))
    if found.kernels and any(v[0] != v[1] for k in found.kernels
                             for v in k.figures.values()):
        yield from ("", "Kernels, all launches of each", "")
        yield from table(["kernel", "figure", "first", "second", "change",
                          "launches"], kernel_rows(found), 2)
    for kind, pairs in found.lines.items():
        head, rows, left = line_rows(pairs, top)
        if rows:
            yield from ("", "Source lines of kernels" if kind == "listing"
                        else "Functions and source lines of the host program",
                        "")
            yield from table(head, rows)
            yield from _left(left, "places")


def sweep_rows(found, top):
    rows = []
    for one in [one for one in found.statistics if one.moved][:top]:
        label, change = one.greatest
        rows.append([one.name, f"{one.moved} of {len(one.pairs)}",
                     "" if one.ratio is None else f"{one.ratio:.4f}",
                     _change(change.before, change.after),
                     _short(label, 50)])
    return rows


def point_rows(found, top):
    rows = []
    for point in found.points:
        for change in point.moved:
            rows.append((change.size, [
                point.label, change.full, figure(change.before),
                figure(change.after), _change(change.before, change.after)]))
    rows.sort(key=lambda row: -row[0])
    return [row for _, row in rows[:top]], max(0, len(rows) - top)


def sweep_text(found, top=30, each=False):
    """The lines of a comparison of two sweeps."""
    yield f"first:  {found.names[0]}"
    yield f"second: {found.names[1]}"
    yield ""
    moved = sum(bool(point.moved) for point in found.points)
    yield f"{len(found.points)} points are in both; in {moved} a statistic " \
        f"moved beyond the threshold {found.thresholds}."
    for side, name, values in found.fixed:
        yield f"Parameter {name} is only in the " \
            f"{'second' if side else 'first'}: " \
            f"{_short(', '.join(map(str, values)))}."
    for note in found.notes:
        yield f"note: {note}"
    for side, what in found.only[:top]:
        yield f"only in the {'second' if side else 'first'}: {what}"
    yield from _left(max(0, len(found.only) - top), "of these")
    for name, before, after in found.texts[:top]:
        yield f"{name}: {_short(before)} -> {_short(after)}"
    yield from _left(max(0, len(found.texts) - top), "of these")
    if found.inputs:
        yield from ("", "Configuration and inputs", "")
        yield from table(["", "first", "second"], input_rows(found), 3)
    rows = sweep_rows(found, len(found.statistics) if each else top)
    if rows:
        yield from ("", "Statistics over the points", "")
        yield from table(["", "moved", "mean ratio", "greatest", "where"],
                         rows)
    for stack in found.stacks:
        if stack.changes():
            yield from ("", f"Cycles of {stack.name}, over all points", "")
            yield from table(["", "first", "", "second", "", "change"],
                             stack_rows(stack))
    rows, left = point_rows(found, top)
    if rows:
        yield from ("", "Points", "")
        yield from table(["", "", "first", "second", "change"], rows, 2)
        yield from _left(left, "changes")
