"""The plugin TaintToleration: rejects nodes with untolerated taints, and prefers nodes with fewer soft ones.

Kubernetes 1.34: pkg/scheduler/framework/plugins/tainttoleration.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState, NotFoundError
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.status import SUCCESS, Status, error
from schedcheck.model.production.framework.verdicts import UNRESOLVED, Verdicts, passing, verdicts
from schedcheck.model.production.plugins.normalizing import proportional
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.model.production.snapshot.taints import REPELLING, first_untolerated, tolerates, untolerated_preferences
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Node, Pod

KEY = "PreScoreTaintToleration"


class TaintToleration:
    """A plugin for taints: NoSchedule and NoExecute reject nodes, PreferNoSchedule scores them."""

    name = "TaintToleration"
    looks_at_no_pods = True

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._names_it = Departure.UNTOLERATED_TAINT_NAMED in handle.departures

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """Leave all nodes."""
        return SUCCESS, None

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Reject nodes with an untolerated NoSchedule or NoExecute taint; older versions name the first one."""
        first = first_untolerated(pod.pod, nodes)
        if first is None:
            return passing(nodes)
        if not self._names_it:
            return verdicts((first >= 0).astype(np.int8) * UNRESOLVED, "node(s) had untolerated taint(s)")
        lists = nodes.table.taint_lists
        longest = max(map(len, lists), default=0) + 1

        def texts(reason: int) -> tuple[str, ...]:
            taint = lists[reason // longest][reason % longest]
            return (f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}",)

        reasons = nodes.table.taints[nodes.rows] * longest + np.maximum(first, 0)
        return Verdicts((first >= 0).astype(np.int8) * UNRESOLVED, reasons, texts)

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Status:
        """Return a success; it never skips."""
        state.write(KEY, True)
        return SUCCESS

    def score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Numbers | Status:
        """Return each node's number of untolerated PreferNoSchedule taints; an error if PreScore did not run."""
        try:
            state.read(KEY, bool)
        except NotFoundError:
            return error(f'failed to read "{KEY}" from cycleState: not found')
        return untolerated_preferences(pod.pod, nodes)

    def normalize(self, state: CycleState, pod: PodInfo, nodes: Nodes, scores: Numbers) -> Numbers:
        """Map 0 taints to 100, more taints to less."""
        return proportional(scores, reverse=True)

    def events(self) -> Sequence[EventOfInterest]:
        """Return the events of interest: nodes added or with changed taints; changed tolerations of the pod."""
        node = ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_TAINT)
        pod = ClusterEvent(Resource.UNSCHEDULED_POD, Action.UPDATE_POD_TOLERATIONS)
        return (EventOfInterest(node, may_admit), EventOfInterest(pod, is_this_pod))


def admitted(pod: Pod, node: Node) -> bool:
    """Whether the pod tolerates all NoSchedule and NoExecute taints of the node."""
    return all(taint.effect not in REPELLING or tolerates(pod, taint) for taint in node.taints)


def may_admit(pod: Pod, before: Node | None, after: Node) -> bool:
    """Whether the pod tolerates the node's taints, and did not before."""
    return admitted(pod, after) and (before is None or not admitted(pod, before))


def is_this_pod(pod: Pod, before: Any, after: Pod) -> bool:
    """Whether the changed pod is this one."""
    return pod.key == after.key
