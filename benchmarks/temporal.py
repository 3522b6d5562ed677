"""How long temporal properties take on large graphs, and how much memory: `python -m benchmarks.temporal [STATES]`.

With `--pods N …` the graphs are those of the reference scenario with so many pods, explored over tables: nine are
`examples/reference`. The graph is the second pass over all states, and the arrays numbered anew; each property is searched
for with the predicates that it asks, and the lasso run.

The graphs are made up, ten steps a state: whatever happens moves on or leads anywhere, so that all states are one strongly
connected component, the worst that a search can meet; one kind of event leads back. Each question runs in a process of its
own, so that the memory is its own: the most that the process held, the graph included, beside what was promised.
"""

import resource
import sys
import time
from collections.abc import Sequence
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np

from benchmarks.explore import explorer_of, grown
from schedcheck.checker.liveness.fair_cycles import Round
from schedcheck.checker.liveness.graph import Explored, Graph
from schedcheck.checker.liveness.lassos import lasso
from schedcheck.checker.liveness.temporal import broken, needed
from schedcheck.checker.properties.by_name import asked
from schedcheck.checker.tabulated.results.edges import edges
from schedcheck.checker.tabulated.results.numbering import Unpacked, graph_of
from schedcheck.checker.tabulated.results.truths import truths
from schedcheck.checker.tabulated.search.explorer import cores
from schedcheck.spec.properties import Temporal

DEGREE = 10
STATES = 10_000_000


class Act:
    """What is treated fairly."""


class Event:
    """What need not happen."""


def made(states: int) -> Graph:
    """Ten edges a state: nine acts, of which the first moves on and the others lead anywhere, and an event that does."""
    random = np.random.default_rng(7)
    targets = random.integers(0, states, size=(states, DEGREE), dtype=np.int32)
    targets[:, 0] = (np.arange(states) + 1) % states
    actions = np.tile(np.arange(DEGREE, dtype=np.int16), states)
    offsets = np.arange(0, DEGREE * states + 1, DEGREE, dtype=np.int64)
    texts = (*(f"Act({number})" for number in range(DEGREE - 1)), "Event")
    return Graph(np.array([0]), offsets, targets.reshape(-1), actions, texts, (*[Act] * (DEGREE - 1), Event))


def wanted(graph: Graph, question: str) -> Round:
    """What a round is to be like for each question."""
    everywhere = np.ones(graph.states, dtype=np.bool_)
    act, nothing = graph.of_kinds([Act]), graph.of_kinds([])
    match question:
        case "holds, weak, the environment rests":
            # One state in sixteen is bad, and from each of these an act is possible all the time.
            inside = np.arange(graph.states) % 16 == 1
            return Round(inside, everywhere, act, act, nothing)
        case "violated, weak":
            return Round(everywhere, everywhere, ~nothing, act, nothing)
        case "violated, strong":
            return Round(everywhere, everywhere, ~nothing, nothing, act)
        case _:
            # Acts are possible nearly everywhere in one component that are never taken in it: decomposed again.
            inside = np.arange(graph.states) % 16 != 0
            return Round(inside, everywhere, ~act | (np.arange(len(act)) < 4), nothing, act)


QUESTIONS = ("violated, weak", "violated, strong", "holds, weak, the environment rests", "holds, strong, decomposed")


def measured(question: str, states: int) -> tuple[float, float, float, str]:
    """Seconds of the processor, GiB held at most, GiB promised, and what was found."""
    graph = made(states)
    each = wanted(graph, question)
    begun = time.process_time()
    found = lasso(graph, np.ones(states, dtype=np.bool_), each, at_once=False)
    seconds = time.process_time() - begun
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    said = "holds" if found is None else f"prefix {len(found.prefix)}, round {len(found.round)}"
    return seconds, held, needed(graph), said


def alone(question: str, states: int) -> tuple[float, float, float, str]:
    """As `measured`, in a process of its own."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(measured, (question, states))


class OverTables(NamedTuple):
    """A scenario with so many pods: its states and steps, seconds for each part, bytes a step, the most GiB held."""

    states: int
    steps: int
    exploring: float
    graph: float
    bytes_a_step: float
    searches: tuple[tuple[str, float, str], ...]
    held: float


ASKED = ("eventually_bound(p1)", "bound_once_feasible(p4)", "never_starves(p1)", "preemption_ends")


def over_tables(pods: int) -> OverTables:
    """The reference scenario, explored over tables, and what is found of its graph."""
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
    """Print what is found for each number of pods, which is explored in a process of its own."""
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
    """Print a row a question, each as soon as it is answered."""
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
