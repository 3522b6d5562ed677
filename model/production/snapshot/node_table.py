"""The nodes as arrays, one row each: `NodeTable`. Rows are reused, so their order means nothing."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from schedcheck.model.production.snapshot.guests import Guests
from schedcheck.model.production.snapshot.labels import LabelColumns, Numbers
from schedcheck.model.production.snapshot.lower_pods import LowerPods, LowerTable
from schedcheck.model.production.snapshot.mounts import VolumeUsers
from schedcheck.model.production.snapshot.node_info import NodeInfo
from schedcheck.model.production.snapshot.pod_info import ANY_ADDRESS, PodInfo, Port
from schedcheck.model.production.snapshot.pod_table import PodTable
from schedcheck.model.production.snapshot.requests import CPU, EPHEMERAL, MEMORY, NATIVE, PODS, counted
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.objects import Node, Taint

HIGHEST = 2**63 - 1
MOST_PRIORITIES = 8
"""For how many priorities the lower pods are kept as arrays before all are forgotten."""
IN_ORDER = (CPU, MEMORY, EPHEMERAL)
"""The resources that come first in lists of shortages."""


def word(number: int) -> int:
    """Return the amount, capped at the greatest 64-bit integer."""
    return number if number < HIGHEST else HIGHEST


class NodeTable:
    """The data of nodes that plugins read: amounts in smallest units, labels, taints, ports, images, pods and volumes.

    `allocatable` and `requested` have one column a resource; the column of "pods" counts pods. `rated` holds cpu in
    thousandths and memory in bytes, with defaults for containers that request none. `taints` holds indices into
    `taint_lists`.
    """

    def __init__(self, room: int = 8) -> None:
        self.room = room
        self.departures = NEWEST.departures
        """By which the requests of pods in trials are summed; the cache that fills the table sets them."""
        self.version = 0
        """Grows with every change of a row."""
        self.changed: Numbers = np.zeros(room, np.int64)
        """By row: the version at its last change."""
        self.nodes: list[Node | None] = []
        self.names: npt.NDArray[np.object_] = np.full(room, "", object)
        self.row_of: dict[str, int] = {}
        self.resources: dict[str, int] = {resource: number for number, resource in enumerate(NATIVE)}
        self.allocatable: Numbers = np.zeros((room, len(NATIVE)), np.int64)
        self.requested: Numbers = np.zeros((room, len(NATIVE)), np.int64)
        self.rated: Numbers = np.zeros((room, 2), np.int64)
        self.unschedulable: npt.NDArray[np.bool_] = np.zeros(room, bool)
        self.taints: Numbers = np.zeros(room, np.int64)
        self.taint_lists: list[tuple[Taint, ...]] = [()]
        self.labels = LabelColumns(room)
        self.images: dict[str, Numbers] = {}
        self.pods = PodTable()
        self.volume_users = VolumeUsers()
        self._record_rows()

    def _record_rows(self) -> None:
        """Begin without any row: what rows hold beside the arrays, to be taken back when they change."""
        self._taint_numbers: dict[tuple[Taint, ...], int] = {(): 0}
        self._holders: dict[tuple[str, int], dict[str, set[int]]] = {}
        self._ports: list[frozenset[Port]] = []
        self._images: list[tuple[str, ...]] = []
        self._there: list[dict[tuple[str, ...], PodInfo]] = []
        self._below: list[dict[int, LowerPods]] = []
        self._lower: dict[int, LowerTable] = {}
        self._free: list[int] = []
        self._changed_since: tuple[int, int, Numbers] = (0, 0, np.zeros(0, np.int64))
        self._guests = Guests(self._summed)

    @property
    def size(self) -> int:
        """Return the number of rows, including free ones."""
        return len(self.nodes)

    def node(self, row: int) -> Node:
        """Return the node of a row that is in use."""
        node = self.nodes[row]
        assert node is not None
        return node

    def put(self, info: NodeInfo) -> None:
        """Set the row of a node to the contents of `info`, which must have a node."""
        node = info.node
        assert node is not None
        self.version += 1
        row = self.row_of.get(node.name)
        if row is None:
            row = self.row_of[node.name] = self._new_row()
        self.changed[row] = self.version
        if self.nodes[row] is not node:
            self._put_node(row, node)
        self._put_pods(row, info)
        self._put_ports(row, frozenset(info.ports))
        self._put_images(row, info.images)
        self.requested[row] = 0
        for resource, amount in info.requested.items():
            column = self.resource(resource)
            self.requested[row, column] = word(amount)
        self.requested[row, self.resources[PODS]] = len(info.pods)
        self.rated[row] = [word(amount) for amount in info.rated]

    def count_image(self, name: str, nodes: int) -> None:
        """Set the number of nodes that hold an image."""
        if name in self.images:
            held = self.images[name]
            held[held[:, 1] > 0, 1] = nodes

    def remove(self, name: str) -> None:
        """Remove a node and its pods."""
        self.version += 1
        row = self.row_of.pop(name)
        self._put_pods(row, NodeInfo())
        self._put_ports(row, frozenset())
        self._put_images(row, {})
        self.labels.put(row, {})
        self.nodes[row], self.names[row] = None, ""
        self._free.append(row)

    def resource(self, name: str) -> int:
        """Return the column of a resource, adding one if it is new."""
        column = self.resources.get(name)
        if column is None:
            column = self.resources[name] = len(self.resources)
            self.allocatable = _wider(self.allocatable)
            self.requested = _wider(self.requested)
        return column

    def changed_since(self, version: int) -> Numbers:
        """Return the rows that have changed since this version. Several remember the same version, and ask in turn."""
        if self._changed_since[:2] != (version, self.version):
            self._changed_since = version, self.version, np.flatnonzero(self.changed[: self.size] > version)
        return self._changed_since[2]

    def amounts(self, infos: Sequence[PodInfo]) -> Numbers:
        """Return the amounts that each pod takes of each resource; each pod counts as one of "pods"."""
        width = len(self.resources)
        if len(infos) and infos[0] in self._guests:
            found = self._guests.amounts(infos)
            return (
                found if found.shape[1] == width else np.pad(found, ((0, 0), (0, len(self.resources) - found.shape[1])))
            )
        known = self.pods.rows(infos)
        there = known >= 0
        if not len(infos):
            return np.zeros((0, len(self.resources)), np.int64)
        if there.all() and self.pods.amounts.shape[1] == len(self.resources):
            return self.pods.amounts[known]
        beside = self._guests.amounts([infos[place] for place in np.flatnonzero(~there).tolist()])
        # An amount of a new resource adds a column, which the rows before it lack.
        found = np.zeros((len(infos), len(self.resources)), np.int64)
        listed = self.pods.amounts[known[there]]
        found[there, : listed.shape[1]] = listed
        found[~there, : beside.shape[1]] = beside
        return found

    def _summed(self, info: PodInfo) -> Numbers:
        columns = {self.resource(resource): word(amount) for resource, amount in info.occupied(self.departures).items()}
        found = np.zeros(len(self.resources), np.int64)
        found[list(columns)] = list(columns.values())
        found[self.resources[PODS]] = 1
        return found

    def holders(self, port: Port) -> set[int]:
        """Return the rows on which this port, or one that clashes with it, is in use."""
        address, protocol, number = port
        by_address = self._holders.get((protocol, number), {})
        if address == ANY_ADDRESS:
            return set().union(*by_address.values())
        return by_address.get(address, set()) | by_address.get(ANY_ADDRESS, set())

    def pods_on(self, row: int) -> Iterable[PodInfo]:
        """Return the pods on a node."""
        return self._there[row].values()

    def pods_below(self, row: int, priority: int) -> LowerPods:
        """Return the pods on a node whose priority is lower, in the order of `pods_on`; computed once for each priority."""
        below = self._below[row]
        known = below.get(priority)
        if known is None:
            lower = tuple(info for info in self._there[row].values() if info.pod.priority < priority)
            known = below[priority] = LowerPods(lower)
        return known

    def lower(self, priority: int, rows: Numbers) -> LowerTable:
        """Return the pods of lower priority as arrays, which are right in these rows."""
        known = self._lower.get(priority)
        if known is None:
            if len(self._lower) == MOST_PRIORITIES:
                self._lower.clear()
            known = self._lower[priority] = LowerTable(priority)
        known.update(self, rows)
        return known

    def ports(self, row: int) -> frozenset[Port]:
        """Return the host ports in use on a node."""
        return self._ports[row]

    def _new_row(self) -> int:
        if self._free:
            return self._free.pop()
        row = len(self.nodes)
        self.nodes.append(None)
        self._ports.append(frozenset())
        self._images.append(())
        self._there.append({})
        self._below.append({})
        if row == self.room:
            self._grow()
        return row

    def _grow(self) -> None:
        self.room *= 2
        self.allocatable, self.requested = _taller(self.allocatable), _taller(self.requested)
        self.rated, self.taints, self.changed = _taller(self.rated), _taller(self.taints), _taller(self.changed)
        self.unschedulable = np.concatenate([self.unschedulable, np.zeros_like(self.unschedulable)])
        self.images = {name: _taller(sizes) for name, sizes in self.images.items()}
        self.names = np.concatenate([self.names, np.full_like(self.names, "")])

    def _put_node(self, row: int, node: Node) -> None:
        self.nodes[row], self.names[row] = node, node.name
        self.labels.put(row, node.labels)
        self.allocatable[row] = 0
        for resource, amount in node.allocatable.items():
            if counted(resource):
                column = self.resource(resource)
                self.allocatable[row, column] = word(amount)
        self.unschedulable[row] = node.unschedulable
        number = self._taint_numbers.get(node.taints)
        if number is None:
            number = self._taint_numbers[node.taints] = len(self.taint_lists)
            self.taint_lists.append(node.taints)
        self.taints[row] = number

    def _put_pods(self, row: int, info: NodeInfo) -> None:
        before = self._there[row]
        gone = [known for identity, known in before.items() if info.pods.get(identity) is not known]
        new = [pod for identity, pod in info.pods.items() if before.get(identity) is not pod]
        for known in gone:
            self.pods.remove(known)
        for pod in new:
            self.pods.add(pod, row, self._summed(pod))
        self._there[row], self._below[row] = dict(info.pods), {}
        if any(each.pod.volumes for each in (*gone, *new)):
            self.volume_users.put(row, info.pods.values())

    def _put_ports(self, row: int, ports: frozenset[Port]) -> None:
        for address, protocol, number in self._ports[row] - ports:
            self._holders[protocol, number][address].discard(row)
        for address, protocol, number in ports - self._ports[row]:
            self._holders.setdefault((protocol, number), {}).setdefault(address, set()).add(row)
        self._ports[row] = ports

    def _put_images(self, row: int, images: Mapping[str, tuple[int, int]]) -> None:
        for name in self._images[row]:
            self.images[name][row] = 0
        for name, summary in images.items():
            if name not in self.images:
                self.images[name] = np.zeros((self.room, 2), np.int64)
            self.images[name][row] = summary
        self._images[row] = tuple(images)


def _wider(table: Numbers) -> Numbers:
    return np.hstack([table, np.zeros((len(table), 1), np.int64)])


def _taller(table: Numbers) -> Numbers:
    return np.concatenate([table, np.zeros_like(table)])
