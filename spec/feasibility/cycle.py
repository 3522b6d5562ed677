"""The first half of a scheduling cycle of Kubernetes: `cycle`, PreFilter; `verdicts`, Filter on every node.

A plugin that has nothing to do is skipped for the cycle; PreFilter may reject the pod for every node, or narrow the
nodes; the nominated node is tried first; on a node to which others of no lower priority are nominated the filters must
pass with those and without them.

Kubernetes 1.34: pkg/scheduler/schedule_one.go, pkg/scheduler/framework/runtime/framework.go.

Not modelled: volumes and resource claims, whose plugins are skipped; extenders; how many nodes are looked at.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.spec.departures import Departure, Departures
from schedcheck.spec.feasibility import (
    inter_pod_affinity,
    node_name,
    node_ports,
    node_resources_fit,
    node_unschedulable,
    pod_topology_spread,
    required_node_affinity,
    taint_toleration,
)
from schedcheck.spec.feasibility.inter_pod_affinity import Near, near
from schedcheck.spec.feasibility.node_info import NodeInfo, node_infos
from schedcheck.spec.feasibility.pod_topology_spread import Counts, counts
from schedcheck.spec.feasibility.refusal import Code, Refusal, unresolvable
from schedcheck.spec.objects import Pod, Snapshot

WITHOUT_VOLUMES = ("VolumeRestrictions", "NodeVolumeLimits", "VolumeBinding", "VolumeZone")
PRE_FILTERS = (
    "NodeAffinity", "NodePorts", "NodeResourcesFit", *WITHOUT_VOLUMES, "PodTopologySpread", "InterPodAffinity",
    "DynamicResources",
)  # fmt: skip


@dataclass(frozen=True)
class Cycle:
    """A pod that is to be placed, and what PreFilter made of it and of the cluster.

    `nominated` are the pods that are nominated to each node and must be reckoned with. `named` are the nodes to which
    the choice is narrowed, None for all. `idle` are the plugins that have nothing to do, and `skipped` those of them that
    were asked. `rejection` is what PreFilter says of every node, None where it does not.
    """

    pod: Pod
    snapshot: Snapshot
    departures: Departures
    infos: tuple[NodeInfo, ...]
    nominated: frozendict[str, tuple[Pod, ...]]
    spread: tuple[Counts, ...]
    around: Near
    idle: frozenset[str]
    skipped: frozenset[str]
    named: frozenset[str] | None
    rejection: Refusal | None


@dataclass(frozen=True)
class Verdict:
    """What the cycle says of a node: the refusal that is recorded, None where it is feasible, and where that is from.

    `source` is preFilter, preFilterResult, nominatedFirst or filter.
    """

    refusal: Refusal | None
    source: str


def cycle(pod: Pod, snapshot: Snapshot, departures: Departures) -> Cycle:
    """PreFilter: the cycle in which `pod`, which is not in the snapshot, is to be placed."""
    infos = node_infos(snapshot)
    around = near(pod, infos, snapshot, departures)
    nothing_to_do = {
        "NodeAffinity": required_node_affinity.skipped(pod),
        "NodePorts": node_ports.skipped(pod),
        "PodTopologySpread": pod_topology_spread.skipped(pod),
        "InterPodAffinity": inter_pod_affinity.skipped(pod, around),
        **dict.fromkeys((*WITHOUT_VOLUMES, "DynamicResources"), True),
    }
    rejection = required_node_affinity.conflict(pod)
    idle = frozenset(name for name, has_nothing in nothing_to_do.items() if has_nothing)
    return Cycle(
        pod=pod,
        snapshot=snapshot,
        departures=departures,
        infos=infos,
        nominated=nominated(pod, snapshot),
        spread=counts(pod, infos),
        around=around,
        idle=idle,
        # NodeAffinity alone rejects, and comes first: nobody after it is asked.
        skipped=idle if rejection is None else frozenset(),
        named=required_node_affinity.named(pod) if rejection is None else None,
        rejection=rejection,
    )


def nominated(pod: Pod, snapshot: Snapshot) -> frozendict[str, tuple[Pod, ...]]:
    """The other pods, of no lower priority, that wait for the node to which they are nominated; by node."""
    found: dict[str, tuple[Pod, ...]] = {}
    for other in snapshot.pods:
        waits = other.nominated_node_name != "" and other.node_name == "" and other.key != pod.key
        if waits and other.priority >= pod.priority:
            found[other.nominated_node_name] = (*found.get(other.nominated_node_name, ()), other)
    return frozendict(found)


FILTERS: tuple[tuple[str, Callable[[Cycle, NodeInfo], Refusal | None]], ...] = (
    ("NodeUnschedulable", lambda cycle, info: node_unschedulable.refusal(cycle.pod, info.node)),
    ("NodeName", lambda cycle, info: node_name.refusal(cycle.pod, info.node)),
    ("TaintToleration", lambda cycle, info: taint_toleration.refusal(cycle.pod, info.node)),
    ("NodeAffinity", lambda cycle, info: required_node_affinity.refusal(cycle.pod, info.node)),
    ("NodePorts", lambda cycle, info: node_ports.refusal(cycle.pod, info)),
    ("NodeResourcesFit", lambda cycle, info: node_resources_fit.refusal(cycle.pod, info)),
    (
        "PodTopologySpread",
        lambda cycle, info: pod_topology_spread.refusal(cycle.pod, info, cycle.spread, cycle.departures),
    ),
    (
        "InterPodAffinity",
        lambda cycle, info: inter_pod_affinity.refusal(cycle.pod, info, cycle.around, cycle.snapshot, cycle.departures),
    ),
)


def antitone(refusal: Refusal) -> bool:
    """Whether the pod is refused as well if more pods are on the node: fewer of them never make the filter refuse.

    What InterPodAffinity refuses for want of company, more company may mend; a spread over other nodes is not touched.
    """
    return refusal.plugin != inter_pod_affinity.NAME or refusal.code == Code.UNSCHEDULABLE


def refusals(cycle: Cycle, info: NodeInfo) -> Iterator[Refusal]:
    """The refusals of the node by the filters that are not skipped, in the order in which they run."""
    everybody = info.changes != () and Departure.SKIPPED_SEES_NO_NOMINATED not in cycle.departures
    for name, refusal in FILTERS:
        if everybody or name not in cycle.skipped:
            refused = refusal(cycle, info)
            if refused is not None:
                yield refused


def with_nominated(cycle: Cycle, info: NodeInfo) -> NodeInfo | None:
    """The node with the pods that are nominated to it, None where there are none."""
    pods = cycle.nominated.get(info.node.name, ())
    for pod in pods:
        info = info.added(pod)
    return info if pods else None


def filtered(cycle: Cycle, info: NodeInfo) -> Refusal | None:
    """The first refusal of the node with the pods nominated to it, or else of the node without them."""
    crowded = with_nominated(cycle, info)
    refused = next(refusals(cycle, crowded), None) if crowded is not None else None
    return refused or next(refusals(cycle, info), None)


def verdicts(cycle: Cycle) -> frozendict[str, Verdict]:
    """What the cycle says of every node, by name, if every node is looked at."""
    if cycle.rejection is not None:
        rejected = Verdict(cycle.rejection, "preFilter")
        return frozendict({info.node.name: rejected for info in cycle.infos})
    tried = {
        info.node.name: filtered(cycle, info)
        for info in cycle.infos
        if cycle.named is None or info.node.name in cycle.named or info.node.name == cycle.pod.nominated_node_name
    }
    left_out = Verdict(
        unresolvable("", f"node(s) didn't satisfy plugin(s) [{' '.join(_blamed(cycle, tried))}]"), "preFilterResult"
    )
    found = {}
    for info in cycle.infos:
        name = info.node.name
        outside = cycle.named is not None and name not in cycle.named
        found[name] = Verdict(tried[name], "nominatedFirst" if outside else "filter") if name in tried else left_out
    return frozendict(found)


def _blamed(cycle: Cycle, tried: dict[str, Refusal | None]) -> list[str]:
    """The plugins that are said to have left a node out; who refused the nominated node first is among them."""
    first = tried.get(cycle.pod.nominated_node_name)
    return sorted({required_node_affinity.NAME, *([first.plugin] if first is not None else [])})


def feasible(cycle: Cycle) -> tuple[str, ...]:
    """The names of the nodes that the filters admit, in order."""
    return tuple(name for name, verdict in verdicts(cycle).items() if verdict.refusal is None)
