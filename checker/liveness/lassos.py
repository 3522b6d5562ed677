"""Fair lassos in a graph of states: `lasso`."""

from dataclasses import dataclass, replace

import numpy as np

from schedcheck.checker.liveness.fair_cycles import Round, fair_components
from schedcheck.checker.liveness.graph import Flags, Graph, Numbers
from schedcheck.checker.liveness.paths import Usable, nearest, prefix


@dataclass(frozen=True)
class Lasso:
    """A lasso as numbers of edges: the initial state `first`, the edges of `prefix`, and those of the cycle `round`.

    An empty cycle is stuttering at the end of the prefix.
    """

    first: int
    prefix: tuple[int, ...]
    round: tuple[int, ...]


def lasso(graph: Graph, start: Flags, wanted: Round, *, at_once: bool, last: Flags | None = None) -> Lasso | None:
    """Return a fair lasso that reaches `start` and from there on satisfies `wanted`; None if there is none.

    With `at_once` it begins in `start`; with `last` its cycle stays where that holds too. The prefix is the shortest.
    The cycle is short, as each open requirement is met on a shortest path, but need not be the shortest.
    """
    around = wanted if last is None else replace(wanted, inside=wanted.inside & last)
    parts = fair_components(graph, around)
    found = prefix(graph, start & wanted.inside, wanted.inside, parts >= 0, at_once=at_once)
    if found is None:
        return None
    edges, entry = found
    first = graph.source(edges[0]) if edges else entry
    return Lasso(first, tuple(edges), tuple(_round(graph, around, parts == parts[entry], entry)))


def _round(graph: Graph, wanted: Round, part: Flags, entry: int) -> list[int]:
    """Return a closed path in a fair part of the graph that meets all requirements."""

    def usable(edges: Numbers, targets: Numbers) -> Flags:
        return part[targets] & wanted.allowed[graph.actions[edges]]

    path: list[int] = []
    state = entry
    while True:
        goal = _owed(graph, wanted, entry, path)
        if goal is None and state == entry:
            return path
        if goal is None:
            path += nearest(graph, state, usable, lambda edges, targets: targets == entry)
        else:
            path += nearest(graph, state, usable, goal)
        state = int(graph.targets[path[-1]])


def _owed(graph: Graph, wanted: Round, entry: int, path: list[int]) -> Usable | None:
    """Return the edges that would meet an open requirement of a cycle with this path; None if all are met."""
    visited = [entry, *(int(graph.targets[edge]) for edge in path)]
    taken = {int(graph.actions[edge]) for edge in path}
    if not any(wanted.often[state] for state in visited):
        return lambda edges, targets: wanted.often[targets]
    often_taken = wanted.often_taken
    if often_taken is not None and not any(often_taken[action] for action in taken):
        return lambda edges, targets: often_taken[graph.actions[edges]]
    enabled = [frozenset(graph.actions[list(graph.edges_from(state))].tolist()) for state in visited]
    strongly = {each for each in frozenset[int]().union(*enabled) if wanted.strong[each]} - taken
    if strongly:
        return lambda edges, targets: graph.actions[edges] == min(strongly)
    weakly = {each for each in frozenset.intersection(*enabled) if wanted.weak[each]} - taken
    if weakly:
        action = min(weakly)
        possible = graph.enabling(np.arange(len(graph.texts)) == action)
        return lambda edges, targets: (graph.actions[edges] == action) | ~possible[targets]
    return None
