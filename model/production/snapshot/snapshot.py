"""The input of a scheduling cycle: `Snapshot`, the nodes in list order; and `Nodes`, some of them, possibly in a trial.

Kubernetes 1.34: pkg/scheduler/backend/cache/snapshot.go.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.node_info import NodeInfo
from schedcheck.model.production.snapshot.node_table import NodeTable
from schedcheck.model.production.snapshot.pod_info import PodInfo, Port
from schedcheck.spec.objects import Node


def wide(amounts: Numbers, width: int) -> Numbers:
    """Return amounts with zeros for the resources of the columns that they lack."""
    lacking = width - amounts.shape[1]
    return amounts if lacking <= 0 else np.hstack([amounts, np.zeros((len(amounts), lacking), np.int64)])


@dataclass
class Trial:
    """Pods added to nodes or removed from them hypothetically; each node is a world, independent of the others."""

    table: NodeTable
    rows: Numbers
    requested: Numbers
    """By world: the amounts requested in addition to those of the snapshot."""
    ports: dict[int, set[Port]] = field(default_factory=dict)
    """The host ports in use, of the worlds in which they may have changed."""
    volume_users: dict[int, tuple[PodInfo, ...]] = field(default_factory=dict)
    """The pods with volumes, of the worlds in which they may have changed."""
    changes: list[tuple[Sequence[int] | Numbers, Sequence[PodInfo], int]] = field(default_factory=list)
    """Pods with their worlds, and 1 if they were added, -1 if removed."""

    def change(self, worlds: Sequence[int] | Numbers, infos: Sequence[PodInfo], sign: int) -> None:
        """Add (1) or remove (-1) each pod in its world."""
        self.changes.append((worlds, infos, sign))
        self.add(worlds, self.table.amounts(infos), sign)
        for place in [place for place, info in enumerate(infos) if not info.takes_amounts_alone]:
            info, world = infos[place], int(worlds[place])
            if info.ports:
                held = self.ports.setdefault(world, set(self.table.ports(int(self.rows[world]))))
                held.difference_update(info.ports) if sign < 0 else held.update(info.ports)
            if info.pod.volumes:
                there = self.users(world, int(self.rows[world]))
                others = tuple(user for user in there if user.key != info.key)
                self.volume_users[world] = others if sign < 0 else (*there, info)

    def add(self, worlds: Sequence[int] | Numbers, amounts: Numbers, sign: int) -> None:
        """Add (1) or subtract (-1) amounts, each in its world, and nothing else."""
        self.requested = wide(self.requested, amounts.shape[1])
        np.add.at(self.requested, np.asarray(worlds), sign * amounts)

    def users(self, world: int, row: int) -> Sequence[PodInfo]:
        """Return the pods with volumes in a world, whose node is in this row."""
        return self.volume_users.get(world, self.table.volume_users.on(row))


@dataclass(frozen=True, eq=False)
class Nodes:
    """Some nodes, by their rows in the table; in a trial also the number of each node's world.

    If `bare`, neither the pods nor the images of the nodes are seen.
    """

    table: NodeTable
    rows: Numbers
    trial: Trial | None = None
    worlds: Numbers | None = None
    bare: bool = False

    def __len__(self) -> int:
        return len(self.rows)

    def only(self, chosen: Numbers) -> "Nodes":
        """Return the nodes at these indices."""
        worlds = None if self.worlds is None else self.worlds[chosen]
        return Nodes(self.table, self.rows[chosen], self.trial, worlds, self.bare)

    def requested(self, column: int) -> Numbers:
        """Return the requested amount of the resource of this column on each node."""
        if self.bare:
            return np.zeros(len(self), np.int64)
        found: Numbers = self.table.requested[self.rows, column]
        if self.trial is not None and column < self.trial.requested.shape[1]:
            found += self.trial.requested[self.worlds, column]
        return found

    def allocatable(self, column: int) -> Numbers:
        """Return the allocatable amount of the resource of this column on each node."""
        found: Numbers = self.table.allocatable[self.rows, column]
        return found

    def requested_of(self, columns: Sequence[int]) -> Numbers:
        """Return the requested amounts of the resources of these columns, one row a node."""
        if self.bare:
            return np.zeros((len(self), len(columns)), np.int64)
        found: Numbers = self.table.requested[self.rows[:, None], columns]
        if self.trial is not None and self.worlds is not None:
            found += wide(self.trial.requested, len(self.table.resources))[self.worlds[:, None], columns]
        return found

    def allocatable_of(self, columns: Sequence[int]) -> Numbers:
        """Return the allocatable amounts of the resources of these columns, one row a node."""
        found: Numbers = self.table.allocatable[self.rows[:, None], columns]
        return found

    def rated(self, place: int) -> Numbers:
        """Return the cpu (0) or memory (1) that scores assume on each node, with defaults for missing requests."""
        found: Numbers = self.table.rated[self.rows, place]
        return np.zeros_like(found) if self.bare else found

    def pods(self, place: int) -> Iterable[PodInfo]:
        """Return the pods on the node at this index, including the changes of the trial."""
        there = {} if self.bare else {info.key: info for info in self.table.pods_on(int(self.rows[place]))}
        if self.trial is not None and self.worlds is not None:
            own = int(self.worlds[place])
            for worlds, infos, sign in self.trial.changes:
                for world, info in zip(worlds, infos, strict=True):
                    if world == own and sign > 0:
                        there[info.key] = info
                    elif world == own:
                        there.pop(info.key, None)
        return there.values()

    def tried(self) -> "Nodes":
        """Return the same nodes in a new trial without changes."""
        trial = Trial(self.table, self.rows, np.zeros((len(self.rows), len(self.table.resources)), np.int64))
        return Nodes(self.table, self.rows, trial, np.arange(len(self.rows)))

    def tried_further(self) -> "Nodes":
        """Return the same worlds in a copy of the trial; changes of the copy do not affect the original."""
        assert self.trial is not None
        trial = self.trial
        ports = {world: set(held) for world, held in trial.ports.items()}
        users = dict(trial.volume_users)
        copy = Trial(self.table, trial.rows, trial.requested.copy(), ports, users, list(trial.changes))
        return Nodes(self.table, self.rows, copy, self.worlds)

    def volume_users(self, place: int) -> Sequence[PodInfo]:
        """Return the pods with volumes on the node at this index."""
        row = int(self.rows[place])
        if self.trial is None or self.worlds is None:
            return self.table.volume_users.on(row)
        return self.trial.users(int(self.worlds[place]), row)

    def names(self) -> list[str]:
        """Return the names of the nodes."""
        found: list[str] = self.table.names[self.rows].tolist()
        return found


@dataclass
class Snapshot:
    """The nodes and their pods at the start of a cycle; `rows` lists the nodes zone by zone in turn.

    `generation` is that of the newest change that the snapshot includes.
    """

    table: NodeTable = field(default_factory=NodeTable)
    rows: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    infos: dict[str, NodeInfo] = field(default_factory=dict)
    generation: int = 0

    def __len__(self) -> int:
        return len(self.rows)

    def all(self) -> Nodes:
        """Return every node."""
        return Nodes(self.table, self.rows)

    def some(self, names: Sequence[str]) -> Nodes:
        """Return the existing nodes of these names, in this order."""
        found = [self.table.row_of[name] for name in names if name in self.table.row_of]
        return Nodes(self.table, np.array(found, np.int64))

    def node(self, name: str) -> Node | None:
        """Return the node of this name, None if there is none."""
        row = self.table.row_of.get(name)
        return None if row is None else self.table.node(row)
