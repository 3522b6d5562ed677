"""Properties of a decision: of the snapshot before, the decision and the profile that judges it."""

from collections.abc import Callable
from dataclasses import replace

from schedcheck.spec.binding import completed, unbound
from schedcheck.spec.decisions import Bind, Decision, Nominate, Preempt, Wait
from schedcheck.spec.importance import by_importance
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES, Departure
from schedcheck.spec.kubernetes.pod_group_members import in_one_cycle
from schedcheck.spec.kubernetes.pod_groups import assumed, can_be_placed
from schedcheck.spec.kubernetes.preemption.disruption import violations
from schedcheck.spec.kubernetes.preemption.units import unit_of
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile, by_scheduler_name, group_in_one_cycle
from schedcheck.spec.properties.of_pods import waits_for
from schedcheck.spec.published.control_loop import after
from schedcheck.spec.workload_objects import PodGroup


def bind_feasible(before: Snapshot, decision: Bind, judge: Profile) -> bool:
    r"""The node was there and feasible for the pod in the snapshot before.

    TLA+: BindFeasible(Pod, Decided, Admits(_, _, _)) ==
            Decided.Node \in Nodes(Objects) /\ Admits(Pod, Decided.Node, Objects)

    TLA+: PodGroupBindFeasible(Pod, Decided) ==
            /\ Decided.Node \in Nodes(Objects)
            /\ IF Decided.Placed = {} THEN KubeAdmits(Pod, Decided.Node, Objects)
               ELSE OneAfterTheOther(Decided.Placed, Objects)
    """

    def holds(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
        return node in before.nodes and judge.feasibility(pod, node, snapshot)

    return one_after_the_other(decision, before, holds)


def bind_most_viable(before: Snapshot, decision: Bind, judge: Profile) -> bool:
    r"""No feasible node had a higher viability, unless the pod was nominated to the chosen node.

    TLA+: BindMostViable(Pod, Decided, Admits(_, _, _), Rates(_, _, _)) ==
            \/ NominatedTo(Pod, Decided.Node)
            \/ \A Other \in Nodes(Objects) :
                 Admits(Pod, Other, Objects) => Rates(Pod, Other, Objects) <= Rates(Pod, Decided.Node, Objects)
    """

    def holds(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
        return pod.nominated_node_name == node.name or all(
            judge.viability(pod, other, snapshot) <= judge.viability(pod, node, snapshot)
            for other in snapshot.nodes
            if judge.feasibility(pod, other, snapshot)
        )

    return one_after_the_other(decision, before, holds)


def one_after_the_other(decision: Bind, before: Snapshot, holds: Callable[[Pod, Node, Snapshot], bool]) -> bool:
    r"""Whether `holds` of the bound pod and its node; of pods that are bound together, of each in some order.

    Each is then seen with the ones before it on their nodes.

    TLA+: OneAfterTheOther(Pairs, Snapshot) ==
            \/ Pairs = {}
            \/ \E Pair \in Pairs :
                 /\ KubeAdmits(Pair[1], Pair[2], Snapshot)
                 /\ OneAfterTheOther(Pairs \ {Pair}, Assumed(Pair[1], Pair[2], Snapshot))
    """
    return in_some_order(frozenset({(decision.pod, decision.node), *decision.together}), before, holds)


def in_some_order(
    pairs: frozenset[tuple[Pod, Node]], snapshot: Snapshot, holds: Callable[[Pod, Node, Snapshot], bool]
) -> bool:
    """Whether `holds` of each pod and its node in some order, each seen with the ones before it on their nodes."""
    return not pairs or any(
        holds(pod, node, snapshot) and in_some_order(pairs - {(pod, node)}, assumed(pod, node, snapshot), holds)
        for pod, node in pairs
    )


def highest_priority_first(before: Snapshot, decision: Decision, judge: Profile) -> bool:
    r"""No unbound pod had a higher priority than the pod that was tried.

    TLA+: HighestPriorityFirst(Pod) ==
            \A Other \in Unbound(Objects) : Other.Spec.Priority <= Pod.Spec.Priority
    """
    return all(other.priority <= decision.pod.priority for other in unbound(before, judge.faults))


def never_moved(before: Snapshot, decision: Bind | Preempt | Nominate, judge: Profile) -> bool:
    """The pod that was tried had no node yet.

    TLA+: NeverMoved(Pod) == Pod.Spec.NodeName = ""
    """
    return decision.pod.node_name == ""


def completed_left_alone(before: Snapshot, decision: Decision, judge: Profile) -> bool:
    r"""No completed pod is scheduled or evicted.

    TLA+: CompletedLeftAlone(Pod, Decided) ==
            \A Each \in {Pod} \union Decided.Victims : ~Completed(Each)
    """
    victims = decision.victims if isinstance(decision, Preempt | Nominate) else frozenset()
    return not any(completed(pod) for pod in {decision.pod, *victims})


def no_wait_while_feasible(before: Snapshot, decision: Wait, judge: Profile) -> bool:
    r"""A pod stays unbound only if no node is feasible for it.

    TLA+: NoWaitWhileFeasible(Pod, Admits(_, _, _)) ==
            ~\E Node \in Nodes(Objects) : Admits(Pod, Node, Objects)

    A PodGroup that is tried in one cycle stays unbound only if its pods cannot be placed one after the other so that
    enough have a node. Nothing is said of a pod whose group is placed without it.

    TLA+: PodGroupNoWaitWhileFeasible(Pod, Decided) ==
            IF Pod.Spec.SchedulingGroup = "" THEN NoWaitWhileFeasible(Pod, KubeAdmits)
            ELSE Decided.Left \/ \A Group \in PodGroupsOf(Pod) : ~CanBePlaced(Group, Objects)
    """
    if decision.left:
        return True
    group = group_in_one_cycle(decision.pod, before, judge)
    if group is not None:
        return not can_be_placed(group, before, by_scheduler_name(decision.pod, judge.plugins), judge.feasibility)
    return not any(judge.feasibility(decision.pod, node, before) for node in before.nodes)


def only_lower_priority_evicted(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    r"""Every victim has a lower priority than the preemptor.

    TLA+: OnlyLowerPriorityEvicted(Pod, Decided) ==
            \A Victim \in Decided.Victims : Victim.Spec.Priority < Pod.Spec.Priority
    """
    return all(victim.priority < decision.pod.priority for victim in decision.victims)


def no_eviction_while_feasible(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    r"""Pods are evicted only if no node was feasible for the preemptor.

    TLA+: NoEvictionWhileFeasible(Pod, Admits(_, _, _)) ==
            ~\E Node \in Nodes(Objects) : Admits(Pod, Node, Objects)

    A PodGroup evicts pods only if its pods could not be placed one after the other.

    TLA+: PodGroupNoEvictionWhileFeasible(Pod, Decided) ==
            IF Decided.Placed = {} THEN NoEvictionWhileFeasible(Pod, KubeAdmits)
            ELSE \A Group \in PodGroupsOf(Pod) : ~CanBePlaced(Group, Objects)
    """
    group = preempting_group(decision, before, judge)
    if group is not None:
        return not can_be_placed(group, before, by_scheduler_name(decision.pod, judge.plugins), judge.feasibility)
    return not any(judge.feasibility(decision.pod, node, before) for node in before.nodes)


def preempting_group(decision: Preempt | Nominate, before: Snapshot, judge: Profile) -> PodGroup | None:
    """Return the PodGroup that preempts; None if the pod preempts by itself."""
    alone = isinstance(decision, Preempt) or decision.together is None
    return None if alone else group_in_one_cycle(decision.pod, before, judge)


def nominated_fit(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    """Whether the preemptor fits on its node; the pods of a PodGroup on theirs, one after the other in some order."""

    def holds(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
        return node in before.nodes and judge.feasibility(pod, node, snapshot)

    together = decision.together if isinstance(decision, Nominate) else None
    return in_some_order(frozenset({(decision.pod, decision.node), *(together or ())}), before, holds)


def preemption_has_victims(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    """Every preemption has at least one victim.

    TLA+: PreemptionHasVictims(Decided) == Decided.Victims # {}
    """
    return decision.victims != frozenset()


def victims_make_room(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    r"""The chosen node exists and is feasible for the preemptor once the victims are gone.

    TLA+: VictimsMakeRoom(Pod, Decided, Admits(_, _, _)) ==
            Decided.Node \in Nodes(Objects) /\ Admits(Pod, Decided.Node, Objects \ Decided.Victims)

    If a PodGroup preempts, its pods that are nominated fit there one after the other, in some order.

    TLA+: PodGroupVictimsMakeRoom(Pod, Decided) ==
            IF Decided.Placed = {} THEN VictimsMakeRoom(Pod, Decided, KubeAdmits)
            ELSE OneAfterTheOther(Decided.Placed, Objects \ Decided.Victims)
    """
    return nominated_fit(before - decision.victims, decision, judge)


def least_casualty(before: Snapshot, decision: Preempt, judge: Profile) -> bool:
    r"""No set of victims that makes room, on any node, has a lower casualty.

    TLA+: LeastCasualty(Pod, Decided) ==
            \A Node \in Nodes(Objects) : \A Others \in VictimSets(Pod, Node, Objects) :
              NoMore(Casualty(Decided.Victims), Casualty(Others))
    """
    return all(
        judge.casualty(decision.victims) <= judge.casualty(others)
        for node in before.nodes
        for others in judge.victim_sets(decision.pod, node, before)
    )


def victims_needed(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    r"""Every victim is needed: with any one of them kept, the preemptor would not fit on the node.

    TLA+: VictimsNeeded(Pod, Decided, Admits(_, _, _)) ==
            ~\E Kept \in Decided.Victims : Admits(Pod, Decided.Node, Objects \ (Decided.Victims \ {Kept}))

    Pods that are evicted all or none are kept together.

    TLA+: PodGroupVictimsNeeded(Pod, Decided) ==
            IF Decided.Placed = {} THEN VictimsNeeded(Pod, Decided, KubeAdmits)
            ELSE ~\E Kept \in {UnitOf(Victim, Objects).Pods : Victim \in Decided.Victims} :
                   OneAfterTheOther(Decided.Placed, Objects \ (Decided.Victims \ Kept))
    """
    together = evicts_units(decision, judge)
    kept = {unit_of(pod, before).pods if together else frozenset({pod}) for pod in decision.victims}
    return not any(nominated_fit(before - (decision.victims - each), decision, judge) for each in kept)


def evicts_units(decision: Preempt | Nominate, judge: Profile) -> bool:
    """Whether the pods of a PodGroup may be evicted all or none, as its disruptionMode says."""
    return any(
        in_one_cycle(each) and Departure.MEMBERS_PREEMPT not in each.departures
        for each in judge.plugins
        if each == by_scheduler_name(decision.pod, judge.plugins)
    )


def budget_violations(victims: frozenset[Pod], snapshot: Snapshot) -> int:
    """The number of victims that violate a disruption budget, by the disruptionsAllowed of its status."""
    return violations(by_importance(victims), victims, snapshot.budgets, NO_DEPARTURES)


def fewest_budgets_violated(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    """No set of victims that makes room, on any node, violates fewer disruption budgets.

    Nothing is said of the victims of a PodGroup, nor where pods are evicted all or none.
    """
    if preempting_group(decision, before, judge) is not None:
        return True
    if evicts_units(decision, judge) and any(len(unit_of(pod, before).pods) > 1 for pod in decision.victims):
        return True
    least = budget_violations(decision.victims, before)
    return least == 0 or all(
        budget_violations(others, before) >= least
        for node in before.nodes
        for others in judge.victim_sets(decision.pod, node, before)
    )


def room_kept(before: Snapshot, decision: Bind, judge: Profile) -> bool:
    r"""The pod fits on the node even if all pods of equal or higher priority that are nominated to it are placed there.

    TLA+: RoomKept(Pod, Decided, Admits(_, _, _)) ==
            LET Entitled == {Other \in Pods(Objects) \ {Pod} :
                  WaitsFor(Other, Decided.Node) /\ Other.Spec.Priority >= Pod.Spec.Priority}
                Placed_(Other) == [Other EXCEPT !.Spec.NodeName = Decided.Node.Name, !.Status.NominatedNodeName = ""]
            IN Admits(Pod, Decided.Node, {IF Object \in Entitled THEN Placed_(Object) ELSE Object : Object \in Objects})
    """

    def holds(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
        placed = tuple(
            replace(other, node_name=node.name, nominated_node_name="")
            if waits_for(other, node) and other != pod and other.priority >= pod.priority
            else other
            for other in snapshot.pods
        )
        return judge.feasibility(pod, node, replace(snapshot, pods=placed))

    return one_after_the_other(decision, before, holds)


def preemption_policy_respected(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    """No preemptor has the preemptionPolicy Never.

    TLA+: PreemptionPolicyRespected(Pod) == Pod.Spec.PreemptionPolicy # "Never"
    """
    return decision.pod.preemption_policy != "Never"


def no_eviction(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    """No pod is ever evicted.

    TLA+: NoEviction(Decided) == Decided.Victims = {}
    """
    return decision.victims == frozenset()


def room_left_to_the_nominated(before: Snapshot, decision: Bind, judge: Profile) -> bool:
    """Each pod nominated to the node that would fit there after all terminations still fits after the bind."""
    left = before - frozenset(pod for pod in before.pods if pod.terminating)
    return all(
        judge.feasibility(other, decision.node, after(decision, left))
        for other in left.pods
        if waits_for(other, decision.node) and other != decision.pod and judge.feasibility(other, decision.node, left)
    )
