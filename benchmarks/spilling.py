"""States that do not fit into memory: their number by symmetry, and runs that keep their levels on disk.

python -m benchmarks.spilling [--pods N] [--memory GIB …] [--folder FOLDER] [--beside] takes the reference scenario with N
pods: 11, 13 and 15 have about 1e7, 1e8 and 1e9 states. The first line counts the states in which all pods fit, without
exploring any. The second is of a run that explores one state of each orbit, in memory, and adds up the sizes of the
orbits. Each further line is of a run without symmetry whose process gets so much memory, with its levels in a folder of
its own in FOLDER, from whose levels it goes on if there are some; with `--beside` also of one without a folder and without
a limit, before them. All must have the same number of states, and all runs without symmetry the same counts and coverage.

The bytes on disk are those of all levels, for each state. The resident memory is the peak of what `ps` shows of the process,
files included. Seconds and those of the processor are of this process alone, without those of an earlier one that was
continued. The properties are the default ones but for what stays possible, which needs the graph of all steps in memory.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.explore import explorer_of, grown
from schedcheck.checker.check import check
from schedcheck.checker.exploring.symmetry import pod_classes
from schedcheck.checker.limits.cores import cores
from schedcheck.checker.limits.timer import gigabytes
from schedcheck.checker.result import Bounds, Progress
from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.loops.orbits import Orbits
from schedcheck.checker.tabulated.loops.runs import in_pieces
from schedcheck.checker.tabulated.search.plan import Plan
from schedcheck.model.profiles import judging
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.requests import request

ASKED = (
    "no_overcommit", "bind_feasible", "no_wait_while_feasible", "only_lower_priority_evicted",
    "no_eviction_while_feasible",
)  # fmt: skip
"""The default properties of the scenario that are answered while it is explored."""

SECONDS = 30.0
"""The least time between two lines about the progress of a run."""


def by_counting(scenario: Scenario) -> int:
    """Return the number of states in which all bound pods fit, in cpus, on nodes that are feasible for each alone.

    In the reference scenario no other state is reachable: a pod is absent, waits or is bound, and a node is cordoned or not.
    """
    judge = judging(scenario)
    ways = Counter({tuple(node.allocatable["cpu"] for node in scenario.nodes): 1})
    for pod in scenario.pods:
        cpu = request(pod, "cpu", judge.faults)
        able = [judge.feasibility(pod, node, Snapshot(pods=(pod,), nodes=(node,))) for node in scenario.nodes]
        after: Counter[tuple[int, ...]] = Counter()
        for left, number in ways.items():
            after[left] += 2 * number
            for slot, room in enumerate(left):
                if able[slot] and cpu <= room:
                    after[*left[:slot], room - cpu, *left[slot + 1 :]] += number
        ways = after
    return 2 ** len(scenario.nodes) * ways.total()


def by_symmetry(scenario: Scenario) -> tuple[int, int]:
    """Return the numbers of orbits and of states, by exploring one state of each orbit. Pods alone are exchanged."""
    classes = pod_classes(scenario, frozenset())
    explorer = explorer_of(scenario, cores(), (classes, [(slot,) for slot in range(len(scenario.nodes))]))
    swaps = explorer.orbits
    assert swaps is not None
    explorer.run()
    assert not explorer.stopped and not explorer.broken and not explorer.judge.broken
    pieces = (piece for level in explorer.levels for piece in in_pieces(level))
    return explorer.distinct, sum(orbit_sizes(explorer.plan, swaps, classes, piece) for piece in pieces)


def orbit_sizes(plan: Plan, swaps: Orbits, classes: Sequence[Sequence[int]], states: Words) -> int:
    """Return the number of states in the orbits of these: in how many ways the pods of a class share what they are.

    What a pod is, is its shape and its place. A state must consist of pods and nodes.
    """
    program = plan.program
    assert int(program.ends[1]) == len(plan.layout.sizes), "a state with more than pods and nodes"
    sizes = np.ones(len(states), np.int64)
    for members in classes:
        kinds = np.sort(np.stack([_kinds(plan, swaps, states, pod) for pod in members]), axis=0)
        run = np.ones(len(states), np.int64)
        shared = np.ones(len(states), np.int64)
        for before, after in pairwise(kinds):
            run = np.where(before == after, run + 1, 1)
            shared *= run
        sizes *= math.factorial(len(members)) // shared
    return int(sizes.sum())


def _kinds(plan: Plan, swaps: Orbits, states: Words, pod: int) -> Numbers:
    """Return a number for the shape and the place of a pod in each of the states."""
    program = plan.program
    values = (states[:, program.word[pod]] >> program.shift[pod]) & program.mask[pod]
    own = int(program.pod_base[pod]) + values.astype(np.int64)
    kinds: Numbers = swaps.shape[own] * (len(plan.slots.nodes) + 1) + program.points_at[own] + 1
    return kinds


def alone(pods: int, memory: float | None, folder: Path | None) -> None:
    """Explore in this process, with a line about the progress from time to time; print the counts as JSON."""
    told = begun = time.monotonic()

    def report(progress: Progress) -> None:
        nonlocal told
        if time.monotonic() - told >= SECONDS:
            told = time.monotonic()
            print(
                f"{told - begun:,.0f} s: level {progress.depth}, {progress.distinct:,} states,"
                f" {progress.generated:,} steps, {gigabytes():.2f} GiB at most",
                file=sys.stderr, flush=True,
            )  # fmt: skip

    # What stays possible is a question about the graph of all steps, which is in memory.
    scenario = replace(grown(pods), properties=ASKED)
    result = check(
        scenario, engine="tabulated", symmetry=False, bounds=Bounds(memory=memory), checkpoint=folder, report=report
    ).result
    used = os.times()
    counts = {
        "distinct": result.distinct, "generated": result.generated, "depth": result.depth, "queue": result.queue,
        "done": result.done, "stuck": result.stuck, "coverage": result.coverage, "verdict": str(result.verdict),
        "stopped": result.stopped,
    }  # fmt: skip
    sizes = [] if folder is None else [path.stat().st_size for path in folder.glob("level-*.states")]
    figures = {
        "seconds": time.monotonic() - begun, "processor": used.user + used.system, "resident": gigabytes(),
        "on_disk": sum(sizes) / result.distinct,
    }  # fmt: skip
    print(json.dumps({"counts": counts, "figures": figures}))


def apart(pods: int, memory: float | None, folder: Path | None) -> dict[str, Any]:
    """Return what `alone` prints in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.spilling", "--alone", str(folder or ""), "--pods", str(pods)]
    command += [] if memory is None else ["--memory", str(memory)]
    told: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return told


def lines(pods: int, memories: Sequence[float | None], folder: Path) -> Iterator[str]:
    """Yield a line about the count, one about the orbits, and one about each run; one whose memory is None has no folder."""
    expected = by_counting(grown(pods))
    yield f"{pods} pods by counting: {expected:,} states"
    begun = time.monotonic()
    found, states = by_symmetry(grown(pods))
    assert states == expected, (states, expected)
    yield f"{pods} pods by symmetry: {found:,} orbits of {expected:,} states, {time.monotonic() - begun:,.0f} s"
    first: Any = None
    for memory in memories:
        load = os.getloadavg()[0]
        told = apart(pods, memory, None if memory is None else folder / f"{pods}-{memory:g}")
        counts, figures = told["counts"], told["figures"]
        first = first or counts
        assert counts["distinct"] == expected, (counts, expected)
        assert counts == first, (counts, first)
        where = "in memory" if memory is None else f"{memory:g} GiB"
        yield (
            f"{where}: {counts['distinct']:,} states, {counts['generated']:,} steps, {counts['depth']} levels,"
            f" {counts['verdict']}, {figures['seconds']:,.0f} s, {figures['processor']:,.0f} s of the processor,"
            f" load {load:.1f} before, {figures['resident']:.2f} GiB resident, {figures['on_disk']:.2f} bytes a state"
        )


def main(arguments: Sequence[str] = ()) -> None:
    """Print a line about each run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spilling")
    parser.add_argument("--pods", type=int, default=11)
    parser.add_argument("--memory", type=float, nargs="+", default=None, metavar="GIB", help="0.3 and 1.0 by default")
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--beside", action="store_true", help="also a run without a folder and without a limit")
    parser.add_argument(
        "--alone", default=None, metavar="FOLDER", help="one run, with its levels here, if it is not empty"
    )
    given = parser.parse_args(arguments)
    if given.alone is not None:
        alone(given.pods, given.memory and given.memory[0], Path(given.alone) if given.alone else None)
        return
    memories = [*([None] if given.beside else []), *(given.memory or [0.3, 1.0])]
    with TemporaryDirectory() as place:
        for line in lines(given.pods, memories, given.folder or Path(place)):
            print(line, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
