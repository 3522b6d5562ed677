"""Labelled graphs as transition systems, and their fair behaviours found by brute force: `Labelled`, `by_force`.

A behaviour either takes some edges infinitely often, which can be any strongly connected set, or it stutters in one
state. So every set of edges is tried, and fairness is evaluated on the set by its definition.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import networkx
import numpy as np
from hypothesis import strategies as st

from schedcheck.checker.liveness.graph import OUTSIDE, Graph, Recorder

Edge = tuple[int, str, int]


@dataclass(frozen=True)
class Do:
    """An action of one kind with an argument."""

    what: str

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.what})"


class Weak(Do):
    pass


class Strong(Do):
    pass


class Event(Do):
    pass


class Other(Do):
    pass


ACTIONS = {"w": Weak("w"), "v": Weak("v"), "s": Strong("s"), "t": Strong("t"), "e": Event("e"), "o": Other("o")}
WEAK, STRONG = frozenset("wv"), frozenset("st")


@dataclass(frozen=True)
class Labelled:
    """A transition system whose states are numbers; the edges are (from, letter of the action, to)."""

    edges: tuple[Edge, ...]
    initial: tuple[int, ...] = (0,)

    def initial_states(self) -> tuple[int, ...]:
        return self.initial

    def steps(self, state: int) -> Iterator[tuple[Do, int]]:
        yield from ((ACTIONS[letter], end) for start, letter, end in self.edges if start == state)

    def view(self, state: int) -> int:
        return state

    def unfinished(self, state: int) -> bool:
        return False

    def kinds(self) -> tuple[type, ...]:
        return (Weak, Strong, Event, Other)

    def graph(self, states: int) -> Graph:
        """The graph of the transition system, with the states as given."""
        recorder = Recorder()
        recorder.initial.update(self.initial)
        for start, letter, end in self.edges:
            recorder.step(start, ACTIONS[letter], end)
        return recorder.graph(states)

    def changing(self) -> list[Edge]:
        """The edges that change the state."""
        return [edge for edge in dict.fromkeys(self.edges) if edge[0] != edge[2]]


def fair(edges: Iterable[Edge], states: Iterable[int], machine: Labelled) -> bool:
    """Whether a behaviour is fair that takes exactly these edges and visits exactly these states infinitely often."""
    taken = {letter for _, letter, _ in edges}
    possible = [{letter for start, letter, _ in machine.changing() if start == state} for state in states]
    return all(letter in taken or not all(letter in each for each in possible) for letter in WEAK | STRONG) and all(
        letter in taken or not any(letter in each for each in possible) for letter in STRONG
    )


def rounds(machine: Labelled, states: int) -> Iterator[tuple[tuple[Edge, ...], frozenset[int]]]:
    """Yield every set of edges that a fair behaviour may take infinitely often, with its states."""
    for state in range(states):
        if fair((), [state], machine):
            yield (), frozenset({state})
    inside = [edge for edge in machine.changing() if edge[2] != OUTSIDE]
    for size in range(2, len(inside) + 1):
        for edges in combinations(inside, size):
            made = networkx.MultiDiGraph((start, end) for start, _, end in edges)
            if networkx.is_strongly_connected(made) and fair(edges, made.nodes, machine):
                yield edges, frozenset(made.nodes)


def distances(machine: Labelled, sources: Iterable[int], within: frozenset[int] | None = None) -> dict[int, int]:
    """The number of edges from some states to others, through those `within`."""
    made = networkx.DiGraph((start, end) for start, _, end in machine.changing() if end != OUTSIDE)
    made.add_nodes_from(sources)
    if within is not None:
        made = made.subgraph(within)
    found: dict[int, int] = {}
    for source in sources:
        if source in made:
            for end, length in networkx.single_source_shortest_path_length(made, source).items():
                found[end] = min(length, found.get(end, length))
    return found


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
) -> int | None:
    """The length of the shortest prefix of such a behaviour; None if there is none."""
    lengths = []
    came = distances(machine, machine.initial)
    for edges, visited in rounds(machine, states):
        taken = {letter for _, letter, _ in edges}
        if not visited <= inside or not visited & often or taken & set(forbidden):
            continue
        if often_taken is not None and not taken & set(often_taken):
            continue
        begins = set(machine.initial) & start & inside if at_once else set(came) & start & inside
        for begin in begins:
            there = distances(machine, [begin], inside)
            lengths += [(0 if at_once else came[begin]) + there[end] for end in visited if end in there]
    return min(lengths, default=None)


STATES = 5
EDGES = st.tuples(st.integers(0, STATES - 1), st.sampled_from(sorted(ACTIONS)), st.integers(OUTSIDE, STATES - 1))
MACHINES = st.builds(
    Labelled, st.lists(EDGES, max_size=9).map(tuple), st.sets(st.integers(0, STATES - 1), min_size=1, max_size=2).map(
        lambda numbers: tuple(sorted(numbers))
    )
)  # fmt: skip
SOME = st.frozensets(st.integers(0, STATES - 1))


def flags(numbers: Iterable[int], states: int = STATES) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """The numbers as a boolean array."""
    return np.isin(np.arange(states), list(numbers))
