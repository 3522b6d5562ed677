"""The predicate MatchInterPodAffinity, on the topology pairs of the metadata.

Kubernetes 1.17: InterPodAffinityMatches, satisfiesExistingPodsAntiAffinity and satisfiesPodsAffinityAntiAffinity in
pkg/scheduler/algorithm/predicates/predicates.go.
"""

from schedcheck.model.classic.matching import Term
from schedcheck.model.classic.metadata import Metadata, Pair
from schedcheck.model.classic.nodes.node_info import NodeInfo
from schedcheck.model.classic.predicates.arguments import Arguments
from schedcheck.model.classic.reasons import (
    EXISTING_ANTI_AFFINITY,
    INTER_POD,
    INTER_POD_AFFINITY,
    INTER_POD_ANTI_AFFINITY,
    PASSED,
    Reasons,
)
from schedcheck.spec.objects import Node


def match_inter_pod_affinity(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
    """Reject a node for the anti-affinity of existing pods, then the affinity and anti-affinity of the pod."""
    there = node.there
    if any(pair in meta.objecting for pair in there.labels.items()):
        return INTER_POD, EXISTING_ANTI_AFFINITY
    if meta.info.near and not _in_company(meta, there) and not _first_of_its_group(meta):
        return INTER_POD, INTER_POD_AFFINITY
    if any(_pair(term, there) in meta.apart for term in meta.info.apart):
        return INTER_POD, INTER_POD_ANTI_AFFINITY
    return PASSED


def _pair(term: Term, node: Node) -> Pair | None:
    """Return the pair of the node's value of the term's key, None if it has none."""
    return (term.key, node.labels[term.key]) if term.key in node.labels else None


def _in_company(meta: Metadata, node: Node) -> bool:
    """Whether the node has the key of every required affinity term, with a value where a matching pod is."""
    return all(_pair(term, node) in meta.near for term in meta.info.near)


def _first_of_its_group(meta: Metadata) -> bool:
    """Whether no pod anywhere matches the required affinity terms, and the pod matches them itself."""
    return not meta.near and meta.matches_itself()
