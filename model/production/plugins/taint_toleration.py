"""The plugin TaintToleration: taints keep away, or would rather, whoever does not tolerate them.

Kubernetes 1.34: pkg/scheduler/framework/plugins/tainttoleration.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState, NotFoundError
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.status import SUCCESS, Status, error
from schedcheck.model.production.framework.verdicts import UNRESOLVED, Verdicts
from schedcheck.model.production.plugins.normalizing import proportional
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.model.production.snapshot.taints import REPELLING, first_untolerated, tolerates, untolerated_preferences
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Node, Pod

KEY = "PreScoreTaintToleration"


class TaintToleration:
    """Refuses nodes with a taint that the pod does not tolerate, and likes the fewer soft ones the better."""

    name = "TaintToleration"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        pass

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Whether each node has such a taint; the first one is the reason."""
        first = first_untolerated(pod.pod, nodes)
        lists = nodes.table.taint_lists
        longest = max(map(len, lists), default=0) + 1

        def texts(reason: int) -> tuple[str, ...]:
            taint = lists[reason // longest][reason % longest]
            return (f"node(s) had untolerated taint {{{taint.key}: {taint.value}}}",)

        reasons = nodes.table.taints[nodes.rows] * longest + np.maximum(first, 0)
        return Verdicts((first >= 0).astype(np.int8) * UNRESOLVED, reasons, texts)

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Status:
        """There is always something to rate."""
        state.write(KEY, True)
        return SUCCESS

    def score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Numbers | Status:
        """How many soft taints each node has that the pod does not tolerate; an error without PreScore."""
        try:
            state.read(KEY, bool)
        except NotFoundError:
            return error(f'failed to read "{KEY}" from cycleState: not found')
        return untolerated_preferences(pod.pod, nodes)

    def normalize(self, state: CycleState, pod: PodInfo, nodes: Nodes, scores: Numbers) -> Numbers:
        """100 for none."""
        return proportional(scores, reverse=True)

    def events(self) -> Sequence[EventOfInterest]:
        """A node that is new or has other taints, and a pod that tolerates more."""
        node = ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_TAINT)
        pod = ClusterEvent(Resource.UNSCHEDULED_POD, Action.UPDATE_POD_TOLERATIONS)
        return (EventOfInterest(node, may_admit), EventOfInterest(pod, is_this_pod))


def admitted(pod: Pod, node: Node) -> bool:
    """Whether no taint of the node keeps the pod away."""
    return all(taint.effect not in REPELLING or tolerates(pod, taint) for taint in node.taints)


def may_admit(pod: Pod, before: Node | None, after: Node) -> bool:
    """Whether the node admits the pod, and did not before."""
    return admitted(pod, after) and (before is None or not admitted(pod, before))


def is_this_pod(pod: Pod, before: Any, after: Pod) -> bool:
    """Whether it is this pod that was changed."""
    return pod.key == after.key
