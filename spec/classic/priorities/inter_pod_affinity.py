"""The priority InterPodAffinityPriority: preferred pod affinity and anti-affinity, of the pod and of existing pods.

Kubernetes 1.6: plugin/pkg/scheduler/algorithm/priorities/interpod_affinity.go.
Differs: an empty topology key means no domain, as since 1.7.
"""

from collections.abc import Iterable, Iterator

from schedcheck.spec.classic.affinity import affinity
from schedcheck.spec.classic.predicates.match_inter_pod_affinity import concerns, placed, same_domain
from schedcheck.spec.classic.priorities.scale import HIGHEST, Scores
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.terms import PodAffinityTerm

HARD_WEIGHT = 1
"""The default weight of a required affinity term of an existing pod, unless the Policy gives another."""


def preferred(pod: Pod) -> tuple[tuple[int, PodAffinityTerm], ...]:
    """Return the preferred terms of `pod` with their weights, which are negative for anti-affinity."""
    return (
        *((each.weight, each.term) for each in affinity(pod).pod_preferred),
        *((-each.weight, each.term) for each in affinity(pod).anti_preferred),
    )


def votes(pod: Pod, other: Pod, hard_weight: int) -> Iterator[tuple[int, str]]:
    """Yield the weight and topology key of each term of `pod` that selects `other`, or of `other` that selects `pod`.

    Required affinity terms of `other` count as well.
    """
    required = tuple((hard_weight, term) for term in affinity(other).pod_required)
    yield from ((weight, term.topology_key) for weight, term in preferred(pod) if concerns(term, pod, other))
    yield from (
        (weight, term.topology_key)
        for weight, term in (*required, *preferred(other))
        if concerns(term, other, pod)
    )  # fmt: skip


def count(pod: Pod, node: Node, snapshot: Snapshot, hard_weight: int) -> int:
    """Return the sum of the weights of the pods in the domains of `node`."""
    return sum(
        weight
        for other, where in placed(snapshot)
        for weight, key in votes(pod, other, hard_weight)
        if same_domain(key, node, where)
    )


@looks_at("candidates.labels", "nodes.labels", "pods.labels", "pods.affinity", "pods.annotated_affinity")
def inter_pod_affinity(pod: Pod, nodes: Iterable[Node], snapshot: Snapshot, hard_weight: int) -> Scores:
    """Return the sums mapped linearly to 0 to 10, from the least, at most 0, to the greatest, at least 0.

    Computed in 64-bit floating point, and truncated.
    """
    counts = {node.name: count(pod, node, snapshot, hard_weight) for node in nodes}
    least, most = min((0, *counts.values())), max((0, *counts.values()))
    return {
        name: int(HIGHEST * (float(each - least) / float(most - least))) if most > least else 0
        for name, each in counts.items()
    }
