"""Pods that no node could take, even without any other pod, and the smallest change that would let one: `of_fitting`.

Rules: pod-fits-no-node, pod-fits-only-unavailable-nodes, running-pod-fits-no-node.

Every other pod only adds refusals to those asked here, so that a pod refused by each empty node can never be placed.
Required pod affinity, claims and devices are left out of the question; where only they decide, nothing is claimed.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from schedcheck.findings.changes import matters, smallest_changes
from schedcheck.findings.finding import Finding, Found, Severity, Undecided
from schedcheck.findings.subjects import Subject, shapes
from schedcheck.findings.words import names
from schedcheck.manifests import Cluster
from schedcheck.spec.kubernetes.control_loop import UNMODELLED
from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.filter import antitone, refusals
from schedcheck.spec.kubernetes.filters import node_affinity, node_resources_fit, node_unschedulable, taint_toleration
from schedcheck.spec.kubernetes.filters.dynamic_resources import claiming, claims_met
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import by_scheduler_name
from schedcheck.spec.quantities import quantity_text
from schedcheck.spec.refusal import Refusal
from schedcheck.spec.requests import allocatable
from schedcheck.spec.tolerations import CORDON, untolerated

NEVER, UNAVAILABLE, RUNNING = "pod-fits-no-node", "pod-fits-only-unavailable-nodes", "running-pod-fits-no-node"
PASSING = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")
"""The prefixes of the taints that controllers set for the state of a node, and take away again."""

Refused = Mapping[str, tuple[Refusal, ...]]
"""The refusals of each node that refuses the pod, by name."""


def of_fitting(cluster: Cluster, subjects: Iterable[Subject], profiles: tuple[Plugins, ...]) -> Iterator[Found]:
    """Yield the findings about the pods of each subject that these profiles schedule; none without nodes."""
    names = {each.scheduler_name for each in profiles}
    for subject in subjects:
        if subject.thing.kind == "DaemonSet":
            continue
        for alike in shapes(subject.pods).values() if cluster.nodes else ():
            pending = [pod for pod in alike if not pod.node_name]
            scheduled = [pod for pod in alike if not pod.template_node_name]
            if alike[0].scheduler_name in names and scheduled:
                yield from _of_shape(subject, tuple(pending or scheduled), cluster, profiles)


def _of_shape(
    subject: Subject, pods: tuple[Pod, ...], cluster: Cluster, profiles: tuple[Plugins, ...]
) -> Iterator[Found]:
    pod = replace(pods[0], node_name="", nominated_node_name="")
    plugins = by_scheduler_name(pod, profiles)
    bare = alone(pod, cluster, plugins)
    if any(taking(bare, cluster.nodes, cluster, plugins)):
        if claiming(pod, cluster.devices, plugins.departures) and not pods[0].node_name:
            yield Undecided(NEVER, subject.thing, UNMODELLED)
        return
    yield _finding(subject, pods, bare, cluster, plugins)


def alone(pod: Pod, cluster: Cluster, plugins: Plugins) -> Pod:
    """Return the pod without what the question leaves out: volumes, devices and required pod affinity."""
    met = claims_met(pod, cluster.devices, plugins.departures)
    return replace(met, volumes=(), affinity=replace(pod.affinity, pod_required=()))


def taking(pod: Pod, nodes: Iterable[Node], cluster: Cluster, plugins: Plugins) -> Iterator[str]:
    """Yield the names of the nodes that may take the pod, if they have no other pod."""
    return (name for name, refused in _judged(pod, nodes, cluster, plugins) if not refused)


def refused_empty(pod: Pod, nodes: Iterable[Node], cluster: Cluster, plugins: Plugins) -> Refused:
    """Return the refusals of the nodes that would refuse the pod without any other pod, for good."""
    return {name: refused for name, refused in _judged(pod, nodes, cluster, plugins) if refused}


def _judged(
    pod: Pod, nodes: Iterable[Node], cluster: Cluster, plugins: Plugins
) -> Iterator[tuple[str, tuple[Refusal, ...]]]:
    """Yield each node with its refusals for good; nodes that are alike for the pod are asked once.

    Without pods no node depends on another: every count of pod affinity and topology spread is 0.
    """
    part = matters(pod, plugins)
    asked: dict[Hashable, tuple[Refusal, ...]] = {}
    for node in nodes:
        key = part(node)
        if key not in asked:
            made = cycle(pod, _alone(node, cluster), plugins)
            asked[key] = tuple(filter(antitone, refusals(made, made.infos[0])))
        yield node.name, asked[key]


def _alone(node: Node, cluster: Cluster) -> Snapshot:
    """Return the snapshot of this node and no pod."""
    return Snapshot(
        nodes=(node,),
        namespaces=cluster.namespaces,
        services=cluster.services,
        controllers=cluster.controllers,
        storage=cluster.storage,
    )


def _finding(subject: Subject, pods: tuple[Pod, ...], pod: Pod, cluster: Cluster, plugins: Plugins) -> Finding:
    refused = refused_empty(pod, cluster.nodes, cluster, plugins)
    waiting = list(taking(pod, [restored(node) for node in cluster.nodes], cluster, plugins))
    running = bool(pods[0].node_name)
    facts = tuple(said(refused, pod, cluster.nodes, plugins))
    who = f"{len(pods):,} pods, such as {pods[0]}," if len(pods) > 1 else f"Pod {pods[0]}"
    if waiting:
        verb = "fits" if len(pods) == 1 else "fit"
        text = f"{who} {verb} only on nodes that are cordoned or tainted for their state: {names(waiting)}."
        return Finding(UNAVAILABLE, Severity.WARNING, subject.thing, subject.path("nodeSelector"), text, facts)
    changes = smallest_changes(
        pod, cluster.nodes, lambda node: refused_empty(pod, (node,), cluster, plugins) == {}, plugins
    )
    if running:
        them = "it" if len(pods) == 1 else "them"
        text = f"{who} cannot be placed again once evicted: no node would take {them}, even without other pods."
        return Finding(RUNNING, Severity.WARNING, subject.thing, _field(refused, facts, subject), text, facts, changes)
    number = len(cluster.nodes)
    where = f"can be placed on none of {number:,} nodes" if number > 1 else "cannot be placed on the only node"
    text = f"{who} {where}, even without other pods."
    return Finding(NEVER, Severity.ERROR, subject.thing, _field(refused, facts, subject), text, facts, changes)


def restored(node: Node) -> Node:
    """Return the node as it would be schedulable and without the taints of its state."""
    taints = tuple(taint for taint in node.taints if not taint.key.startswith(PASSING))
    return replace(node, unschedulable=False, taints=taints)


FIELDS = {
    "TaintToleration": "tolerations",
    "NodeUnschedulable": "tolerations",
    "NodeAffinity": "affinity.nodeAffinity",
    "NodeResourcesFit": "containers",
    "PodTopologySpread": "topologySpreadConstraints",
}


def _field(refused: Refused, facts: tuple[str, ...], subject: Subject) -> str:
    """Return the path of the field by which the most nodes refuse the pod."""
    lacking = any("nodeSelector" in fact for fact in facts)
    count = {name: sum(any(each.plugin == name for each in some) for some in refused.values()) for name in FIELDS}
    most = max(count, key=lambda name: count[name])
    return subject.path("nodeSelector" if most == node_affinity.NAME and lacking else FIELDS[most])


def said(refused: Refused, pod: Pod, nodes: Sequence[Node], plugins: Plugins) -> Iterator[str]:
    """Yield the reasons with the nodes that have them, one line for all nodes of the same reasons."""
    there = {node.name: node for node in nodes}
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, some in refused.items():
        reasons = tuple(reason for each in some for reason in _reasons(each, pod, there[name], plugins))
        alike.setdefault(reasons, []).append(name)
    for reasons, named in alike.items():
        yield f"{names(named)}: {'; '.join(reasons)}"


def _reasons(refusal: Refusal, pod: Pod, node: Node, plugins: Plugins) -> Iterator[str]:
    """Yield the reasons of a refusal: labels, taints and amounts by name, else in the words of kube-scheduler."""
    match refusal.plugin:
        case node_unschedulable.NAME:
            yield "is cordoned"
        case taint_toleration.NAME:
            taints = untolerated(pod, node)
            hidden = CORDON if node.unschedulable else None
            yield from (f"has the taint {each}, which is not tolerated" for each in taints if each != hidden)
        case node_affinity.NAME:
            yield from _labels(refusal, pod, node)
        case node_resources_fit.NAME:
            yield from _amounts(pod, node, plugins)
        case _:
            yield from refusal.reasons


def _labels(refusal: Refusal, pod: Pod, node: Node) -> Iterator[str]:
    missing = {key: value for key, value in pod.node_selector.items() if node.labels.get(key) != value}
    yield from (f"lacks the label {key}={value} of the nodeSelector" for key, value in sorted(missing.items()))
    if pod.affinity.node_required and not node_affinity.matches_one(pod.affinity.node_required, node):
        yield "matches no term of the required node affinity"
    elif not missing:
        yield from refusal.reasons


def _amounts(pod: Pod, node: Node, plugins: Plugins) -> Iterator[str]:
    for resource, amount in lacking(pod, node, plugins).items():
        has, wants = (quantity_text(resource, each) for each in (allocatable(node, resource), amount))
        yield f"has {resource} {has} in all, the pod requests {wants}"
    if not allocatable(node, "pods"):
        yield "admits no pods"


def lacking(pod: Pod, node: Node, plugins: Plugins) -> dict[str, int]:
    """Return the requests that exceed the node's total, in smallest units."""
    wants = node_resources_fit.looked_for(pod, plugins.arguments)
    return {name: wants[name] for name in sorted(wants) if wants[name] > allocatable(node, name)}
