"""The preference ratings of the printed model: the weights of the preferred terms that a node matches."""

from schedcheck.spec.faults import Fault, Faults
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.published.affinity import looks_around, p_affinity
from schedcheck.spec.selectors import match_term


@looks_at("node.labels")
def preferred_nodes(pod: Pod, node: Node, snapshot: Snapshot, resource: str, faults: Faults) -> int:
    r"""Return the sum of the weights of the preferred node-selector terms of `pod` that `node` matches.

    TLA+: PreferredNodes(Pod, Node, Snapshot) ==
            LET Preferred == Pod.Spec.Affinity.NodeAffinity.Preferred
            IN Sum([i \in DOMAIN Preferred |-> IF MatchTerm(Preferred[i].Term, Node) THEN Preferred[i].Weight ELSE 0])
    """
    return sum(
        preferred.weight for preferred in pod.affinity.node_preferred if match_term(preferred.term, node, faults)
    )


@looks_around(lambda pod: tuple(each.term for each in pod.affinity.pod_preferred))
def preferred_pods(pod: Pod, node: Node, snapshot: Snapshot, resource: str, faults: Faults) -> int:
    r"""Return the sum of the weights of the preferred pod-affinity terms of `pod` that hold on `node`.

    TLA+: PreferredPods(Pod, Node, Snapshot) ==
            LET Preferred == Pod.Spec.Affinity.PodAffinity.Preferred
            IN Sum([i \in DOMAIN Preferred |->
                 IF PAffinity(Preferred[i].Term, Pod, Node, Snapshot) THEN Preferred[i].Weight ELSE 0])
    """
    return sum(
        preferred.weight
        for preferred in pod.affinity.pod_preferred
        if p_affinity(preferred.term, pod, node, snapshot, faults)
    )


@looks_around(lambda pod: tuple(each.term for each in pod.affinity.anti_preferred))
def avoided_pods(pod: Pod, node: Node, snapshot: Snapshot, resource: str, faults: Faults) -> int:
    r"""Return the negative sum of the weights of the preferred anti-affinity terms of `pod` that `node` violates.

    TLA+: AvoidedPods(Pod, Node, Snapshot) ==
            LET Preferred == Pod.Spec.Affinity.PodAntiAffinity.Preferred
                Sign == IF "anti-affinity-added" \in Faults THEN 1 ELSE -1
            IN Sign * Sum([i \in DOMAIN Preferred |->
                 IF PAffinity(Preferred[i].Term, Pod, Node, Snapshot) THEN Preferred[i].Weight ELSE 0])
    """
    sign = 1 if Fault.ANTI_AFFINITY_ADDED in faults else -1
    return sign * sum(
        preferred.weight
        for preferred in pod.affinity.anti_preferred
        if p_affinity(preferred.term, pod, node, snapshot, faults)
    )
