"""A predicate for each departure: whether it may affect a decision on a pod in a snapshot.

Each states the objects that are needed for the departure to matter, without evaluating the departure.
"""

from collections.abc import Callable, Iterator
from typing import Any

from frozendict import frozendict

from schedcheck.spec.budgets import protects
from schedcheck.spec.decisions import Bind, Decision
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES, Departure
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import matches_all
from schedcheck.spec.kubernetes.filters.node_ports import clash
from schedcheck.spec.kubernetes.filters.node_volume_limits import attached, by_attachments
from schedcheck.spec.kubernetes.filters.pod_topology_spread import required, spread_with
from schedcheck.spec.kubernetes.node_info import host_ports, node_infos
from schedcheck.spec.kubernetes.versions import DOCUMENTED_OTHERWISE
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.selectors import selects
from schedcheck.spec.terms import LabelSelector, PodAffinityTerm
from schedcheck.spec.volumes.claims import claimed

Covers = Callable[[Any, Snapshot], bool]


def others(pod: Pod, snapshot: Snapshot) -> Iterator[tuple[Pod, Node]]:
    """Yield the other pods, each with the node that it is bound or nominated to."""
    nodes = {node.name: node for node in snapshot.nodes}
    for other in snapshot.pods:
        where = other.node_name or other.nominated_node_name
        if other.key != pod.key and where in nodes:
            yield other, nodes[where]


def may_go(pod: Pod, other: Pod) -> bool:
    """Whether `pod` could evict `other`."""
    return other.node_name != "" and other.priority < pod.priority


def heeded(pod: Pod, other: Pod) -> bool:
    """Whether `other` is unbound and of no lower priority, so that its nomination counts against `pod`."""
    return other.node_name == "" and other.priority >= pod.priority


def namespace_selector_on_no_labels(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether a namespace selector of the pod matches the empty label set, but not the namespace of a matching pod."""
    pod = decision.pod
    spaces = {each.name: each.labels for each in snapshot.namespaces}

    def beyond(term: PodAffinityTerm, other: Pod) -> bool:
        selector = term.namespace_selector
        return (
            selector is not None
            and selector != LabelSelector()
            and selects(selector, {}, NO_FAULTS)
            and selects(term.label_selector, other.labels, NO_FAULTS)
            and other.namespace not in term.namespaces
            and not (other.namespace in spaces and selects(selector, spaces[other.namespace], NO_FAULTS))
        )

    there = [pod, *(other for other, _ in others(pod, snapshot))]
    return any(beyond(term, other) for term in pod.affinity.pod_terms for other in there)


def pod_level_unrated(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether the pod has pod-level requests and is bound where there is more than one node."""
    return isinstance(decision, Bind) and decision.pod.pod_requests != {} and len(snapshot.nodes) > 1


def first_of_group_by_pairs(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether the pod requires affinity to pods like itself, and such a pod is on a node without the topology keys."""
    pod = decision.pod
    keys = {term.topology_key for term in pod.affinity.pod_required}
    return any(
        matches_all(pod, pod, snapshot, read) and matches_all(pod, other, snapshot, read)
        for read in (DOCUMENTED_OTHERWISE, NO_DEPARTURES)
        for other, node in others(pod, snapshot)
        if keys.isdisjoint(node.labels)
    )


def terminating_uncounted_twice(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether a dry run adds or removes a pod that matches a spread constraint of this pod but is not counted."""
    pod = decision.pod
    return any(
        spread_with(constraint, pod, other) and (other.terminating or constraint.selector == LabelSelector())
        for constraint in required(pod)
        for other, _ in others(pod, snapshot)
        if may_go(pod, other) or heeded(pod, other)
    )


def ports_are_a_set(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether two pods on a node hold a host port that the pod requests, and one of them could be evicted."""
    pod = decision.pod
    held = [(other, node, port) for other, node in others(pod, snapshot) for port in host_ports(other)]
    return not isinstance(decision, Bind) and any(
        node == same and port == twin and other != another and may_go(pod, other)
        for other, node, port in held
        for another, same, twin in held
        if any(clash(port, wanted) for wanted in host_ports(pod))
    )


def skipped_sees_no_nominated(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether a nominated pod has required anti-affinity, or names a claim that the pod names too."""
    pod = decision.pod
    return any(
        other.affinity.anti_required != () or not set(claimed(other)).isdisjoint(claimed(pod))
        for other, _ in others(pod, snapshot)
        if heeded(pod, other)
    )


def budgets_charged_for_all(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether on some node more pods could be evicted than a budget over them allows."""
    pod = decision.pod
    return not isinstance(decision, Bind) and any(
        sum(protects(budget, other) for other, at in others(pod, snapshot) if at == node and may_go(pod, other))
        > max(0, budget.disruptions_allowed)
        for node in snapshot.nodes
        for budget in snapshot.budgets
    )


def empty_budget_protects_no_pod(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether a budget with an empty selector covers a pod that could be evicted."""
    pod = decision.pod
    return not isinstance(decision, Bind) and any(
        budget.selector == LabelSelector() and budget.namespace == other.namespace and may_go(pod, other)
        for budget in snapshot.budgets
        for other, _ in others(pod, snapshot)
    )


def unlabelled_unprotected(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether a budget covers a pod without labels that could be evicted."""
    pod = decision.pod
    return not isinstance(decision, Bind) and any(
        other.labels == {} and protects(budget, other) and may_go(pod, other)
        for budget in snapshot.budgets
        for other, _ in others(pod, snapshot)
    )


def claims_by_name_alone(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether a dry run adds or removes a pod of another namespace that names the same claim as the pod."""
    pod = decision.pod
    return any(
        other.namespace != pod.namespace and not set(claimed(other)).isdisjoint(claimed(pod))
        for other, _ in others(pod, snapshot)
        if may_go(pod, other) or heeded(pod, other)
    )


def attached_counts_twice(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether a VolumeAttachment already attaches a volume of the pod to a node."""
    storage = snapshot.storage
    return any(
        not attached(decision.pod, storage.node(info.node.name), storage).isdisjoint(by_attachments(info, storage))
        for info in node_infos(snapshot)
    )


def later_budgets_uncharged(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether two budgets protect a pod that could be evicted."""
    pod = decision.pod
    return not isinstance(decision, Bind) and any(
        sum(protects(budget, other) for budget in snapshot.budgets) > 1
        for other, _ in others(pod, snapshot)
        if may_go(pod, other)
    )


COVERS: frozendict[Departure, Covers] = frozendict(
    {
        Departure.NAMESPACE_SELECTOR_ON_NO_LABELS: namespace_selector_on_no_labels,
        Departure.POD_LEVEL_UNRATED: pod_level_unrated,
        Departure.FIRST_OF_GROUP_BY_PAIRS: first_of_group_by_pairs,
        Departure.TERMINATING_UNCOUNTED_TWICE: terminating_uncounted_twice,
        Departure.PORTS_ARE_A_SET: ports_are_a_set,
        Departure.SKIPPED_SEES_NO_NOMINATED: skipped_sees_no_nominated,
        Departure.BUDGETS_CHARGED_FOR_ALL: budgets_charged_for_all,
        Departure.EMPTY_BUDGET_PROTECTS_NO_POD: empty_budget_protects_no_pod,
        Departure.UNLABELLED_UNPROTECTED: unlabelled_unprotected,
        Departure.CLAIMS_BY_NAME_ALONE: claims_by_name_alone,
        Departure.ATTACHED_COUNTS_TWICE: attached_counts_twice,
        Departure.LATER_BUDGETS_UNCHARGED: later_budgets_uncharged,
    }
)
"""The predicate of each departure from the documentation."""
