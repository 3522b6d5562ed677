"""The plugin GangScheduling: the pods of a gang wait for each other, before they are queued and before they are bound.

In 1.35 it lets the pods of a gang, which are scheduled one by one, wait for each other. Since 1.36 it judges the cycle of a
PodGroup, whose pods wait for each other only while the cycle is carried out: in 1.36 by Permit, in 1.37 before each pod.

Kubernetes 1.35: pkg/scheduler/framework/plugins/gangscheduling, pkg/scheduler/backend/workloadmanager.
Kubernetes 1.36, 1.37: pkg/scheduler/framework/plugins/gangscheduling.

Differs: each pod waits five minutes from its own Permit on; in 1.35 the pods of a group share a deadline.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.status import SUCCESS, Code, Status, error, unresolvable, unschedulable
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Pod
from schedcheck.spec.workload_objects import GroupPolicy, PodGroup

TIMEOUT = 5 * 60.0
"""How long a pod waits for its gang, in seconds."""

Identity = tuple[str, ...]


class GangScheduling:
    """A plugin that remembers which pods of groups are assumed: reserved, and neither undone nor delivered as bound."""

    name = "GangScheduling"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._handle = handle
        self._assumed: set[Identity] = set()

    def pre_enqueue(self, pod: Pod) -> Status:
        """Reject a pod without its workload or group, and one of a gang of which too few pods are known."""
        if pod.scheduling_group:
            return self._enters_with_its_group(pod)
        if pod.workload is None:
            return SUCCESS
        groups = self._groups(pod)
        if groups is None:
            return unresolvable(f'waiting for pods\'s workload "{pod.workload.workload}" to appear in scheduling queue')
        policy = groups.get(pod.workload.group)
        if policy is None:
            return unresolvable(
                f'pod group "{pod.workload.group}" doesn\'t exist for a workload "{pod.workload.workload}"'
            )
        if policy.min_count is None or sum(1 for _ in self._members(pod)) >= policy.min_count:
            return SUCCESS
        return unresolvable("waiting for minCount pods from a gang to appear in scheduling queue")

    def _enters_with_its_group(self, pod: Pod) -> Status:
        """Reject a pod without its PodGroup, and one of a gang of which too few pods are known."""
        group = self._pod_group(pod)
        if group is None:
            name = pod.scheduling_group
            return unresolvable(f'waiting for pods\'s pod group "{name}" to appear in scheduling queue')
        if group.min_count is None or sum(1 for _ in self._members(pod)) >= group.min_count:
            return SUCCESS
        return unresolvable("waiting for minCount pods from a gang to appear in scheduling queue")

    def placement_feasible(self, group: PodGroup, placed: int, remaining: int) -> Status:
        """Return whether enough pods of the group have a node, may have one later, or can no longer have one."""
        wanted = 1 if group.min_count is None else group.min_count
        counts = f"{placed} scheduled, {remaining} remaining"
        if placed + remaining < wanted:
            return unschedulable(f"minCount ({wanted}) cannot be satisfied: {counts}")
        if placed < wanted:
            return Status(Code.WAIT, (f"minCount ({wanted}) is not yet satisfied: {counts}",))
        return SUCCESS

    def reserve(self, state: CycleState, pod: Pod, node: str) -> Status:
        """Note that the pod is assumed."""
        if pod.workload is not None:
            self._assumed.add(pod.identity)
        return SUCCESS

    def unreserve(self, state: CycleState, pod: Pod, node: str) -> None:
        """Note that the pod is no longer assumed."""
        self._assumed.discard(pod.identity)

    def permit(self, state: CycleState, pod: Pod, node: str) -> tuple[Status, float]:
        """Let a pod of a gang wait until enough of its pods are assumed or bound; the last one allows the others."""
        if pod.scheduling_group:
            return self._permit_with_its_group(pod)
        if pod.workload is None:
            return SUCCESS, 0.0
        policy = (self._groups(pod) or {}).get(pod.workload.group)
        if policy is None:
            return error(f"failed to get workload {pod.namespace}/{pod.workload.workload}"), 0.0
        if policy.min_count is None:
            return SUCCESS, 0.0
        placed = {each.identity for each in self._members(pod) if each.node_name or each.identity in self._assumed}
        if len(placed) < policy.min_count:
            for each in list(self._members(pod)):
                if each.identity not in placed:
                    self._handle.activate(each)
            return Status(Code.WAIT, ("waiting for minCount pods from a gang to be waiting on permit",)), TIMEOUT
        for waiting in self._handle.waiting:
            if waiting.pod.identity in placed:
                waiting.allow(self.name)
        return SUCCESS, 0.0

    def _permit_with_its_group(self, pod: Pod) -> tuple[Status, float]:
        """Let the pods of a gang wait until enough are assumed or bound; the last one allows the others."""
        group = self._pod_group(pod)
        if group is None:
            return error(f"failed to get podGroup {pod.namespace}/{pod.scheduling_group}"), 0.0
        if group.min_count is None:
            return SUCCESS, 0.0
        placed = {each.identity for each in self._handle.placed() if of_one_group(pod, None, each)}
        if len(placed) < group.min_count:
            return Status(Code.WAIT, ("waiting for minCount pods from a gang to be scheduled",)), TIMEOUT
        for waiting in self._handle.waiting:
            if waiting.pod.identity in placed:
                waiting.allow(self.name)
        return SUCCESS, 0.0

    def events(self) -> Sequence[EventOfInterest]:
        """Return the event of interest: another pod of the group was added."""
        return (EventOfInterest(ClusterEvent(Resource.POD, Action.ADD), of_one_group),)

    def remembered(self) -> frozenset[Identity]:
        """Return the assumed pods."""
        return frozenset(self._assumed)

    def recall(self, remembered: frozenset[Identity]) -> None:
        """Restore the assumed pods."""
        self._assumed = set(remembered)

    def _groups(self, pod: Pod) -> dict[str, GroupPolicy] | None:
        """Return the pod groups of the workload that the pod names; None if it is not known."""
        assert pod.workload is not None
        wanted = pod.namespace, pod.workload.workload
        found = next((each for each in self._handle.listers.workloads if each.key == wanted), None)
        return None if found is None else {each.name: each for each in found.groups}

    def _pod_group(self, pod: Pod) -> PodGroup | None:
        """Return the PodGroup that the pod names; None if it is not known."""
        wanted = pod.namespace, pod.scheduling_group
        return next((each for each in self._handle.listers.pod_groups if each.key == wanted), None)

    def _members(self, pod: Pod) -> Iterator[Pod]:
        """Yield the delivered pods of the pod's group, whichever scheduler they name."""
        return (each for each in self._handle.listers.pods.values() if of_one_group(pod, None, each))


def of_one_group(pod: Pod, before: Any, after: Pod) -> bool:
    """Whether an added pod is of the same group as this one: its PodGroup, or workload, group and replica."""
    if pod.scheduling_group:
        return (pod.namespace, pod.scheduling_group) == (after.namespace, after.scheduling_group)
    return pod.workload is not None and (pod.namespace, pod.workload) == (after.namespace, after.workload)
