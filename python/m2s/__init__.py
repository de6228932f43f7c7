"""Reading what m2s writes: reports and sweeps."""

from m2s.reports import Report, read_report

__all__ = ["Report", "read_report"]
