"""The predicate EvenPodsSpread: the DoNotSchedule topology spread constraints of a pod.

Kubernetes 1.17: EvenPodsSpreadPredicate in pkg/scheduler/algorithm/predicates/predicates.go, getEvenPodsSpreadMetadata in
metadata.go in the same folder.
Differs from 1.34: terminating pods count, an empty selector selects every pod, and minDomains and the policies for
affinity and taints are unknown. If no node has all the topology keys and matches the pod's node affinity, every node
passes.
"""

from schedcheck.spec.binding import occupants
from schedcheck.spec.classic.failures import TOPOLOGY_SPREAD_NOT_MATCHED, Failure
from schedcheck.spec.classic.predicates.match_node_selector import match_node_selector
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at, of_its_namespace
from schedcheck.spec.objects import Node, Pod, Snapshot, SpreadConstraint
from schedcheck.spec.selectors import selects

Constraints = tuple[SpreadConstraint, ...]


def required(pod: Pod) -> Constraints:
    """Return the DoNotSchedule constraints of `pod`."""
    return tuple(each for each in pod.spread if each.required)


def preferred(pod: Pod) -> Constraints:
    """Return the ScheduleAnyway constraints of `pod`."""
    return tuple(each for each in pod.spread if not each.required)


def has_keys(node: Node, constraints: Constraints) -> bool:
    """Whether `node` has the topology keys of all these constraints."""
    return all(each.topology_key in node.labels for each in constraints)


def in_scope(pod: Pod, constraints: Constraints, snapshot: Snapshot) -> tuple[Node, ...]:
    """Return the nodes that count: they have all topology keys, and match the node selector and affinity of `pod`."""
    return tuple(
        node for node in snapshot.nodes if has_keys(node, constraints) and match_node_selector(pod, node, snapshot)
    )


def alike(pod: Pod, constraint: SpreadConstraint, node: Node, snapshot: Snapshot) -> int:
    """Return the number of pods on `node`, in the namespace of `pod`, that the constraint selects."""
    return sum(
        other.namespace == pod.namespace and selects(constraint.selector, other.labels, NO_FAULTS)
        for other in occupants(node, snapshot, NO_FAULTS)
    )


def by_domain(pod: Pod, constraint: SpreadConstraint, snapshot: Snapshot) -> dict[str, int]:
    """Return the number of such pods in each domain of the nodes that count."""
    found: dict[str, int] = {}
    for node in in_scope(pod, required(pod), snapshot):
        domain = node.labels[constraint.topology_key]
        found[domain] = found.get(domain, 0) + alike(pod, constraint, node, snapshot)
    return found


def skew(pod: Pod, constraint: SpreadConstraint, node: Node, snapshot: Snapshot) -> int:
    """Return how many more such pods than the least of the domains that of `node` has, with `pod` on it."""
    counts, itself = by_domain(pod, constraint, snapshot), selects(constraint.selector, pod.labels, NO_FAULTS)
    return counts.get(node.labels[constraint.topology_key], 0) + itself - min(counts.values())


def even_pods_spread(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    """Whether `node` has all topology keys, and no skew there exceeds the maximum; or no node counts."""
    constraints = required(pod)
    return in_scope(pod, constraints, snapshot) == () or (
        has_keys(node, constraints)
        and all(skew(pod, each, node, snapshot) <= each.max_skew for each in constraints)
    )  # fmt: skip


def spreads(pod: Pod) -> bool:
    """Whether `pod` has topology spread constraints."""
    return bool(pod.spread)


@looks_at("nodes.labels", "pods.labels", who=of_its_namespace, wide_for=spreads)
def failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Return the failure of EvenPodsSpread on `node`; empty if it passes."""
    passes = required(pod) == () or even_pods_spread(pod, node, snapshot)
    return () if passes else (TOPOLOGY_SPREAD_NOT_MATCHED,)
