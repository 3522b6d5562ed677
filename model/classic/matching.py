"""Matching of node terms, tolerations and pod-affinity terms: `matches`, `tolerates`, `Term`.

Kubernetes 1.17: MatchNodeSelectorTerms in pkg/apis/core/v1/helper/helpers.go, ToleratesTaint in
k8s.io/api/core/v1/toleration.go, PodMatchesTermsNamespaceAndSelector in
pkg/scheduler/algorithm/priorities/util/topologies.go.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from schedcheck.model.production.snapshot.labels import holds, selects
from schedcheck.spec.objects import Node, Pod, Taint, Toleration
from schedcheck.spec.terms import LabelSelector, NodeSelectorTerm, PodAffinityTerm


def matches(terms: Iterable[NodeSelectorTerm], node: Node) -> bool:
    """Whether the node matches one of the terms by labels and fields; a term without requirements matches no node."""
    return any(_matches(term, node) for term in terms)


def _matches(term: NodeSelectorTerm, node: Node) -> bool:
    if not term.match_expressions and not term.match_fields:
        return False
    for requirement in term.match_expressions:
        if not holds(requirement, node.labels.get(requirement.key)):
            return False
    fields = {"metadata.name": node.name}
    return all(holds(requirement, fields.get(requirement.key)) for requirement in term.match_fields)


def reaches(terms: tuple[NodeSelectorTerm, ...] | None, node: Node) -> bool:
    """Whether a volume with this node affinity can be used on the node; None means anywhere, and fields do not count."""
    if terms is None:
        return True
    for term in terms:
        if not term.match_expressions and not term.match_fields:
            continue
        if all(holds(requirement, node.labels.get(requirement.key)) for requirement in term.match_expressions):
            return True
    return False


def tolerates(pod: Pod, taint: Taint) -> bool:
    """Whether a toleration of the pod matches the taint."""
    return any(_covers(toleration, taint) for toleration in pod.tolerations)


def _covers(toleration: Toleration, taint: Taint) -> bool:
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator == "Exists":
        return True
    return toleration.operator in ("", "Equal") and toleration.value == taint.value


@dataclass(frozen=True)
class Term:
    """A pod-affinity term of a pod, with the namespaces in which it selects, and its weight if it is a preference."""

    key: str
    selector: LabelSelector | None
    namespaces: frozenset[str]
    weight: int = 0

    @classmethod
    def of(cls, term: PodAffinityTerm, owner: Pod, weight: int = 0) -> "Term":
        """Return the term as `owner` carries it: without namespaces it selects in that of its owner."""
        return cls(term.topology_key, term.label_selector, frozenset(term.namespaces or (owner.namespace,)), weight)

    def selects(self, pod: Pod) -> bool:
        """Whether the term selects the pod."""
        return pod.namespace in self.namespaces and selects(self.selector, pod.labels)
