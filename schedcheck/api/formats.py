"""The files that a check can write, by their suffixes: `trace_fits`, `graph_fits`."""

from pathlib import Path

from schedcheck.report.files.graph import fitting as graph_fitting
from schedcheck.tla_export.trace_files import fitting as trace_fitting


def trace_fits(path: Path) -> None:
    """Raises: InputError for a file name that `CheckResult.write_trace` refuses."""
    trace_fitting(path)


def graph_fits(path: Path) -> None:
    """Raises: InputError for a file name that `CheckResult.write_graph` refuses."""
    graph_fitting(path)
