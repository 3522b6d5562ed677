"""The predicate CheckServiceAffinity: the pods of a service are on nodes with the same values of some labels.

Its arguments are the labels; a Policy gives it any name, and the argument serviceAffinity.
Kubernetes 1.6: ServiceAffinity in plugin/pkg/scheduler/algorithm/predicates/predicates.go; 1.17: the same in
pkg/scheduler/algorithm/predicates. Values come from the nodeSelector of the pod. For other labels they come from the
node of an existing pod, if some service selects the pod to be placed. An existing pod counts if it has all labels of
that pod, whatever the service selects.
Differs: upstream takes the first of an unordered list of such pods, here the first by name. In 1.17 a nominated pod
that comes first ends the cycle in an error, as it has no node yet.
"""

from collections.abc import Mapping

from schedcheck.spec.binding import completed
from schedcheck.spec.classic.failures import SERVICE_AFFINITY_VIOLATED, Failure
from schedcheck.spec.classic.priorities.selector_spread import services_of
from schedcheck.spec.footprints import looks_at, of_its_namespace
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.values import Labels


def company(pod: Pod, snapshot: Snapshot) -> tuple[tuple[Pod, Node], ...]:
    """Return the pods on nodes, with these nodes, that have all labels of `pod` and its namespace, in order."""
    nodes = {node.name: node for node in snapshot.nodes}
    return tuple(
        (other, nodes[other.node_name])
        for other in snapshot.pods
        if other.node_name in nodes
        and other.namespace == pod.namespace
        and other.key != pod.key
        and not completed(other)
        and pod.labels.items() <= other.labels.items()
    )


def wanted(pod: Pod, snapshot: Snapshot, labels: tuple[str, ...]) -> Mapping[str, str]:
    """Return the values of these labels that a node must have: of the nodeSelector, else of the first pod's node."""
    where: tuple[Labels, ...] = tuple(node.labels for _, node in company(pod, snapshot)[:1])
    found = where[0] if where and services_of(pod, snapshot) else Labels()
    return {
        label: values[label]
        for values in (found, pod.node_selector)
        for label in labels
        if label in values
    }  # fmt: skip


def check_service_affinity(pod: Pod, node: Node, snapshot: Snapshot, labels: tuple[str, ...]) -> bool:
    """Whether `node` has these values of the labels."""
    return wanted(pod, snapshot, labels).items() <= node.labels.items()


@looks_at("nodes.labels", "pods.labels", "services", who=of_its_namespace)
def failures(pod: Pod, node: Node, snapshot: Snapshot, labels: tuple[str, ...]) -> tuple[Failure, ...]:
    """Return the failure of CheckServiceAffinity on `node`; empty if it passes."""
    return () if check_service_affinity(pod, node, snapshot, labels) else (SERVICE_AFFINITY_VIOLATED,)
