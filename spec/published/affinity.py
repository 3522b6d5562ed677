"""Filter 1.5: node affinity, pod affinity, pod anti-affinity, and the anti-affinity of existing pods.

PAffinity is not printed; it is what Kubernetes means by one term, and by anti-affinity. For required pod affinity
Kubernetes demands more: a pod counts only if it matches all terms (fault "terms-one-by-one").
"""

from collections.abc import Callable

from schedcheck.spec.binding import occupants
from schedcheck.spec.faults import NO_FAULTS, Fault, Faults
from schedcheck.spec.footprints import Definition, looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.pod_terms import concerns, same_domain
from schedcheck.spec.selectors import match_term
from schedcheck.spec.terms import PodAffinityTerm


@looks_at("node.labels")
def node_affinity(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> bool:
    r"""Whether `node` matches at least one of the node-selector terms that `pod` requires, or `pod` requires none.

    TLA+: NodeAffinity(Pod, Node, Snapshot) ==
            \/ "no-terms-no-node" \notin Faults /\ Pod.Spec.Affinity.NodeAffinity.Required = {}
            \/ \E Term \in Pod.Spec.Affinity.NodeAffinity.Required : MatchTerm(Term, Node)
    """
    return (Fault.NO_TERMS_NO_NODE not in faults and pod.affinity.node_required == ()) or any(
        match_term(term, node, faults) for term in pod.affinity.node_required
    )


def p_affinity(term: PodAffinityTerm, owner: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> bool:
    r"""Whether a pod that `term` selects runs in the same domain as `node`.

    TLA+: PAffinity(Term, Owner, Node, Snapshot) ==
            \E OtherNode \in Nodes(Snapshot) :
              /\ SameDomain(Term.TopologyKey, Node, OtherNode)
              /\ \E Other \in Occupants(OtherNode, Snapshot) : Concerns(Term, Owner, Other, Snapshot)
    """
    return any(
        same_domain(term.topology_key, node, other_node)
        and any(concerns(term, owner, other, snapshot, faults) for other in occupants(other_node, snapshot, faults))
        for other_node in snapshot.nodes
    )


def looks_around(terms: Callable[[Pod], tuple[PodAffinityTerm, ...]]) -> Callable[[Definition], Definition]:
    """Declare the footprint of a definition that locates the pods selected by these terms of the pod to be placed."""
    return looks_at(
        "nodes.labels", "pods.labels", "namespaces",
        who=lambda pod, other, snapshot: any(concerns(term, pod, other, snapshot, NO_FAULTS) for term in terms(pod)),
        keys=lambda pod, snapshot: frozenset(term.topology_key for term in terms(pod)),
        wide_for=terms,
    )  # fmt: skip


def counts_for(term: PodAffinityTerm, pod: Pod, other: Pod, snapshot: Snapshot, faults: Faults) -> bool:
    r"""Whether `other` counts for the required pod-affinity `term` of `pod`: it must match all required terms of `pod`.

    TLA+: CountsFor(Term, Pod, Other, Snapshot) ==
            \A Each \in IF "terms-one-by-one" \in Faults THEN {Term} ELSE Pod.Spec.Affinity.PodAffinity.Required :
              Concerns(Each, Pod, Other, Snapshot)
    """
    return all(
        concerns(each, pod, other, snapshot, faults)
        for each in ((term,) if Fault.TERMS_ONE_BY_ONE in faults else pod.affinity.pod_required)
    )


def company(term: PodAffinityTerm, pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> bool:
    r"""Whether a pod that counts for the required pod-affinity `term` of `pod` runs in the same domain as `node`.

    TLA+: Company(Term, Pod, Node, Snapshot) ==
            \E OtherNode \in Nodes(Snapshot) :
              /\ SameDomain(Term.TopologyKey, Node, OtherNode)
              /\ \E Other \in Occupants(OtherNode, Snapshot) : CountsFor(Term, Pod, Other, Snapshot)
    """
    return any(
        same_domain(term.topology_key, node, other_node)
        and any(counts_for(term, pod, other, snapshot, faults) for other in occupants(other_node, snapshot, faults))
        for other_node in snapshot.nodes
    )


def first_of_group(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> bool:
    r"""Whether `pod` matches all its own terms, and no pod that counts for any of them runs in any domain.

    TLA+: FirstOfGroup(Pod, Node, Snapshot) ==
            \A Term \in Pod.Spec.Affinity.PodAffinity.Required :
              /\ Term.TopologyKey \in DOMAIN Node.Labels
              /\ Concerns(Term, Pod, Pod, Snapshot)
              /\ ~\E OtherNode \in Nodes(Snapshot) : Company(Term, Pod, OtherNode, Snapshot)
    """
    return all(
        term.topology_key in node.labels
        and concerns(term, pod, pod, snapshot, faults)
        and not any(company(term, pod, other_node, snapshot, faults) for other_node in snapshot.nodes)
        for term in pod.affinity.pod_required
    )


@looks_around(lambda pod: pod.affinity.pod_required)
def pod_affinity(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> bool:
    r"""Whether every required pod-affinity term of `pod` holds on `node`, or `pod` may be the first of its group.

    TLA+: PodAffinity(Pod, Node, Snapshot) ==
            \/ \A Term \in Pod.Spec.Affinity.PodAffinity.Required : Company(Term, Pod, Node, Snapshot)
            \/ "no-first-of-group" \notin Faults /\ FirstOfGroup(Pod, Node, Snapshot)
    """
    return all(company(term, pod, node, snapshot, faults) for term in pod.affinity.pod_required) or (
        Fault.NO_FIRST_OF_GROUP not in faults and first_of_group(pod, node, snapshot, faults)
    )


@looks_around(lambda pod: pod.affinity.anti_required)
def pod_anti_affinity(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> bool:
    r"""Whether no required anti-affinity term of `pod` is violated on `node`.

    TLA+: PodAntiAffinity(Pod, Node, Snapshot) ==
            \A Term \in Pod.Spec.Affinity.PodAntiAffinity.Required : ~PAffinity(Term, Pod, Node, Snapshot)
    """
    return all(not p_affinity(term, pod, node, snapshot, faults) for term in pod.affinity.anti_required)


def objects(pod: Pod, other: Pod, snapshot: Snapshot) -> bool:
    """Whether a required anti-affinity term of `other` selects `pod`."""
    return any(concerns(term, other, pod, snapshot, NO_FAULTS) for term in other.affinity.anti_required)


def keys_of_objectors(pod: Pod, snapshot: Snapshot) -> frozenset[str]:
    """Return the topology keys of the required anti-affinity terms of bound pods that select `pod`."""
    return frozenset(
        term.topology_key
        for other in snapshot.pods
        for term in other.affinity.anti_required
        if other.node_name and concerns(term, other, pod, snapshot, NO_FAULTS)
    )


@looks_at(
    "nodes.labels", "pods.affinity.anti_required", "namespaces",
    who=objects, keys=keys_of_objectors, wide_for=lambda pod: pod.affinity.anti_required,
)  # fmt: skip
def existing_anti_affinity(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> bool:
    r"""Whether no pod in a domain of `node` has a required anti-affinity term that selects `pod`.

    TLA+: ExistingAntiAffinity(Pod, Node, Snapshot) ==
            "existing-anti-affinity-ignored" \notin Faults =>
              \A OtherNode \in Nodes(Snapshot) : \A Other \in Occupants(OtherNode, Snapshot) :
                \A Term \in Other.Spec.Affinity.PodAntiAffinity.Required :
                  ~(SameDomain(Term.TopologyKey, Node, OtherNode) /\ Concerns(Term, Other, Pod, Snapshot))
    """
    return Fault.EXISTING_ANTI_AFFINITY_IGNORED in faults or all(
        not (same_domain(term.topology_key, node, other_node) and concerns(term, other, pod, snapshot, faults))
        for other_node in snapshot.nodes
        for other in occupants(other_node, snapshot, faults)
        for term in other.affinity.anti_required
    )


def why_no_node_affinity(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> str | None:
    """Return why the required node affinity rejects `node`; None if it does not."""
    if node_affinity(pod, node, snapshot, faults):
        return None
    return "matches no required node-affinity term" if pod.affinity.node_required else "no term, so none matches"


def why_no_pod_affinity(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> str | None:
    """Return which required pod-affinity terms are not met on `node`; None if all are."""
    if pod_affinity(pod, node, snapshot, faults):
        return None
    keys = [term.topology_key for term in pod.affinity.pod_required if not company(term, pod, node, snapshot, faults)]
    return f"no pod that the required affinity asks for in the same {', '.join(keys)}"


def why_no_pod_anti_affinity(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> str | None:
    """Return which required anti-affinity terms are violated on `node`; None if none is."""
    keys = [term.topology_key for term in pod.affinity.anti_required if p_affinity(term, pod, node, snapshot, faults)]
    return f"a pod that the required anti-affinity forbids in the same {', '.join(keys)}" if keys else None


def why_existing_anti_affinity(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> str | None:
    """Return which pods reject `pod` on `node` by their required anti-affinity; None if no pod does."""
    if existing_anti_affinity(pod, node, snapshot, faults):
        return None
    objectors = sorted(
        {
            str(other)
            for other_node in snapshot.nodes
            for other in occupants(other_node, snapshot, faults)
            for term in other.affinity.anti_required
            if same_domain(term.topology_key, node, other_node) and concerns(term, other, pod, snapshot, faults)
        }
    )
    return f"the required anti-affinity of {', '.join(objectors)}"
