"""The plugin NodeName: a pod with a nodeName goes to no other node.

Kubernetes 1.34: pkg/scheduler/framework/plugins/nodename.
"""

from collections.abc import Sequence

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.status import SUCCESS, Status
from schedcheck.model.production.framework.verdicts import UNRESOLVED, Verdicts, passing, verdicts
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.spec.kubernetes.plugins import Arguments

REASON = "node(s) didn't match the requested node name"


class NodeName:
    """A plugin that rejects every node except that of the pod's nodeName, if it has one."""

    name = "NodeName"
    looks_at_no_pods = True

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        pass

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """Narrow the nodes to the one that the pod names."""
        named = pod.pod.node_name
        return SUCCESS, frozenset({named}) if named else None

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Reject nodes with another name than the pod's nodeName."""
        named = pod.pod.node_name
        if not named:
            return passing(nodes, REASON)
        other = nodes.rows != nodes.table.row_of.get(named, -1)
        return verdicts(other.astype(np.int8) * UNRESOLVED, REASON)

    def events(self) -> Sequence[EventOfInterest]:
        """Return the event of interest: nodes added."""
        return (EventOfInterest(ClusterEvent(Resource.NODE, Action.ADD)),)
