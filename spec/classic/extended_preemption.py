"""Preemption with extenders that are called about victims: `offers`, `chosen`.

Kubernetes 1.17: Preempt and processPreemptionWithExtenders in pkg/scheduler/core/generic_scheduler.go.
"""

from collections.abc import Iterator
from itertools import product

from schedcheck.spec.classic.extenders import Refused, agreed
from schedcheck.spec.classic.policy import Classic
from schedcheck.spec.classic.preemption import Candidate, candidates, damage, permitted, potential_nodes
from schedcheck.spec.extenders import Failed, Offered, Victims, preempting
from schedcheck.spec.objects import Pod, Snapshot

Chosen = frozenset[Candidate]


def offers(pod: Pod, snapshot: Snapshot, classic: Classic, refused: Refused) -> Iterator[Offered]:
    r"""Yield the candidates by node, in every way in which equally important pods may be put back.

    TLA+: EarlyOffers(Pod, Snapshot) ==
            LET On(Node) == {EarlyOffered(Node, Victims, Snapshot) : Victims \in EarlyCandidates(Pod, Node, Snapshot)}
                Found == {Node \in EarlyPotential(Pod, Snapshot) : On(Node) # {}}
                Ways == {Way \in [Found -> UNION {On(Node) : Node \in Found}] : \A Node \in Found : Way[Node] \in On(Node)}
            IN {{Way[Node] : Node \in Found} : Way \in Ways}
    """
    by_node = (candidates(pod, node, snapshot, classic) for node in potential_nodes(pod, snapshot, classic, refused))
    for way in product(*(sorted(found, key=str) for found in by_node if found)):
        yield {each.node.name: Victims(each.victims, each.violations) for each in way}


def least(found: Chosen) -> Chosen:
    """Return the candidates that do the least damage, any of which may be chosen."""
    return frozenset(each for each in found if all(damage(each) <= damage(other) for other in found))


def agreed_on(pod: Pod, offered: Offered, snapshot: Snapshot, classic: Classic) -> Chosen:
    """Return the candidates that may be chosen of those that the extenders keep; none if an extender fails."""
    left = agreed(pod, offered, snapshot, classic.extenders)
    nodes = {node.name: node for node in snapshot.nodes}
    if isinstance(left, Failed):
        return frozenset()
    return least(frozenset(Candidate(nodes[name], each.pods, each.violations) for name, each in left.items()))


def chosen(pod: Pod, snapshot: Snapshot, classic: Classic, refused: Refused) -> frozenset[Chosen]:
    """Return the sets of candidates from which one may be chosen, one set for each way to put victims back.

    The pod, which may preempt, waits where such a set is empty.
    """
    if preempting(pod, classic.extenders) == ():
        return frozenset({permitted(pod, snapshot, classic, refused)})
    return frozenset(agreed_on(pod, each, snapshot, classic) for each in offers(pod, snapshot, classic, refused))
