"""m2s-report: runs of m2s as one HTML page that needs nothing else
(doc/reports-html.md).

    inputs.py    which file of a run is what
    model.py     the figures that the page shows, from reports
    code.py      instructions and source lines, from --evg-annotate
    memory.py    caches, memories and networks as a graph
    timeline.py  the events of --trace, packed
    sweep.py     the table of m2s-sweep
    page.py      the file

The page's scripts (*.js) draw; every figure comes from Python."""
