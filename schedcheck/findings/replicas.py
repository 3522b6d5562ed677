"""Workloads with more replicas than their own spread constraints, anti-affinity and requests admit: `of_replicas`.

Rules: replicas-cannot-all-be-placed, replicas-wait-for-nodes. The question is asked of nodes without any other pod: other
pods only take room away, as the constraints count only pods of this workload.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from schedcheck.checker.limits.clock import Beyond
from schedcheck.findings import fitting
from schedcheck.findings.apart import Apart, Demand, Question, Room, Spread, core, most, placed
from schedcheck.findings.filling import filled
from schedcheck.findings.finding import Finding, Found, Severity, Undecided
from schedcheck.findings.fitting import restored, taking
from schedcheck.findings.subjects import Subject, labelled, shapes
from schedcheck.findings.words import counted, names
from schedcheck.manifests import Cluster
from schedcheck.manifests.workloads import Workload
from schedcheck.spec.kubernetes.filters import node_resources_fit, pod_topology_spread
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import speaks_of
from schedcheck.spec.kubernetes.filters.pod_topology_spread import in_scope, spread_with
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Node, Pod, Snapshot, SpreadConstraint
from schedcheck.spec.profiles import by_scheduler_name
from schedcheck.spec.requests import allocatable
from schedcheck.spec.terms import LabelSelector

NEVER, UNAVAILABLE = "replicas-cannot-all-be-placed", "replicas-wait-for-nodes"
KINDS = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController", "Job", "CronJob")


def of_replicas(cluster: Cluster, subjects: Iterable[Subject], profiles: tuple[Plugins, ...]) -> Iterator[Found]:
    """Yield the findings about each workload of several replicas whose pods are alike and schedule through a profile."""
    scheduled = {each.scheduler_name for each in profiles}
    for subject in subjects:
        work = subject.workload
        alike = shapes(subject.pods)
        if work is None or work.kind not in KINDS or work.idle or work.replicas < 2 or len(alike) != 1:
            continue
        pod = replace(next(iter(alike)), name=subject.pods[0].name, labels=subject.pods[0].labels)
        if pod.scheduler_name in scheduled and cluster.nodes:
            yield from _of_workload(subject, work.replicas, pod, cluster, by_scheduler_name(pod, profiles))


def _of_workload(subject: Subject, replicas: int, pod: Pod, cluster: Cluster, plugins: Plugins) -> Iterator[Found]:
    alone = not pod.affinity.anti_required and not pod_topology_spread.required(pod)
    if alone and _enough_room(pod, replicas, cluster, plugins):
        return
    try:
        now = question(subject, pod, cluster.nodes, cluster, plugins)
        if not now.nodes or filled(now, replicas) or placed(now, replicas):
            return
        later = question(subject, pod, [restored(node) for node in cluster.nodes], cluster, plugins)
        unavailable = placed(later, replicas)
        asked = now if unavailable else later
        yield _finding(subject, replicas, asked, most(asked, replicas), core(asked, replicas), unavailable)
    except Beyond as end:
        yield Undecided(NEVER, subject.thing, str(end))


def _enough_room(pod: Pod, replicas: int, cluster: Cluster, plugins: Plugins) -> bool:
    """Whether the nodes that take the pod have room for all replicas, which no constraint keeps apart."""
    room = 0
    there = {node.name: node for node in cluster.nodes}
    for name in taking(fitting.alone(pod, cluster, plugins), cluster.nodes, cluster, plugins):
        room += _room(pod, there[name], plugins)
        if room >= replicas:
            return True
    return False


def question(subject: Subject, pod: Pod, nodes: Sequence[Node], cluster: Cluster, plugins: Plugins) -> Question:
    """Return the question how many copies of the pod these nodes can hold at once."""
    admitting = set(taking(fitting.alone(pod, cluster, plugins), nodes, cluster, plugins))
    there = [node for node in nodes if node.name in admitting]
    demands: list[Demand] = [Room({node.name: _room(pod, node, plugins) for node in there})]
    demands += _apart(pod, there, cluster, plugins)
    demands += _spread(subject, pod, nodes, admitting, cluster, plugins)
    return Question(tuple(node.name for node in there), tuple(demands))


def _room(pod: Pod, node: Node, plugins: Plugins) -> int:
    """Return how many copies the empty node has room for."""
    if any(container.ports for container in (*pod.containers, *pod.init_containers)) and "NodePorts" in plugins.at(
        "filter"
    ):
        return 1
    if node_resources_fit.NAME not in plugins.at("filter"):
        return 2**31
    wants = {"pods": 1, **node_resources_fit.looked_for(pod, plugins.arguments)}
    return min(allocatable(node, name) // amount for name, amount in wants.items() if amount)


def _apart(pod: Pod, nodes: Iterable[Node], cluster: Cluster, plugins: Plugins) -> Iterator[Demand]:
    there = Snapshot(namespaces=cluster.namespaces)
    if "InterPodAffinity" not in plugins.at("filter"):
        return
    for term in pod.affinity.anti_required:
        if speaks_of(term, pod, pod, there, plugins.departures):
            yield Apart(term.topology_key, _domains(term.topology_key, nodes))


def _spread(
    subject: Subject, pod: Pod, nodes: Sequence[Node], admitting: set[str], cluster: Cluster, plugins: Plugins
) -> Iterator[Demand]:
    """Yield the demands of the constraints that count the workload's own pods and no others."""
    if plugins.at("filter") != DEFAULT_PLUGINS.at("filter"):
        return
    for each in pod_topology_spread.required(pod):
        if each.selector == LabelSelector() or not spread_with(each, pod, pod) or _others(each, pod, subject, cluster):
            continue
        scope = [node for node in nodes if in_scope(each, pod, node)]
        all_of_them = _domains(each.topology_key, scope)
        domains = {key: tuple(name for name in some if name in admitting) for key, some in all_of_them.items()}
        yield Spread(each.topology_key, each.max_skew, domains, len(domains) < each.min_domains)


def _others(constraint: SpreadConstraint, pod: Pod, subject: Subject, cluster: Cluster) -> bool:
    """Whether the constraint also counts pods, or a template, of something else."""
    own = {each.key for each in subject.pods}
    for namespace, labels, each in labelled(cluster, pod.namespace):
        mine = each.key in own if isinstance(each, Pod) else _of_subject(each, subject)
        if not mine and spread_with(constraint, pod, Pod("", namespace=namespace, labels=labels)):
            return True
    return False


def _of_subject(workload: Workload, subject: Subject) -> bool:
    same = (workload.kind, workload.namespace, workload.name)
    return same == (subject.thing.kind, subject.thing.namespace, subject.thing.name) or workload.owner == (
        subject.thing.kind,
        subject.thing.name,
    )


def _domains(key: str, nodes: Iterable[Node]) -> dict[str, tuple[str, ...]]:
    """Return the names of the nodes in each domain of the key; nodes without the label are in none."""
    found: dict[str, tuple[str, ...]] = {}
    for node in nodes:
        if key in node.labels:
            domain = node.labels[key]
            found[domain] = (*found.get(domain, ()), node.name)
    return dict(sorted(found.items()))


FIELDS = {Apart: "affinity.podAntiAffinity", Spread: "topologySpreadConstraints", Room: "containers"}


def _finding(
    subject: Subject, replicas: int, asked: Question, number: int, demands: tuple[Demand, ...], unavailable: bool
) -> Finding:
    why = "; ".join(said(each, asked, replicas) for each in demands)
    when = " while nodes are cordoned or tainted for their state" if unavailable else ", even without other pods"
    text = f"At most {number:,} of {replicas:,} replicas can be placed{when}: {why}."
    first = next((each for each in demands if not isinstance(each, Room)), demands[0])
    witness = (f"nodes that take the pod: {names(asked.nodes)}",)
    severity, rule = (Severity.WARNING, UNAVAILABLE) if unavailable else (Severity.ERROR, NEVER)
    return Finding(rule, severity, subject.thing, subject.path(FIELDS[type(first)]), text, witness)


def said(demand: Demand, asked: Question, replicas: int) -> str:
    """Return a demand in plain words."""
    match demand:
        case Room():
            room = sum(demand.rooms.values())
            return f"{counted(len(asked.nodes), 'node')} that can take the pod: room for {room:,} of it"
        case Apart():
            taken = [domain for domain, some in demand.domains.items() if some]
            if _short(demand.key) == "node":
                return f"{replicas:,} replicas, each on its own node, but only {_number(taken, demand.key)} can take the pod"
            return (
                f"{replicas:,} replicas, each in its own {_short(demand.key)}, but only"
                f" {_number(taken, demand.key)} with nodes that take the pod"
            )
        case Spread():
            empty = [domain for domain, some in demand.domains.items() if not some]
            lack = f", and none can be in {names(empty)}, which counts too" if empty else ""
            if demand.too_few:
                return f"at most {demand.skew:,} in each {_short(demand.key)}, as there are fewer than minDomains"
            return f"no {_short(demand.key)} may have over {demand.skew:,} more than the least filled one{lack}"


def _short(key: str) -> str:
    return {
        "kubernetes.io/hostname": "node",
        "topology.kubernetes.io/zone": "zone",
        "topology.kubernetes.io/region": "region",
    }.get(key, key)


def _number(domains: Sequence[str], key: str) -> str:
    return f"{counted(len(domains), _short(key))} ({names(domains)})" if domains else f"no {_short(key)}"
