"""The plugin NodeAffinity: the nodeSelector and the required node affinity; PreFilter narrows to the nodes named.

A node must also match one of the terms of addedAffinity, if the arguments give any.

Kubernetes 1.34: pkg/scheduler/framework/plugins/nodeaffinity, k8s.io/component-helpers/scheduling/corev1/nodeaffinity.
"""

from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.label_values import readable
from schedcheck.spec.kubernetes.plugins import DEFAULT_ARGUMENTS, Arguments
from schedcheck.spec.node_selector import node_selector
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.refusal import Refusal, unresolvable
from schedcheck.spec.selectors import match_term
from schedcheck.spec.terms import NodeSelectorTerm

NAME = "NodeAffinity"
NOTHING = Snapshot()


def matches_one(terms: tuple[NodeSelectorTerm, ...], node: Node) -> bool:
    r"""Whether `node` matches one of the terms; a term with a value that cannot be parsed matches no node.

    TLA+: MatchesOne(Terms, Node) ==
            \E Term \in Terms : Readable(Term) /\ MatchTerm(Term, Node)
    """
    return any(readable(term) and match_term(term, node, NO_FAULTS) for term in terms)


def required_node_affinity(pod: Pod, node: Node) -> bool:
    r"""Whether `node` has the labels of the nodeSelector of `pod`, and matches one of its required terms if it has any.

    TLA+: RequiredNodeAffinity(Pod, Node) ==
            LET Terms == Pod.Spec.Affinity.NodeAffinity.Required
            IN NodeSelector(Pod, Node, {}) /\ (Terms = {} \/ MatchesOne(Terms, Node))
    """
    terms = pod.affinity.node_required
    return node_selector(pod, node, NOTHING, NO_FAULTS) and (terms == () or matches_one(terms, node))


def enforced(node: Node, arguments: Arguments) -> bool:
    r"""Whether `node` matches one of the required terms of addedAffinity; without such a list every node does.

    TLA+: Enforced(Node) ==
            \/ AddedAffinity.Required = Null
            \/ MatchesOne(AddedAffinity.Required, Node)
    """
    terms = arguments.added_affinity.required
    return terms is None or matches_one(terms, node)


@looks_at("node.labels")
def refusal(pod: Pod, node: Node, arguments: Arguments = DEFAULT_ARGUMENTS) -> Refusal | None:
    r"""Return the refusal of `node` by NodeAffinity; None if it passes.

    TLA+: NodeAffinityRefusal(Pod, Node) ==
            IF Enforced(Node) /\ RequiredNodeAffinity(Pod, Node) THEN Null ELSE Unresolvable("NodeAffinity")
    """
    if not enforced(node, arguments):
        return unresolvable(NAME, "node(s) didn't match scheduler-enforced node affinity")
    if required_node_affinity(pod, node):
        return None
    return unresolvable(NAME, "node(s) didn't match Pod's node affinity/selector")


def skipped(pod: Pod, arguments: Arguments = DEFAULT_ARGUMENTS) -> bool:
    r"""Whether `pod` has no nodeSelector (not even an empty one) and no required terms, and none are added.

    TLA+: NodeAffinitySkipped(Pod) ==
            /\ Pod.Spec.NodeSelector = NoLabels
            /\ ~Pod.Spec.EmptyNodeSelector
            /\ Pod.Spec.Affinity.NodeAffinity.Required = {}
            /\ AddedAffinity.Required = Null
    """
    return (
        not pod.node_selector
        and not pod.empty_node_selector
        and not pod.affinity.node_required
        and arguments.added_affinity.required is None
    )


def named_by(term: NodeSelectorTerm) -> frozenset[str] | None:
    r"""Return the node names that are in every metadata.name list of the term; None if it has no such list.

    TLA+: NamedBy(Term) ==
            LET Lists == {Requirement.Values : Requirement \in {Each \in Term.MatchFields :
                           Each.Key = "metadata.name" /\ Each.Operator = "In"}}
            IN IF Lists = {} THEN Null ELSE {Name \in UNION Lists : \A List \in Lists : Name \in List}
    """
    lists = [
        frozenset(each.values)
        for each in term.match_fields
        if each.key == "metadata.name" and each.operator == "In"
    ]  # fmt: skip
    return frozenset.intersection(*lists) if lists else None


def named(pod: Pod) -> frozenset[str] | None:
    r"""Return the nodes that the required terms name; None if some term names no nodes.

    TLA+: NamedNodes(Pod) ==
            LET Names == {NamedBy(Term) : Term \in Pod.Spec.Affinity.NodeAffinity.Required}
            IN IF Names = {} \/ Null \in Names THEN Null ELSE UNION Names
    """
    names = [named_by(term) for term in pod.affinity.node_required]
    if not names or None in names:
        return None
    return frozenset[str]().union(*(each for each in names if each is not None))


def conflict(pod: Pod) -> Refusal | None:
    """Return the rejection of `pod` for every node if its required terms name nodes but leave none; else None.

    TLA+: Conflict(Pod) ==
            IF NamedNodes(Pod) = {} THEN Unresolvable("NodeAffinity") ELSE Null
    """
    return unresolvable(NAME, "pod affinity terms conflict") if named(pod) == frozenset() else None
