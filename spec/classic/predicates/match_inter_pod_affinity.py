"""The predicate MatchInterPodAffinity: required pod affinity and anti-affinity, of the pod and of existing pods.

Kubernetes 1.17: PodAffinityChecker in pkg/scheduler/algorithm/predicates/predicates.go, podAffinityMetadata in
metadata.go in the same folder. A term names its namespaces, or applies to that of its pod; namespace selectors are of
later versions.
Differs: in 1.6 and before, different pods may each match one of the required terms, and all failures have one name.
"""

from collections.abc import Iterator

from schedcheck.spec.binding import occupants
from schedcheck.spec.classic.affinity import affinity
from schedcheck.spec.classic.failures import (
    AFFINITY_RULES_NOT_MATCHED,
    ANTI_AFFINITY_RULES_NOT_MATCHED,
    EXISTING_ANTI_AFFINITY_NOT_MATCHED,
    POD_AFFINITY_NOT_MATCHED,
    Failure,
)
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.selectors import selects
from schedcheck.spec.terms import PodAffinityTerm


def concerns(term: PodAffinityTerm, owner: Pod, other: Pod) -> bool:
    """Whether `term`, carried by `owner`, selects the pod `other`."""
    return (
        other.namespace in (term.namespaces or (owner.namespace,))
        and selects(term.label_selector, other.labels, NO_FAULTS)
    )  # fmt: skip


def matches_all(pod: Pod, other: Pod) -> bool:
    """Whether all required affinity terms of `pod` select `other`."""
    return all(concerns(term, pod, other) for term in affinity(pod).pod_required)


def same_domain(key: str, node: Node, other: Node) -> bool:
    """Whether both nodes have the topology key, with the same value."""
    return key in node.labels and node.labels[key] == other.labels.get(key)


def placed(snapshot: Snapshot) -> Iterator[tuple[Pod, Node]]:
    """Yield every pod that is on a node, with that node."""
    return ((other, node) for node in snapshot.nodes for other in occupants(node, snapshot, NO_FAULTS))


def in_company(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    """Whether for each required term a pod that matches all of them is in the same domain as `node`."""
    return all(
        any(
            matches_all(pod, other) and same_domain(term.topology_key, node, where) for other, where in placed(snapshot)
        )
        for term in affinity(pod).pod_required
    )


def first_of_its_group(pod: Pod, snapshot: Snapshot) -> bool:
    """Whether `pod` matches its own required terms, and no pod that matches them is in any domain of their keys.

    Whether the node has the topology keys does not matter then.
    """
    keys = {term.topology_key for term in affinity(pod).pod_required}
    return matches_all(pod, pod) and not any(
        matches_all(pod, other) and not keys.isdisjoint(where.labels) for other, where in placed(snapshot)
    )


def affine(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    """Whether the required pod affinity of `pod` is met on `node`."""
    return in_company(pod, node, snapshot) or first_of_its_group(pod, snapshot)


def apart(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    """Whether no pod in a domain of `node` is selected by a required anti-affinity term of `pod`."""
    return not any(
        concerns(term, pod, other) and same_domain(term.topology_key, node, where)
        for term in affinity(pod).anti_required
        for other, where in placed(snapshot)
    )


def welcome(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    """Whether no pod in a domain of `node` has a required anti-affinity term that selects `pod`."""
    return not any(
        concerns(term, other, pod) and same_domain(term.topology_key, node, where)
        for other, where in placed(snapshot)
        for term in affinity(other).anti_required
    )


def match_inter_pod_affinity(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    """Whether `node` meets the required affinity and anti-affinity of `pod`, and the anti-affinity of existing pods."""
    return welcome(pod, node, snapshot) and affine(pod, node, snapshot) and apart(pod, node, snapshot)


def requires_of_pods(pod: Pod) -> bool:
    """Whether `pod` has required pod affinity or anti-affinity."""
    return bool(affinity(pod).pod_required or affinity(pod).anti_required)


def heeded(pod: Pod, other: Pod) -> Iterator[PodAffinityTerm]:
    """Yield the required terms of `pod` that select `other`, and anti-affinity terms of `other` that select `pod`."""
    own = (*affinity(pod).pod_required, *affinity(pod).anti_required)
    yield from (term for term in own if concerns(term, pod, other))
    yield from (term for term in affinity(other).anti_required if concerns(term, other, pod))


def concerned(pod: Pod, other: Pod, snapshot: Snapshot) -> bool:
    """Whether a required term of one of the two pods selects the other, so that the node of `other` matters."""
    return any(True for _ in heeded(pod, other))


def topology_keys(pod: Pod, snapshot: Snapshot) -> frozenset[str]:
    """Return the topology keys of the required terms of `pod`, and of bound pods' anti-affinity that selects `pod`."""
    own = (*affinity(pod).pod_required, *affinity(pod).anti_required)
    others = (term for other in snapshot.pods if other.node_name for term in heeded(pod, other))
    return frozenset(term.topology_key for term in (*own, *others))


@looks_at(
    "nodes.labels", "pods.labels", "pods.affinity", "pods.annotated_affinity",
    who=concerned, keys=topology_keys, wide_for=requires_of_pods,
)  # fmt: skip
def failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Return the failures of MatchInterPodAffinity on `node`: its own and that of the first rule violated; or none."""
    if not welcome(pod, node, snapshot):
        return POD_AFFINITY_NOT_MATCHED, EXISTING_ANTI_AFFINITY_NOT_MATCHED
    if not affine(pod, node, snapshot):
        return POD_AFFINITY_NOT_MATCHED, AFFINITY_RULES_NOT_MATCHED
    if not apart(pod, node, snapshot):
        return POD_AFFINITY_NOT_MATCHED, ANTI_AFFINITY_RULES_NOT_MATCHED
    return ()
