"""Predicates about the pods with some labels: how many of them stand, and how they are spread over domains."""

from collections.abc import Callable

from schedcheck.spec.binding import bound_to
from schedcheck.spec.budgets import counts_as_ready
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.values import Labels

Chosen = Callable[[Labels], bool]
"""Whether pods with these labels are meant."""


def standing(chosen: Chosen, snapshot: Snapshot, kubelet: bool) -> frozenset[Pod]:
    r"""Return the chosen pods that count as ready.

    TLA+: Standing(Chosen(_), Snapshot, Kubelet) ==
            {Pod \in Pods(Snapshot) : Chosen(Pod.Labels) /\ CountsAsReady(Pod, Snapshot, Kubelet)}
    """
    return frozenset(pod for pod in snapshot.pods if chosen(pod.labels) and counts_as_ready(pod, snapshot, kubelet))


def never_below(chosen: Chosen, number: int, snapshot: Snapshot, kubelet: bool) -> bool:
    """Whether at least so many of the chosen pods stand.

    TLA+: NeverBelow(Chosen(_), Number, Snapshot, Kubelet) ==
            Cardinality(Standing(Chosen, Snapshot, Kubelet)) >= Number
    """
    return len(standing(chosen, snapshot, kubelet)) >= number


def never_above(chosen: Chosen, number: int, snapshot: Snapshot, kubelet: bool) -> bool:
    """Whether at most so many of the chosen pods stand.

    TLA+: NeverAbove(Chosen(_), Number, Snapshot, Kubelet) ==
            Cardinality(Standing(Chosen, Snapshot, Kubelet)) <= Number
    """
    return len(standing(chosen, snapshot, kubelet)) <= number


def standing_around(node: Node, key: str, chosen: Chosen, snapshot: Snapshot, kubelet: bool) -> frozenset[Pod]:
    r"""Return the chosen pods that stand in the domain of this node, which has the key.

    TLA+: StandingAround(Node, Key, Chosen(_), Snapshot, Kubelet) ==
            {Pod \in Standing(Chosen, Snapshot, Kubelet) :
              \E Other \in Nodes(Snapshot) :
                /\ BoundTo(Pod, Other, Snapshot)
                /\ Key \in DOMAIN Other.Labels
                /\ Other.Labels[Key] = Node.Labels[Key]}
    """
    return frozenset(
        pod
        for pod in standing(chosen, snapshot, kubelet)
        if any(
            bound_to(pod, other, snapshot) and key in other.labels and other.labels[key] == node.labels[key]
            for other in snapshot.nodes
        )
    )


def skew_kept(chosen: Chosen, key: str, most: int, snapshot: Snapshot, kubelet: bool) -> bool:
    r"""Whether no domain of the topology key has over `most` more of the chosen pods than another one.

    Every node with the key counts, whether or not the pods may be there.

    TLA+: SkewKept(Chosen(_), Key, Most, Snapshot, Kubelet) ==
            \A Node, Other \in {Each \in Nodes(Snapshot) : Key \in DOMAIN Each.Labels} :
              Cardinality(StandingAround(Node, Key, Chosen, Snapshot, Kubelet))
                <= Cardinality(StandingAround(Other, Key, Chosen, Snapshot, Kubelet)) + Most
    """
    counts = [
        len(standing_around(node, key, chosen, snapshot, kubelet)) for node in snapshot.nodes if key in node.labels
    ]
    return max(counts, default=0) <= min(counts, default=0) + most
