"""Preemption for a PodGroup that does not fit: `outcomes` of its cycle, the `spared` units, and the nominations.

All units of lower priority are thought away, and the cycle is gone through once more. If the group fits then, each pod
that found a node is nominated to it, and the units are put back, one after the other: one is spared exactly if every
one of these pods still fits on its node with it and with those before it that are spared.

Kubernetes 1.37: Preempt and selectVictimsOnDomain in pkg/scheduler/framework/preemption/podgrouppreemption.go;
podGroupCycle and submitPodGroupAlgorithmResult in pkg/scheduler/schedule_one_podgroup.go.

Not modelled: groups within groups; a unit with a pod on a node that does not exist; pods of one node that share a host
port; `miscounts`; extenders.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import permutations

from frozendict import frozendict

from schedcheck.spec.binding import completed
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.cycle_state import nominated
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.filter import filtered
from schedcheck.spec.kubernetes.filters.pod_topology_spread import Counts, changed, required
from schedcheck.spec.kubernetes.node_info import NodeInfo, host_ports
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pod_groups import (
    Choices,
    Ending,
    Pairs,
    alike,
    assumed,
    awaiting,
    by_name,
    cycle_in_group,
    found_in_turn,
    highest_first,
    seen_in_group,
    tried,
)
from schedcheck.spec.kubernetes.preemption.of_units import miscounts
from schedcheck.spec.kubernetes.preemption.units import Unit, any_alike, below, pods_of, put_back_orders
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.workload_objects import PodGroup

TOO_MANY_ORDERS = (
    "the decision depends on the order of equally important victims of a pod group; there are too many orders"
)
"""The reason given for such a decision."""

MISCOUNTED = (
    "not modelled: spread constraints over three domains or more, to several of which a pod group's victims return"
)
"""The reason given for such a decision."""


@dataclass(frozen=True)
class Resumed(Cycle):
    r"""A cycle that goes on after pods were put back: `back` has the nodes with these pods as changes, `before` the cycle.

    By departure "skipped-sees-no-nominated" the plugins that were skipped without these pods stay skipped.

    TLA+: ResumedRefusals(Pod, Info, Before, Back) ==
            LET Full == Before \union Back
                Stale == "skipped-sees-no-nominated" \in Departures
                Idle == Skipped(Pod, IF Stale THEN Before ELSE Full)
                EveryPlugin == DOMAIN Info.Changes # {} /\ ~Stale
                Said(Plugin) ==
                  IF UnpreparedToFilter(Plugin) THEN Failed(Plugin)
                  ELSE IF ~EveryPlugin /\ Plugin \in Idle THEN Null
                  ELSE IF Plugin = "PodTopologySpread"
                  THEN ResumedSpreadRefusal(Constrained(Pod, Before), Info, Before, Back)
                  ELSE Refusal(Plugin, Pod, Info, Full)
            IN {Said(Enabled.filter[i]) : i \in DOMAIN Enabled.filter} \ {Null}
    """

    before: Cycle
    back: tuple[NodeInfo, ...]

    @cached_property
    def skipped(self) -> frozenset[str]:
        """The plugins that are left out of the cycle."""
        stale = Departure.SKIPPED_SEES_NO_NOMINATED in self.plugins.departures
        return self.before.skipped if stale else super().skipped

    @cached_property
    def spread(self) -> tuple[Counts, ...]:
        r"""The counts of matching pods in each domain, changed by the pods that were put back.

        TLA+: ResumedCounts(Constraint, Pod, Before, Back) ==
                LET Counted == Counts(Constraint, Pod, Before)
                    Matters(Other) == IF "terminating-uncounted-twice" \in Departures
                                       THEN SpreadWith(Constraint, Pod, Other)
                                       ELSE There(Constraint, Pod, Other)
                    On(Value) == {Node.Name : Node \in {Each \in Nodes(Before) :
                      InScope(Constraint, Pod, Each) /\ Each.Labels[Constraint.TopologyKey] = Value}}
                IN [Value \in DOMAIN Counted |->
                     Counted[Value] + Cardinality({Other \in Back : Matters(Other) /\ Other.Spec.NodeName \in On(Value)})]

        TLA+: ResumedSpreadRefusal(Pod, Info, Before, Back) ==
                LET Constraints == RequiredSpread(Pod)
                    TooMany(Constraint) ==
                      LET Counted == Changed(ResumedCounts(Constraint, Pod, Before, Back), Constraint, Pod, Info)
                      IN Skew(Constraint, Counted, Pod, Info.Node) > Constraint.MaxSkew
                    Keyless == {i \in DOMAIN Constraints : Constraints[i].TopologyKey \notin DOMAIN Info.Node.Labels}
                    Skewed == {i \in DOMAIN Constraints \ Keyless : TooMany(Constraints[i])}
                IN IF Keyless \union Skewed = {} THEN Null
                   ELSE IF Min(Keyless \union Skewed) \in Keyless THEN Unresolvable("PodTopologySpread")
                   ELSE Unschedulable("PodTopologySpread")
        """
        departures = self.plugins.departures
        return tuple(
            reduce(lambda now, info: changed(now, constraint, self.spreading, info, departures), self.back, counted)
            for constraint, counted in zip(required(self.spreading), self.before.spread, strict=True)
        )

    @cached_property
    def nominated(self) -> frozendict[str, tuple[Pod, ...]]:
        """The nominated pods, by node; those of the group keep their nominations while it preempts."""
        return nominated(self.pod, self.snapshot)


@dataclass(frozen=True)
class Emptied:
    """The cycle of a group without the units of lower priority, `snapshot`; each of `placed` has found its node."""

    snapshot: Snapshot
    placed: Pairs
    plugins: Plugins

    @cached_property
    def cycles(self) -> tuple[Cycle, ...]:
        """The cycles of these pods, each with the ones before it assumed."""
        found, now = [], self.snapshot
        for pod, node in self.placed:
            found.append(cycle_in_group(pod, now, self.plugins))
            now = assumed(pod, node, now)
        return tuple(found)

    def fits(self, back: frozenset[Pod]) -> bool:
        r"""Whether each pod of the group still fits on its node with these pods put back.

        TLA+: AllStillFit(Placed_, Empty, Before, Back) ==
                \/ Placed_ = <<>>
                \/ LET Pod == Head(Placed_)[1]
                       Node == Head(Placed_)[2]
                   IN /\ StillFits(Pod, Node, Empty, SeenInGroup(Pod, Before), Back)
                      /\ AllStillFit(Tail(Placed_), Empty, Assumed(Pod, Node, Before), Back)
        """
        return all(
            filtered(again, next(info for info in again.infos if info.node == node)) is None
            for (_, node), before in zip(self.placed, self.cycles, strict=True)
            for again in (self.resumed(before, back),)
        )

    def resumed(self, before: Cycle, back: frozenset[Pod]) -> Cycle:
        r"""Return the cycle that goes on with these pods on their nodes.

        TLA+: StillFits(Pod, Node, Empty, Before, Back) ==
                LET Info == NodeInfo(Node, Occupants(Node, Before \union Back))
                    More == Nominated(Pod, Node, SeenInGroup(Pod, Empty))
                IN /\ More # {} => ResumedRefusals(Pod, Added(Info, More), Before, Back) = {}
                   /\ ResumedRefusals(Pod, Info, Before, Back) = {}
        """
        there = tuple(
            reduce(NodeInfo.added, sorted((pod for pod in back if pod.node_name == info.node.name), key=_key), info)
            for info in before.infos
        )
        now = tuple(replace(info, changes=()) for info in there)
        return Resumed(before.pod, seen_in_group(before.pod, self.snapshot), self.plugins, now, now, before, there)

    def spared(self, order: tuple[Unit, ...]) -> frozenset[Unit]:
        r"""Return the units that are spared if they are put back in this order.

        TLA+: SparedUnits(Order, SoFar, Placed_, Empty) ==
                IF Order = <<>> THEN SoFar
                ELSE LET More == SoFar \union {Head(Order)}
                         Fits == AllStillFit(Placed_, Empty, Empty, PodsOfUnits(More))
                     IN SparedUnits(Tail(Order), IF Fits THEN More ELSE SoFar, Placed_, Empty)
        """

        def with_next(so_far: frozenset[Unit], unit: Unit) -> frozenset[Unit]:
            more = so_far | {unit}
            return more if self.fits(pods_of(more)) else so_far

        return reduce(with_next, order, frozenset[Unit]())


Outcome = frozenset[Ending] | str
"""The possible ends of a cycle, or why they are not known."""


def outcomes(group: PodGroup, snapshot: Snapshot, plugins: Plugins) -> Outcome:
    r"""Return how the cycle of the group may end, preemption included.

    TLA+: GroupEndings(Group, Snapshot) ==
            LET Some == Tried(Group, Snapshot)
            IN IF ~AllAlike(Group, Snapshot) THEN {GroupWaits(Awaiting(Some))}
               ELSE UNION {EndsInOrder(Group, Order, Snapshot) : Order \in QueuedOrders(Some)}
    """
    pods = tuple(sorted(tried(group, snapshot, plugins), key=_key))
    if not alike(group, snapshot, plugins):
        return frozenset({Ending(error=True, lost=awaiting(pods))})
    attempt = Attempt(group, snapshot, plugins)
    return joined(attempt.outcomes(order) for order in permutations(pods) if highest_first(order))


def joined(found: Iterable[Outcome]) -> Outcome:
    """Return all these ends; if some are not known, why."""
    ends = frozenset[Ending]()
    for each in found:
        if isinstance(each, str):
            return each
        ends |= each
    return ends


@dataclass(frozen=True)
class Attempt:
    """The cycle of a group in a snapshot, whose pods may be tried in several orders."""

    group: PodGroup
    snapshot: Snapshot
    plugins: Plugins

    @cached_property
    def chosen(self) -> Choices:
        """The ends of the cycles of single pods."""
        return Choices(self.plugins)

    @cached_property
    def victims(self) -> frozenset[Unit]:
        """The units that the group may evict."""
        return below(self.group.priority, self.snapshot)

    @cached_property
    def orders(self) -> frozenset[tuple[Unit, ...]] | None:
        """The orders in which they may be put back; None if there are too many."""
        budgets = self.snapshot.budgets_over(pods_of(self.victims))
        return put_back_orders(self.victims, budgets, self.plugins.departures)

    @cached_property
    def preempted(self) -> dict[Pairs, Outcome]:
        """The ends by preemption that are known so far, by what is placed once the victims are gone."""
        return {}

    def outcomes(self, order: tuple[Pod, ...]) -> Outcome:
        r"""Return how the cycle may end that tries the pods in this order.

        TLA+: PairsOf(Placed_) == {Placed_[i] : i \in DOMAIN Placed_}

        TLA+: GroupWaits(Lost) == [Placed |-> {}, Nominated |-> {}, Victims |-> {}, Lost |-> Lost]

        TLA+: EndsInOrder(Group, Order, Snapshot) ==
                LET Some == {Order[i] : i \in DOMAIN Order}
                    Lower == UnitsBelow(Group.Priority, Snapshot)
                    Found == FoundInTurn(Group, Order, Snapshot, <<>>)
                    Second == FoundInTurn(Group, Order, Snapshot \ PodsOfUnits(Lower), <<>>)
                    Failing == {Way \in Found : Way.Placed = <<>> /\ ~Way.Error}
                    Told(Way) == IF Way.Error THEN GroupWaits(Awaiting(Some))
                                 ELSE [GroupWaits(Way.Lost) EXCEPT !.Placed = PairsOf(Way.Placed)]
                    Then(Way) == IF Way.Error THEN {Told(Way)}
                                 ELSE IF Way.Placed = <<>> THEN {Told(Each) : Each \in Failing}
                                 ELSE NominatingEnds(Way.Placed, Lower, Snapshot)
                IN {Told(Way) : Way \in Found \ Failing}
                     \union (IF Failing = {} \/ ~GroupMayPreempt(Order, Lower) THEN {Told(Way) : Way \in Failing}
                             ELSE IF \E Pod \in Some : AwaitsVictims(Pod, Lower) THEN {GroupWaits({})}
                             ELSE UNION {Then(Way) : Way \in Second})
        """
        found = found_in_turn(self.group, order, self.snapshot, self.chosen)
        failing = frozenset(end for end in found if not end.placed and not end.error)
        ends = frozenset(self.told(end, order) for end in found - failing)
        if not failing or not self.eligible(order):
            return ends | failing
        if any(self.awaits_victims(pod) for pod in order):
            return ends | {Ending()}
        second = found_in_turn(self.group, order, self.emptied, self.chosen)
        return joined((ends, *(self.after(each, failing) for each in second)))

    def told(self, end: Ending, order: tuple[Pod, ...]) -> Ending:
        """Return the end with the pods by name; after an error all pods lose their nominations."""
        return replace(end, placed=by_name(end.placed), lost=awaiting(order) if end.error else end.lost)

    @cached_property
    def emptied(self) -> Snapshot:
        """The snapshot without the victims."""
        return self.snapshot - pods_of(self.victims)

    def eligible(self, order: tuple[Pod, ...]) -> bool:
        r"""Whether the group may preempt, and there is a unit of lower priority.

        TLA+: GroupMayPreempt(Order, Lower) ==
                /\ Listed("DefaultPreemption", Enabled.postFilter)
                /\ "members-preempt" \notin Departures
                /\ \A i \in DOMAIN Order : Order[i].Spec.PreemptionPolicy # "Never"
                /\ Lower # {}
        """
        enabled = "DefaultPreemption" in self.plugins.at("postFilter")
        departs = Departure.MEMBERS_PREEMPT in self.plugins.departures
        policies = {pod.preemption_policy for pod in order}
        return enabled and not departs and "Never" not in policies and self.victims != frozenset()

    def awaits_victims(self, pod: Pod) -> bool:
        r"""Whether `pod` is nominated to a node on which a pod that was preempted still terminates.

        TLA+: AwaitsVictims(Pod, Lower) ==
                /\ Pod.Status.NominatedNodeName # ""
                /\ \E Other \in PodsOfUnits(Lower) :
                     Other.Terminating /\ Other.Status.Preempted /\ Other.Spec.NodeName = Pod.Status.NominatedNodeName
        """
        return pod.nominated_node_name != "" and any(
            other.terminating and other.preempted and other.node_name == pod.nominated_node_name
            for other in pods_of(self.victims)
        )

    def after(self, second: Ending, failing: frozenset[Ending]) -> Outcome:
        """Return the ends of the cycle whose second run, without the victims, ends so."""
        if second.error:
            pods = tried(self.group, self.snapshot, self.plugins)
            return frozenset({Ending(error=True, lost=awaiting(pods))})
        if not second.placed:
            return failing
        if second.placed not in self.preempted:
            self.preempted[second.placed] = self.nominating(second.placed)
        return self.preempted[second.placed]

    def nominating(self, placed: Pairs) -> Outcome:
        r"""Return the ends in which these pods are nominated to their nodes, for each set of victims.

        TLA+: NominatingEnds(Placed_, Lower, Snapshot) ==
                LET Empty == Snapshot \ PodsOfUnits(Lower)
                    Spared_(Order) == SparedUnits(Order, {}, Placed_, Empty)
                IN {[GroupWaits({}) EXCEPT !.Nominated = PairsOf(Placed_), !.Victims = PodsOfUnits(Lower \ Spared_(Order))] :
                     Order \in PutBackOrders(Lower, Snapshot)}
        """
        budgets = self.snapshot.budgets_over(pods_of(self.victims))
        emptied = Emptied(self.emptied, placed, self.plugins)
        if self.orders is None:
            return TOO_MANY_ORDERS
        if any(miscounts(cycle, pods_of(self.victims)) for cycle in emptied.cycles):
            return MISCOUNTED
        least = {self.victims - emptied.spared(order) for order in self.orders}
        return frozenset(
            Ending(nominated=by_name(placed), victims=pods)
            for some in least
            for pods in any_alike(some, self.victims, budgets)
        )


def unmodelled(group: PodGroup, snapshot: Snapshot) -> str:
    """Return on what the preemption of the group depends although it is not modelled; empty for nothing."""
    pods = pods_of(below(group.priority, snapshot))
    there = {node.name for node in snapshot.nodes}
    if any(pod.node_name not in there for pod in pods):
        return "a victim on a node that does not exist"
    on = [each for each in snapshot.pods if each.node_name and not completed(each)]
    held = Counter((pod.node_name, port) for pod in on for port in host_ports(pod))
    return "a host port that several pods of a node use" if any(each > 1 for each in held.values()) else ""


def _key(pod: Pod) -> tuple[str, str]:
    return pod.key
