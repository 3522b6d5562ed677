"""Pods, nodes and namespaces as the TLA+ records that tla/Snapshots.tla describes."""

from schedcheck.spec.objects import Container, Namespace, Node, Pod, Taint, Toleration
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
from schedcheck.spec.values import Amounts, Labels
from schedcheck.tla_export.amounts import Scale
from schedcheck.tla_export.text import Function, Name, Record, Set, Value


def pod_record(pod: Pod, scale: Scale) -> Record:
    """Return a pod's record."""
    spec: dict[str, Value] = {
        "NodeName": pod.node_name,
        "TemplateNodeName": pod.template_node_name,
        "Priority": pod.priority // scale.priority,
        "PreemptionPolicy": pod.preemption_policy,
        "NodeSelector": labels_function(pod.node_selector),
        "Tolerations": Set(tuple(toleration_record(each) for each in pod.tolerations)),
        "Affinity": _affinity(pod.affinity),
        "InitContainers": tuple(_container(each, scale) for each in pod.init_containers),
        "Containers": tuple(_container(each, scale) for each in pod.containers),
        "Overhead": _requests(pod.overhead, scale),
        "Requests": Function({resource: scale.request(resource, pod.pod_requests) for resource in pod.pod_requests}),
    }
    return Record(
        {
            "Kind": "Pod",
            "Namespace": pod.namespace,
            "Name": pod.name,
            "Labels": labels_function(pod.labels),
            "Owner": pod.owner,
            "Terminating": pod.terminating,
            "Spec": Record(spec),
            "Status": Record({"Phase": pod.phase}),
        }
    )


def node_record(node: Node, scale: Scale) -> Record:
    """Return a node's record, with its allocatable amounts of the relevant resources and of pods."""
    matter = [name for name in node.allocatable if name in scale.divisors or name == "pods"]
    allocatable = Function({resource: scale.allocatable(resource, node.allocatable) for resource in matter})
    spec = Record(
        {"Unschedulable": node.unschedulable, "Taints": Set(tuple(taint_record(each) for each in node.taints))}
    )
    return Record(
        {
            "Kind": "Node",
            "Name": node.name,
            "Labels": labels_function(node.labels),
            "Spec": spec,
            "Status": Record({"Phase": node.phase, "Ready": node.ready, "Allocatable": allocatable}),
        }
    )


def namespace_record(namespace: Namespace) -> Record:
    """Return a namespace's record."""
    return Record({"Kind": "Namespace", "Name": namespace.name, "Labels": labels_function(namespace.labels)})


def taint_record(taint: Taint) -> Record:
    """Return a taint's record."""
    return Record({"Key": taint.key, "Value": taint.value, "Effect": taint.effect})


def toleration_record(toleration: Toleration) -> Record:
    """Return a toleration's record."""
    return Record(
        {
            "Key": toleration.key,
            "Operator": toleration.operator,
            "Value": toleration.value,
            "Effect": toleration.effect,
            "Forever": toleration.seconds is None,
        }
    )


def labels_function(labels: Labels) -> Function:
    """Return labels as a function from keys to values."""
    return Function(dict(labels))


def _requests(amounts: Amounts, scale: Scale) -> Function:
    return Function({resource: scale.request(resource, amounts) for resource in scale.resources})


def _container(container: Container, scale: Scale) -> Record:
    return Record({"Requests": _requests(container.requests, scale), "Sidecar": container.sidecar})


def _affinity(affinity: Affinity) -> Record | Name:
    if affinity == NO_AFFINITY:
        return Name("NoAffinity")
    return Record(
        {
            "NodeAffinity": _terms(
                tuple(node_term_record(each) for each in affinity.node_required),
                tuple(preferred_record(each, node_term_record(each.term)) for each in affinity.node_preferred),
            ),
            "PodAffinity": _terms(
                tuple(pod_term_record(each) for each in affinity.pod_required),
                tuple(preferred_record(each, pod_term_record(each.term)) for each in affinity.pod_preferred),
            ),
            "PodAntiAffinity": _terms(
                tuple(pod_term_record(each) for each in affinity.anti_required),
                tuple(preferred_record(each, pod_term_record(each.term)) for each in affinity.anti_preferred),
            ),
        }
    )


def _terms(required: tuple[Value, ...], preferred: tuple[Value, ...]) -> Record:
    return Record({"Required": Set(required), "Preferred": preferred})


def preferred_record(preferred: PreferredNodeTerm | PreferredPodTerm, term: Record) -> Record:
    """Return the record of a preference for the term, which is given as a record."""
    return Record({"Weight": preferred.weight, "Term": term})


def node_term_record(term: NodeSelectorTerm) -> Record:
    """Return the record of a node selector term."""
    return Record(
        {"MatchExpressions": _requirements(term.match_expressions), "MatchFields": _requirements(term.match_fields)}
    )


def pod_term_record(term: PodAffinityTerm) -> Record:
    """Return the record of a term of pod affinity or anti-affinity."""
    return Record(
        {
            "TopologyKey": term.topology_key,
            "Namespaces": Set(term.namespaces),
            "LabelSelector": selector_record(term.label_selector),
            "NamespaceSelector": selector_record(term.namespace_selector),
        }
    )


def selector_record(selector: LabelSelector | None) -> Record | None:
    """Return the record of a label selector, None for Null."""
    if selector is None:
        return None
    expressions = _requirements(selector.match_expressions)
    return Record({"MatchLabels": labels_function(selector.match_labels), "MatchExpressions": expressions})


def _requirements(requirements: tuple[Requirement, ...]) -> Set:
    return Set(tuple(requirement_record(each) for each in requirements))


def requirement_record(requirement: Requirement) -> Record:
    """Return the record of a requirement in a selector or a node selector term."""
    return Record({"Key": requirement.key, "Operator": requirement.operator, "Values": Set(requirement.values)})
