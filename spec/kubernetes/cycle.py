"""The first half of a scheduling cycle of Kubernetes: `cycle`, PreFilter; `verdicts`, Filter on every node.

A plugin that returns Skip at PreFilter is left out of the cycle. PreFilter may reject the pod for every node, or narrow
the nodes. The nominated node is tried first. If other pods of equal or higher priority are nominated to a node, the
filters must pass both with and without them.

Kubernetes 1.34: pkg/scheduler/schedule_one.go, pkg/scheduler/framework/runtime/framework.go.

Not modelled: whether resource claims can be met (a pod that has any is rejected); extenders; how many nodes are
filtered.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from frozendict import frozendict

from schedcheck.spec.footprints import NOTHING, Footprint, footprint
from schedcheck.spec.kubernetes import default_spread, missing_state
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.filters import (
    dynamic_resources,
    inter_pod_affinity,
    node_affinity,
    node_name,
    node_ports,
    node_resources_fit,
    node_unschedulable,
    node_volume_limits,
    pod_topology_spread,
    taint_toleration,
    volume_binding,
    volume_restrictions,
    volume_zone,
)
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import Near, near
from schedcheck.spec.kubernetes.filters.pod_topology_spread import Counts, counts
from schedcheck.spec.kubernetes.filters.volume_binding import Claims, claims_of
from schedcheck.spec.kubernetes.filters.volume_restrictions import in_use
from schedcheck.spec.kubernetes.filters.volume_zone import Topology, topologies
from schedcheck.spec.kubernetes.node_info import NodeInfo, node_infos
from schedcheck.spec.kubernetes.out_of_tree import ruled
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.refusal import Code, Refusal, failed, unresolvable, unschedulable
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.storage import Storage


@dataclass(frozen=True)
class Outcome:
    """The result of a plugin at PreFilter: Skip, a rejection of the pod, or the nodes that remain.

    `named` None means all nodes.
    """

    skipped: bool = False
    rejection: Refusal | None = None
    named: frozenset[str] | None = None


@dataclass(frozen=True)
class Cycle:
    """The scheduling cycle of one pod: the pod, the nodes to filter, and what the plugins count in the cluster.

    The plugins count over the nodes in `cluster`, and each count is computed only when it is needed.
    """

    pod: Pod
    snapshot: Snapshot
    plugins: Plugins
    infos: tuple[NodeInfo, ...]
    cluster: tuple[NodeInfo, ...]

    @cached_property
    def nominated(self) -> frozendict[str, tuple[Pod, ...]]:
        """The nominated pods that the filters have to take into account, by node."""
        return nominated(self.pod, self.snapshot)

    @cached_property
    def spread(self) -> tuple[Counts, ...]:
        """The counts of matching pods in each domain, for each DoNotSchedule constraint of the pod."""
        return counts(self.spreading, self.cluster)

    @cached_property
    def around(self) -> Near:
        """The counts of InterPodAffinity: which domains hold pods that matter for the pod."""
        return near(self.pod, self.cluster, self.snapshot, self.plugins.departures)

    @cached_property
    def in_use(self) -> int:
        """How many of the pod's ReadWriteOncePod claims are already in use."""
        return in_use(self.pod, self.cluster, self.storage)

    @cached_property
    def claims(self) -> Claims:
        """The pod's volume claims."""
        return claims_of(self.pod, self.storage)

    @cached_property
    def zones(self) -> tuple[Topology, ...]:
        """The topology labels of the pod's volumes."""
        return topologies(self.pod, self.storage)

    @property
    def storage(self) -> Storage:
        """The storage objects of the cluster."""
        return self.snapshot.storage

    @cached_property
    def spreading(self) -> Pod:
        """The pod with its topology spread constraints, or the default ones if it has none."""
        return default_spread.constrained(self.pod, self.snapshot, self.plugins.arguments)

    @cached_property
    def outcomes(self) -> frozendict[str, Outcome]:
        """The result of each plugin enabled at PreFilter, taken by itself, in order; an unknown plugin passes."""
        names = self.plugins.at("preFilter")
        return frozendict({name: PRE_FILTERS[name](self) if name in PRE_FILTERS else Outcome() for name in names})

    @cached_property
    def asked(self) -> tuple[str, ...]:
        r"""The plugins that run at PreFilter: none runs after a plugin that returns UnschedulableAndUnresolvable.

        TLA+: Asked(Pod, Snapshot) ==
                LET Names == Enabled.preFilter
                    Last == {i \in DOMAIN Names : Final(Outcome(Names[i], Pod, Snapshot))}
                IN IF Last = {} THEN Names ELSE SubSeq(Names, 1, Min(Last))
        """
        names = tuple(self.outcomes)
        last = next((i for i, name in enumerate(names) if final(self.outcomes[name])), len(names))
        return names[: last + 1]

    @cached_property
    def rejection(self) -> Refusal | None:
        r"""The rejection of the pod at PreFilter, for every node: the last one returned; None if no plugin rejects.

        TLA+: Rejection(Pod, Snapshot) ==
                LET Names == Asked(Pod, Snapshot)
                    Rejecting == {i \in DOMAIN Names : Outcome(Names[i], Pod, Snapshot).Rejection # Null}
                IN IF Rejecting = {} THEN Null ELSE Outcome(Names[Max(Rejecting)], Pod, Snapshot).Rejection
        """
        rejections = [self.outcomes[name].rejection for name in self.asked]
        return next((each for each in reversed(rejections) if each is not None), None)

    @cached_property
    def skipped(self) -> frozenset[str]:
        r"""The plugins that return Skip and are left out of the cycle.

        TLA+: Skipped(Pod, Snapshot) ==
                LET Names == Asked(Pod, Snapshot)
                    Said == [i \in DOMAIN Names |-> Outcome(Names[i], Pod, Snapshot)]
                IN {Names[i] : i \in {j \in DOMAIN Names : Said[j].Skipped /\ Said[j].Rejection = Null}}
        """
        outcomes = ((name, self.outcomes[name]) for name in self.asked)
        return frozenset(name for name, outcome in outcomes if outcome.skipped and outcome.rejection is None)

    @cached_property
    def narrowing(self) -> tuple[str, ...]:
        """The plugins that narrow the nodes at PreFilter."""
        return tuple(name for name in self.asked if self.outcomes[name].named is not None)

    @cached_property
    def named(self) -> frozenset[str] | None:
        r"""The nodes that remain after PreFilter, by name; None means all.

        TLA+: Named(Pod, Snapshot) ==
                LET Names == Asked(Pod, Snapshot)
                    Said == {Outcome(Names[i], Pod, Snapshot).Named : i \in DOMAIN Names} \ {Null}
                IN IF Said = {} \/ Rejection(Pod, Snapshot) # Null THEN Null
                   ELSE {Name \in UNION Said : \A Some \in Said : Name \in Some}
        """
        names = [named for name in self.asked if (named := self.outcomes[name].named) is not None]
        return frozenset.intersection(*names) if names and self.rejection is None else None


@dataclass(frozen=True)
class Verdict:
    """The result of the filters on a node: the recorded refusal, or None if the node is feasible.

    `source` says where it comes from: preFilter, preFilterResult, nominatedFirst or filter.
    """

    refusal: Refusal | None
    source: str


def final(outcome: Outcome) -> bool:
    r"""Whether the plugin rejects the pod as UnschedulableAndUnresolvable, which ends PreFilter.

    TLA+: Final(Said) ==
            Said.Rejection # Null /\ Said.Rejection.Code = "UnschedulableAndUnresolvable"
    """
    return outcome.rejection is not None and outcome.rejection.code == Code.UNRESOLVABLE


PRE_FILTERS: frozendict[str, Callable[[Cycle], Outcome]] = frozendict(
    {
        "NodeAffinity": lambda cycle: Outcome(
            node_affinity.skipped(cycle.pod, cycle.plugins.arguments),
            conflict := node_affinity.conflict(cycle.pod),
            node_affinity.named(cycle.pod) if conflict is None else None,
        ),
        "NodePorts": lambda cycle: Outcome(node_ports.skipped(cycle.pod)),
        "NodeResourcesFit": lambda cycle: Outcome(),
        "VolumeRestrictions": lambda cycle: Outcome(
            volume_restrictions.skipped(cycle.pod, cycle.in_use),
            volume_restrictions.rejection(cycle.pod, cycle.storage),
        ),
        "NodeVolumeLimits": lambda cycle: Outcome(node_volume_limits.skipped(cycle.pod)),
        "VolumeBinding": lambda cycle: Outcome(
            volume_binding.skipped(cycle.pod),
            volume_binding.rejection(cycle.pod, cycle.storage),
        ),
        "VolumeZone": lambda cycle: Outcome(
            volume_zone.skipped(cycle.zones),
            volume_zone.rejection(cycle.pod, cycle.storage),
        ),
        "PodTopologySpread": lambda cycle: Outcome(pod_topology_spread.skipped(cycle.spreading)),
        "InterPodAffinity": lambda cycle: Outcome(inter_pod_affinity.skipped(cycle.pod, cycle.around)),
        "DynamicResources": lambda cycle: Outcome(
            dynamic_resources.dynamic_resources(cycle.pod),
            dynamic_resources.rejection(cycle.pod),
        ),
    }
)
"""The results of the plugins at PreFilter, by plugin name.

TLA+: Outcome(Plugin, Pod, Snapshot) ==
        LET Says(Idle) == [Skipped |-> Idle, Rejection |-> Null, Named |-> Null]
        IN CASE Plugin = "NodeAffinity" ->
                  [Skipped |-> NodeAffinitySkipped(Pod), Rejection |-> Conflict(Pod),
                   Named |-> IF Conflict(Pod) = Null THEN NamedNodes(Pod) ELSE Null]
             [] Plugin = "NodePorts" -> Says(NodePortsSkipped(Pod))
             [] Plugin = "NodeResourcesFit" -> Says(FALSE)
             [] Plugin = "PodTopologySpread" -> Says(PodTopologySpreadSkipped(Constrained(Pod, Snapshot)))
             [] Plugin = "InterPodAffinity" -> Says(InterPodAffinitySkipped(Pod, Snapshot))
             [] OTHER -> Says(TRUE)
"""


def cycle(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> Cycle:
    """Return the cycle that schedules `pod`, which must not be in the snapshot."""
    infos = node_infos(snapshot)
    return Cycle(pod, snapshot, plugins, infos, infos)


def nominated(pod: Pod, snapshot: Snapshot) -> frozendict[str, tuple[Pod, ...]]:
    r"""Return the other unbound pods of equal or higher priority that are nominated to a node, by node.

    TLA+: Nominated(Pod, Node, Snapshot) ==
            {Other \in Pods(Snapshot) :
              /\ Other.Status.NominatedNodeName = Node.Name
              /\ Other.Spec.NodeName = ""
              /\ Identity(Other) # Identity(Pod)
              /\ Other.Spec.Priority >= Pod.Spec.Priority}
    """
    found: dict[str, tuple[Pod, ...]] = {}
    for other in snapshot.pods:
        waits = other.nominated_node_name != "" and other.node_name == "" and other.key != pod.key
        if waits and other.priority >= pod.priority:
            found[other.nominated_node_name] = (*found.get(other.nominated_node_name, ()), other)
    return frozendict(found)


FILTERS: frozendict[str, Callable[[Cycle, NodeInfo], Refusal | None]] = frozendict(
    {
        "NodeUnschedulable": lambda cycle, info: node_unschedulable.refusal(cycle.pod, info.node),
        "NodeName": lambda cycle, info: node_name.refusal(cycle.pod, info.node),
        "TaintToleration": lambda cycle, info: taint_toleration.refusal(cycle.pod, info.node),
        "NodeAffinity": lambda cycle, info: node_affinity.refusal(cycle.pod, info.node, cycle.plugins.arguments),
        "NodePorts": lambda cycle, info: node_ports.refusal(cycle.pod, info),
        "NodeResourcesFit": lambda cycle, info: node_resources_fit.refusal(cycle.pod, info, cycle.plugins.arguments),
        "VolumeRestrictions": lambda cycle, info: volume_restrictions.refusal(
            cycle.pod, info, cycle.in_use, cycle.storage, cycle.plugins.departures
        ),
        "NodeVolumeLimits": lambda cycle, info: node_volume_limits.refusal(
            cycle.pod, info, cycle.storage, cycle.plugins.departures
        ),
        "VolumeBinding": lambda cycle, info: volume_binding.refusal(info.node, cycle.claims, cycle.storage),
        "VolumeZone": lambda cycle, info: volume_zone.refusal(info.node, cycle.zones),
        "PodTopologySpread": lambda cycle, info: pod_topology_spread.refusal(
            cycle.spreading, info, cycle.spread, cycle.plugins.departures
        ),
        "InterPodAffinity": lambda cycle, info: inter_pod_affinity.refusal(
            cycle.pod, info, cycle.around, cycle.snapshot, cycle.plugins.departures
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
            volume_zone,
            pod_topology_spread,
            inter_pod_affinity,
        )
    }
)
"""The footprint of each filter."""

PRE_FOOTPRINTS: frozendict[str, Footprint] = frozendict(
    {
        "NodeAffinity": NOTHING,
        "NodePorts": NOTHING,
        "NodeResourcesFit": NOTHING,
        "VolumeRestrictions": footprint(in_use, volume_restrictions.rejection),
        "NodeVolumeLimits": NOTHING,
        "VolumeBinding": footprint(volume_binding.rejection),
        "VolumeZone": footprint(topologies, volume_zone.rejection),
        "PodTopologySpread": footprint(default_spread.constrained),
        "InterPodAffinity": footprint(inter_pod_affinity.refusal),
        "DynamicResources": NOTHING,
    }
)
"""The footprint of each plugin at PreFilter."""


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
            LET Everybody == DOMAIN Info.Changes # {} /\ "skipped-sees-no-nominated" \notin Departures
                Idle == Skipped(Pod, Snapshot)
                Says(Plugin) ==
                  IF Plugin \in Unprepared /\ ~Listed(Plugin, Enabled.preFilter) THEN Failed(Plugin)
                  ELSE IF Everybody \/ Plugin \notin Idle THEN Refusal(Plugin, Pod, Info, Snapshot)
                  ELSE Null
                Said == [i \in DOMAIN Enabled.filter |-> Says(Enabled.filter[i])]
            IN SelectSeq(Said, LAMBDA Each : Each # Null)
    Differs: the rules of out-of-tree plugins are functions of their authors, without a twin in TLA+.
    """
    everybody = info.changes != () and Departure.SKIPPED_SEES_NO_NOMINATED not in cycle.plugins.departures
    for name in cycle.plugins.at("filter"):
        if name in missing_state.FILTER and name not in cycle.plugins.at("preFilter"):
            yield unasked(cycle, info, name)
        elif name in FILTERS and (everybody or name not in cycle.skipped):
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
    r"""Return the verdict on every node, by name, if all nodes are filtered.

    TLA+: Verdict(Pod, Node, Snapshot) ==
            LET Names == Named(Pod, Snapshot)
                Outside == Names # Null /\ Node.Name \notin Names
                Found == Filtered(Pod, NodeInfo(Node, Occupants(Node, Snapshot)), Snapshot)
            IN IF Rejection(Pod, Snapshot) # Null THEN [Refusal |-> Rejection(Pod, Snapshot), Source |-> "preFilter"]
               ELSE IF ~Outside THEN [Refusal |-> Found, Source |-> "filter"]
               ELSE IF Node.Name = Pod.Status.NominatedNodeName THEN [Refusal |-> Found, Source |-> "nominatedFirst"]
               ELSE [Refusal |-> Unresolvable(""), Source |-> "preFilterResult"]
    """
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
    """Return the plugins that the message names for nodes left out by PreFilter.

    The plugin that rejected the nominated node is among them, as in kube-scheduler.
    """
    first = tried.get(cycle.pod.nominated_node_name)
    return sorted({*cycle.narrowing, *([first.plugin] if first is not None else [])})


def failure(found: Mapping[str, Verdict]) -> str | None:
    r"""Return the message of the first filter that fails, or None; in kube-scheduler any of them may come first.

    A failure on the nominated node, when it is tried first, is ignored.

    TLA+: Failure(Pod, Snapshot) ==
            \E Node \in Nodes(Snapshot) :
              LET Found == Verdict(Pod, Node, Snapshot)
              IN Found.Source # "nominatedFirst" /\ Found.Refusal # Null /\ Found.Refusal.Code = "Error"
    """
    refusals = (each.refusal for each in found.values() if each.refusal is not None and each.source != "nominatedFirst")
    return next(failures(refusals), None)


def failures(refusals: Iterable[Refusal]) -> Iterator[str]:
    """Yield the messages of the filters that fail."""
    failed = (each for each in refusals if each.code == Code.ERROR)
    return (f'running "{each.plugin}" filter plugin: {"; ".join(each.reasons)}' for each in failed)


def admitted(found: Mapping[str, Verdict]) -> tuple[str, ...]:
    """Return the names of the nodes without a refusal, in order."""
    return tuple(name for name, verdict in found.items() if verdict.refusal is None)


def feasible(cycle: Cycle) -> tuple[str, ...]:
    r"""Return the names of the nodes that the filters admit, in order.

    TLA+: Feasible(Pod, Snapshot) ==
            {Node \in Nodes(Snapshot) : Verdict(Pod, Node, Snapshot).Refusal = Null}
    """
    return admitted(verdicts(cycle))
