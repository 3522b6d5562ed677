"""Time and memory of temporal properties on large graphs: `python -m benchmarks.temporal [STATES]`.

With `--pods N …` the graphs are those of the reference scenario with N pods, explored with tables; nine pods are
`examples/reference`. The time of the graph covers the second pass over all states and the renumbering of the arrays.
Each property is searched with its predicates, and the lasso is run.

Otherwise the graphs are random, with ten steps a state. Each act moves on to the next state or leads anywhere, so that
all states are one SCC, the worst case of the search; one kind of event leads anywhere too. Each question runs in a
process of its own, so that its peak memory, graph included, can be compared with the estimate.
"""

import resource
import sys
import time
from collections.abc import Sequence
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np

from benchmarks.explore import explorer_of, grown
from schedcheck.checker.limits.cores import cores
from schedcheck.checker.liveness.fair_cycles import Round
from schedcheck.checker.liveness.graph import Explored, Graph
from schedcheck.checker.liveness.lassos import lasso
from schedcheck.checker.liveness.temporal import broken, needed
from schedcheck.checker.properties.by_name import asked
from schedcheck.checker.tabulated.results.edges import edges
from schedcheck.checker.tabulated.results.numbering import Unpacked, graph_of
from schedcheck.checker.tabulated.results.truths import truths
from schedcheck.spec.properties.kinds import Temporal

DEGREE = 10
STATES = 10_000_000


class Act:
    """An action with fairness."""


class Event:
    """An action without fairness."""


def made(states: int) -> Graph:
    """Return a random graph of ten edges a state: an act to the next state, eight acts and an event to any state."""
    random = np.random.default_rng(7)
    targets = random.integers(0, states, size=(states, DEGREE), dtype=np.int32)
    targets[:, 0] = (np.arange(states) + 1) % states
    actions = np.tile(np.arange(DEGREE, dtype=np.int16), states)
    offsets = np.arange(0, DEGREE * states + 1, DEGREE, dtype=np.int64)
    texts = (*(f"Act({number})" for number in range(DEGREE - 1)), "Event")
    return Graph(np.array([0]), offsets, targets.reshape(-1), actions, texts, (*[Act] * (DEGREE - 1), Event))


def wanted(graph: Graph, question: str) -> Round:
    """Return the fair cycle to search for, for each question."""
    everywhere = np.ones(graph.states, dtype=np.bool_)
    act, nothing = graph.of_kinds([Act]), graph.of_kinds([])
    match question:
        case "holds, weak, the environment rests":
            # One state in sixteen is bad, and in each of these an act is always enabled.
            inside = np.arange(graph.states) % 16 == 1
            return Round(inside, everywhere, act, act, nothing)
        case "violated, weak":
            return Round(everywhere, everywhere, ~nothing, act, nothing)
        case "violated, strong":
            return Round(everywhere, everywhere, ~nothing, nothing, act)
        case _:
            # Acts that are never taken within the component are enabled nearly everywhere in it, so it is decomposed
            # again.
            inside = np.arange(graph.states) % 16 != 0
            return Round(inside, everywhere, ~act | (np.arange(len(act)) < 4), nothing, act)


QUESTIONS = ("violated, weak", "violated, strong", "holds, weak, the environment rests", "holds, strong, decomposed")


def measured(question: str, states: int) -> tuple[float, float, float, str]:
    """Return the processor time in seconds, the peak memory and the estimate in GiB, and the result."""
    graph = made(states)
    each = wanted(graph, question)
    begun = time.process_time()
    found = lasso(graph, np.ones(states, dtype=np.bool_), each, at_once=False)
    seconds = time.process_time() - begun
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    said = "holds" if found is None else f"prefix {len(found.prefix)}, round {len(found.round)}"
    return seconds, held, needed(graph), said


def alone(question: str, states: int) -> tuple[float, float, float, str]:
    """Run `measured` in a process of its own."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(measured, (question, states))


class OverTables(NamedTuple):
    """The figures of one size: states and steps, seconds of each part, bytes a step, and the peak memory in GiB."""

    states: int
    steps: int
    exploring: float
    graph: float
    bytes_a_step: float
    searches: tuple[tuple[str, float, str], ...]
    held: float


ASKED = ("eventually_bound(p1)", "bound_once_feasible(p4)", "never_starves(p1)", "preemption_ends")


def over_tables(pods: int) -> OverTables:
    """Explore the reference scenario with tables, search its graph, and return the figures."""
    begun = time.perf_counter()
    explorer = explorer_of(grown(pods), cores())
    explorer.run()
    explored = time.perf_counter()
    graph, words = graph_of(edges(explorer))
    made = time.perf_counter()
    plan, searches = explorer.plan, []
    scenario = plan.scenario
    for text in ASKED:
        (question,) = asked(text, scenario.pods, plan.judge)
        assert isinstance(question, Temporal)
        before = time.perf_counter()
        found = broken(
            plan.machine,
            Explored(graph, Unpacked(plan, words)),
            [question],
            lambda each: lambda holds: truths(plan, words, each, holds),
            None,
        )
        said = f"prefix {found[0].loop}, round {len(found[0].trace) - 1 - (found[0].loop or 0)}" if found else "holds"
        searches.append((text, time.perf_counter() - before, said))
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    size = graph.gigabytes() * 2**30 / max(graph.edges, 1)
    return OverTables(
        graph.states, graph.edges, explored - begun, made - explored, size, tuple(searches), held
    )  # fmt: skip


def show_over_tables(sizes: Sequence[int]) -> None:
    """Print the figures for each number of pods, each explored in a process of its own."""
    over_tables(4)
    for pods in sizes:
        with get_context("spawn").Pool(1) as pool:
            found = pool.apply(over_tables, (pods,))
        print(
            f"{pods} pods: {found.states:,} states, {found.steps:,} steps; explored in {found.exploring:.1f} s,"
            f" the graph in {found.graph:.1f} s, {found.bytes_a_step:.1f} bytes a step; at most {found.held:.2f} GiB held"
        )
        for text, seconds, said in found.searches:
            print(f"  {text:<26} {seconds:>7.1f} s  {said}", flush=True)


def main(states: int = STATES) -> None:
    """Print a row for each question, as soon as it is answered."""
    print(f"{states:,} states, {DEGREE * states:,} steps, one core")
    print(f"{'question':<36} {'seconds':>7} {'GiB held':>8} {'promised':>8}  found")
    for question in QUESTIONS:
        seconds, held, promised, said = alone(question, states)
        print(f"{question:<36} {seconds:>7.1f} {held:>8.2f} {promised:>8.2f}  {said}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--pods"]:
        show_over_tables([int(argument) for argument in sys.argv[2:]])
    else:
        main(*(int(argument) for argument in sys.argv[1:]))
