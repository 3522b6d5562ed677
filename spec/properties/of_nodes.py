"""Predicates about the nodes of a snapshot."""

from schedcheck.spec.objects import Snapshot


def nodes_bounded(number: int, snapshot: Snapshot) -> bool:
    """Whether there are at most so many nodes.

    TLA+: NodesBounded(Number, Snapshot) == Cardinality(Nodes(Snapshot)) <= Number
    """
    return len(snapshot.nodes) <= number
