"""The plugins for volumes and for resource claims, which have nothing to do for a pod without either.

Not modelled: volumes, resource claims.

Kubernetes 1.34: pkg/scheduler/framework/plugins/volumebinding and its neighbours, plugins/dynamicresources.
"""

from collections.abc import Callable, Sequence

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState, NotFoundError
from schedcheck.model.production.framework.events import EventOfInterest
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.plugin import PostFilterResult
from schedcheck.model.production.framework.status import SKIP, SUCCESS, Status, error, unschedulable
from schedcheck.model.production.framework.verdicts import NodeStatuses, Verdicts, verdicts
from schedcheck.model.production.nodes.labels import Numbers
from schedcheck.model.production.nodes.pod_info import PodInfo
from schedcheck.model.production.nodes.snapshot import Nodes, Snapshot
from schedcheck.spec.objects import Pod
from schedcheck.spec.plugins import Arguments


class Idle:
    """A plugin that skips every pod, at every point at which it is enabled."""

    def __init__(self, name: str) -> None:
        self.name = name

    def pre_enqueue(self, pod: Pod) -> Status:
        """It lets every pod in."""
        return SUCCESS

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """A skip, which is remembered."""
        state.write(self.name, True)
        return SKIP, None

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """It lets every node pass."""
        return verdicts(np.zeros(len(nodes), np.int8))

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Status:
        """A skip."""
        return SKIP

    def score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Numbers:
        """Nothing."""
        return np.zeros(len(nodes), np.int64)

    def reserve(self, state: CycleState, pod: Pod, node: str) -> Status:
        """There is nothing to set aside."""
        return SUCCESS

    def unreserve(self, state: CycleState, pod: Pod, node: str) -> None:
        """There is nothing to give back."""

    def pre_bind(self, state: CycleState, pod: Pod, node: str) -> Status:
        """There is nothing to prepare."""
        return SUCCESS

    def events(self) -> Sequence[EventOfInterest]:
        """Whom it never refuses it need not try again."""
        return ()


class DynamicResources(Idle):
    """The plugin for resource claims; it has a say where a pod fits nowhere."""

    def post_filter(
        self, state: CycleState, pod: PodInfo, statuses: NodeStatuses
    ) -> tuple[PostFilterResult | None, Status]:
        """It has no claim to give up; where its PreFilter was never run it fails, as kube-scheduler's does."""
        try:
            state.read(self.name, bool)
        except NotFoundError:
            return None, error("not found")
        return None, unschedulable("no new claims to deallocate")


def idle(name: str) -> Callable[[Arguments, Handle], Idle]:
    """What makes the plugin of this name."""
    return lambda arguments, handle: (DynamicResources if name == "DynamicResources" else Idle)(name)
