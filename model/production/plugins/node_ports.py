"""The plugin NodePorts: a host port is used by at most one pod.

Kubernetes 1.34: pkg/scheduler/framework/plugins/nodeports.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState, NotFoundError
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.status import SKIP, SUCCESS, Status
from schedcheck.model.production.framework.verdicts import REFUSED, Verdicts, failing, verdicts
from schedcheck.model.production.snapshot.pod_info import PodInfo, clash
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Pod

KEY = "PreFilterNodePorts"


class NodePorts:
    """A plugin that rejects nodes on which a host port of the pod is in use."""

    name = "NodePorts"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        pass

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """Skip if the pod has no host port."""
        if not pod.ports:
            return SKIP, None
        state.write(KEY, True)
        return SUCCESS, None

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Reject nodes on which a host port of the pod is in use, within the trial if there is one.

        Return an error if PreFilter did not run.
        """
        try:
            state.read(KEY, bool)
        except NotFoundError:
            return failing(nodes, f'reading "{KEY}" from cycleState: not found')
        held: set[int] = set().union(*(nodes.table.holders(port) for port in pod.ports))
        taken = np.isin(nodes.rows, list(held))
        if nodes.trial is not None and nodes.worlds is not None:
            for place, world in enumerate(nodes.worlds):
                if int(world) in nodes.trial.ports:
                    there = nodes.trial.ports[int(world)]
                    taken[place] = any(clash(wanted, port) for wanted in pod.ports for port in there)
        return verdicts(
            taken.astype(np.int8) * REFUSED, "node(s) didn't have free ports for the requested pod ports"
        )  # fmt: skip

    def events(self) -> Sequence[EventOfInterest]:
        """Return the events of interest: a deleted pod that frees a wanted port, and nodes added."""
        return (
            EventOfInterest(ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE), frees_a_port),
            EventOfInterest(ClusterEvent(Resource.NODE, Action.ADD)),
        )


def frees_a_port(pod: Pod, before: Pod, after: Any) -> bool:
    """Whether the deleted pod was bound or nominated, and used a port that this pod wants."""
    if not before.node_name and not before.nominated_node_name:
        return False
    return any(clash(wanted, held) for wanted in PodInfo(pod).ports for held in PodInfo(before).ports)
