"""Reachability of goals: the states of an explored graph from which no goal can be reached any more."""

import numpy as np

from schedcheck.checker.liveness.graph import Flags, Graph, Numbers, unlabelled
from schedcheck.checker.liveness.paths import Search


class Possibility:
    """What stays possible in a graph; its edges are reversed once for any number of goals."""

    def __init__(self, graph: Graph) -> None:
        self.ways_out = graph.leading_out()
        self._backwards = backwards(graph)

    def hopeless(self, goals: Flags) -> Flags:
        """Return for each state whether no path leads from it to one of `goals`. Beyond a constraint there is none."""
        search = Search(self._backwards, lambda edges, targets: np.ones(len(edges), dtype=np.bool_))
        search.begin(np.flatnonzero(goals))
        while len(search.frontier):
            search.advance()
        return search.unreached()

    def surely_hopeless(self, goals: Flags) -> Flags:
        """Return for each state whether no path leads from it to one of `goals`, whatever lies beyond a constraint."""
        return self.hopeless(goals | self.ways_out)


def backwards(graph: Graph) -> Graph:
    """Return the graph with its edges reversed; those that leave it are left out."""
    sources: Numbers = np.repeat(np.arange(graph.states, dtype=np.int32), np.diff(graph.offsets))
    inside = graph.targets >= 0
    return unlabelled(graph.states, (), graph.targets[inside], sources[inside])
