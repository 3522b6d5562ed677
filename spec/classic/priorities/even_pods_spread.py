"""The priority EvenPodsSpreadPriority: the ScheduleAnyway topology spread constraints of a pod.

Kubernetes 1.17: CalculateEvenPodsSpreadPriority in pkg/scheduler/algorithm/priorities/even_pods_spread.go. In 64-bit
floating point, and truncated. Pods of every namespace count, and maxSkew does not.
"""

from collections.abc import Iterable

from schedcheck.spec.binding import occupants
from schedcheck.spec.classic.predicates.even_pods_spread import has_keys, in_scope, preferred
from schedcheck.spec.classic.priorities.scale import HIGHEST, Scores
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.selectors import selects


def count(pod: Pod, node: Node, snapshot: Snapshot) -> int:
    """Return the number of pods in the domains of `node` that the constraints select, added up over the constraints."""
    return sum(
        selects(each.selector, other.labels, NO_FAULTS)
        for each in preferred(pod)
        for where in in_scope(pod, preferred(pod), snapshot)
        if where.labels[each.topology_key] == node.labels[each.topology_key]
        for other in occupants(where, snapshot, NO_FAULTS)
    )


@looks_at("candidates.labels", "nodes.labels", "pods.labels")
def even_pods_spread(pod: Pod, nodes: Iterable[Node], snapshot: Snapshot) -> Scores:
    """Return how far each count is below the sum of all, in tenths of how far the least one is.

    A node without all topology keys gets 0, and so does every node if the pod has no such constraints.
    """
    rated, constraints = tuple(nodes), preferred(pod)
    counts = {node.name: count(pod, node, snapshot) for node in rated if constraints and has_keys(node, constraints)}
    total = sum(counts.values())
    most = total - min(counts.values(), default=0)
    return {
        node.name: 0 if node.name not in counts
        else int(HIGHEST * (float(total - counts[node.name]) / float(most))) if most else HIGHEST
        for node in rated
    }  # fmt: skip
