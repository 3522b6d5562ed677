"""What a scheduling cycle looks at: `Snapshot`, the nodes in their order; and `Nodes`, some of them with what is tried there.

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


@dataclass
class Trial:
    """What is tried on nodes, a world a node: pods are put there or taken away, and no world sees another.

    Amounts are what the pods of each world request more than those of the snapshot. `ports` are those of the worlds in
    which they may have changed, and so are `volume_users`, the pods with volumes. `changes` are the pods with their worlds,
    and 1 where they were added, -1 where removed.
    """

    table: NodeTable
    rows: Numbers
    requested: Numbers
    ports: dict[int, set[Port]] = field(default_factory=dict)
    volume_users: dict[int, tuple[PodInfo, ...]] = field(default_factory=dict)
    changes: list[tuple[Sequence[int] | Numbers, Sequence[PodInfo], int]] = field(default_factory=list)

    def change(self, worlds: Sequence[int] | Numbers, infos: Sequence[PodInfo], sign: int) -> None:
        """Add (1) or remove (-1) each of the pods in its world."""
        self.changes.append((worlds, infos, sign))
        amounts = self.table.amounts(infos)
        width = amounts.shape[1]
        if self.requested.shape[1] < width:
            more = np.zeros((len(self.rows), width - self.requested.shape[1]), np.int64)
            self.requested = np.hstack([self.requested, more])
        np.add.at(self.requested, np.asarray(worlds), sign * amounts)
        for world, info in zip(worlds, infos, strict=True):
            if info.ports:
                held = self.ports.setdefault(int(world), set(self.table.ports(int(self.rows[world]))))
                held.difference_update(info.ports) if sign < 0 else held.update(info.ports)
            if info.pod.volumes:
                there = self.users(int(world), int(self.rows[world]))
                others = tuple(user for user in there if user.key != info.key)
                self.volume_users[int(world)] = others if sign < 0 else (*there, info)

    def users(self, world: int, row: int) -> Sequence[PodInfo]:
        """The pods with volumes in a world, which is that of the row."""
        return self.volume_users.get(world, self.table.volume_users.on(row))


@dataclass(frozen=True, eq=False)
class Nodes:
    """Nodes that are looked at, by their rows in the table; in a trial also the number of each one's world.

    Of those that are `bare` neither pods nor images are seen.
    """

    table: NodeTable
    rows: Numbers
    trial: Trial | None = None
    worlds: Numbers | None = None
    bare: bool = False

    def __len__(self) -> int:
        return len(self.rows)

    def only(self, chosen: Numbers) -> "Nodes":
        """Those at these places."""
        worlds = None if self.worlds is None else self.worlds[chosen]
        return Nodes(self.table, self.rows[chosen], self.trial, worlds, self.bare)

    def requested(self) -> Numbers:
        """What is requested on each of them, a column a resource."""
        found: Numbers = self.table.requested[self.rows]
        if self.bare:
            return np.zeros_like(found)
        if self.trial is not None:
            more = self.trial.requested[self.worlds]
            found[:, : more.shape[1]] += more
        return found

    def rated(self) -> Numbers:
        """What cpu and memory are rated by on each of them, where defaults stand for what is not requested."""
        found: Numbers = self.table.rated[self.rows]
        return np.zeros_like(found) if self.bare else found

    def pods(self, place: int) -> Iterable[PodInfo]:
        """The pods on the node at this place, with those that are tried there and without those that are taken away."""
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
        """The same nodes, each a world of its own in which nothing has been tried yet."""
        trial = Trial(self.table, self.rows, np.zeros((len(self.rows), len(self.table.resources)), np.int64))
        return Nodes(self.table, self.rows, trial, np.arange(len(self.rows)))

    def tried_further(self) -> "Nodes":
        """The same worlds, with what is tried there already; what is tried now is not seen in these."""
        assert self.trial is not None
        trial = self.trial
        ports = {world: set(held) for world, held in trial.ports.items()}
        users = dict(trial.volume_users)
        copy = Trial(self.table, trial.rows, trial.requested.copy(), ports, users, list(trial.changes))
        return Nodes(self.table, self.rows, copy, self.worlds)

    def volume_users(self, place: int) -> Sequence[PodInfo]:
        """The pods with volumes on the node at this place."""
        row = int(self.rows[place])
        if self.trial is None or self.worlds is None:
            return self.table.volume_users.on(row)
        return self.trial.users(int(self.worlds[place]), row)

    def names(self) -> list[str]:
        """Their names."""
        found: list[str] = self.table.names[self.rows].tolist()
        return found


@dataclass
class Snapshot:
    """The nodes and the pods on them at the beginning of a cycle; `rows` are the nodes in their order, zone by zone.

    `infos` hold each node's pods. `generation` is that of the newest change that it knows.
    """

    table: NodeTable = field(default_factory=NodeTable)
    rows: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    infos: dict[str, NodeInfo] = field(default_factory=dict)
    generation: int = 0

    def __len__(self) -> int:
        return len(self.rows)

    def all(self) -> Nodes:
        """Every node."""
        return Nodes(self.table, self.rows)

    def some(self, names: Sequence[str]) -> Nodes:
        """Those of these names that there are, in this order."""
        found = [self.table.row_of[name] for name in names if name in self.table.row_of]
        return Nodes(self.table, np.array(found, np.int64))

    def node(self, name: str) -> Node | None:
        """The node of this name, None if there is none."""
        row = self.table.row_of.get(name)
        return None if row is None else self.table.node(row)
