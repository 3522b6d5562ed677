"""Counts of pods, or sums of weights, by domain of some topology keys: `TopologyCounts`.

Kubernetes 1.34: topologyToMatchedTermCount in pkg/scheduler/framework/plugins/interpodaffinity/filtering.go.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from schedcheck.model.production.snapshot.labels import Mask, Numbers
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot


@dataclass
class TopologyCounts:
    """Numbers by topology key and domain; in a trial also the changes in the domain of each world."""

    sums: dict[str, Numbers] = field(default_factory=dict)
    _touched: bool = False
    changes: dict[str, Numbers] = field(default_factory=dict)

    def clone(self) -> "TopologyCounts":
        """Return a copy whose changes are independent."""
        changes = {key: numbers.copy() for key, numbers in self.changes.items()}
        return TopologyCounts(self.sums, self._touched, changes)

    def count(self, key: str, on_nodes: tuple[Numbers, Mask], snapshot: Snapshot) -> None:
        """Add the number of each row to the domain of its node, if it has one.

        Each row also says whether there is anything to count, which may have weight zero.
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
        """Add `sign` in the domain of one node, in its world."""
        assert node.trial is not None and node.worlds is not None
        if node.table.labels.column(key).numbers[node.rows[0]] != 0:
            if key not in self.changes:
                self.changes[key] = np.zeros(len(node.trial.rows), np.int64)
            self.changes[key][node.worlds[0]] += sign

    def shift(self, key: str, node: Nodes, sign: int) -> None:
        """Add `sign` in the domain of one node, in every world; clones keep their counts."""
        column = node.table.labels.column(key)
        domain = int(column.numbers[node.rows[0]])
        if domain != 0:
            sums = np.zeros(len(column.values), np.int64)
            known = self.sums.get(key, sums)
            sums[: len(known)] = known
            sums[domain] += sign
            self.sums = {**self.sums, key: sums}

    def keys(self) -> Iterable[str]:
        """Return the topology keys with counts."""
        return dict.fromkeys((*self.sums, *self.changes))

    def at(self, key: str, nodes: Nodes) -> Numbers:
        """Return the count in the domain of each node, 0 if it has no domain."""
        found = self._before(key, nodes)
        if key in self.changes and nodes.worlds is not None:
            found = found + self.changes[key][nodes.worlds]
        return found

    def touched(self) -> bool:
        """Whether anything was counted in any domain, even if the sum is zero."""
        return self._touched

    def pairs(self) -> int:
        """Return the number of domains whose sum is not zero."""
        return sum(int(np.count_nonzero(sums)) for sums in self.sums.values())

    def pairs_in_worlds(self, nodes: Nodes) -> Numbers:
        """Return the same for each node, in its world."""
        found = np.full(len(nodes), self.pairs(), np.int64)
        for key in self.changes:
            found += (self.at(key, nodes) != 0).astype(np.int64) - (self._before(key, nodes) != 0)
        return found

    def _before(self, key: str, nodes: Nodes) -> Numbers:
        """Return the count in the domain of each node, without the changes of the trial."""
        sums = self.sums.get(key)
        if sums is None:
            return np.zeros(len(nodes), np.int64)
        found: Numbers = sums[nodes.table.labels.column(key).numbers[nodes.rows]]
        return found
