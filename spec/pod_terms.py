"""Terms of pod affinity: which pods a term selects, and which nodes share a topology domain."""

from schedcheck.spec.faults import Faults
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.selectors import selects
from schedcheck.spec.terms import PodAffinityTerm


def in_namespaces(term: PodAffinityTerm, owner: Pod, other: Pod, snapshot: Snapshot, faults: Faults) -> bool:
    r"""Whether `term`, carried by `owner`, applies to the namespace of `other`.

    TLA+: InNamespaces(Term, Owner, Other, Snapshot) ==
            \/ Term.Namespaces = {} /\ Term.NamespaceSelector = Null /\ Other.Namespace = Owner.Namespace
            \/ Other.Namespace \in Term.Namespaces
            \/ \E Namespace \in Namespaces(Snapshot) :
                 /\ Namespace.Name = Other.Namespace
                 /\ Selects(Term.NamespaceSelector, Namespace.Labels)
            \/ /\ ~\E Namespace \in Namespaces(Snapshot) : Namespace.Name = Other.Namespace
               /\ Selects(Term.NamespaceSelector, NoLabels)
    """
    unknown = all(namespace.name != other.namespace for namespace in snapshot.namespaces)
    return (
        (term.namespaces == () and term.namespace_selector is None and other.namespace == owner.namespace)
        or other.namespace in term.namespaces
        or any(
            namespace.name == other.namespace and selects(term.namespace_selector, namespace.labels, faults)
            for namespace in snapshot.namespaces
        )
        or (unknown and selects(term.namespace_selector, {}, faults))
    )


def concerns(term: PodAffinityTerm, owner: Pod, other: Pod, snapshot: Snapshot, faults: Faults) -> bool:
    r"""Whether `term`, carried by `owner`, selects the pod `other`.

    TLA+: Concerns(Term, Owner, Other, Snapshot) ==
            /\ InNamespaces(Term, Owner, Other, Snapshot)
            /\ Selects(Term.LabelSelector, Other.Labels)
    """
    return (
        in_namespaces(term, owner, other, snapshot, faults)
        and selects(term.label_selector, other.labels, faults)
    )  # fmt: skip


def same_domain(key: str, node: Node, other: Node) -> bool:
    r"""Whether both nodes are in the same domain of the topology key.

    TLA+: SameDomain(Key, Node, Other) ==
            /\ Key \in DOMAIN Node.Labels
            /\ Key \in DOMAIN Other.Labels
            /\ Node.Labels[Key] = Other.Labels[Key]
    """
    return (
        key in node.labels
        and key in other.labels
        and node.labels[key] == other.labels[key]
    )  # fmt: skip
