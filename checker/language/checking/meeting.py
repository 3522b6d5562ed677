"""Conditions to be met at least once, encoded in the states: `Meeting`, a copy of the graph for each subset of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from schedcheck.checker.liveness.graph import Flags, Graph, Numbers
from schedcheck.checker.liveness.lassos import Lasso


@dataclass(frozen=True)
class Meeting:
    """A graph, the sets of states that must each be visited, and the actions that must each be taken.

    State s of the graph, reached after meeting the subset b of these (as bits), is state `s + b * states` of `copied`.
    """

    graph: Graph
    states: Sequence[Flags]
    taken: Sequence[int]

    @property
    def copies(self) -> int:
        """The number of copies of the graph."""
        return int(2 ** (len(self.states) + len(self.taken)))

    def copied(self) -> Graph:
        """Return the graph of all copies."""
        given = self.graph
        if self.copies == 1:
            return given
        here, bits = self._met(), np.arange(self.copies, dtype=np.int64)[:, None]
        passed = bits | here[given.targets] | self._over()[given.actions]
        targets = np.where(given.targets < 0, given.targets, given.targets + passed * given.states)
        offsets = (given.offsets[:-1] + bits * given.edges).ravel()
        return Graph(
            given.initial + here[given.initial] * given.states,
            np.append(offsets, self.copies * given.edges),
            targets.ravel().astype(np.int64),
            np.tile(given.actions, self.copies),
            given.texts,
            given.kinds,
        )

    def in_each(self, flags: Flags) -> Flags:
        """Return the flags of states, repeated for every copy."""
        return flags if self.copies == 1 else np.tile(flags, self.copies)

    def everything_met(self) -> Flags:
        """Return which states of the copies have met everything."""
        return np.arange(self.graph.states * self.copies) >= self.graph.states * (self.copies - 1)

    def within(self, found: Lasso) -> Lasso:
        """Return a lasso of the copies as a lasso of the graph."""
        prefix, around = (tuple(each % self.graph.edges for each in part) for part in (found.prefix, found.round))
        return Lasso(found.first % self.graph.states, prefix, around)

    def _met(self) -> Numbers:
        """Return what each state meets, as bits."""
        found = np.zeros(self.graph.states, dtype=np.int64)
        for number, flags in enumerate(self.states):
            found[flags] |= 1 << number
        return found

    def _over(self) -> Numbers:
        """Return what each action meets, as bits."""
        found = np.zeros(len(self.graph.texts), dtype=np.int64)
        for number, action in enumerate(self.taken, len(self.states)):
            found[action] |= 1 << number
        return found
