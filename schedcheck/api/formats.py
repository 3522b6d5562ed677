"""The files that a check can write, by their suffixes: `trace_fits`, `graph_fits`, and `module_files_fit`."""

from pathlib import Path

from schedcheck.report.files.graph import fitting as graph_fitting
from schedcheck.report.files.module_graph import fitting as module_graph_fitting
from schedcheck.report.files.module_trace import fitting as module_trace_fitting
from schedcheck.tla_export.trace_files import fitting as trace_fitting


def trace_fits(path: Path) -> None:
    """Raises: InputError for a file name that `CheckResult.write_trace` refuses."""
    trace_fitting(path)


def graph_fits(path: Path) -> None:
    """Raises: InputError for a file name that `CheckResult.write_graph` refuses."""
    graph_fitting(path)


def module_files_fit(graph: Path | None, trace: Path | None) -> None:
    """Raises: InputError for a file name that `ModuleResult.write_graph` or `write_trace` refuses."""
    if graph is not None:
        module_graph_fitting(graph)
    if trace is not None:
        module_trace_fitting(trace)
