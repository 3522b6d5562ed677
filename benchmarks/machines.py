"""Speed of states divided among workers on two nodes, beside the tabulated explorer of one process on the same cores.

python -m benchmarks.machines [--pods N …] [--runs N] takes the reference scenario with N pods: 9, 11 and 13 have about
1e6, 1e7 and 1e8 states. The nodes are those of Ray's own class for tests, of one core each, with one worker each. Runs
of the two engines alternate, and all must have the same counts, coverage, verdict and traces. The time of a run with
Ray begins before the workers start, but after the start of the cluster. The load is that of the machine before a run.
Asked for are properties of states and of steps.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from benchmarks.explore import OF_EACH, grown
from schedcheck.checker.check import check
from schedcheck.checker.machines.machines import Machines
from tests.checker.tabulated.machines import Cluster
from tests.checker.tabulated.resumed import summary

HEADINGS = ("pods", "distinct", "load", "one process s", "load", "two nodes s", "speed")


def row(pods: int) -> list[str]:
    """Return the figures of one run of each engine."""
    scenario, cells = replace(grown(pods), properties=OF_EACH), [str(pods)]
    before = os.getloadavg()[0]
    alone = check(scenario, engine="tabulated", symmetry=False).result
    between = os.getloadavg()[0]
    divided = check(scenario, engine="ray", symmetry=False, machines=Machines(workers=2)).result
    assert summary(divided) == summary(alone)
    cells += [f"{alone.distinct:,}", f"{before:.1f}", f"{alone.seconds:.2f}", f"{between:.1f}"]
    return [*cells, f"{divided.seconds:.2f}", f"{alone.seconds / divided.seconds:.2f}"]


def main(arguments: Sequence[str] = ()) -> None:
    """Print a table of all runs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.machines")
    parser.add_argument("--pods", type=int, nargs="+", default=[9, 11])
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args(arguments)
    with Cluster() as cluster:
        table = Table(title=f"nodes at {cluster.interface()}", box=SIMPLE, title_justify="left")
        for heading in HEADINGS:
            table.add_column(heading, justify="right", no_wrap=True)
        for pods in given.pods:
            for _ in range(given.runs):
                table.add_row(*row(pods))
    Console(width=120).print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
