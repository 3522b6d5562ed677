"""Where a fair behaviour may stand still for ever: sets of states among which all steps that must be taken can be taken.

Fairness is strong, and of names: who can be taken again and again is taken again and again, some step for each name.
E. A. Emerson and C.-L. Lei, Modalities for model checking (1987): a component is split where a name lacks a step inside.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from schedcheck.checker.liveness.cycles import shortest_path

Move = tuple[int, Hashable]
"""A step: the number of the state that it leads to, negative outside the graph; and its name, None if it need never be taken."""


def fair_sets(moves: Sequence[Iterable[Move]], shown: Mapping[int, Hashable]) -> Iterator[frozenset[int]]:
    """The largest sets of these states, all of which show the same, that a fair behaviour can be in for ever.

    One state without a step is such a set where nothing else must be taken.
    """
    import networkx

    left = [frozenset(shown)]
    while left:
        among = left.pop()
        graph = networkx.DiGraph()
        graph.add_nodes_from(among)
        graph.add_edges_from(
            (number, end)
            for number in among
            for end, _ in moves[number]
            if end in among and shown[number] == shown[end]
        )
        for component in networkx.strongly_connected_components(graph):
            members = frozenset(component)
            lacking = demanded(moves, members) - {name for name, _ in inside(moves, members)}
            if not lacking:
                yield members
            elif rest := frozenset(number for number in members if not lacking & demanded(moves, {number})):
                left.append(rest)


def demanded(moves: Sequence[Iterable[Move]], members: Iterable[int]) -> set[Hashable]:
    """The names of the steps that can be taken in some of these states, and change it."""
    return {name for number in members for end, name in moves[number] if name is not None and end != number}


def inside(moves: Sequence[Iterable[Move]], members: frozenset[int]) -> Iterator[tuple[Hashable, tuple[int, int]]]:
    """The steps that stay among these states, each with its name."""
    for number in sorted(members):
        yield from ((name, (number, end)) for end, name in moves[number] if end in members)


def fair_round(moves: Sequence[Iterable[Move]], members: frozenset[int], entry: int) -> list[Move]:
    """Steps from `entry` back to it among these states, which are one of `fair_sets`: one at least of each name that is demanded."""
    within = [[end for end, _ in taken if end in members] if n in members else [] for n, taken in enumerate(moves)]
    wanted = demanded(moves, members)
    chosen: dict[Hashable, tuple[int, int]] = {}
    for name, step in inside(moves, members):
        if name in wanted:
            chosen.setdefault(name, step)
    path: list[Move] = []
    here = entry
    for name, (start, end) in sorted(chosen.items(), key=lambda each: (each[1], str(each[0]))):
        path += _along(moves, shortest_path(within, here, start))
        path.append((end, name))
        here = end
    return path + _along(moves, shortest_path(within, here, entry))


def _along(moves: Sequence[Iterable[Move]], path: list[int]) -> list[Move]:
    """The moves along a path of states."""
    return [(end, min((name for to, name in moves[start] if to == end), key=str)) for start, end in pairwise(path)]
