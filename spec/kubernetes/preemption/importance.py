"""Whom a pod may evict from a node, and who of them matters more: `potential_victims`, `by_importance`.

Kubernetes 1.34: MoreImportantPod in pkg/scheduler/util/utils.go.

Not modelled: start times in the future.
"""

from collections.abc import Iterable

from schedcheck.spec.footprints import Footprint, looks_at
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.objects import Pod

Order = tuple[Pod, ...]
"""Pods, the most important one first."""

EVICTED = Footprint(frozenset({"pods.priority", "pods.start_time", "pods.labels", "budgets"}))
"""What is looked at of those who may be evicted, beside what the filters look at."""


def started(pod: Pod) -> tuple[bool, int]:
    """When `pod` started, to be compared: who has no start time is taken to start now, after all others."""
    return pod.start_time is None, pod.start_time or 0


@looks_at("victims.priority", "victims.start_time")
def importance(pod: Pod) -> tuple[int, tuple[bool, int]]:
    r"""What is compared, less being more important: who has the higher priority, and then who started earlier.

    TLA+: MoreImportant(Pod, Other) ==
            \/ Pod.Spec.Priority > Other.Spec.Priority
            \/ Pod.Spec.Priority = Other.Spec.Priority /\ Pod.Status.StartTime < Other.Status.StartTime
    """
    return -pod.priority, started(pod)


def potential_victims(pod: Pod, info: NodeInfo) -> tuple[Pod, ...]:
    r"""The pods of the node that are of lower priority than `pod`, those that are terminating included.

    TLA+: PotentialVictims(Pod, Info) ==
            {Other \in Info.Pods : Other.Spec.Priority < Pod.Spec.Priority}
    """
    return tuple(other for other in info.pods if other.priority < pod.priority)


def by_importance(pods: Iterable[Pod]) -> Order:
    """The pods in order of importance; those that matter alike stay in the order in which they came."""
    return tuple(sorted(pods, key=importance))
