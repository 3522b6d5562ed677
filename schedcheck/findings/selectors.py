"""Selectors that select no pod: of services, of spread constraints, and of the terms of pod affinity: `of_selectors`.

Rules: service-selects-nothing, spread-selects-nothing, spread-ignores-itself, affinity-selects-nothing,
anti-affinity-selects-nothing. A selector is compared with the pods of the input and the templates of its workloads. A
workload whose selector does not select its own template is no valid input: the API server refuses it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from schedcheck.findings.finding import Finding, Found, Severity, Thing, Undecided
from schedcheck.findings.subjects import Subject, labelled, shapes, template_labels
from schedcheck.manifests import Cluster
from schedcheck.manifests.affinity import PREFERRED, REQUIRED
from schedcheck.manifests.workloads import Workload
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import speaks_of
from schedcheck.spec.objects import Pod, Snapshot, SpreadConstraint
from schedcheck.spec.selectors import selects
from schedcheck.spec.terms import LabelSelector, PodAffinityTerm

SERVICE = "service-selects-nothing"
SPREAD, SPREAD_OTHERS = "spread-selects-nothing", "spread-ignores-itself"
AFFINITY, ANTI_AFFINITY = "affinity-selects-nothing", "anti-affinity-selects-nothing"


def of_selectors(cluster: Cluster, subjects: tuple[Subject, ...]) -> Iterator[Found]:
    """Yield the findings about services, then those about the pods of each subject."""
    yield from _of_services(cluster)
    around = [pod for _, _, each in labelled(cluster) if (pod := _as_pod(each))]
    for subject in subjects:
        for shape, alike in shapes(subject.pods).items():
            pod = replace(shape, labels=alike[0].labels)
            yield from _of_spread(pod, subject, around)
            yield from _of_terms(pod, subject, around, cluster)


def _as_pod(each: Pod | Workload) -> Pod:
    """Return the pod, or a pod with the namespace and labels of the workload's template."""
    if isinstance(each, Pod):
        return each
    return Pod("", namespace=each.namespace, labels=template_labels(each))


def _of_services(cluster: Cluster) -> Iterator[Finding]:
    for service in cluster.services:
        near = [labels for _, labels, _ in labelled(cluster, service.namespace)]
        if service.selector and not any(selects(LabelSelector(service.selector), each, NO_FAULTS) for each in near):
            yield Finding(
                SERVICE,
                Severity.WARNING if near else Severity.NOTE,
                Thing("Service", service.namespace, service.name),
                "spec.selector",
                "The selector selects no pod of the input and no template of a workload, so that nothing serves it.",
            )


def _of_spread(pod: Pod, subject: Subject, around: list[Pod]) -> Iterator[Finding]:
    for number, constraint in enumerate(pod.spread):
        if _counts(constraint, pod, pod):
            continue
        path = subject.path(f"topologySpreadConstraints[{number}].labelSelector")
        over = f"over {constraint.topology_key}"
        if any(_counts(constraint, pod, other) for other in around):
            said = (
                f"The constraint {over} counts other pods but not the pod itself, so that its own pods need not spread."
            )
            yield Finding(SPREAD_OTHERS, Severity.NOTE, subject.thing, path, said)
        else:
            said = f"The constraint {over} counts no pod of the input, not even the pod itself, so that it spreads nothing."
            yield Finding(SPREAD, Severity.WARNING, subject.thing, path, said)


def _counts(constraint: SpreadConstraint, pod: Pod, other: Pod) -> bool:
    return other.namespace == pod.namespace and selects(constraint.selector, other.labels, NO_FAULTS)


@dataclass(frozen=True)
class _Term:
    """A term with the path of its list and its number there, and whether it is required."""

    term: PodAffinityTerm
    path: str
    required: bool
    rule: str


def _terms(pod: Pod) -> Iterator[_Term]:
    said = pod.affinity
    for name, rule, required, preferred in (
        ("podAffinity", AFFINITY, said.pod_required, said.pod_preferred),
        ("podAntiAffinity", ANTI_AFFINITY, said.anti_required, said.anti_preferred),
    ):
        for number, term in enumerate(required):
            yield _Term(term, f"affinity.{name}.{REQUIRED}[{number}]", True, rule)
        for number, weighted in enumerate(preferred):
            yield _Term(weighted.term, f"affinity.{name}.{PREFERRED}[{number}].podAffinityTerm", False, rule)


def _of_terms(pod: Pod, subject: Subject, around: list[Pod], cluster: Cluster) -> Iterator[Found]:
    there = Snapshot(namespaces=cluster.namespaces)
    for each in _terms(pod):
        # The pod itself is among those around, but for the labels that its controller adds.
        if any(speaks_of(each.term, pod, other, there, ALL_DEPARTURES) for other in (pod, *around)):
            continue
        by_label = each.term.namespace_selector not in (None, LabelSelector())
        if by_label and "Namespace" not in cluster.kinds:
            yield Undecided(each.rule, subject.thing, "the term selects namespaces, and the input has none")
        else:
            yield _of_term(each, pod, subject)


def _of_term(each: _Term, pod: Pod, subject: Subject) -> Finding:
    key = each.term.topology_key
    if each.rule == ANTI_AFFINITY:
        said = (
            f"The term over {key} selects no pod of the input, not even the pod itself, so that it keeps nothing apart."
        )
        return Finding(each.rule, Severity.WARNING, subject.thing, subject.path(each.path), said)
    if not each.required:
        said = f"The preference for a {key} selects no pod of the input, so that it has no effect."
        return Finding(each.rule, Severity.WARNING, subject.thing, subject.path(each.path), said)
    if any(not other.node_name for other in subject.pods):
        said = f"The term requires a pod in the same {key}, and selects no pod of the input, so that no node can take the pod."
        return Finding(each.rule, Severity.ERROR, subject.thing, subject.path(each.path), said)
    said = f"The term requires a pod in the same {key}, and selects none now; once it is evicted, no node can take the pod."
    return Finding(each.rule, Severity.WARNING, subject.thing, subject.path(each.path), said)
