"""Properties of a snapshot."""

from schedcheck.spec.binding import occupants, unbound
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.pod_terms import concerns, same_domain
from schedcheck.spec.requests import allocatable, requested, used

PHASES = frozenset({"Pending", "Running", "Succeeded", "Failed", "Unknown"})
"""The phases that the API server stores. TLA+: Phases == {"Pending", "Running", "Succeeded", "Failed", "Unknown"}"""


def type_correct(snapshot: Snapshot) -> bool:
    r"""Each object occurs once, and each value is one that the API server would store.

    TLA+: TypeOK ==
            /\ \A Pod, Other \in Pods(Objects) :
                 Pod.Namespace = Other.Namespace /\ Pod.Name = Other.Name => Pod = Other
            /\ \A Node, Other \in Nodes(Objects) : Node.Name = Other.Name => Node = Other
            /\ \A Pod \in Pods(Objects) : Pod.Status.Phase \in Phases
            /\ \A Node \in Nodes(Objects) : \A Resource \in DOMAIN Node.Status.Allocatable :
                 Node.Status.Allocatable[Resource] >= 0
    """
    return (
        len({pod.key for pod in snapshot.pods}) == len(snapshot.pods)
        and len({node.name for node in snapshot.nodes}) == len(snapshot.nodes)
        and all(pod.phase in PHASES for pod in snapshot.pods)
        and all(amount >= 0 for node in snapshot.nodes for amount in node.allocatable.values())
    )


def no_overcommit(snapshot: Snapshot, uncounted: frozenset[str] = frozenset()) -> bool:
    r"""The pods on a node request no more of any resource than it has allocatable, and number no more than it admits.

    Resources in `uncounted` are not checked: the scheduler leaves them to others.

    TLA+: NoOvercommit ==
            \A Node \in Nodes(Objects) : \A Resource \in ResourceNames \union {"pods"} :
              Used(Node, Objects, Resource) > 0 => Used(Node, Objects, Resource) <= Allocatable(Node, Resource)
    """
    return all(
        used(node, snapshot, resource, NO_FAULTS) <= 0
        or used(node, snapshot, resource, NO_FAULTS) <= allocatable(node, resource)
        for node in snapshot.nodes
        for resource in {"pods"}.union(*(requested(pod) for pod in snapshot.pods_by_node.get(node.name, ())))
        if resource not in uncounted
    )


def anti_affinity_kept(snapshot: Snapshot) -> bool:
    r"""No two pods share a topology domain if the required anti-affinity of one of them excludes the other.

    TLA+: AntiAffinityKept ==
            ~\E Node, OtherNode \in Nodes(Objects) : \E Pod \in Occupants(Node, Objects) :
              \E Term \in Pod.Spec.Affinity.PodAntiAffinity.Required :
                /\ SameDomain(Term.TopologyKey, Node, OtherNode)
                /\ \E Other \in Occupants(OtherNode, Objects) \ {Pod} : Concerns(Term, Pod, Other, Objects)
    """
    return not any(
        same_domain(term.topology_key, node, other_node) and concerns(term, pod, other, snapshot, NO_FAULTS)
        for node in snapshot.nodes
        for pod in occupants(node, snapshot, NO_FAULTS)
        for term in pod.affinity.anti_required
        for other_node in snapshot.nodes
        for other in occupants(other_node, snapshot, NO_FAULTS) - {pod}
    )


def all_pods_bound(snapshot: Snapshot) -> bool:
    """There is at least one pod, and no pod is unbound."""
    return snapshot.pods != () and unbound(snapshot, NO_FAULTS) == frozenset()
