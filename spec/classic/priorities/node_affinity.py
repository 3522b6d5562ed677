"""The priority NodeAffinityPriority: the weights of the preferred node-affinity terms that a node matches.

Kubernetes 1.6: plugin/pkg/scheduler/algorithm/priorities/node_affinity.go. Only expressions over labels count; a term
without any matches nothing, although a comment there says that it matches everything.
"""

from collections.abc import Iterable

from schedcheck.spec.classic.affinity import affinity
from schedcheck.spec.classic.priorities.scale import HIGHEST, Scores
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.selectors import match_term
from schedcheck.spec.terms import NodeSelectorTerm


def weight(pod: Pod, node: Node) -> int:
    """Return the sum of the weights of the preferred terms that `node` matches."""
    return sum(
        preferred.weight
        for preferred in affinity(pod).node_preferred
        if match_term(NodeSelectorTerm(preferred.term.match_expressions), node, NO_FAULTS)
    )


@looks_at("candidates.labels")
def node_affinity(pod: Pod, nodes: Iterable[Node], snapshot: Snapshot) -> Scores:
    """Return the tenths of the highest weight among these nodes, as a truncated 64-bit float; 0 if no node matches."""
    weights = {node.name: weight(pod, node) for node in nodes}
    highest = max(weights.values(), default=0)
    return {name: int(HIGHEST * (float(each) / float(highest))) if highest > 0 else 0 for name, each in weights.items()}
