"""The predicate CheckNodeLabelPresence: labels that a node must have, or must not have, whatever their values.

Its arguments are the labels, and whether they must be present.
Kubernetes 1.6: NodeLabelChecker in plugin/pkg/scheduler/algorithm/predicates/predicates.go.
"""

from schedcheck.spec.classic.failures import LABEL_PRESENCE_VIOLATED, Failure
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node


def check_node_label_presence(node: Node, labels: tuple[str, ...], presence: bool) -> bool:
    """Whether `node` has all of these labels or, with `presence` False, none of them."""
    return all((label in node.labels) == presence for label in labels)


@looks_at("node.labels")
def failures(node: Node, labels: tuple[str, ...], presence: bool) -> tuple[Failure, ...]:
    """Return the failure of CheckNodeLabelPresence on `node`; empty if it passes."""
    return () if check_node_label_presence(node, labels, presence) else (LABEL_PRESENCE_VIOLATED,)
