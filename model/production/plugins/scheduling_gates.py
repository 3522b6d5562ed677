"""The plugin SchedulingGates: a pod with scheduling gates waits until they are removed.

Kubernetes 1.34: pkg/scheduler/framework/plugins/schedulinggates.
"""

from collections.abc import Sequence
from typing import Any

from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.status import SUCCESS, Status, unresolvable
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Pod


class SchedulingGates:
    """A plugin that keeps pods with scheduling gates out of the activeQ."""

    name = "SchedulingGates"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        pass

    def pre_enqueue(self, pod: Pod) -> Status:
        """Reject a pod that has a scheduling gate."""
        if not pod.scheduling_gates:
            return SUCCESS
        return unresolvable(f"waiting for scheduling gates: [{' '.join(pod.scheduling_gates)}]")

    def events(self) -> Sequence[EventOfInterest]:
        """Return the event of interest: the pod has lost its last gate."""
        gone = ClusterEvent(Resource.UNSCHEDULED_POD, Action.UPDATE_POD_GATES_ELIMINATED)
        return (EventOfInterest(gone, is_this_pod),)


def is_this_pod(pod: Pod, before: Any, after: Pod) -> bool:
    """Whether the changed pod is this one."""
    return pod.key == after.key
