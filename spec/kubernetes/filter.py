"""Filter of kube-scheduler: the refusals of a node, `refusals`, and the verdicts on all nodes, `verdicts`.

The nominated node is tried even if PreFilter leaves it out. If other pods of equal or higher priority are nominated to a
node, the filters must pass both with and without them.

Kubernetes 1.34: findNodesThatFitPod in pkg/scheduler/schedule_one.go; RunFilterPluginsWithNominatedPods in
pkg/scheduler/framework/runtime/framework.go.

Not modelled here: extenders; how many nodes are filtered.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.spec.footprints import Footprint, footprint
from schedcheck.spec.kubernetes import missing_state
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.filters import (
    dynamic_resources,
    inter_pod_affinity,
    node_affinity,
    node_declared_features,
    node_name,
    node_ports,
    node_resources_fit,
    node_unschedulable,
    node_volume_limits,
    pod_topology_spread,
    taint_toleration,
    volume_restrictions,
    volume_zone,
)
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.out_of_tree import ruled
from schedcheck.spec.refusal import Code, Refusal, failed, unresolvable, unschedulable
from schedcheck.spec.volumes import binding as volume_binding


@dataclass(frozen=True)
class Verdict:
    """The result of the filters on a node: the recorded refusal, or None if the node is feasible.

    `source` says where it comes from: preFilter, preFilterResult, nominatedFirst or filter.
    """

    refusal: Refusal | None
    source: str


FILTERS: frozendict[str, Callable[[Cycle, NodeInfo], Refusal | None]] = frozendict(
    {
        "NodeUnschedulable": lambda cycle, info: node_unschedulable.refusal(cycle.pod, info.node),
        "NodeName": lambda cycle, info: node_name.refusal(cycle.pod, info.node),
        "TaintToleration": lambda cycle, info: taint_toleration.refusal(cycle.pod, info.node, cycle.plugins.departures),
        "NodeAffinity": lambda cycle, info: node_affinity.refusal(cycle.pod, info.node, cycle.plugins.arguments),
        "NodePorts": lambda cycle, info: node_ports.refusal(cycle.pod, info),
        "NodeResourcesFit": lambda cycle, info: node_resources_fit.refusal(
            cycle.pod, info, cycle.plugins.arguments, cycle.plugins.departures
        ),
        "VolumeRestrictions": lambda cycle, info: volume_restrictions.refusal(
            cycle.pod, info, cycle.in_use, cycle.storage, cycle.plugins.departures
        ),
        "NodeVolumeLimits": lambda cycle, info: node_volume_limits.refusal(
            cycle.pod, info, cycle.storage, cycle.plugins.departures
        ),
        "VolumeBinding": lambda cycle, info: volume_binding.refusal(info.node, cycle.claims, cycle.storage),
        "VolumeZone": lambda cycle, info: (
            volume_zone.refusal(info.node, cycle.zones)
            if volume_zone.NAME in cycle.plugins.at("preFilter")
            else volume_zone.unprepared(cycle.pod, info.node, cycle.storage)
        ),
        "PodTopologySpread": lambda cycle, info: pod_topology_spread.refusal(
            cycle.spreading, info, cycle.spread, cycle.plugins.departures
        ),
        "InterPodAffinity": lambda cycle, info: inter_pod_affinity.refusal(
            cycle.pod, info, cycle.around, cycle.snapshot, cycle.plugins.departures
        ),
        "DynamicResources": lambda cycle, info: dynamic_resources.refusal(
            cycle.pod, info.node, cycle.snapshot.devices, cycle.plugins.departures
        ),
        "NodeDeclaredFeatures": lambda cycle, info: node_declared_features.refusal(
            cycle.pod, info.node, cycle.plugins.departures
        ),
    }
)
"""The filters by plugin name; a plugin that is not listed rejects only what its out-of-tree rules say.

TLA+: Refusal(Plugin, Pod, Info, Snapshot) ==
        CASE Plugin = "NodeUnschedulable" -> NodeUnschedulableRefusal(Pod, Info.Node)
          [] Plugin = "NodeName" -> NodeNameRefusal(Pod, Info.Node)
          [] Plugin = "TaintToleration" -> TaintTolerationRefusal(Pod, Info.Node)
          [] Plugin = "NodeAffinity" -> NodeAffinityRefusal(Pod, Info.Node)
          [] Plugin = "NodePorts" -> NodePortsRefusal(Pod, Info)
          [] Plugin = "NodeResourcesFit" -> NodeResourcesFitRefusal(Pod, Info)
          [] Plugin = "PodTopologySpread" -> PodTopologySpreadRefusal(Constrained(Pod, Snapshot), Info, Snapshot)
          [] Plugin = "InterPodAffinity" -> InterPodAffinityRefusal(Pod, Info, Snapshot)
          [] Plugin = "NodeDeclaredFeatures" -> NodeDeclaredFeaturesRefusal(Pod, Info.Node)
          [] Plugin = "DynamicResources" -> DynamicResourcesRefusal(Pod, Info.Node, Snapshot)
          [] OTHER -> Null
"""

FOOTPRINTS: frozendict[str, Footprint] = frozendict(
    {
        each.NAME: footprint(each.refusal)
        for each in (
            node_unschedulable,
            node_name,
            taint_toleration,
            node_affinity,
            node_ports,
            node_resources_fit,
            volume_restrictions,
            node_volume_limits,
            volume_binding,
            pod_topology_spread,
            inter_pod_affinity,
            dynamic_resources,
            node_declared_features,
        )
    }
    | {volume_zone.NAME: footprint(volume_zone.refusal, volume_zone.unprepared)}
)
"""The footprint of each filter."""


def antitone(refusal: Refusal) -> bool:
    """Whether the refusal would remain if more pods were on the node, so that removing pods never causes it.

    This is not so for InterPodAffinity where the pod lacks required company, which more pods can provide. Nor for
    NodeVolumeLimits: a volume already attached for another pod never exceeds the limit. PodTopologySpread considers the
    count of the node's own domain, which more pods only increase. Nothing is known of an out-of-tree plugin.
    """
    wants_company = refusal.plugin == inter_pod_affinity.NAME and refusal.code != Code.UNSCHEDULABLE
    return refusal.plugin in FILTERS and not wants_company and refusal.plugin != node_volume_limits.NAME


def unasked(cycle: Cycle, info: NodeInfo, name: str) -> Refusal:
    """Return the result of a filter whose plugin did not run at PreFilter: it fails.

    VolumeRestrictions checks the disks first, and may reject the node because of them.
    """
    if name == volume_restrictions.NAME and volume_restrictions.mounted(cycle.pod, info):
        return unschedulable(name, volume_restrictions.NO_DISK)
    return failed(name, missing_state.FILTER[name])


def refusals(cycle: Cycle, info: NodeInfo) -> Iterator[Refusal]:
    r"""Yield the refusals of the node by the filters that are not skipped, in the order in which they run.

    A filter fails if it needs the PreFilter state of its plugin and the plugin is not enabled at preFilter.

    TLA+: Refusals(Pod, Info, Snapshot) ==
            LET EveryPlugin == DOMAIN Info.Changes # {} /\ "skipped-sees-no-nominated" \notin Departures
                Idle == Skipped(Pod, Snapshot)
                Says(Plugin) ==
                  IF UnpreparedToFilter(Plugin) THEN Failed(Plugin)
                  ELSE IF EveryPlugin \/ Plugin \notin Idle THEN Refusal(Plugin, Pod, Info, Snapshot)
                  ELSE Null
                Said == [i \in DOMAIN Enabled.filter |-> Says(Enabled.filter[i])]
            IN SelectSeq(Said, LAMBDA Each : Each # Null)
    Differs: the rules of out-of-tree plugins are functions of their authors, without a twin in TLA+.
    """
    every_plugin = info.changes != () and Departure.SKIPPED_SEES_NO_NOMINATED not in cycle.plugins.departures
    for name in cycle.plugins.at("filter"):
        if missing_state.unprepared_to_filter(name, cycle.plugins):
            yield unasked(cycle, info, name)
        elif name in FILTERS and (every_plugin or name not in cycle.skipped):
            refused = FILTERS[name](cycle, info)
            if refused is not None:
                yield refused
        elif name not in FILTERS:
            refused = ruled(name, cycle.pod, info, cycle.snapshot, cycle.plugins)
            if refused is not None:
                yield refused


def with_nominated(cycle: Cycle, info: NodeInfo) -> NodeInfo | None:
    """Return the node with the pods nominated to it added; None if there are none."""
    pods = cycle.nominated.get(info.node.name, ())
    for pod in pods:
        info = info.added(pod)
    return info if pods else None


def filtered(cycle: Cycle, info: NodeInfo) -> Refusal | None:
    r"""Return the first refusal of the node with the pods nominated to it, else without them; None if it is feasible.

    TLA+: Filtered(Pod, Info, Snapshot) ==
            LET More == Nominated(Pod, Info.Node, Snapshot)
                Crowded == IF More = {} THEN <<>> ELSE Refusals(Pod, Added(Info, More), Snapshot)
                Refusing == Crowded \o Refusals(Pod, Info, Snapshot)
            IN IF Refusing = <<>> THEN Null ELSE Refusing[1]
    """
    crowded = with_nominated(cycle, info)
    refused = next(refusals(cycle, crowded), None) if crowded is not None else None
    return refused or next(refusals(cycle, info), None)


def verdicts(cycle: Cycle) -> frozendict[str, Verdict]:
    """Return the verdict on every node, by name, if all nodes are filtered."""
    left_out = narrowed_away(cycle)
    return frozendict({info.node.name: verdict(cycle, info, left_out) for info in cycle.infos})


def verdict(cycle: Cycle, info: NodeInfo, left_out: Refusal) -> Verdict:
    r"""Return the verdict on one node; `left_out` is the refusal of a node that PreFilter leaves out.

    TLA+: Verdict(Pod, Node, Snapshot) ==
            LET Names == Named(Pod, Snapshot)
                Outside == Names # Null /\ Node.Name \notin Names
                Found == Filtered(Pod, NodeInfo(Node, Occupants(Node, Snapshot)), Snapshot)
            IN IF Rejection(Pod, Snapshot) # Null THEN [Refusal |-> Rejection(Pod, Snapshot), Source |-> "preFilter"]
               ELSE IF ~Outside THEN [Refusal |-> Found, Source |-> "filter"]
               ELSE IF Node.Name = Pod.Status.NominatedNodeName THEN [Refusal |-> Found, Source |-> "nominatedFirst"]
               ELSE [Refusal |-> Unresolvable(""), Source |-> "preFilterResult"]
    """
    outside = cycle.named is not None and info.node.name not in cycle.named
    if cycle.rejection is not None:
        return Verdict(cycle.rejection, "preFilter")
    if not outside:
        return Verdict(filtered(cycle, info), "filter")
    if info.node.name == cycle.pod.nominated_node_name:
        return Verdict(filtered(cycle, info), "nominatedFirst")
    return Verdict(left_out, "preFilterResult")


def narrowed_away(cycle: Cycle) -> Refusal:
    """Return the refusal of the nodes that PreFilter leaves out; its message names the plugins that narrow the nodes.

    The plugin that rejects the nominated node is among them, as in kube-scheduler.
    """
    nominated = (info for info in cycle.infos if info.node.name == cycle.pod.nominated_node_name)
    first = [filtered(cycle, info) for info in nominated] if cycle.named is not None else []
    blamed = {*cycle.narrowing, *(each.plugin for each in first if each is not None)}
    return unresolvable("", f"node(s) didn't satisfy plugin(s) [{' '.join(sorted(blamed))}]")


def failure(found: Mapping[str, Verdict]) -> str | None:
    r"""Return the message of the first filter that fails, or None; in kube-scheduler any of them may come first.

    A failure on the nominated node, when it is tried first, is ignored.

    TLA+: Failure(Pod, Snapshot) ==
            \E Node \in Nodes(Snapshot) :
              LET Found == Verdict(Pod, Node, Snapshot)
              IN Found.Source # "nominatedFirst" /\ Found.Refusal # Null /\ Found.Refusal.Code = "Error"
    """
    return next(every_failure(found), None)


def every_failure(found: Mapping[str, Verdict]) -> Iterator[str]:
    """Yield the messages of all filters that fail, of which kube-scheduler tells the one that comes first.

    Kubernetes 1.37: findNodesThatPassFilters in pkg/scheduler/schedule_one.go filters several nodes at once.
    """
    return failures(
        each.refusal for each in found.values() if each.refusal is not None and each.source != "nominatedFirst"
    )


def failures(refusals: Iterable[Refusal]) -> Iterator[str]:
    """Yield the messages of the filters that fail."""
    failed = (each for each in refusals if each.code == Code.ERROR)
    return ("; ".join(each.reasons) if each.plugin == "" else _failed(each) for each in failed)


def _failed(refusal: Refusal) -> str:
    return f'running "{refusal.plugin}" filter plugin: {"; ".join(refusal.reasons)}'


def admitted(found: Mapping[str, Verdict]) -> tuple[str, ...]:
    """Return the names of the nodes without a refusal, in order."""
    return tuple(name for name, verdict in found.items() if verdict.refusal is None)


def feasible(cycle: Cycle) -> tuple[str, ...]:
    r"""Return the names of the nodes that the filters admit, in order.

    TLA+: Feasible(Pod, Snapshot) ==
            {Node \in Nodes(Snapshot) : Verdict(Pod, Node, Snapshot).Refusal = Null}
    """
    return admitted(verdicts(cycle))
