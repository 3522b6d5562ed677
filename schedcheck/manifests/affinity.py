"""The selectors and affinity of a manifest, refused where the API server refuses them: `affinity`, `label_selector`.

The API server's admission is included: matchLabelKeys and mismatchLabelKeys of pod (anti-)affinity become requirements
of the term's selector (Kubernetes 1.34: applyMatchLabelKeysAndMismatchLabelKeys in pkg/registry/core/pod/strategy.go).
"""

import json
from collections.abc import Iterable, Iterator

from schedcheck.manifests.fields import Field
from schedcheck.spec.terms import (
    NO_AFFINITY,
    Affinity,
    LabelSelector,
    NodeSelectorTerm,
    PodAffinityTerm,
    PreferredNodeTerm,
    PreferredPodTerm,
    Requirement,
)
from schedcheck.spec.values import NO_LABELS, Labels

LABEL_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
NODE_OPERATORS = (*LABEL_OPERATORS, "Gt", "Lt")
FIELD_OPERATORS = ("In", "NotIn")
AFFINITY_ANNOTATION = "scheduler.alpha.kubernetes.io/affinity"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def affinity(field: Field, labels: Labels) -> Affinity:
    """Return spec.affinity of a pod with these labels."""
    if not field:
        return NO_AFFINITY
    node, pod, anti = field["nodeAffinity"], field["podAffinity"], field["podAntiAffinity"]
    return Affinity(
        node_required=node_selector(node[REQUIRED]),
        node_preferred=tuple(_preferred_node_term(item) for item in node[PREFERRED].items()),
        pod_required=tuple(_pod_term(item, labels) for item in pod[REQUIRED].items()),
        pod_preferred=tuple(_preferred_pod_term(item, labels) for item in pod[PREFERRED].items()),
        anti_required=tuple(_pod_term(item, labels) for item in anti[REQUIRED].items()),
        anti_preferred=tuple(_preferred_pod_term(item, labels) for item in anti[PREFERRED].items()),
    )


def annotated_affinity(annotations: Field, given: Field) -> Affinity:
    """Return the affinity in the annotation of Kubernetes 1.2 to 1.6, without the parts that spec.affinity has.

    Kubernetes 1.6: ReconcileAffinity in plugin/pkg/scheduler/schedulercache; before, only the annotation was read.
    """
    text = annotations[AFFINITY_ANNOTATION]
    if not text:
        return NO_AFFINITY
    try:
        value = json.loads(text.text())
    except ValueError as error:
        raise text.error(f"expected an affinity in JSON: {error}") from None
    field = Field(text.document, value, annotations, AFFINITY_ANNOTATION)
    said = affinity(field, NO_LABELS)
    return Affinity(
        node_required=() if given["nodeAffinity"] else said.node_required,
        node_preferred=() if given["nodeAffinity"] else said.node_preferred,
        pod_required=() if given["podAffinity"] else said.pod_required,
        pod_preferred=() if given["podAffinity"] else said.pod_preferred,
        anti_required=() if given["podAntiAffinity"] else said.anti_required,
        anti_preferred=() if given["podAntiAffinity"] else said.anti_preferred,
    )


def node_selector(field: Field) -> tuple[NodeSelectorTerm, ...]:
    """Return the terms of a node selector: none if it is absent, else at least one."""
    terms = tuple(node_term(item) for item in field["nodeSelectorTerms"].items())
    if field and not terms:
        raise field["nodeSelectorTerms"].error("expected at least one term")
    return terms


def label_selector(field: Field) -> LabelSelector | None:
    """Return a label selector, or None if it is absent."""
    if not field:
        return None
    expressions = field["matchExpressions"].items()
    return LabelSelector(
        field["matchLabels"].labels(), tuple(_requirement(item, LABEL_OPERATORS) for item in expressions)
    )


def node_term(field: Field) -> NodeSelectorTerm:
    """Return a term of a node selector, or the preference of a preferred one."""
    return NodeSelectorTerm(
        tuple(_requirement(item, NODE_OPERATORS) for item in field["matchExpressions"].items()),
        tuple(_field_requirement(item) for item in field["matchFields"].items()),
    )


def _field_requirement(field: Field) -> Requirement:
    requirement = _requirement(field, FIELD_OPERATORS)
    if requirement.key != "metadata.name":
        raise field["key"].error("expected metadata.name")
    if len(requirement.values) != 1:
        raise field["values"].error("expected one value")
    return requirement


def _requirement(field: Field, operators: tuple[str, ...]) -> Requirement:
    operator = field["operator"].one_of(operators)
    values = field["values"].texts()
    if not operator:
        raise field["operator"].error(f"expected one of {', '.join(operators)}")
    if operator in ("In", "NotIn") and not values:
        raise field["values"].error(f"expected at least one value, as the operator is {operator}")
    if operator in ("Exists", "DoesNotExist") and values:
        raise field["values"].error(f"expected no values, as the operator is {operator}")
    if operator in ("Gt", "Lt") and len(values) != 1:
        raise field["values"].error(f"expected one value, as the operator is {operator}")
    return Requirement(field["key"].required("a label key"), operator, values)


def _preferred_node_term(field: Field) -> PreferredNodeTerm:
    return PreferredNodeTerm(field["weight"].integer(1, 100), node_term(field["preference"]))


def _preferred_pod_term(field: Field, labels: Labels) -> PreferredPodTerm:
    return PreferredPodTerm(field["weight"].integer(1, 100), _pod_term(field["podAffinityTerm"], labels))


def _pod_term(field: Field, labels: Labels) -> PodAffinityTerm:
    selector = label_selector(field["labelSelector"])
    return PodAffinityTerm(
        topology_key=field["topologyKey"].required("a label key"),
        label_selector=None if selector is None else _with_label_keys(selector, field, labels),
        namespaces=field["namespaces"].texts(),
        namespace_selector=label_selector(field["namespaceSelector"]),
    )


def _with_label_keys(selector: LabelSelector, field: Field, labels: Labels) -> LabelSelector:
    """Return the selector with the term's label keys merged in.

    The API server may have done so already, so each once.
    """
    return with_requirements(selector, _label_keys(field, labels))


def with_requirements(selector: LabelSelector, more: Iterable[Requirement]) -> LabelSelector:
    """Return the selector with these requirements added, each once."""
    merged = [each for each in more if each not in selector.match_expressions]
    return LabelSelector(selector.match_labels, (*selector.match_expressions, *merged))


def _label_keys(field: Field, labels: Labels) -> Iterator[Requirement]:
    """Yield the requirements that the label keys stand for; a key that the pod lacks stands for none."""
    for name, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")):
        for key in field[name].texts():
            if key in labels:
                yield Requirement(key, operator, (labels[key],))
