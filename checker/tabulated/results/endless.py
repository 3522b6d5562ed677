"""Steps that must come to an end, and need not: `endless`, of the steps of an exploration.

Of all such steps the nearest is shown, with the shortest round from it back to it; as the direct explorer does.
"""

from typing import NamedTuple

import numpy as np

from schedcheck.checker.liveness.components import components
from schedcheck.checker.liveness.graph import Flags, Graph, Numbers
from schedcheck.checker.liveness.paths import Search
from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.results.edges import Edges
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.spec.properties import Ends


class Endless(NamedTuple):
    """A step from a state that must come to an end, and the states of a round: what it leads to, …, the state again."""

    state: Words
    round: Words


def endless(explorer: Explorer, edges: Edges, question: Ends) -> Endless | None:
    """The nearest step of the kinds that lies on a cycle without steps of those that come to an end; None without any."""
    own = _without(edges, question)
    ends = np.cumsum([len(level) for level in explorer.levels])
    found = nearest_round(own, edges.actions.of_kinds(question.kinds)[own.actions], ends)
    return Endless(edges.states[found[-1]], edges.states[found]) if found else None


def nearest_round(graph: Graph, marked: Flags, ends: Numbers) -> list[int]:
    """Of the marked edges that lie on a cycle one from the nearest state with the shortest round: what it leads to, …, that state.

    States are numbered level by level, and `ends` has the end of each level. Empty where there is none.
    """
    _, component = components(graph.offsets, graph.targets)
    sources = np.repeat(np.arange(graph.states, dtype=np.int32), np.diff(graph.offsets))
    on_a_cycle = np.flatnonzero(marked & (component[sources] == component[graph.targets]))
    if len(on_a_cycle) == 0:
        return []
    first = int(sources[on_a_cycle[0]])
    nearest = on_a_cycle[sources[on_a_cycle] < ends[np.searchsorted(ends, first, side="right")]]
    best: list[int] = []
    for edge in _each_once(nearest, sources, graph.targets):
        found = _round(graph, int(graph.targets[edge]), int(sources[edge]), len(best) if best else None)
        best = found or best
    return best


def _without(edges: Edges, question: Ends) -> Graph:
    """The steps of which a cycle may consist, one that changes nothing too."""
    counts = np.diff(edges.offsets)
    sources = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    kept = ~edges.actions.of_kinds(question.meanwhile)[edges.labels] & (edges.targets >= 0)
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(np.bincount(sources[kept], minlength=len(counts)), out=offsets[1:])
    return Graph(np.zeros(1, np.int32), offsets, edges.targets[kept], edges.labels[kept], (), ())


def _each_once(numbers: Numbers, sources: Numbers, targets: Numbers) -> list[int]:
    """The first of the edges of each source and target."""
    pairs = sources[numbers].astype(np.int64) << 32 | targets[numbers]
    _, first = np.unique(pairs, return_index=True)
    found: list[int] = numbers[np.sort(first)].tolist()
    return found


def _round(graph: Graph, start: int, end: int, shorter_than: int | None) -> list[int]:
    """The states of a shortest path from start to end, both included; empty where it is not so short."""
    search = Search(graph, lambda edges, targets: np.ones(len(edges), np.bool_))
    search.begin(np.array([start]))
    length = 1
    while start != end and not (search.frontier == end).any():
        length += 1
        if length == shorter_than:
            return []
        search.advance()
    if shorter_than == 1:
        return []
    return [start, *(int(graph.targets[edge]) for edge in search.path(end))]
