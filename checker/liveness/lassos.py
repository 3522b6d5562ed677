"""Behaviours that go round for ever in a graph of states, fairly: `lasso`."""

from dataclasses import dataclass, replace

import numpy as np

from schedcheck.checker.liveness.fair_cycles import Round, fair_components
from schedcheck.checker.liveness.graph import Flags, Graph, Numbers
from schedcheck.checker.liveness.paths import Usable, nearest, prefix


@dataclass(frozen=True)
class Lasso:
    """A behaviour as numbers of edges: from the initial state `first` over `prefix`, then round `round` for ever.

    An empty round is to rest where the prefix ends.
    """

    first: int
    prefix: tuple[int, ...]
    round: tuple[int, ...]


def lasso(graph: Graph, start: Flags, wanted: Round, *, at_once: bool, last: Flags | None = None) -> Lasso | None:
    """A fair behaviour that comes to `start` and from there on is as `wanted`; None if there is none.

    With `at_once` it begins in `start`; with `last` it goes round where that holds too. The prefix is the shortest that
    there is; the round is short, going from each thing that it owes to the nearest next, but need not be the shortest.
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
    """A closed path in a fair part of the graph that owes nothing to anybody."""

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
    """Which edges would make good something that a round of this path still owes; None if it owes nothing."""
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
