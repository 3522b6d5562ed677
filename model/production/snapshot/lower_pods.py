"""The pods on nodes that are less important than some pod: on one node `LowerPods`, on all nodes as arrays `LowerTable`."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Protocol

import numpy as np

from schedcheck.model.production.snapshot.labels import Mask, Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo


@dataclass(frozen=True, eq=False)
class LowerPods:
    """The pods on a node whose priority is below some priority, in the order of the table."""

    infos: tuple[PodInfo, ...]

    @cached_property
    def by_importance(self) -> tuple[PodInfo, ...]:
        """Return the pods, the most important first."""
        return tuple(sorted(self.infos, key=lambda info: info.importance))


class Table(Protocol):
    """The part of a node table that is read here."""

    room: int
    version: int
    changed: Numbers
    resources: dict[str, int]

    def pods_below(self, row: int, priority: int) -> LowerPods:
        """Return the pods on a node whose priority is lower."""
        ...

    def amounts(self, infos: Sequence[PodInfo]) -> Numbers:
        """Return the amounts that each pod takes of each resource."""
        ...


class LowerTable:
    """The pods below a priority: one row a node, as in the node table, and one column a pod, the most important first.

    A dry run reads hundreds of nodes at once, so a row is filled again only after the node has changed. `sizes` are the
    numbers of the pods; columns after them are 0. `starts` are as in `PodInfo.start`. `together` is what all of the
    pods on a node take. `versions` say when a row was filled: as long as it stays, the pods do. `derived` is for those
    who remember what they made of the pods.
    """

    def __init__(self, priority: int) -> None:
        self._priority = priority
        self.versions: Numbers = np.zeros(0, np.int64)
        self.derived: dict[Hashable, Any] = {}
        self.infos: list[tuple[PodInfo, ...]] = []
        self.sizes: Numbers = np.zeros(0, np.int64)
        self.together: Numbers = np.zeros((0, 0), np.int64)
        self.amounts: Numbers = np.zeros((0, 0, 0), np.int64)
        self.priorities: Numbers = np.zeros((0, 0), np.int64)
        self.starts: Numbers = np.zeros((0, 0), np.int64)

    def update(self, table: Table, rows: Numbers) -> None:
        """Fill these rows, unless they are as they were when they were filled."""
        self._reach(table.room, 0, len(table.resources))
        stale = rows[table.changed[rows] >= self.versions[rows]]
        if not len(stale):
            return
        infos = [table.pods_below(row, self._priority).by_importance for row in stale.tolist()]
        flat = list(chain.from_iterable(infos))
        taken = table.amounts(flat)
        sizes = np.array([len(each) for each in infos], np.int64)
        self._reach(table.room, int(sizes.max()), len(table.resources))
        there = np.arange(self.amounts.shape[1]) < sizes[:, None]
        for row, each in zip(stale.tolist(), infos, strict=True):
            self.infos[row] = each
        self.sizes[stale] = sizes
        self.amounts[stale] = _filled(there, taken)
        self.together[stale] = self.amounts[stale].sum(axis=1)
        self.priorities[stale] = _filled(there, np.array([info.pod.priority for info in flat], np.int64))
        self.starts[stale] = _filled(there, np.array([info.start for info in flat], np.int64))
        self.versions[stale] = table.version + 1

    def _reach(self, rows: int, pods: int, resources: int) -> None:
        """Make room for so many rows, pods and resources."""
        height, width, depth = self.amounts.shape
        size = max(rows, height), max(pods, width), max(resources, depth)
        if size == (height, width, depth):
            return
        more = [(0, now - before) for now, before in zip(size, (height, width, depth), strict=True)]
        self.amounts = np.pad(self.amounts, more)
        self.priorities, self.starts = np.pad(self.priorities, more[:2]), np.pad(self.starts, more[:2])
        self.together = np.pad(self.together, (more[0], more[2]))
        self.sizes, self.versions = np.pad(self.sizes, more[0]), np.pad(self.versions, more[0])
        self.infos += [()] * (size[0] - height)


def _filled(there: Mask, flat: Numbers) -> Numbers:
    """Return an array that has these values where there is a pod, and 0 elsewhere."""
    found = np.zeros((*there.shape, *flat.shape[1:]), np.int64)
    found[there] = flat
    return found
