"""The volumes attached to the nodes, counted for one node: `counted`; and for all nodes as arrays: `Attachments`."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from schedcheck.model.production.snapshot.labels import Mask, Numbers
from schedcheck.model.production.snapshot.node_table import NodeTable
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.volumes.attached import Attached, UncountableError, attached, by_attachments
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.storage import CSINode, Storage


@dataclass(frozen=True, eq=False)
class Counted:
    """The volumes attached to a node for these pods, and the number of attached volumes of each driver.

    The numbers include volumes that only VolumeAttachments attach. `failure` is why the pods cannot be counted, else
    empty.
    """

    users: Sequence[PodInfo]
    node: CSINode
    storage: Storage
    attached: frozenset[Attached] = frozenset()
    number: Mapping[str, int] = field(default_factory=dict)
    failure: str = ""

    def is_of(self, users: Sequence[PodInfo], node: CSINode, storage: Storage) -> bool:
        """Whether exactly these pods, CSINode and storage were counted."""
        return self.users is users and self.node is node and self.storage is storage

    def exceeded_by(self, new: Collection[Attached]) -> bool:
        """Whether a driver would exceed its limit with these volumes.

        A new volume that is already attached by a VolumeAttachment alone counts twice, as in kube-scheduler.
        """
        limits = self.node.allocatable
        more = Counter(driver for driver, *_ in set(new) - self.attached)
        return any(
            self.number.get(driver, 0) + count > limits[driver]
            for driver, count in more.items()
            if driver in limits
        )  # fmt: skip


PORTWORX = "kubernetes.io/portworx-volume"


def csi_node(name: str, storage: Storage, departures: Departures) -> CSINode | None:
    """Return the CSINode of a node; from 1.36 on the volumes of Portworx count as its driver's without annotation."""
    node = storage.node(name)
    if node is None or Departure.PORTWORX_BY_ANNOTATION in departures or PORTWORX in node.migrated:
        return node
    return replace(node, migrated=node.migrated | {PORTWORX})


def counted(users: Sequence[PodInfo], node: CSINode, storage: Storage) -> Counted:
    """Return the volumes attached to the node for these pods and by VolumeAttachments."""
    try:
        found = frozenset[Attached]().union(*(attached(info.pod, node, storage) for info in users))
    except UncountableError as wrong:
        return Counted(users, node, storage, failure=str(wrong))
    number = Counter(driver for driver, *_ in found | by_attachments(node.name, storage))
    return Counted(users, node, storage, found, number)


class Attachments:
    """The CSINodes of the rows of a table, and the volumes attached to them; a row is recounted only after a change.

    CSINodes of one *shape* have the same drivers, limits and migrated plugins. The first shape is that of nodes without one.
    """

    def __init__(self, departures: Departures) -> None:
        self._departures = departures
        self.shapes: list[CSINode | None] = [None]
        """A CSINode of each shape."""
        self.shape_of: Numbers = np.zeros(0, np.int64)
        self.failures: dict[int, str] = {}
        """Why the volumes of a row cannot be counted."""
        self._numbers: dict[str, Numbers] = {}
        self._rows_of: dict[Attached, list[int]] = {}
        self._counted: dict[int, Counted] = {}
        self._table: NodeTable | None = None
        self._version = 0
        self._storage: Storage | None = None

    def update(self, table: NodeTable, storage: Storage) -> None:
        """Count the rows that have changed."""
        if self._table is table and self._version == table.version and self._storage is storage:
            return
        self._table, self._version, self._storage = table, table.version, storage
        self.shapes, self.shape_of = [None], np.zeros(table.size, np.int64)
        self.failures, self._numbers, self._rows_of = {}, {}, {}
        number_of: dict[object, int] = {}
        for row in table.row_of.values() if storage.nodes else ():
            node = csi_node(table.node(row).name, storage, self._departures)
            if node is None:
                continue
            shape = number_of.setdefault((node.migrated, node.allocatable, node.drivers), len(self.shapes))
            if shape == len(self.shapes):
                self.shapes.append(node)
            self.shape_of[row] = shape
            if node.allocatable:
                self._record(row, self._of_row(row, table, node, storage), table.size)

    def exceeded_by(self, new: Collection[Attached], limits: Mapping[str, int], rows: Numbers) -> Mask:
        """Return for each of `rows`, whose nodes have these limits, whether a driver would exceed its limit."""
        found = np.zeros(len(rows), bool)
        for driver, count in Counter(driver for driver, *_ in new).items():
            if driver in limits:
                more = np.full(len(self.shape_of), count, np.int64)
                for volume in new:
                    if volume[0] == driver:
                        more[self._rows_of.get(volume, [])] -= 1
                there = self._numbers[driver][rows] if driver in self._numbers else 0
                found |= (more[rows] > 0) & (there + more[rows] > limits[driver])
        return found

    def _of_row(self, row: int, table: NodeTable, node: CSINode, storage: Storage) -> Counted:
        users, known = table.volume_users.on(row), self._counted.get(row)
        if known is None or not known.is_of(users, node, storage):
            known = self._counted[row] = counted(users, node, storage)
        return known

    def _record(self, row: int, there: Counted, size: int) -> None:
        if there.failure:
            self.failures[row] = there.failure
        for driver, number in there.number.items():
            self._numbers.setdefault(driver, np.zeros(size, np.int64))[row] = number
        for volume in there.attached:
            self._rows_of.setdefault(volume, []).append(row)
