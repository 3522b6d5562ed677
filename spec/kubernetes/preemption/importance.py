"""Potential victims of a preemptor on a node, and the order of their importance: `potential_victims`, `by_importance`.

Kubernetes 1.34: MoreImportantPod in pkg/scheduler/util/utils.go.

Not modelled: start times in the future.
"""

from collections.abc import Iterable

from schedcheck.spec.footprints import Footprint, looks_at
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.objects import Pod

Order = tuple[Pod, ...]
"""Pods in order of importance, the most important first."""

EVICTED = Footprint(frozenset({"pods.priority", "pods.start_time", "pods.labels", "budgets"}))
"""The footprint over potential victims, in addition to that of the filters."""


def started(pod: Pod) -> tuple[bool, int]:
    """Return the start time of `pod` as a sort key; a pod without one is assumed to start now, after all others."""
    return pod.start_time is None, pod.start_time or 0


@looks_at("victims.priority", "victims.start_time")
def importance(pod: Pod) -> tuple[int, tuple[bool, int]]:
    r"""Return the sort key of importance, smaller being more important: higher priority first, then earlier start.

    TLA+: MoreImportant(Pod, Other) ==
            \/ Pod.Spec.Priority > Other.Spec.Priority
            \/ Pod.Spec.Priority = Other.Spec.Priority /\ Pod.Status.StartTime < Other.Status.StartTime
    """
    return -pod.priority, started(pod)


def potential_victims(pod: Pod, info: NodeInfo) -> tuple[Pod, ...]:
    r"""Return the pods on the node with a lower priority than `pod`, terminating ones included.

    TLA+: PotentialVictims(Pod, Info) ==
            {Other \in Info.Pods : Other.Spec.Priority < Pod.Spec.Priority}
    """
    return tuple(other for other in info.pods if other.priority < pod.priority)


def by_importance(pods: Iterable[Pod]) -> Order:
    """Return the pods in order of importance; equally important pods keep their given order."""
    return tuple(sorted(pods, key=importance))
