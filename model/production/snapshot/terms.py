"""Whom the terms of a pod's affinity speak of: `OwnTerm`, of the pod that is to be placed; `CarriedTerm`, of the others.

The two differ in how they meet namespaces: the first lists the namespaces that there are, once; the second is asked
about the labels of one. What the first's selector says of no labels at all is asked again of every pod, so that a
selector of what is not there selects all namespaces.

Kubernetes 1.34: AffinityTerm.Matches in pkg/scheduler/framework/types.go, mergeAffinityTermNamespacesIfNotEmpty and
GetNamespaceLabelsSnapshot in plugins/interpodaffinity/plugin.go.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from schedcheck.model.production.snapshot.labels import selects
from schedcheck.spec.objects import Pod
from schedcheck.spec.terms import LabelSelector, PodAffinityTerm
from schedcheck.spec.values import Labels

NamespaceLabels = Mapping[str, Labels]
"""The labels of each namespace that there is."""


@dataclass(frozen=True)
class CarriedTerm:
    """A term of a pod that is somewhere: it looks into these namespaces, and into those that the selector selects."""

    topology_key: str
    selector: LabelSelector | None
    namespaces: frozenset[str]
    namespace_selector: LabelSelector | None

    def matches(self, pod: Pod, namespaces: NamespaceLabels) -> bool:
        """Whether the term speaks of `pod`; a namespace that is not there has no labels."""
        looked_into = pod.namespace in self.namespaces or selects(
            self.namespace_selector, namespaces.get(pod.namespace, {})
        )
        return looked_into and selects(self.selector, pod.labels)


@dataclass(frozen=True)
class OwnTerm:
    """A term of the pod that is to be placed: it looks into these namespaces, None for all of them."""

    topology_key: str
    selector: LabelSelector | None
    namespaces: frozenset[str] | None

    def matches(self, pod: Pod) -> bool:
        """Whether the term speaks of `pod`."""
        return (self.namespaces is None or pod.namespace in self.namespaces) and selects(self.selector, pod.labels)


def carried(term: PodAffinityTerm, owner: Pod) -> CarriedTerm:
    """The term as it is carried by `owner`, whose namespace it looks into unless it says otherwise."""
    silent = not term.namespaces and term.namespace_selector is None
    namespaces = frozenset([owner.namespace] if silent else term.namespaces)
    return CarriedTerm(term.topology_key, term.label_selector, namespaces, term.namespace_selector)


def own(term: PodAffinityTerm, owner: Pod, namespaces: NamespaceLabels) -> OwnTerm:
    """The term of the pod that is to be placed, with the namespaces that its selector selects listed."""
    each = carried(term, owner)
    if selects(each.namespace_selector, {}):
        return OwnTerm(each.topology_key, each.selector, None)
    chosen = (name for name, labels in namespaces.items() if selects(each.namespace_selector, labels))
    return OwnTerm(each.topology_key, each.selector, each.namespaces.union(chosen))


def all_match(terms: Iterable[OwnTerm], pod: Pod) -> bool:
    """Whether there are terms, and every one speaks of `pod`."""
    matched = [term.matches(pod) for term in terms]
    return bool(matched) and all(matched)
