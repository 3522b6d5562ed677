"""The plugin NodeUnschedulable: a cordoned node is for those that tolerate it.

Kubernetes 1.34: pkg/scheduler/framework/plugins/nodeunschedulable.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.verdicts import UNRESOLVED, Verdicts, verdicts
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.model.production.snapshot.taints import tolerates
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Node, Pod, Taint

CORDON = Taint("node.kubernetes.io/unschedulable", "NoSchedule")


class NodeUnschedulable:
    """Refuses cordoned nodes."""

    name = "NodeUnschedulable"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        pass

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Whether each node is cordoned against the pod."""
        cordoned = nodes.table.unschedulable[nodes.rows] & (not tolerates(pod.pod, CORDON))
        return verdicts(cordoned.astype(np.int8) * UNRESOLVED, "node(s) were unschedulable")

    def events(self) -> Sequence[EventOfInterest]:
        """A node that is new or no longer cordoned, and a pod that tolerates more."""
        node = ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_TAINT)
        pod = ClusterEvent(Resource.UNSCHEDULED_POD, Action.UPDATE_POD_TOLERATIONS)
        return (EventOfInterest(node, may_admit), EventOfInterest(pod, now_tolerates))


def may_admit(pod: Pod, before: Any, after: Node) -> bool:
    """Whether the node is not cordoned as it is now."""
    return not after.unschedulable


def now_tolerates(pod: Pod, before: Pod, after: Pod) -> bool:
    """Whether it is this pod that was changed, and it tolerates a cordon now."""
    return pod.key == after.key and tolerates(after, CORDON)
