"""Speed of the explorers from 1e4 to 1e7 states: the tabulated explorer, the direct one, a bare set and TLC.

python -m benchmarks.explore [--pods N …] [--direct-up-to STATES] [--tlc JAR [--tlc-up-to STATES]] takes the reference
scenario with N pods: 5, 7, 9 and 11 have about 1e4, 1e5, 1e6 and 1e7 states, 9 are `examples/reference`. Each row is
the median of three runs, or one run of more than ten million states. Compiling the loops is not counted.

*In all* is a process of its own from start to end, with empty tables. *Tables* is the time in which the specification
fills them. *Exploring* is the time of a second exploration with full tables. *Bytes* are those in memory at the end for
each state: the known set with its free places, and the levels still in memory. Expanded levels are in a file.
TLC runs the exported module of the scenario with one worker a core. Its time, including its start, is compared with
both, and it must find the same number of distinct states.

The bare set bounds every explorer that keeps exact words in such a set. It looks up the same number of successors in
the set, without computing them.
"""

import argparse
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from schedcheck.checker.check import check, properties
from schedcheck.checker.exploring.memo import remembering
from schedcheck.checker.exploring.symmetry import Slots
from schedcheck.checker.limits.cores import cores
from schedcheck.checker.tabulated.answers.oracle import Oracle
from schedcheck.checker.tabulated.answers.printed import Printed
from schedcheck.checker.tabulated.loops.orbits import orbits
from schedcheck.checker.tabulated.results.states import Judging
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.checker.tabulated.search.kept import Level
from schedcheck.checker.tabulated.search.known import Known
from schedcheck.checker.tabulated.search.plan import Plan
from schedcheck.model.profiles import judging, profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.properties.kinds import Always, Sometimes, Step
from schedcheck.tla_export.module import model_module
from tests.support.building import reference
from tests.tla.run_tlc import run as run_tlc

PRIORITIES = (1, 1, 1, 2, 2, 2, 3, 3, 4, 1, 2, 3, 1, 2, 1)
REQUESTS = (1, 1, 1, 2, 2, 3, 2, 3, 4, 2, 1, 2, 3, 1, 2)
ROOMS = (4, 4, 6)
"""The cpus of the three nodes. All but the first are labelled disk=ssd, and the last has a taint."""
SELECTING, TOLERANT = (6, 8), (4, 5, 8, 9, 10, 13, 15)
"""The pods that select disk=ssd, and those that tolerate the taint, numbered from 1."""
OF_EACH = ("no_overcommit", "scheduler_is_sound")
"""Properties of each state and each step. What stays possible, which is asked by default, is found after an exploration."""
FEW = 200_000
MANY = 10_000_000
"""Above this number of states only one run is made."""
RUNS = 3
PIECE = 1 << 17


class Measured(NamedTuple):
    """The counts and times of one size."""

    distinct: int
    generated: int
    exploring: float
    answering: float
    in_all: float
    bytes_a_state: float
    words: int


def grown(pods: int) -> Scenario:
    """Return the reference scenario with `pods` pods, on three nodes."""
    return reference(
        PRIORITIES[:pods],
        REQUESTS[:pods],
        ROOMS,
        want_ssd=SELECTING,
        tolerate_gpu=TOLERANT,
        have_ssd=[2, 3],
        have_gpu=[3],
    )


def explorer_of(
    scenario: Scenario, workers: int, classes: tuple[Sequence[Slots], Sequence[Slots]] | None = None
) -> Explorer:
    """Return the explorer of the scenario with its default properties and empty tables, up to swaps within `classes`."""
    judge = remembering(judging(scenario), scenario.pods)
    machine = Reference(scenario, remembering(profile_of(scenario), scenario.pods))
    asked = properties(scenario, judge, symmetry=False)
    of_steps = [each for each in asked if isinstance(each, Step)]
    plan = Plan(machine, judge, of_steps, classes or ((), ()))
    oracle = Oracle(plan, Printed(machine.profile, judge, plan.wide, tuple(of_steps)))
    swaps = None if classes is None else orbits(plan, *classes)
    states = Judging(plan, [each for each in asked if isinstance(each, Always | Sometimes)], workers=workers)
    return Explorer(plan, oracle, judged=True, judge=states, workers=workers, orbits=swaps)


def once_more(explorer: Explorer, workers: int) -> Explorer:
    """Return a new explorer of the same scenario that uses the tables of this one."""
    return Explorer(explorer.plan, explorer.oracle, judged=True, judge=explorer.judge, workers=workers)


def measured(pods: int, workers: int) -> tuple[Measured, Explorer]:
    """Measure one run in a process of its own, and one with full tables; return the figures and the second explorer."""
    in_all, counted = apart(pods, workers)
    first = explorer_of(grown(pods), workers)
    first.run()
    explorer, answering = once_more(first, workers), first.answering
    del first
    begun = time.perf_counter()
    explorer.run()
    exploring = time.perf_counter() - begun
    progress = explorer.progress()
    assert explorer.answering < answering
    assert counted == f"{progress.distinct} {progress.generated}"
    found = Measured(
        progress.distinct,
        progress.generated,
        exploring,
        answering,
        in_all,
        explorer.held() / progress.distinct,
        explorer.plan.layout.words,
    )
    return found, explorer


def apart(pods: int, workers: int) -> tuple[float, str]:
    """Return the seconds of a process from its start to its end, and its counts."""
    begun = time.perf_counter()
    command = [sys.executable, "-m", "benchmarks.explore", "--alone", str(pods), str(workers)]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return time.perf_counter() - begun, told.strip()


def bare(levels: Sequence[Level], generated: int, workers: int) -> float:
    """Return the seconds to look up and insert `generated` words in a set: those of the levels, repeatedly."""
    states = np.concatenate([np.asarray(level) for level in levels])
    states = states[np.random.default_rng(0).permutation(len(states))]
    known = Known(states.shape[1], workers)
    left = deque(
        (begin, min(begin + PIECE, len(states), generated - again))
        for again in range(0, generated, len(states))
        for begin in range(0, min(len(states), generated - again), PIECE)
    )

    def put(number: int) -> None:
        while left:
            try:
                begin, end = left.popleft()
            except IndexError:
                return
            came_to = known.found[number].insert(known.places, states, begin, end)
            if came_to < end:
                left.appendleft((came_to, end))
                return

    begun = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        while left:
            known.make_room()
            list(pool.map(put, range(workers)))
    return time.perf_counter() - begun


def row(pods: int, workers: int, direct_up_to: int, jar: Path | None, tlc_up_to: int) -> list[str]:
    """Return the figures of one size."""
    scenario = grown(pods)
    found, explorer = measured(pods, workers)
    if found.distinct <= MANY:
        runs = [found, *(measured(pods, workers)[0] for _ in range(RUNS - 1))]
        found = sorted(runs, key=lambda each: each.exploring)[RUNS // 2]
    limit = bare(explorer.levels, found.generated, workers)
    direct = "-"
    if found.distinct <= direct_up_to:
        result = check(scenario, symmetry=False).result
        assert (result.distinct, result.generated) == (found.distinct, found.generated)
        direct = f"{result.distinct / result.seconds:,.0f}"
    tlc = "-"
    if jar is not None and found.distinct <= tlc_up_to:
        begun = time.perf_counter()
        counts = run_tlc(
            jar,
            "MC_grown",
            dict(zip(("MC_grown.tla", "MC_grown.cfg"), model_module(scenario, "MC_grown"), strict=True)),
            workers=cores(),
        )
        seconds = time.perf_counter() - begun
        assert counts["distinct"] == found.distinct, counts
        tlc = f"{seconds:,.0f} s, {seconds / found.exploring:,.0f} and {seconds / found.in_all:,.0f} times"
    return [
        str(pods),
        str(workers),
        f"{found.distinct:,}",
        f"{found.generated:,}",
        f"{found.exploring:.2f}",
        f"{found.answering:.2f}",
        f"{found.in_all:.2f}",
        f"{found.distinct / found.exploring:,.0f}",
        f"{found.bytes_a_state:.1f}",
        f"{found.distinct / limit:,.0f}",
        direct,
        tlc,
    ]


def main(arguments: Sequence[str] = ()) -> None:
    """Print a table of all sizes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.explore")
    parser.add_argument("--pods", type=int, nargs="+", default=[5, 7, 9, 11])
    parser.add_argument("--direct-up-to", type=int, default=FEW)
    parser.add_argument("--tlc", type=Path, default=None, metavar="JAR")
    parser.add_argument("--tlc-up-to", type=int, default=FEW, metavar="STATES")
    parser.add_argument(
        "--alone", type=int, nargs=2, default=None, metavar=("PODS", "CORES"), help="explore, and count"
    )
    given = parser.parse_args(arguments)
    if given.alone is not None:
        explorer = explorer_of(grown(given.alone[0]), given.alone[1])
        explorer.run()
        print(explorer.distinct, explorer.progress().generated)
        return
    console = Console(width=170)
    explorer_of(grown(4), cores()).run()
    table = Table(title=f"load {os.getloadavg()[0]:.1f}", box=SIMPLE, title_justify="left")
    headings = (
        "pods",
        "cores",
        "distinct",
        "generated",
        "exploring s",
        "tables s",
        "in all s",
        "distinct/s",
        "bytes a state",
    )
    for heading in (*headings, "bare set/s", "direct/s", "TLC, exploring and in all"):
        table.add_column(heading, justify="right", no_wrap=True)
    for pods in given.pods:
        for workers in sorted({1, cores()}):
            table.add_row(
                *row(
                    pods,
                    workers,
                    given.direct_up_to if workers == 1 else 0,
                    given.tlc if workers == cores() else None,
                    given.tlc_up_to,
                )
            )
    console.print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
