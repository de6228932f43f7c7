"""Comparison of two runs, or of two sweeps (m2s-diff, doc/comparing-runs.md)."""

from m2s.diff.compare import Comparison, compare_runs
from m2s.diff.points import compare_sweeps
from m2s.diff.thresholds import Thresholds

__all__ = ["Comparison", "compare_runs", "compare_sweeps", "Thresholds"]
