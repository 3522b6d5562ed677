"""The plugin NodeDeclaredFeatures: rejects nodes whose kubelet does not declare a feature that the pod needs.

Kubernetes 1.37: pkg/scheduler/framework/plugins/nodedeclaredfeatures.
"""

from collections.abc import Sequence

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState, NotFoundError
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.status import SKIP, SUCCESS, Status
from schedcheck.model.production.framework.verdicts import UNRESOLVED, Verdicts, failing, passing, verdicts
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import Arguments

KEY = "PreFilterNodeDeclaredFeatures"
REASON = "node(s) didn't match Pod's required features"


class NodeDeclaredFeatures:
    """A plugin for the features of kubelets that fields of a pod need."""

    name = "NodeDeclaredFeatures"
    looks_at_no_pods = True

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._idle = Departure.DECLARED_FEATURES_IGNORED in handle.departures

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """Skip if the pod needs no feature."""
        state.write(KEY, True)
        return (SKIP if self._idle or not pod.pod.required_features else SUCCESS), None

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Reject nodes that do not declare all of the features; fail if PreFilter did not run."""
        if self._idle:
            return passing(nodes, REASON)
        try:
            state.read(KEY, bool)
        except NotFoundError:
            return failing(nodes, f'error reading "{KEY}" from cycle-state: not found')
        needed = pod.pod.required_features
        lacking = [bool(needed - nodes.table.node(row).declared_features) for row in nodes.rows.tolist()]
        return verdicts(np.array(lacking, np.int8) * UNRESOLVED, REASON)

    def events(self) -> Sequence[EventOfInterest]:
        """Return the events of interest: nodes added, or that declare other features; none while the gate is off."""
        if self._idle:
            return ()
        action = Action.ADD | Action.UPDATE_NODE_DECLARED_FEATURE
        return (EventOfInterest(ClusterEvent(Resource.NODE, action)),)
