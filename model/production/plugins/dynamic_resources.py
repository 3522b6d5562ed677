"""The plugin DynamicResources, which does nothing for a pod without resource claims.

Not modelled: whether resource claims can be satisfied. A pod that has any is rejected, with that reason.

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
    """A plugin that rejects every pod with resource claims."""

    name = "DynamicResources"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        pass

    def pre_enqueue(self, pod: Pod) -> Status:
        """Let every pod into the queue."""
        return SUCCESS

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """Record that PreFilter ran; reject a pod with resource claims, else return a skip."""
        state.write(self.name, True)
        return unresolvable("not modelled: resource claims") if pod.pod.resource_claims else SKIP, None

    def _asked(self, state: CycleState) -> bool:
        """Whether PreFilter of this plugin ran in this cycle."""
        try:
            return state.read(self.name, bool)
        except NotFoundError:
            return False

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Pass every node; fail if PreFilter did not run."""
        return verdicts(np.full(len(nodes), PASSED if self._asked(state) else FAILED, np.int8), UNPREPARED)

    def post_filter(
        self, state: CycleState, pod: PodInfo, statuses: NodeStatuses
    ) -> tuple[PostFilterResult | None, Status]:
        """Return a rejection, because there is no claim to deallocate; fail if PreFilter did not run."""
        return None, unschedulable("no new claims to deallocate") if self._asked(state) else error(UNPREPARED)

    def reserve(self, state: CycleState, pod: Pod, node: str) -> Status:
        """Reserve nothing."""
        return SUCCESS

    def unreserve(self, state: CycleState, pod: Pod, node: str) -> None:
        """Undo nothing."""

    def pre_bind(self, state: CycleState, pod: Pod, node: str) -> Status:
        """Prepare nothing."""
        return SUCCESS

    def events(self) -> Sequence[EventOfInterest]:
        """Return no event: a rejected pod would be rejected again."""
        return ()
