"""The plugin NodeUnschedulable: a cordoned node accepts only pods that tolerate it.

Kubernetes 1.34: pkg/scheduler/framework/plugins/nodeunschedulable.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.status import SUCCESS, Status
from schedcheck.model.production.framework.verdicts import UNRESOLVED, Verdicts, passing, verdicts
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.model.production.snapshot.taints import tolerates
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Node, Pod, Taint

CORDON = Taint("node.kubernetes.io/unschedulable", "NoSchedule")


class NodeUnschedulable:
    """A plugin that rejects cordoned nodes."""

    name = "NodeUnschedulable"
    looks_at_no_pods = True

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        pass

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """Leave all nodes."""
        return SUCCESS, None

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Reject cordoned nodes unless the pod tolerates the taint node.kubernetes.io/unschedulable."""
        if not nodes.table.unschedulable.any() or tolerates(pod.pod, CORDON):
            return passing(nodes)
        cordoned = nodes.table.unschedulable[nodes.rows]
        return verdicts(cordoned.astype(np.int8) * UNRESOLVED, "node(s) were unschedulable")

    def events(self) -> Sequence[EventOfInterest]:
        """Return the events of interest: nodes added, uncordoned or with changed taints; changed tolerations."""
        node = ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_TAINT)
        pod = ClusterEvent(Resource.UNSCHEDULED_POD, Action.UPDATE_POD_TOLERATIONS)
        return (EventOfInterest(node, may_admit), EventOfInterest(pod, now_tolerates))


def may_admit(pod: Pod, before: Any, after: Node) -> bool:
    """Whether the node is not cordoned."""
    return not after.unschedulable


def now_tolerates(pod: Pod, before: Pod, after: Pod) -> bool:
    """Whether the changed pod is this one, and tolerates cordoned nodes now."""
    return pod.key == after.key and tolerates(after, CORDON)
