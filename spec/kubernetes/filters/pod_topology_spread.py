"""The plugin PodTopologySpread: DoNotSchedule constraints limit the skew between topology domains.

Only DoNotSchedule constraints filter. The pod is given with its default constraints (`default_spread`); those of the
system are all ScheduleAnyway.

Kubernetes 1.34: pkg/scheduler/framework/plugins/podtopologyspread/filtering.go.
"""

from collections.abc import Iterable
from itertools import groupby

from frozendict import frozendict

from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at, of_its_namespace
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.filters.node_affinity import required_node_affinity
from schedcheck.spec.kubernetes.filters.taint_toleration import taint_toleration
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.objects import Node, Pod, SpreadConstraint
from schedcheck.spec.refusal import Refusal, unresolvable, unschedulable
from schedcheck.spec.selectors import selects
from schedcheck.spec.terms import LabelSelector

NAME = "PodTopologySpread"
UNEQUAL = "node(s) didn't match pod topology spread constraints"

Counts = frozendict[str, int]
"""The number of counted pods in each domain."""


def required(pod: Pod) -> tuple[SpreadConstraint, ...]:
    """Return the DoNotSchedule constraints of `pod`, in order.

    TLA+: RequiredSpread(Pod) ==
            SelectSeq(Pod.Spec.TopologySpread, LAMBDA Constraint : Constraint.Required)
    """
    return tuple(constraint for constraint in pod.spread if constraint.required)


def in_scope(constraint: SpreadConstraint, pod: Pod, node: Node) -> bool:
    r"""Whether `node` counts for a constraint of `pod`: it has all topology keys, and the inclusion policies admit it.

    TLA+: InScope(Constraint, Pod, Node) ==
            /\ \A i \in DOMAIN RequiredSpread(Pod) : RequiredSpread(Pod)[i].TopologyKey \in DOMAIN Node.Labels
            /\ Constraint.AffinityHonored => RequiredNodeAffinity(Pod, Node)
            /\ Constraint.TaintsHonored => TaintToleration(Pod, Node)
    """
    return (
        all(each.topology_key in node.labels for each in required(pod))
        and (not constraint.affinity_honored or required_node_affinity(pod, node))
        and (not constraint.taints_honored or taint_toleration(pod, node))
    )


def spread_with(constraint: SpreadConstraint, pod: Pod, other: Pod) -> bool:
    r"""Whether the constraint selects `other`, in the namespace of `pod`.

    TLA+: SpreadWith(Constraint, Pod, Other) ==
            /\ Other.Namespace = Pod.Namespace
            /\ Selects(Constraint.Selector, Other.Labels)
    """
    return other.namespace == pod.namespace and selects(constraint.selector, other.labels, NO_FAULTS)


def there(constraint: SpreadConstraint, pod: Pod, other: Pod) -> bool:
    r"""Whether a bound pod counts towards the constraint. Terminating pods never do; with an empty selector none does.

    TLA+: There(Constraint, Pod, Other) ==
            /\ Constraint.Selector # Everything
            /\ ~Other.Terminating
            /\ SpreadWith(Constraint, Pod, Other)
    """
    return (
        constraint.selector != LabelSelector()
        and not other.terminating
        and spread_with(constraint, pod, other)
    )  # fmt: skip


def counts(constraint: SpreadConstraint, pod: Pod, infos: Iterable[NodeInfo]) -> Counts:
    r"""Return the number of pods that count towards the constraint, in each domain with a node in scope.

    TLA+: Counts(Constraint, Pod, Snapshot) ==
            LET Scope == {Node \in Nodes(Snapshot) : InScope(Constraint, Pod, Node)}
                Domain(Node) == Node.Labels[Constraint.TopologyKey]
                In(Value) == UNION {Occupants(Node, Snapshot) : Node \in {Each \in Scope : Domain(Each) = Value}}
            IN [Value \in {Domain(Node) : Node \in Scope} |->
                 Cardinality({Other \in In(Value) : There(Constraint, Pod, Other)})]
    """

    def domain(info: NodeInfo) -> str:
        return info.node.labels[constraint.topology_key]

    scope = [info for info in infos if in_scope(constraint, pod, info.node)]
    return frozendict(
        {
            value: sum(there(constraint, pod, other) for info in within for other in info.pods)
            for value, within in groupby(sorted(scope, key=domain), domain)
        }
    )


def changed(counted: Counts, constraint: SpreadConstraint, pod: Pod, info: NodeInfo, departures: Departures) -> Counts:
    r"""Return the counts after the pods that are added to or removed from the node for a trial.

    TLA+: Changed(Counted, Constraint, Pod, Info) ==
            LET Counting(Other) == IF "terminating-uncounted-twice" \in Departures
                                   THEN SpreadWith(Constraint, Pod, Other)
                                   ELSE There(Constraint, Pod, Other)
                Change == Sum([Other \in DOMAIN Info.Changes |-> IF Counting(Other) THEN Info.Changes[Other] ELSE 0])
            IN IF InScope(Constraint, Pod, Info.Node)
               THEN [Counted EXCEPT ![Info.Node.Labels[Constraint.TopologyKey]] = @ + Change]
               ELSE Counted
    """
    if not info.changes or not in_scope(constraint, pod, info.node):
        return counted
    twice = Departure.TERMINATING_UNCOUNTED_TWICE in departures
    change = sum(
        sign
        for other, sign in info.changes
        if (spread_with(constraint, pod, other) if twice else there(constraint, pod, other))
    )
    domain = info.node.labels[constraint.topology_key]
    return counted.set(domain, counted.get(domain, 0) + change)


def least(counted: Counts, constraint: SpreadConstraint) -> int:
    r"""Return the least count of a domain; 0 if there are fewer domains than minDomains.

    TLA+: Least(Counted, Constraint) ==
            IF Cardinality(DOMAIN Counted) < Constraint.MinDomains THEN 0
            ELSE Min({Counted[Value] : Value \in DOMAIN Counted})
    """
    return 0 if len(counted) < constraint.min_domains else min(counted.values(), default=0)


def skew(constraint: SpreadConstraint, counted: Counts, pod: Pod, node: Node) -> int:
    """Return the skew with `pod` on `node`: the count of its domain minus the least count of any domain.

    TLA+: Skew(Constraint, Counted, Pod, Node) ==
            Given(Counted, Node.Labels[Constraint.TopologyKey])
            + (IF SpreadWith(Constraint, Pod, Pod) THEN 1 ELSE 0)
            - Least(Counted, Constraint)

    TLA+: TooSkewed(Constraint, Pod, Info, Snapshot) ==
            LET Counted == Changed(Counts(Constraint, Pod, Snapshot), Constraint, Pod, Info)
            IN Skew(Constraint, Counted, Pod, Info.Node) > Constraint.MaxSkew
    """
    domain = node.labels[constraint.topology_key]
    return counted.get(domain, 0) + spread_with(constraint, pod, pod) - least(counted, constraint)


@looks_at(
    "nodes.labels", "nodes.taints", "pods.labels", "pods.terminating", "services", "controllers", who=of_its_namespace
)
def refusal(pod: Pod, info: NodeInfo, counted: tuple[Counts, ...], departures: Departures) -> Refusal | None:
    r"""Return the refusal of the node by the first constraint that it violates; None if it violates none.

    TLA+: PodTopologySpreadRefusal(Pod, Info, Snapshot) ==
            LET Constraints == RequiredSpread(Pod)
                Keyless == {i \in DOMAIN Constraints : Constraints[i].TopologyKey \notin DOMAIN Info.Node.Labels}
                Skewed == {i \in DOMAIN Constraints \ Keyless : TooSkewed(Constraints[i], Pod, Info, Snapshot)}
            IN IF Keyless \union Skewed = {} THEN Null
               ELSE IF Min(Keyless \union Skewed) \in Keyless THEN Unresolvable("PodTopologySpread")
               ELSE Unschedulable("PodTopologySpread")
    """
    for constraint, before in zip(required(pod), counted, strict=True):
        if constraint.topology_key not in info.node.labels:
            return unresolvable(NAME, f"{UNEQUAL} (missing required label)")
        after = changed(before, constraint, pod, info, departures)
        if skew(constraint, after, pod, info.node) > constraint.max_skew:
            return unschedulable(NAME, UNEQUAL)
    return None


def pod_topology_spread(pod: Pod, info: NodeInfo, counted: tuple[Counts, ...], departures: Departures) -> bool:
    r"""Whether the node has every topology key, and no constraint's skew exceeds its maxSkew.

    TLA+: PodTopologySpread(Pod, Info, Snapshot) ==
            \A i \in DOMAIN RequiredSpread(Pod) :
              LET Constraint == RequiredSpread(Pod)[i]
              IN /\ Constraint.TopologyKey \in DOMAIN Info.Node.Labels
                 /\ ~TooSkewed(Constraint, Pod, Info, Snapshot)
    """
    return all(
        constraint.topology_key in info.node.labels
        and skew(constraint, changed(before, constraint, pod, info, departures), pod, info.node) <= constraint.max_skew
        for constraint, before in zip(required(pod), counted, strict=True)
    )


def skipped(pod: Pod) -> bool:
    """Whether `pod` has no DoNotSchedule constraint.

    TLA+: PodTopologySpreadSkipped(Pod) == RequiredSpread(Pod) = <<>>
    """
    return required(pod) == ()
