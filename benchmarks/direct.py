"""Speed of the direct explorer: generated states a second, and the effect of properties, caches and symmetry.

python -m benchmarks.direct [EXAMPLE …] takes the shipped scenarios of that name; by default the small references.
Each figure is the median of several runs in turn, so that a busy machine slows all of them equally.
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from schedcheck.checker.check import check
from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.memo import remembering
from schedcheck.checker.exploring.search import breadth_first
from schedcheck.checker.result import Result
from schedcheck.manifests import read, scenario
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import ALL_FAULTS, Fault
from schedcheck.spec.profiles import profile

EXAMPLES = Path(__file__).parent.parent / "examples"
RUNS = 5
FORGETFUL_STATES = 5_000


def counted(given: Scenario, *, memory: bool = True) -> Result:
    """Explore the scenario without properties, with cached operators or (`memory` false) with the plain definitions."""
    plain = profile(given.profile, frozenset(Fault(name) for name in given.faults), given.rated_resource)
    return breadth_first(Exploration(Reference(given, remembering(plain, given.pods) if memory else plain), ()))


def runs(given: Scenario) -> dict[str, Callable[[], Result]]:
    """Return the runs to measure, by name."""
    measured: dict[str, Callable[[], Result]] = {
        "counting only": lambda: counted(given),
        "default properties": lambda: check(given, symmetry=False).result,
        "default properties, symmetry": lambda: check(given).result,
    }
    return measured


def rates(given: Scenario) -> dict[str, tuple[float, float, Result]]:
    """Return the median seconds and generated states a second of each run, and its result."""
    times: dict[str, list[float]] = {}
    results: dict[str, Result] = {}
    for _ in range(RUNS):
        for name, run in runs(given).items():
            begun = time.perf_counter()
            results[name] = run()
            times.setdefault(name, []).append(time.perf_counter() - begun)
    return {
        name: (statistics.median(seconds), results[name].generated / statistics.median(seconds), results[name])
        for name, seconds in times.items()
    }


def forgetful(given: Scenario) -> tuple[float, Result]:
    """Return the generated states a second without caches, and the result."""
    begun = time.perf_counter()
    result = counted(given, memory=False)
    return result.generated / (time.perf_counter() - begun), result


def main(names: list[str] | None = None) -> None:
    """Print a table for each example."""
    console = Console(width=110)
    for name in names or ["reference-tiny", "reference-small"]:
        given = scenario(read([EXAMPLES / name]), frozenset(str(fault) for fault in ALL_FAULTS))
        measured = rates(given)
        first = next(iter(measured.values()))
        table = Table(title=f"{name}: medians of {RUNS} runs", box=SIMPLE, title_justify="left")
        for heading in ("run", "distinct", "generated", "depth", "seconds", "generated/s", "time against first"):
            table.add_column(heading, justify="left" if heading == "run" else "right", no_wrap=True)
        for run, (seconds, rate, result) in measured.items():
            counts = (f"{result.distinct:,}", f"{result.generated:,}", str(result.depth))
            table.add_row(run, *counts, f"{seconds:.2f}", f"{rate:,.0f}", f"{seconds / first[0]:.2f}")
        console.print(table)
        if first[2].distinct <= FORGETFUL_STATES:
            rate, _ = forgetful(given)
            console.print(f"without remembering: {rate:,.0f} generated/s, {first[1] / rate:,.0f} times slower")


if __name__ == "__main__":
    main(sys.argv[1:])
