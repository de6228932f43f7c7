"""Small figures as SVG, without anything to install.

    svg = lines("Cycles", {"8 KB": [(16, 2211), (32, 4102)]}, x="n", y="cycles")
    svg = bars("Slots", ["a", "b"], {"1": [70, 60], "2": [30, 40]}, y="%")

Colours are told apart by colour-blind eyes, too, and lines also by their
marks; text takes the colour of the page."""

import html
import math

# After Okabe and Ito, Color Universal Design.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00",
           "#8d7b00", "#999999", "#00507d", "#a36a00", "#006b4e", "#92567a",
           "#2e83b0", "#963f00", "#c9b633", "#666666")
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, RIGHT = 640, 360, 76, 34, 48, 150


def escape(text):
    return html.escape(str(text), quote=True)


def short(value):
    """A number on an axis."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.4g}{letter}"
    return f"{value:.4g}"


def _ticks(low, high):
    """Round values from low to high."""
    span = high - low or abs(high) or 1
    step = 10 ** math.floor(math.log10(span / 4))
    step = next(step * factor for factor in (1, 2, 5, 10)
                if span / (step * factor) <= 6)
    first = math.ceil(low / step - 1e-9)
    return [step * n for n in range(first, int(high / step + 1e-9) + 1)]


def _text(x, y, text, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>' \
        f"{escape(text)}</text>"


def _svg(title, body, width=WIDTH, height=HEIGHT):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} '
            f'{height}" width="{width}" height="{height}" role="img" '
            f'aria-label="{escape(title)}" font-family="sans-serif" '
            'font-size="12" fill="currentColor">\n'
            f"<title>{escape(title)}</title>\n" +
            _text(width / 2, 18, title, more=' font-weight="bold"') + "\n" +
            "\n".join(body) + "\n</svg>\n")


def _scale(low, high, logarithmic, begin, end):
    """A function from values to places."""
    if logarithmic:
        low, high = math.log2(low), math.log2(high)
    span = (high - low) or 1

    def place(value):
        value = math.log2(value) if logarithmic else value
        return begin + (value - low) / span * (end - begin)
    return place


def _y_axis(place, ticks, name, right):
    for tick in ticks:
        y = place(tick)
        yield f'<line x1="{LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" ' \
            'stroke="currentColor" stroke-opacity="0.2"/>'
        yield _text(LEFT - 6, y + 4, short(tick), "end")
    middle = (TOP + HEIGHT - BOTTOM) / 2
    yield _text(16, middle, name,
                more=f' transform="rotate(-90 16 {middle:.1f})"')


def _legend(names, right):
    for index, name in enumerate(names):
        y = TOP + 10 + 18 * index
        yield f'<rect x="{right + 10}" y="{y - 9}" width="12" height="12" ' \
            f'fill="{COLOURS[index % len(COLOURS)]}"/>'
        yield _text(right + 28, y + 1, name, "start")


def _mark(kind, x, y, colour):
    if kind % 3 == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
    if kind % 3 == 1:
        return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" ' \
            f'fill="{colour}"/>'
    return f'<path d="M{x:.1f} {y - 5:.1f}l5 9h-10z" fill="{colour}"/>'


def lines(title, series, x="", y="", x_log=False, y_log=False):
    """A line for each series {name: [(x, y)]}; axes may be logarithmic."""
    points = [point for values in series.values() for point in values]
    if not points:
        raise ValueError(f"{title}: no points")
    xs, ys = sorted({p[0] for p in points}), [p[1] for p in points]
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    low, high = (min(ys), max(ys)) if y_log else (min(0, *ys, 0),
                                                  max(*ys, 0))
    across = _scale(xs[0], xs[-1], x_log, LEFT + 10, right - 10)
    up = _scale(low, high or 1, y_log, bottom, TOP + 8)
    if y_log:
        ticks = [2.0 ** n for n in range(math.ceil(math.log2(low)),
                                         int(math.log2(high)) + 1)]
        ticks = ticks[::max(1, len(ticks) // 6)]
    else:
        ticks = _ticks(low, high)
    body = list(_y_axis(up, ticks, y, right))
    for tick in xs if len(xs) <= 10 else _ticks(xs[0], xs[-1]):
        body.append(_text(across(tick), bottom + 18, short(tick)))
    body.append(_text((LEFT + right) / 2, HEIGHT - 8, x))
    for index, (name, values) in enumerate(series.items()):
        colour = COLOURS[index % len(COLOURS)]
        places = [(across(a), up(b)) for a, b in values]
        body.append(f'<polyline fill="none" stroke="{colour}" '
                    'stroke-width="2" points="' +
                    " ".join(f"{a:.1f},{b:.1f}" for a, b in places) + '"/>')
        for (a, b), value in zip(places, values):
            body.append(f"<g><title>{escape(name)}: {escape(value[0])}, "
                        f"{value[1]:.6g}</title>"
                        f"{_mark(index, a, b, colour)}</g>")
    body += _legend(series, right)
    return _svg(title, body)


def bars(title, groups, series, y="", stacked=False):
    """A bar for each group and series {name: [a value for each group]}, side
    by side or stacked."""
    if not groups or not series:
        raise ValueError(f"{title}: no bars")
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    columns = list(zip(*series.values()))
    high = max(sum(c) if stacked else max(c) for c in columns) or 1
    up = _scale(0, high, False, bottom, TOP + 8)
    body = list(_y_axis(up, _ticks(0, high), y, right))
    room = (right - LEFT) / len(groups)
    width = room * 0.8 / (1 if stacked else len(series))
    for group, values in enumerate(columns):
        begin, below = LEFT + room * (group + 0.1), 0.0
        for index, (name, value) in enumerate(zip(series, values)):
            x = begin if stacked else begin + width * index
            top = up(below + value)
            body.append(
                f'<rect x="{x:.1f}" y="{top:.1f}" width="{width - 1:.1f}" '
                f'height="{max(up(below) - top, 0):.1f}" '
                f'fill="{COLOURS[index % len(COLOURS)]}">'
                f"<title>{escape(groups[group])}, {escape(name)}: "
                f"{value:.6g}</title></rect>")
            below += value if stacked else 0
        body.append(_text(LEFT + room * (group + 0.5), bottom + 18,
                          groups[group]))
    body += _legend(series, right)
    return _svg(title, body)
