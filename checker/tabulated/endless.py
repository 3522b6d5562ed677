"""Steps that must come to an end, and need not: `endless`, of the steps of an exploration.

Of all such steps the nearest is shown, with the shortest round from it back to it; as the direct explorer does.
"""

from typing import NamedTuple

import numpy as np

from schedcheck.checker.components import components
from schedcheck.checker.graph import Graph, Numbers
from schedcheck.checker.paths import Search
from schedcheck.checker.tabulated.edges import Edges
from schedcheck.checker.tabulated.explorer import Explorer
from schedcheck.checker.tabulated.layout import Words
from schedcheck.spec.properties import Ends


class Endless(NamedTuple):
    """A step from a state that must come to an end, and the states of a round: what it leads to, …, the state again."""

    state: Words
    round: Words


def endless(explorer: Explorer, edges: Edges, question: Ends) -> Endless | None:
    """The nearest step of the kinds that lies on a cycle without steps of those that come to an end; None without any."""
    own, sources = _without(edges, question)
    _, labels = components(own.offsets, own.targets)
    marked = edges.actions.of_kinds(question.kinds)[own.actions]
    on_a_cycle = np.flatnonzero(marked & (labels[sources] == labels[own.targets]))
    if len(on_a_cycle) == 0:
        return None
    ends = np.cumsum([len(level) for level in explorer.levels])
    nearest = on_a_cycle[sources[on_a_cycle] < ends[np.searchsorted(ends, sources[on_a_cycle[0]], side="right")]]
    best: list[int] = []
    for edge in _each_once(nearest, sources, own.targets):
        found = _round(own, int(own.targets[edge]), int(sources[edge]), len(best) if best else None)
        best = found or best
    return Endless(edges.states[best[-1]], edges.states[best])


def _without(edges: Edges, question: Ends) -> tuple[Graph, Numbers]:
    """The steps of which a cycle may consist, one that changes nothing too, and where each leads from."""
    counts = np.diff(edges.offsets)
    sources = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
    kept = ~edges.actions.of_kinds(question.meanwhile)[edges.labels] & (edges.targets >= 0)
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(np.bincount(sources[kept], minlength=len(counts)), out=offsets[1:])
    initial = np.zeros(1, np.int32)
    return Graph(initial, offsets, edges.targets[kept], edges.labels[kept], (), ()), sources[kept]


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
