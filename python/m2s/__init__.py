"""Reading what m2s writes: reports, figures over time, listings, traces and
sweeps (doc/python.md).

    import m2s
    run = m2s.read_run("folder")
    sweep = m2s.read_sweep("caches.out")

Nothing but Python is needed; frame() of each makes a table of pandas where it
is installed."""

from m2s.files import ReadError
from m2s.listings import Listing, read_listing
from m2s.parts import Parts, join_parts
from m2s.reports import Report, read_report
from m2s.runs import Run, read_run
from m2s.sweeps import Sweep, read_sweep
from m2s.tables import Table, read_table
from m2s.traces import Trace, read_trace

__all__ = ["ReadError", "Listing", "read_listing", "Parts",
           "join_parts", "Report", "read_report",
           "Run", "read_run", "Sweep", "read_sweep", "Table", "read_table",
           "Trace", "read_trace"]
