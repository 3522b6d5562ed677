"""The plugin DynamicResources, which has nothing to do for a pod that claims no devices.

Not modelled: whether claims of devices can be met. A pod that has any is refused, and for that reason.

Kubernetes 1.34: pkg/scheduler/framework/plugins/dynamicresources.
"""

from collections.abc import Sequence

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState, NotFoundError
from schedcheck.model.production.framework.events import EventOfInterest
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.plugin import PostFilterResult
from schedcheck.model.production.framework.status import SKIP, SUCCESS, Status, error, unresolvable, unschedulable
from schedcheck.model.production.framework.verdicts import FAILED, PASSED, NodeStatuses, Verdicts, verdicts
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Pod

UNPREPARED = "not found"


class DynamicResources:
    """Refuses every pod that claims devices."""

    name = "DynamicResources"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        pass

    def pre_enqueue(self, pod: Pod) -> Status:
        """It lets every pod in."""
        return SUCCESS

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """A skip, or the refusal of a pod that claims devices; that it was asked is remembered."""
        state.write(self.name, True)
        return unresolvable("not modelled: resource claims") if pod.pod.resource_claims else SKIP, None

    def _asked(self, state: CycleState) -> bool:
        """Whether PreFilter came as far as this plugin."""
        try:
            return state.read(self.name, bool)
        except NotFoundError:
            return False

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """It lets every node pass, if PreFilter was run."""
        return verdicts(np.full(len(nodes), PASSED if self._asked(state) else FAILED, np.int8), UNPREPARED)

    def post_filter(
        self, state: CycleState, pod: PodInfo, statuses: NodeStatuses
    ) -> tuple[PostFilterResult | None, Status]:
        """It has no claim to give up; where its PreFilter was never run it fails."""
        return None, unschedulable("no new claims to deallocate") if self._asked(state) else error(UNPREPARED)

    def reserve(self, state: CycleState, pod: Pod, node: str) -> Status:
        """There is nothing to set aside."""
        return SUCCESS

    def unreserve(self, state: CycleState, pod: Pod, node: str) -> None:
        """There is nothing to give back."""

    def pre_bind(self, state: CycleState, pod: Pod, node: str) -> Status:
        """There is nothing to prepare."""
        return SUCCESS

    def events(self) -> Sequence[EventOfInterest]:
        """Whom it refuses it would refuse again."""
        return ()
