"""The victims of a pod without a group where pods of a PodGroup may be evicted all or none, since 1.37: `units_on`.

A unit with a pod on the node is taken away with its pods on other nodes, and put back as a whole.

Kubernetes 1.37: SelectVictimsOnNode in pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go.
"""

from dataclasses import dataclass, field

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.extender import Victims
from schedcheck.model.production.framework.filtering import changed, filtered_with_nominated
from schedcheck.model.production.framework.framework import Framework
from schedcheck.model.production.framework.status import Status, error, unresolvable
from schedcheck.model.production.preemption.victims import NO_VICTIMS, needless, violating
from schedcheck.model.production.preemption.wholes import Whole, wholes
from schedcheck.model.production.preemption.worlds import POD, World
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.spec.kubernetes.departures import Departure

GANGS = "GangScheduling"


def in_units(framework: Framework) -> bool:
    """Whether the scheduler knows PodGroups as victims, and a placed pod names one."""
    permits, reserves = (any(each.name == GANGS for each in framework.at(point)) for point in ("permit", "reserve"))
    if not permits or reserves or Departure.MEMBERS_PREEMPT in framework.handle.departures:
        return False
    return any(pod.scheduling_group for pod in framework.handle.placed())


class Wholes(World):
    """A node whose victims are whole units: they are told in the order of the units."""

    def told(self) -> Victims:
        """Return the pods of the units, the most important unit first."""
        return Victims(tuple(map(POD, self.victims)), self.violations)


@dataclass
class Trial:
    """One node in a trial, whose units of lower priority come and go."""

    framework: Framework
    state: CycleState
    pod: PodInfo
    node: Nodes
    lost: list[Whole] = field(default_factory=list)
    violations: int = 0

    def move(self, whole: Whole, sign: int) -> None:
        """Put a unit back (1), or take it away (-1), with its pods on other nodes."""
        (name,) = self.node.names()
        here = [info for info in whole.infos if info.pod.node_name == name]
        there = [info for info in whole.infos if info.pod.node_name != name]
        changed(self.framework, self.state, self.pod, self.node.only(np.zeros(len(here), np.int64)), here, sign)
        if there:
            nodes = self.framework.handle.snapshot.some([info.pod.node_name for info in there])
            for plugin in self.framework.extended_elsewhere:
                if plugin.name not in self.state.skip_filter:
                    plugin.elsewhere(self.state, self.pod, nodes, there, sign)

    def fits(self) -> bool:
        """Whether the pod passes the filters."""
        return bool(filtered_with_nominated(self.framework, self.state, self.pod, self.node).passed()[0])

    def put_back(self, whole: Whole, wrong: int) -> None:
        """Put a unit back; it is a victim, `wrong` of whose pods violate a budget, if the pod does not fit with it."""
        self.move(whole, 1)
        if not self.fits():
            self.move(whole, -1)
            self.lost.append(whole)
            self.violations += wrong


def units_on(framework: Framework, state: CycleState, pod: PodInfo, nodes: Nodes) -> list[World | Status]:
    """Return for each node the victims, or the status that says why there are none."""
    known = list(wholes(map(PodInfo, framework.handle.placed()), framework.handle.listers.pod_groups))
    lower = [each for each in known if each.priority < pod.pod.priority]
    return [
        _on_one(Trial(framework, state.clone(), pod, nodes.only(np.array([place])).tried()), lower)
        for place in range(len(nodes))
    ]


def _on_one(world: Trial, lower: list[Whole]) -> World | Status:
    """Return the victims on the node of this world."""
    (name,) = world.node.names()
    some = [each for each in lower if any(info.pod.node_name == name for info in each.infos)]
    if not some:
        return unresolvable(NO_VICTIMS)
    rows = world.node.table.row_of
    missing = [info.pod.node_name for each in some for info in each.infos if info.pod.node_name not in rows]
    if missing:
        return error(f'failed to get node info for node "{min(missing)}" from snapshot')
    for each in some:
        world.move(each, -1)
    emptied = filtered_with_nominated(world.framework, world.state, world.pod, world.node)
    if not emptied.passed()[0]:
        return emptied.status(0)
    handle = world.framework.handle
    order = sorted(some, key=Whole.importance)
    wrong, _ = violating([info for each in order for info in each.infos], handle.listers, handle.departures)
    over = {info.identity for info in wrong}
    numbers = [sum(info.identity in over for info in each.infos) for each in order]
    for each, number in sorted(zip(order, numbers, strict=True), key=lambda one: one[1] == 0):
        world.put_back(each, number)
    first_to_last = sorted(world.lost, key=Whole.importance)
    victims = [info for each in first_to_last for info in each.infos]
    status = None if victims else needless(world.framework, world.pod, name)
    return status or Wholes(victims, world.violations, lost=[True] * len(victims))
