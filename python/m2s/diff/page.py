"""A comparison as a page of HTML that needs no other file."""

from m2s.diff.text import (input_rows, kernel_rows, line_rows, point_rows,
                           stack_rows, statistic_rows, sweep_rows)
from m2s.diff.words import sentences
from m2s.plot import COLOURS, escape

# Rows that a page has even if less are wanted as text: it sorts and filters.
LEAST = 300

_STYLE = """
:root { color-scheme: light dark }
body { font: 15px/1.45 sans-serif; margin: 2em auto; max-width: 75em;
	padding: 0 1em }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .15em .7em; border-bottom: 1px solid #8884;
	text-align: right; overflow-wrap: anywhere }
th { position: sticky; top: 0; background: Canvas }
th.l, td.l { text-align: left }
th button { font: inherit; border: 0; background: none; cursor: pointer;
	color: inherit; padding: 0 }
svg { max-width: 100%; height: auto }
figure { margin: 1em 0 }
input { font: inherit; margin: .5em 0 }
@media print { input { display: none } th { position: static } }
"""

_SCRIPT = """
for (const table of document.querySelectorAll("table")) {
	const body = table.tBodies[0];
	table.querySelectorAll("th button").forEach((button, at) => {
		let up = false;
		button.onclick = () => {
			const value = row => {
				const text = row.cells[at].textContent;
				const number = text == "from 0" ? Infinity :
					parseFloat(text);
				return isNaN(number) ? text : number;
			};
			up = !up;
			[...body.rows].sort((a, b) => {
				const x = value(a), y = value(b);
				const order = typeof x == typeof y ?
					(x < y ? -1 : x > y ? 1 : 0) :
					typeof x == "number" ? 1 : -1;
				return up ? order : -order;
			}).forEach(row => body.append(row));
		};
	});
	const input = table.previousElementSibling;
	if (input && input.tagName == "INPUT")
		input.oninput = () => {
			const words = input.value.toLowerCase();
			for (const row of body.rows)
				row.hidden = !row.textContent.toLowerCase()
					.includes(words);
		};
}
"""


def _table(head, rows, left=1, search=False):
    cells = "".join(f'<th scope="col"{" class=l" if at < left else ""}>'
                    f"<button>{escape(name)}</button></th>"
                    for at, name in enumerate(head))
    field = '<input type="search" placeholder="filter" ' \
        'aria-label="filter the table">\n' if search else ""
    return f"{field}<table>\n<thead><tr>{cells}</tr></thead>\n<tbody>\n" + \
        "".join("<tr>" + "".join(
            f'<td{" class=l" if at < left else ""}>{escape(cell)}</td>'
            for at, cell in enumerate(row)) + "</tr>\n" for row in rows) + \
        "</tbody></table>\n"


def _picture(stack):
    """Two bars, one above the other, to the same scale."""
    totals = [stack.total(0), stack.total(1)]
    scale = 700 / (max(totals) or 1)
    body = []
    for side in 0, 1:
        x, y = 70.0, 8 + 40 * side
        body.append(f'<text x="62" y="{y + 19}" text-anchor="end">'
                    f'{("first", "second")[side]}</text>')
        for index, (part, values) in enumerate(stack.parts.items()):
            width = values[side] * scale
            share = values[side] / totals[side] * 100 if totals[side] else 0
            body.append(
                f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="28" '
                f'fill="{COLOURS[index % len(COLOURS)]}" stroke="Canvas">'
                f"<title>{escape(part)}: {values[side]:.0f} cycles, "
                f"{share:.1f} %</title></rect>")
            if width > 8 * len(part):
                body.append(f'<text x="{x + width / 2:.1f}" y="{y + 19}" '
                            f'text-anchor="middle" fill="#000">'
                            f"{escape(part)}</text>")
            x += width
    return ('<figure><svg xmlns="http://www.w3.org/2000/svg" '
            'viewBox="0 0 780 84" width="780" height="84" role="img" '
            f'aria-label="cycles of {escape(stack.name)}" '
            'font-family="sans-serif" font-size="12" fill="currentColor">' +
            "".join(body) + "</svg></figure>\n")


def _page(title, parts):
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n'
            '<meta charset="utf-8">\n<meta name="viewport" '
            'content="width=device-width">\n'
            f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n"
            f"</head>\n<body>\n<h1>{escape(title)}</h1>\n" +
            "".join(parts) +
            f"<script>{_SCRIPT}</script>\n</body>\n</html>\n")


def _only(found, top):
    if not found.only:
        return
    yield "<ul>\n"
    for side, what in found.only[:top]:
        yield f"<li>only in the {('first', 'second')[side]}: " \
            f"{escape(what)}</li>\n"
    if len(found.only) > top:
        yield f"<li>and {len(found.only) - top} more</li>\n"
    yield "</ul>\n"


def _stacks(found):
    stacks = [stack for stack in found.stacks if stack.changes()]
    if stacks:
        yield "<h2>Cycle stacks</h2>\n"
    for stack in stacks:
        yield f"<h3>{escape(stack.name)}</h3>\n{_picture(stack)}"
        yield _table(["part", "first", "share", "second", "share", "change"],
                     stack_rows(stack))


def _run_parts(found, top, each):
    yield "<h2>What it means</h2>\n"
    for sentence in [*sentences(found), *found.notes]:
        yield f"<p>{escape(sentence)}</p>\n"
    if found.inputs:
        yield "<h2>Configuration and inputs</h2>\n"
        yield _table(["what", "first", "second"], input_rows(found), 3)
    yield from _only(found, top)
    rows, left = statistic_rows(found, top, each)
    moved = sum(change.moved for change in found.changes)
    yield f"<h2>Statistics</h2>\n<p>{moved} of {len(found.changes)} moved " \
        f"beyond the threshold {escape(found.thresholds)}" \
        f"{f'; the greatest {len(rows)} rows' if left else ''}.</p>\n"
    if rows:
        yield _table(["statistic", "first", "second", "change", "of many"],
                     rows, search=True)
    yield from _stacks(found)
    if found.kernels:
        yield "<h2>Kernels, all launches of each</h2>\n"
        yield _table(["kernel", "figure", "first", "second", "change",
                      "launches"], kernel_rows(found), 2)
    for kind, pairs in found.lines.items():
        head, rows, _ = line_rows(pairs, top)
        if rows:
            yield f"<h2>{'Kernels' if kind == 'listing' else 'Host program'}" \
                " by source line</h2>\n"
            yield _table(head, rows, search=True)


def run_page(found, top=200, each=False):
    """The page of a comparison of two runs."""
    return _page(f"{found.names[0]} and {found.names[1]}",
                 _run_parts(found, max(top, LEAST), each))


def _sweep_parts(found, top):
    moved = sum(bool(point.moved) for point in found.points)
    yield f"<p>{len(found.points)} points are in both; in {moved} a " \
        "statistic moved beyond the threshold " \
        f"{escape(found.thresholds)}.</p>\n"
    for note in found.notes:
        yield f"<p>{escape(note)}</p>\n"
    yield from _only(found, top)
    if found.texts:
        yield _table(["what", "first", "second"], found.texts[:top], 3)
    if found.inputs:
        yield "<h2>Configuration and inputs</h2>\n"
        yield _table(["what", "first", "second"], input_rows(found), 3)
    if moved:
        yield "<h2>Statistics over the points</h2>\n"
        yield _table(["statistic", "moved", "mean ratio", "greatest",
                      "where"], sweep_rows(found, top), search=True)
    yield from _stacks(found)
    rows, _ = point_rows(found, top)
    if rows:
        yield "<h2>Points</h2>\n"
        yield _table(["point", "statistic", "first", "second", "change"],
                     rows, 2, search=True)


def sweep_page(found, top=200, _each=False):
    """The page of a comparison of two sweeps."""
    return _page(f"{found.names[0]} and {found.names[1]}",
                 _sweep_parts(found, max(top, LEAST)))
