"""The HTML file: scripts, styles and data in one."""

import base64
import html
import json
import math
import os
import zlib

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_SCRIPTS = ("core.js", "charts.js", "timeline.js", "code-view.js", "device.js",
            "memory.js", "sweep.js", "main.js")

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<header><h1>{title}</h1><nav aria-label="parts of the page"></nav></header>
<main></main>
<noscript>This page needs JavaScript; it loads nothing.</noscript>
{data}
<script>
{script}</script>
</body>
</html>
"""


def _text(name):
    with open(os.path.join(_FOLDER, name), encoding="utf-8") as file:
        return file.read()


def _plain(value):
    """JSON has neither NaN nor infinities."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value


def _packed(name, content):
    text = base64.b64encode(zlib.compress(content, 9)).decode("ascii")
    return f'<script type="text/plain" id="{name}">{text}</script>'


def page_of(title, runs, sweeps):
    """`runs`: (model, bytes of events or None)."""
    data = {"runs": [model for model, _ in runs], "sweeps": sweeps}
    text = json.dumps(_plain(data), separators=(",", ":"), allow_nan=False)
    parts = [_packed("data", text.encode("utf-8"))]
    parts += [_packed(f"events-{number}", events)
              for number, (_, events) in enumerate(runs)
              if events is not None]
    script = "\n".join(_text(name).replace('"use strict";\n', "", 1)
                       for name in _SCRIPTS)
    return _PAGE.format(title=html.escape(title), style=_text("page.css"),
                        data="\n".join(parts),
                        script='"use strict";\n' + script)
