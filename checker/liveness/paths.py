"""Shortest paths in a graph of states, by BFS in arrays: `Search`, and `prefix`, which has two stages."""

from collections.abc import Callable

import numpy as np

from schedcheck.checker.liveness.graph import Flags, Graph, Numbers

BEGIN = -1
UNSEEN = -2

Usable = Callable[[Numbers, Numbers], Flags]
"""A predicate on edges and their targets: which of them may be taken."""


class Search:
    """A BFS: the states reached so far, each with the edge by which it was reached."""

    def __init__(self, graph: Graph, usable: Usable) -> None:
        self.graph = graph
        self.usable = usable
        self.over = np.full(graph.states, UNSEEN, dtype=np.int64)
        self.frontier = np.zeros(0, dtype=np.int64)

    def begin(self, states: Numbers) -> None:
        """Add those of the states that were not reached yet as starting points."""
        fresh = states[self.over[states] == UNSEEN]
        self.over[fresh] = BEGIN
        self.frontier = np.concatenate([self.frontier, fresh])

    def edges(self) -> tuple[Numbers, Numbers]:
        """Return the usable edges from the last BFS level, in order, and their targets."""
        offsets = self.graph.offsets
        first, counts = offsets[self.frontier], offsets[self.frontier + 1] - offsets[self.frontier]
        ends = np.cumsum(counts)
        edges = np.repeat(first - ends + counts, counts) + np.arange(ends[-1] if len(ends) else 0)
        targets = self.graph.targets[edges]
        kept = targets >= 0
        kept[kept] = self.usable(edges[kept], targets[kept])
        return edges[kept], targets[kept]

    def advance(self) -> None:
        """Reach the next BFS level."""
        edges, targets = self.edges()
        fresh = self.over[targets] == UNSEEN
        edges, targets = edges[fresh], targets[fresh]
        # The first of several edges to a state is kept, as the last assignment counts.
        self.over[targets[::-1]] = edges[::-1]
        self.frontier = targets[self.over[targets] == edges].astype(np.int64)

    def unreached(self) -> Flags:
        """Return for each state whether it was not reached."""
        unreached: Flags = self.over == UNSEEN
        return unreached

    def path(self, state: int) -> list[int]:
        """Return the edges from a starting point to a reached state."""
        path: list[int] = []
        while self.over[state] != BEGIN:
            path.append(int(self.over[state]))
            state = self.graph.source(path[-1])
        return path[::-1]


def prefix(graph: Graph, start: Flags, inside: Flags, goal: Flags, *, at_once: bool) -> tuple[list[int], int] | None:
    """Return the edges of a shortest behaviour that reaches `start`, then stays `inside`, and ends in `goal`.

    With `at_once` it must begin in `start`. The second value is its last state; None if there is no such behaviour.
    """
    before = Search(graph, lambda edges, targets: np.full(len(edges), not at_once))
    after = Search(graph, lambda edges, targets: inside[targets])
    before.begin(graph.initial)
    while len(before.frontier) or len(after.frontier):
        after.begin(before.frontier[start[before.frontier]])
        reached = after.frontier[goal[after.frontier]]
        if len(reached):
            state = int(reached[0])
            rest = after.path(state)
            turned = graph.source(rest[0]) if rest else state
            return before.path(turned) + rest, state
        before.advance()
        after.advance()
    return None


def nearest(graph: Graph, state: int, usable: Usable, goal: Usable) -> list[int]:
    """Return a shortest path of usable edges from `state` whose last edge is a goal; there must be one."""
    search = Search(graph, usable)
    search.begin(np.array([state]))
    while True:
        edges, targets = search.edges()
        found = np.flatnonzero(goal(edges, targets))
        if len(found):
            last = int(edges[found[0]])
            return [*search.path(graph.source(last)), last]
        if not len(search.frontier):
            raise LookupError(f"no path from state {state} to the goal")
        search.advance()
