"""The pods that affinity terms match: `OwnTerm`, a term of the incoming pod; `CarriedTerm`, a term of an existing pod.

The two treat namespaces differently. An own term lists the namespaces that its namespaceSelector selects, once. A
carried term evaluates the selector on the labels of the incoming pod's namespace. Before 1.37 an own term's
namespaceSelector is also evaluated on empty labels, so a negative selector (NotIn, DoesNotExist) selects all namespaces.

Kubernetes 1.37: AffinityTerm.Matches in pkg/scheduler/framework/types.go, mergeAffinityTermNamespacesIfNotEmpty and
GetNamespaceLabelsSnapshot in plugins/interpodaffinity/plugin.go.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from schedcheck.model.production.snapshot.labels import selects
from schedcheck.spec.objects import Pod
from schedcheck.spec.terms import LabelSelector, PodAffinityTerm
from schedcheck.spec.values import Labels

NamespaceLabels = Mapping[str, Labels]
"""The labels of each existing namespace."""


@dataclass(frozen=True)
class CarriedTerm:
    """A term of an existing pod: it covers these namespaces and those that its namespaceSelector selects."""

    topology_key: str
    selector: LabelSelector | None
    namespaces: frozenset[str]
    namespace_selector: LabelSelector | None

    def matches(self, pod: Pod, namespaces: NamespaceLabels) -> bool:
        """Whether the term matches `pod`; an unknown namespace has no labels."""
        looked_into = pod.namespace in self.namespaces or selects(
            self.namespace_selector, namespaces.get(pod.namespace, {})
        )
        return looked_into and selects(self.selector, pod.labels)


@dataclass(frozen=True)
class OwnTerm:
    """A term of the incoming pod: it covers these namespaces, None for all of them."""

    topology_key: str
    selector: LabelSelector | None
    namespaces: frozenset[str] | None

    def matches(self, pod: Pod) -> bool:
        """Whether the term matches `pod`."""
        return (self.namespaces is None or pod.namespace in self.namespaces) and selects(self.selector, pod.labels)


def carried(term: PodAffinityTerm, owner: Pod) -> CarriedTerm:
    """Return the term as a term of an existing pod; without namespaces of its own it covers that of `owner`."""
    silent = not term.namespaces and term.namespace_selector is None
    namespaces = frozenset([owner.namespace] if silent else term.namespaces)
    return CarriedTerm(term.topology_key, term.label_selector, namespaces, term.namespace_selector)


def own(term: PodAffinityTerm, owner: Pod, namespaces: NamespaceLabels, *, on_no_labels: bool = False) -> OwnTerm:
    """Return the term as a term of the incoming pod, with the selected namespaces listed.

    `on_no_labels`: a selector that matches empty labels selects all namespaces, as one without requirements does.
    """
    each = carried(term, owner)
    if each.namespace_selector == LabelSelector() or (on_no_labels and selects(each.namespace_selector, {})):
        return OwnTerm(each.topology_key, each.selector, None)
    chosen = (name for name, labels in namespaces.items() if selects(each.namespace_selector, labels))
    return OwnTerm(each.topology_key, each.selector, each.namespaces.union(chosen))


def all_match(terms: Iterable[OwnTerm], pod: Pod) -> bool:
    """Whether there are terms, and all of them match `pod`."""
    matched = [term.matches(pod) for term in terms]
    return bool(matched) and all(matched)
