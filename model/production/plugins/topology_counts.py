"""How many pods, or how much weight, there is in each domain of some topology keys: `TopologyCounts`.

Kubernetes 1.34: topologyToMatchedTermCount in pkg/scheduler/framework/plugins/interpodaffinity/filtering.go.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from schedcheck.model.production.snapshot.labels import Mask, Numbers
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot


@dataclass
class TopologyCounts:
    """Numbers by key and domain; in a trial also how many more there are in the domain of each world."""

    sums: dict[str, Numbers] = field(default_factory=dict)
    _touched: bool = False
    changes: dict[str, Numbers] = field(default_factory=dict)

    def clone(self) -> "TopologyCounts":
        """Counts that are changed without changing these."""
        changes = {key: numbers.copy() for key, numbers in self.changes.items()}
        return TopologyCounts(self.sums, self._touched, changes)

    def count(self, key: str, on_nodes: tuple[Numbers, Mask], snapshot: Snapshot) -> None:
        """Add what is on each row of the table to the domain of its node, if it has one.

        The rows come with whether there is anything at all, which may be a weight of zero.
        """
        amounts, there = on_nodes
        column = snapshot.table.labels.column(key)
        rows = snapshot.rows[there[snapshot.rows]]
        rows = rows[column.numbers[rows] != 0]
        if not len(rows):
            return
        self._touched = True
        more = np.bincount(column.numbers[rows], weights=amounts[rows], minlength=len(column.values)).astype(np.int64)
        self.sums[key] = self.sums[key] + more if key in self.sums else more

    def change(self, key: str, node: Nodes, sign: int) -> None:
        """Add one (1) or take one away (-1) in the domain of the one node, in its world."""
        assert node.trial is not None and node.worlds is not None
        if node.table.labels.column(key).numbers[node.rows[0]] != 0:
            if key not in self.changes:
                self.changes[key] = np.zeros(len(node.trial.rows), np.int64)
            self.changes[key][node.worlds[0]] += sign

    def keys(self) -> Iterable[str]:
        """The keys of which something was counted."""
        return dict.fromkeys((*self.sums, *self.changes))

    def at(self, key: str, nodes: Nodes) -> Numbers:
        """What is counted in the domain of each node, 0 where it has none."""
        found = self._before(key, nodes)
        if key in self.changes and nodes.worlds is not None:
            found = found + self.changes[key][nodes.worlds]
        return found

    def touched(self) -> bool:
        """Whether anything was counted in any domain, be it nothing in sum."""
        return self._touched

    def pairs(self) -> int:
        """In how many domains something is counted that is not zero in sum."""
        return sum(int(np.count_nonzero(sums)) for sums in self.sums.values())

    def pairs_in_worlds(self, nodes: Nodes) -> Numbers:
        """The same for each node, in its world."""
        found = np.full(len(nodes), self.pairs(), np.int64)
        for key in self.changes:
            found += (self.at(key, nodes) != 0).astype(np.int64) - (self._before(key, nodes) != 0)
        return found

    def _before(self, key: str, nodes: Nodes) -> Numbers:
        """What is counted in the domain of each node without the changes of the trial."""
        sums = self.sums.get(key)
        if sums is None:
            return np.zeros(len(nodes), np.int64)
        found: Numbers = sums[nodes.table.labels.column(key).numbers[nodes.rows]]
        return found
