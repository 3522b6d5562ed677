"""The decisions in the cycle of a PodGroup, one pod after the other: `tried_in_turn`."""

import time
from collections.abc import Mapping
from typing import NamedTuple

from schedcheck.checker.explain.group_ways import assumptions_in_order
from schedcheck.checker.limits.clock import OutOfTime
from schedcheck.spec.decisions import Bind, Nominate, Wait
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pod_groups import (
    Choices,
    alike,
    fewest,
    judged,
    pod_group,
    scheduled,
    tried,
)
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.workload_objects import PodGroup


class Tried(NamedTuple):
    """A pod in the cycle of its group: the snapshot with those before it assumed, and the node that it found, if any."""

    pod: Pod
    snapshot: Snapshot
    node: Node | None


def tried_in_turn(
    action: Bind | Nominate | Wait, snapshot: Snapshot, plugins: Plugins, until: float
) -> tuple[Tried, ...] | None:  # fmt: skip
    """Return the pods in an order in which the cycle ends as `action` says, until the monotonic time `until`.

    None if the pod is in no group, if the cycle tries no pod, or before 1.37. A group that does not fit ends alike in
    many orders. Of a group that preempts it is the cycle before its victims are thought away.
    """
    group = pod_group(action.pod, snapshot)
    if group is None or not judged(plugins) or not alike(group, snapshot, plugins):
        return None
    if isinstance(action, Wait) and action.left:
        return None
    wanted = _placed(action)
    pods = tuple(sorted(tried(group, snapshot, plugins), key=lambda pod: pod.key))
    try:
        return _Search(group, wanted, Choices(plugins), until).order(pods, snapshot) or None
    except OutOfTime:
        return None


def _placed(action: Bind | Nominate | Wait) -> Mapping[tuple[str, str], str]:
    """Return the node of each pod that is bound in the cycle."""
    if not isinstance(action, Bind):
        return {}
    return {pod.key: node.name for pod, node in ((action.pod, action.node), *action.together)}


class _Search:
    """The search for an order of a group's pods in which exactly the `wanted` ones are placed, each on its node."""

    def __init__(
        self, group: PodGroup, wanted: Mapping[tuple[str, str], str], choices: Choices, until: float
    ) -> None:  # fmt: skip
        self.group, self.wanted, self.choices, self.until = group, wanted, choices, until

    def order(self, left: tuple[Pod, ...], snapshot: Snapshot) -> tuple[Tried, ...] | None:
        """Return the rest of such an order; None if there is none. Raises: OutOfTime."""
        if time.monotonic() >= self.until:
            raise OutOfTime
        if not left or len(scheduled(self.group, snapshot)) + len(left) < fewest(self.group):
            enough = len(scheduled(self.group, snapshot)) >= fewest(self.group)
            return () if enough == bool(self.wanted) else None
        for pod in left:
            rest = tuple(each for each in left if each != pod)
            for node in self._nodes(pod, snapshot):
                plugins = self.choices.plugins
                for now in [snapshot] if node is None else assumptions_in_order(pod, node, snapshot, plugins):
                    later = self.order(rest, now)
                    if later is not None:
                        return (Tried(pod, snapshot, node), *later)
            if self.choices[pod, snapshot].kind == "error" and not self.wanted:
                return (Tried(pod, snapshot, None),)
        return None

    def _nodes(self, pod: Pod, snapshot: Snapshot) -> tuple[Node | None, ...]:
        """Return the nodes that the pod may get in a cycle that ends as wanted; None if it may find none."""
        end = self.choices[pod, snapshot]
        if end.kind == "unschedulable":
            return () if pod.key in self.wanted else (None,)
        if end.kind != "scheduled":
            return ()
        there = (node for node in snapshot.nodes if node.name in end.hosts)
        return tuple(node for node in there if not self.wanted or self.wanted.get(pod.key) == node.name)
