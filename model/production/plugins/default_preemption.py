"""The plugin DefaultPreemption: preempts pods of lower priority for a pod that fits on no node.

Kubernetes 1.34: pkg/scheduler/framework/plugins/defaultpreemption.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from schedcheck.model.production.cycle.pod_groups import Preempted, Seek
from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.plugin import PostFilterResult
from schedcheck.model.production.framework.status import SUCCESS, Status, unresolvable
from schedcheck.model.production.framework.verdicts import NodeStatuses
from schedcheck.model.production.preemption.evaluator import Evaluator
from schedcheck.model.production.preemption.of_groups import preempted
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Pod
from schedcheck.spec.workload_objects import PodGroup

if TYPE_CHECKING:
    from schedcheck.model.production.cycle.scheduler import Scheduler

WAITS = "waiting for the preemption for this pod to be finished"


class DefaultPreemption:
    """A plugin that preempts after the filters have rejected every node.

    The preemptor stays out of the activeQ until its victims are evicted.
    """

    name = "DefaultPreemption"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._handle = handle
        self.evaluator = Evaluator(
            handle,
            arguments.min_candidate_nodes_percentage,
            arguments.min_candidate_nodes_absolute,
            asynchronous=handle.asynchronous_preemption,
        )

    def pre_enqueue(self, pod: Pod) -> Status:
        """Reject the pod while its victims are being evicted."""
        return unresolvable(WAITS) if self.evaluator.evictions.gates(pod) else SUCCESS

    def post_filter(
        self, state: CycleState, pod: PodInfo, statuses: NodeStatuses
    ) -> tuple[PostFilterResult | None, Status]:
        """Return the result of preemption; its message begins with "preemption: "."""
        result, status = self.evaluator.preempt(self._handle.framework_of(pod.pod), state, pod.pod, statuses)
        if status.reasons:
            status = Status(status.code, (f"preemption: {status.message}",), status.plugin)
        return result, status

    def pod_group_post_filter(
        self, scheduler: "Scheduler", group: PodGroup, pods: list[Pod], search: Seek
    ) -> Preempted | None:
        """Return what preemption makes of a group that does not fit; None if it does not help."""
        return preempted(scheduler, self._handle.framework_of(pods[0]), group, pods, search)

    def evict_for(self, pods: list[Pod], victims: list[Pod]) -> None:
        """Begin the evictions; the pods of the group stay out of the queue until they are done."""
        self.evaluator.evictions.start_for_group(pods, victims)

    def events(self) -> Sequence[EventOfInterest]:
        """Return the event of interest: the deletion of a bound pod, which may be the last victim."""
        return (EventOfInterest(ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE)),)
