"""Stuttering steps in labelled graphs: every set of edges including them, and an engine that wrongly counts them"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations
from typing import TypeVar

import networkx
import numpy as np
import pytest
from numpy.typing import ArrayLike

from schedcheck.checker.liveness import graph as graphs
from schedcheck.checker.liveness.graph import OUTSIDE, Graph, Recorder
from tests.checker.liveness.labelled import STRONG, WEAK, Edge, Labelled

Item = TypeVar("Item")


def nonempty_subsets(items: Sequence[Item]) -> Iterator[tuple[Item, ...]]:
    """Every nonempty subset of the items."""
    return chain.from_iterable(combinations(items, size) for size in range(1, len(items) + 1))


def counting_stuttering_steps(patch: pytest.MonkeyPatch) -> None:
    """Break the engine: a stuttering step counts as an edge."""

    def graph(
        states: int,
        initial: ArrayLike,
        sources: ArrayLike,
        targets: ArrayLike,
        actions: ArrayLike,
        texts: Sequence[str],
        kinds: Sequence[type],
    ) -> Graph:
        from_, to, labels = (np.asarray(each) for each in (sources, targets, actions))
        order = np.argsort(from_, kind="stable")
        offsets = np.zeros(states + 1, dtype=np.int64)
        np.cumsum(np.bincount(from_, minlength=states), out=offsets[1:])
        first = np.unique(np.asarray(initial, dtype=np.int32))
        return Graph(first, offsets, to[order].astype(np.int32), labels[order], tuple(texts), tuple(kinds))

    patch.setattr(Recorder, "step", Recorder.record)
    patch.setattr(graphs, "graph", graph)


def fair(machine: Labelled, edges: Iterable[Edge], states: Iterable[int]) -> bool:
    """Whether WF_s and SF_s hold of a behaviour with these infinitely repeated edges and states, evaluated from
    <<A>>_s.

    A step of A that leaves s unchanged is no <<A>>_s step, and <<A>>_s is enabled only where A can change s.
    """
    taken = {letter for start, letter, end in edges if end != start}
    enabled = [{letter for start, letter, end in machine.edges if start == state != end} for state in states]
    weakly = all(letter in taken or any(letter not in each for each in enabled) for letter in WEAK)
    return weakly and all(letter in taken or not any(letter in each for each in enabled) for letter in STRONG)


def rounds(machine: Labelled, states: int) -> Iterator[tuple[tuple[Edge, ...], frozenset[int]]]:
    """Yield every set of edges, including stuttering ones, that a fair behaviour may take infinitely often, with its
    states.
    """
    for state in range(states):
        if fair(machine, (), [state]):
            yield (), frozenset({state})
    inside = [edge for edge in dict.fromkeys(machine.edges) if edge[2] != OUTSIDE]
    for edges in nonempty_subsets(inside):
        visited = frozenset(end for _, _, end in edges)
        if visited != {start for start, _, _ in edges}:
            continue
        made = networkx.DiGraph((start, end) for start, _, end in edges)
        if networkx.is_strongly_connected(made) and fair(machine, edges, visited):
            yield edges, visited


def by_force(
    machine: Labelled,
    states: int,
    *,
    start: frozenset[int],
    inside: frozenset[int],
    often: frozenset[int],
    forbidden: str = "",
    often_taken: str | None = None,
    at_once: bool = False,
) -> bool:
    """Whether such a fair behaviour exists; letters that are `forbidden` or `often_taken` refer to <<A>>_s steps."""
    steps = networkx.DiGraph((one, other) for one, _, other in machine.edges if other != OUTSIDE)
    steps.add_nodes_from(range(states))
    came = set(machine.initial) if at_once else _reached(steps, machine.initial)
    there = _reached(steps.subgraph(inside), came & start & inside)
    for edges, visited in rounds(machine, states):
        taken = {letter for one, letter, other in edges if one != other}
        stays = visited <= inside and visited & often and visited & there and not taken & set(forbidden)
        if stays and (often_taken is None or taken & set(often_taken)):
            return True
    return False


def _reached(steps: "networkx.DiGraph[int]", sources: Iterable[int]) -> set[int]:
    found = set(sources)
    return found.union(*(networkx.descendants(steps, each) for each in found))
