"""The priority CalculateAntiAffinityPriority: the fewer pods of the service under the same label value, the better.

Its argument is the label; a Policy gives it any name, and the argument serviceAntiAffinity.
Kubernetes 1.6: ServiceAntiAffinity in plugin/pkg/scheduler/algorithm/priorities/selector_spreading.go.
"""

from collections.abc import Iterable

from schedcheck.spec.binding import completed
from schedcheck.spec.classic.priorities.scale import Scores
from schedcheck.spec.classic.priorities.selector_spread import emptiness, services_of
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at, of_its_namespace
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.selectors import selects
from schedcheck.spec.terms import LabelSelector


def of_its_service(pod: Pod, snapshot: Snapshot) -> tuple[Pod, ...]:
    """Return the bound pods of the first service of `pod`, terminating ones included.

    Differs: upstream's first service is the first of an unordered list.
    """
    first = services_of(pod, snapshot)[:1]
    return tuple(
        other
        for service in first
        for other in snapshot.pods
        if other.namespace == pod.namespace
        and other.node_name != ""
        and not completed(other)
        and selects(LabelSelector(service.selector), other.labels, NO_FAULTS)
    )


@looks_at("candidates.labels", "pods.labels", "services", who=of_its_namespace)
def service_anti_affinity(pod: Pod, nodes: Iterable[Node], snapshot: Snapshot, label: str) -> Scores:
    """Return the share of the service's pods that are under other values of the label, in tenths, truncated.

    A node without the label gets 0. All pods of the service count, but only those on these nodes have a place.
    """
    rated = tuple(nodes)
    pods = of_its_service(pod, snapshot)
    where = {node.name: node.labels[label] for node in rated if label in node.labels}
    there = {value: sum(where.get(other.node_name) == value for other in pods) for value in where.values()}
    return {
        node.name: int(emptiness(there[where[node.name]], len(pods)) if node.name in where else 0) for node in rated
    }
