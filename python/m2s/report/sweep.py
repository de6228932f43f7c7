"""The table of m2s-sweep, for the page."""

import csv
import os

from m2s.reports import number


def sweep_of(path, page):
    """`path`: table.csv. `page`: where the page will be, for links to the
    folders of points, or None."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    if not rows:
        return None
    header, rows = rows[0], rows[1:]
    status = header.index("status")
    folder = os.path.dirname(os.path.abspath(path))
    beside = os.path.dirname(os.path.abspath(page)) if page else folder
    links = []
    for row in rows:
        point = os.path.join(folder, "points", row[0][:2], row[0])
        if not os.path.isdir(point):
            links.append("")
            continue
        target = point
        for name in ("report.html", "manifest.json"):
            if os.path.exists(os.path.join(point, name)):
                target = os.path.join(point, name)
                break
        links.append(os.path.relpath(target, beside))
    return {
        "name": os.path.basename(folder),
        "parameters": ["program", *header[2:status]],
        "statistics": header[status + 2:],
        "rows": [{"id": row[0],
                  "parameters": [row[1], *map(number, row[2:status])],
                  "status": row[status],
                  "statistics": [number(text) if text else None
                                 for text in row[status + 2:]],
                  "link": link}
                 for row, link in zip(rows, links)]}
