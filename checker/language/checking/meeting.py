"""What a behaviour meets at least once, as part of its states: `Meeting`, the graph in as many copies as there are sets of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from schedcheck.checker.liveness.graph import Flags, Graph, Numbers
from schedcheck.checker.liveness.lassos import Lasso


@dataclass(frozen=True)
class Meeting:
    """A graph, the states that are to be met, each at some time, and the actions that are to be taken, each at some time.

    The state s of the graph that was reached past the set b of these (as bits) is the state `s + b * states` of `copied`.
    """

    graph: Graph
    states: Sequence[Flags]
    taken: Sequence[int]

    @property
    def copies(self) -> int:
        """How many copies of the graph there are."""
        return int(2 ** (len(self.states) + len(self.taken)))

    def copied(self) -> Graph:
        """The graph of all copies."""
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
        """Flags of the states, in every copy."""
        return flags if self.copies == 1 else np.tile(flags, self.copies)

    def everything_met(self) -> Flags:
        """Which states of the copies are past everything."""
        return np.arange(self.graph.states * self.copies) >= self.graph.states * (self.copies - 1)

    def within(self, found: Lasso) -> Lasso:
        """A lasso of the copies as one of the graph."""
        prefix, around = (tuple(each % self.graph.edges for each in part) for part in (found.prefix, found.round))
        return Lasso(found.first % self.graph.states, prefix, around)

    def _met(self) -> Numbers:
        """What each state meets."""
        found = np.zeros(self.graph.states, dtype=np.int64)
        for number, flags in enumerate(self.states):
            found[flags] |= 1 << number
        return found

    def _over(self) -> Numbers:
        """What each action takes."""
        found = np.zeros(len(self.graph.texts), dtype=np.int64)
        for number, action in enumerate(self.taken, len(self.states)):
            found[action] |= 1 << number
        return found
