"""The predicate MatchNodeSelector: the nodeSelector and the required node affinity of a pod.

Kubernetes 1.6: podMatchesNodeLabels in plugin/pkg/scheduler/algorithm/predicates/predicates.go; 1.17 also has terms
over fields, as here.
"""

from schedcheck.spec.classic.affinity import affinity
from schedcheck.spec.classic.failures import NODE_SELECTOR_NOT_MATCHED, Failure
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.node_selector import node_selector
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.selectors import match_term


def match_node_selector(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    """Whether `node` has every label of the nodeSelector, and matches one of the required terms if there are any."""
    required = affinity(pod).node_required
    return (
        node_selector(pod, node, snapshot, NO_FAULTS)
        and (required == () or any(match_term(term, node, NO_FAULTS) for term in required))
    )  # fmt: skip


@looks_at("node.labels")
def failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Return the failure of MatchNodeSelector on `node`; empty if it passes."""
    return () if match_node_selector(pod, node, snapshot) else (NODE_SELECTOR_NOT_MATCHED,)
