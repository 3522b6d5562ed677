"""Gang scheduling since 1.36, behind feature gates: the pods of a PodGroup are tried in one cycle.

No pod of a group enters the queue before minCount pods of the group exist and none of them is held back. One cycle then
tries all its unbound pods, one after the other, each with the ones before it assumed. If minCount pods of the group have
a node at the end, those that found one are bound; otherwise no pod is. The policy basic is that with a minCount of 1.
Pods of equal priority are tried in the order in which they were queued: any is possible.

In 1.36 the queue holds pods, not groups. A pod enters it by itself, and those that are not in it are not tried. The pods
may be of several priorities, the highest first, and each preempts by itself. Permit judges whether the group fits.

Kubernetes 1.36: pkg/scheduler/schedule_one_podgroup.go, podGroupInfoForPod and podGroupSchedulingDefaultAlgorithm;
AssumePod in pkg/scheduler/backend/cache/snapshot.go.
Kubernetes 1.37: pkg/scheduler/schedule_one_podgroup.go; preEnqueueHierarchiesDisabled and PlacementFeasible in
pkg/scheduler/framework/plugins/gangscheduling.

`kubernetes/group_decisions` has what it decides, and what is not modelled.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise, permutations

from schedcheck.spec.binding import completed
from schedcheck.spec.devices.effects import bound, changed
from schedcheck.spec.kubernetes.cycle import Cycle, cycle
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.filters.dynamic_resources import gates, waits_for_claims
from schedcheck.spec.kubernetes.filters.scheduling_gates import scheduling_gates
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pod_group_members import (
    NAME,
    fewest,
    group_members,
    in_one_cycle,
    pod_group,
    scheduled,
    unbound_members,
)
from schedcheck.spec.kubernetes.preemption.dry_run import DryRun
from schedcheck.spec.kubernetes.preemption.post_filter import post_filter
from schedcheck.spec.kubernetes.select_host import Choice, choice
from schedcheck.spec.kubernetes.unseen_terms import with_terms_of
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.refusal import Refusal, unresolvable
from schedcheck.spec.volumes.assuming import assumed_storage
from schedcheck.spec.workload_objects import PodGroup

__all__ = ["NAME", "fewest", "group_members", "in_one_cycle", "pod_group", "scheduled", "unbound_members"]

Feasible = Callable[[Pod, Node, Snapshot], bool]

Pairs = tuple[tuple[Pod, Node], ...]
"""Pods, each with its node."""


def group_refusal(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> Refusal | None:
    r"""Return the refusal that keeps `pod` out of the queue because of its group; None if it may enter.

    TLA+: PodGroupRefused(Pod, Snapshot) ==
            /\ Pod.Spec.SchedulingGroup # ""
            /\ \/ PodGroupsOf(Pod) = {}
               \/ \E Group \in PodGroupsOf(Pod) : Cardinality(GroupMembers(Group, Snapshot)) < Group.MinCount
    """
    if not in_one_cycle(plugins) or not pod.scheduling_group:
        return None
    group = pod_group(pod, snapshot)
    if group is None:
        name = pod.scheduling_group
        return unresolvable(NAME, f'waiting for pods\'s pod group "{name}" to appear in scheduling queue')
    if len(group_members(group, snapshot)) < (group.min_count or 0):
        return unresolvable(NAME, "waiting for minCount pods from a gang to appear in scheduling queue")
    return None


def queued_with(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> frozenset[Pod]:
    """Return the pods that enter the queue with `pod` or not at all: the unbound members of its group, with itself.

    By departure "members-queued-alone" that is `pod` alone.
    """
    together = in_one_cycle(plugins) and Departure.MEMBERS_QUEUED_ALONE not in plugins.departures
    group = pod_group(pod, snapshot) if together else None
    return frozenset({pod}) if group is None else unbound_members(group, snapshot)


def alike(group: PodGroup, snapshot: Snapshot, plugins: Plugins) -> bool:
    r"""Whether all members have one schedulerName, one preemptionPolicy, and the priority of the group.

    Otherwise the cycle ends in an error before any pod is tried. By departure "members-unalike" any are.

    TLA+: AllAlike(Group, Snapshot) ==
            \/ "members-unalike" \in Departures
            \/ \A Pod, Other \in GroupMembers(Group, Snapshot) :
                 /\ Pod.Spec.Priority = Group.Priority
                 /\ Pod.Spec.PreemptionPolicy = Other.Spec.PreemptionPolicy

    Differs: tla/ has one schedulerName.
    Kubernetes 1.37: validatePodGroup in pkg/scheduler/schedule_one_podgroup.go.
    """
    members = group_members(group, snapshot)
    return Departure.MEMBERS_UNALIKE in plugins.departures or (
        len({(pod.scheduler_name, pod.preemption_policy) for pod in members}) <= 1
        and all(pod.priority == group.priority for pod in members)
    )  # fmt: skip


@dataclass(frozen=True)
class Ending:
    """The end of a group's cycle: the pods to be bound, each with its node, by name; none if the group does not fit.

    `error`: it does not fit because the cycle of a pod ended in an error. `preempts`: a pod of it preempts, and what
    the pods after it find is not modelled. `nominated`: the group preempts the `victims`, and these pods wait for their
    nodes. `lost`: the pods that lose the nomination that they have.
    """

    placed: Pairs = ()
    error: bool = False
    preempts: bool = False
    nominated: Pairs = ()
    victims: frozenset[Pod] = frozenset()
    lost: frozenset[Pod] = frozenset()


def awaiting(pods: Iterable[Pod]) -> frozenset[Pod]:
    r"""Return those of the pods that are nominated to a node.

    TLA+: Awaiting(Some) == {Pod \in Some : Pod.Status.NominatedNodeName # ""}
    """
    return frozenset(pod for pod in pods if pod.nominated_node_name)


def by_name(pairs: Pairs) -> Pairs:
    """Return these pairs in the order of the pods' names."""
    return tuple(sorted(pairs, key=lambda each: each[0].key))


class Choices(dict[tuple[Pod, Snapshot], Choice]):
    """The ends of the cycles of single pods in the cycle of one group, whose orders meet in the same snapshots."""

    def __init__(self, plugins: Plugins) -> None:
        super().__init__()
        self.plugins = plugins

    def __missing__(self, key: tuple[Pod, Snapshot]) -> Choice:
        self[key] = choice_in_group(*key, self.plugins)
        return self[key]


def endings(
    group: PodGroup, order: tuple[Pod, ...], snapshot: Snapshot, chosen: Choices, placed: Pairs = ()
) -> frozenset[Ending]:
    """Return how the cycle of the group may end that tries its pods in this order, if it does not preempt."""
    return frozenset(
        replace(end, placed=by_name(end.placed)) for end in found_in_turn(group, order, snapshot, chosen, placed)
    )


def found_in_turn(
    group: PodGroup, order: tuple[Pod, ...], snapshot: Snapshot, chosen: Choices, placed: Pairs = ()
) -> frozenset[Ending]:
    r"""Return how the cycle of the group may end that tries its pods in this order; `placed` have a node in `snapshot`.

    They are placed in that order. Where no plugin judges placements all pods are tried, whether or not enough are left;
    only an error tells the two apart.

    TLA+: Assumed(Pod, Node, Snapshot) ==
            (Snapshot \ {Pod}) \union {[Pod EXCEPT !.Spec.NodeName = Node.Name]}

    TLA+: FoundInTurn(Group, Order, Snapshot, Placed_) ==
            IF Cardinality(Scheduled(Group, Snapshot)) + Len(Order) < FewestOf(Group)
            THEN {[Placed |-> <<>>, Error |-> FALSE, Lost |-> Awaiting({Placed_[i][1] : i \in DOMAIN Placed_})]}
            ELSE IF Order = <<>> THEN {[Placed |-> Placed_, Error |-> FALSE, Lost |-> {}]}
            ELSE LET Pod == Head(Order)
                     Listed_ == AsListed(Pod, Snapshot, {Placed_[i] : i \in DOMAIN Placed_})
                     Found == Choice(Pod, SeenInGroup(Pod, Listed_))
                 IN CASE Found.Kind = "error" -> {[Placed |-> <<>>, Error |-> TRUE, Lost |-> {}]}
                      [] Found.Kind = "unschedulable" -> FoundInTurn(Group, Tail(Order), Snapshot, Placed_)
                      [] Found.Kind = "scheduled" ->
                           UNION {FoundInTurn(Group, Tail(Order), Assumed(Pod, Node, Snapshot), Append(Placed_, <<Pod, Node>>)) :
                                   Node \in Found.Hosts}
    """
    if len(scheduled(group, snapshot)) + len(order) < fewest(group) and (not order or judged(chosen.plugins)):
        return frozenset({Ending(lost=awaiting(pod for pod, _ in placed))})
    if not order:
        return frozenset({Ending(placed)})
    pod, later = order[0], order[1:]
    seen = as_listed(pod, snapshot, placed, chosen.plugins)
    end = chosen[pod, seen]
    if end.kind == "error":
        return frozenset({Ending(error=True)})
    if end.kind == "unschedulable" and preempts(pod, seen, chosen.plugins):
        return frozenset({Ending(preempts=True)})
    if end.kind == "unschedulable":
        return found_in_turn(group, later, snapshot, chosen, placed)
    return frozenset[Ending]().union(
        *(
            found_in_turn(group, later, there, chosen, (*placed, (pod, node)))
            for node in snapshot.nodes
            if node.name in end.hosts
            for there in assumptions(pod, node, snapshot, chosen.plugins)
        )
    )


def judged(plugins: Plugins) -> bool:
    """Whether a plugin judges, before each pod of a group, whether the group can still fit."""
    return NAME in plugins.at("placementFeasible")


def choice_in_group(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> Choice:
    """Return the end of the cycle of one pod of a group."""
    return choice(cycle_in_group(pod, snapshot, plugins))


def cycle_in_group(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> Cycle:
    """Return the cycle of one pod of a group."""
    return cycle(pod, seen_in_group(pod, snapshot), plugins)


def seen_in_group(pod: Pod, snapshot: Snapshot) -> Snapshot:
    r"""Return the snapshot as the cycle of `pod` sees it, a pod of a group.

    Nominated pods of its group are not in the queue during the cycle, and count as pods without requests, labels and
    priority.

    TLA+: Popped(Pod) ==
            [Pod EXCEPT
              !.Labels = NoLabels,
              !.Terminating = FALSE,
              !.Spec.Priority = 0,
              !.Spec.Affinity = NoAffinity,
              !.Spec.InitContainers = <<>>,
              !.Spec.Containers = <<>>,
              !.Spec.Overhead = NoAmounts,
              !.Spec.Requests = NoAmounts,
              !.Status.ResizeInfeasible = FALSE,
              !.Status.Allocated = NoAmounts,
              !.Status.Actual = Null]

    TLA+: SeenInGroup(Pod, Snapshot) ==
            LET Others == Seen(Snapshot) \ {Pod}
                Fellows == {Other \in Awaiting(Pods(Others)) :
                  /\ Other.Namespace = Pod.Namespace
                  /\ Other.Spec.SchedulingGroup = Pod.Spec.SchedulingGroup
                  /\ Other.Spec.NodeName = ""}
            IN (Others \ Fellows) \union {Popped(Other) : Other \in Fellows}

    Kubernetes 1.37: nominatedPodToInfo in pkg/scheduler/backend/queue/scheduling_queue.go.
    """
    pods = (_popped(each, pod) for each in snapshot.pods if each != pod and not completed(each))
    return replace(snapshot, pods=tuple(pods))


def _popped(other: Pod, pod: Pod) -> Pod:
    fellow = (other.namespace, other.scheduling_group) == (pod.namespace, pod.scheduling_group)
    if not fellow or other.node_name or not other.nominated_node_name:
        return other
    return Pod(other.name, other.namespace, nominated_node_name=other.nominated_node_name, uid=other.uid)


def preempts(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> bool:
    """Whether `pod`, which fits on no node, preempts by itself within the cycle of its group."""
    return (
        Departure.MEMBERS_PREEMPT in plugins.departures
        and post_filter(DryRun(cycle_in_group(pod, snapshot, plugins))).code == "Success"
    )


def as_listed(pod: Pod, snapshot: Snapshot, placed: Pairs, plugins: Plugins) -> Snapshot:
    r"""Return the snapshot as InterPodAffinity sees it for `pod` while the pods of `placed` are assumed.

    By departure "assumed-terms-unseen" the lists of nodes that hold pods with terms do not grow within the cycle.

    TLA+: AsListed(Pod, Snapshot, Placed_) ==
            LET New == {[Pair[1] EXCEPT !.Spec.NodeName = Pair[2].Name] : Pair \in Placed_}
                Beside(Each) ==
                  {Other \in Pods(Snapshot) \ New : Other.Spec.NodeName = Each.Spec.NodeName /\ ~Completed(Other)}
            IN IF "assumed-terms-unseen" \notin Departures THEN Snapshot
               ELSE (Snapshot \ New) \union {WithTermsOf(Each, Pod, Beside(Each)) : Each \in New}
    """
    if Departure.ASSUMED_TERMS_UNSEEN not in plugins.departures:
        return snapshot
    new = {replace(one, node_name=node.name) for one, node in placed}
    old = [each for each in snapshot.pods if each not in new and not completed(each)]
    pods = tuple(
        with_terms_of(each, pod, [one for one in old if one.node_name == each.node_name]) if each in new else each
        for each in snapshot.pods
    )
    return replace(snapshot, pods=pods)


def assumed(pod: Pod, node: Node, snapshot: Snapshot) -> Snapshot:
    """Return the snapshot in which `pod` has this node, and its volume claims what they take there."""
    pods = tuple(replace(each, node_name=node.name) if each == pod else each for each in snapshot.pods)
    return replace(snapshot, pods=pods, storage=assumed_storage(pod, node, snapshot.storage))


def assumptions(pod: Pod, node: Node, snapshot: Snapshot, plugins: Plugins) -> frozenset[Snapshot]:
    """Return the snapshots in which `pod` has this node, for each allowed allocation of devices to its claims.

    A claim that is shared with a later pod counts as allocated for it. It is not reserved before the pods are bound.

    Kubernetes 1.37: PreFilter and Reserve in pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go.
    """
    there, devices = assumed(pod, node, snapshot), snapshot.devices
    if not pod.resource_claims or "DynamicResources" not in plugins.at("reserve"):
        return frozenset({there})
    ways = bound(pod, node, devices, gates(plugins.departures))
    before = {each.key: each.reserved_for for each in devices.claims}
    allocated = (tuple(replace(each, reserved_for=before[each.key]) for each in way) for way in ways)
    return frozenset(replace(there, devices=changed(devices, claims)) for claims in allocated)


def can_be_placed(group: PodGroup, snapshot: Snapshot, plugins: Plugins, feasible: Feasible) -> bool:
    r"""Whether some pods of the group can be placed one after the other, on whatever nodes, so that enough have one.

    TLA+: CanBePlaced(Group, Snapshot) ==
            \E Pod \in Tried(Group, Snapshot) : \E Node \in Nodes(Snapshot) :
              /\ KubeAdmits(Pod, Node, Snapshot)
              /\ \/ Cardinality(Scheduled(Group, Assumed(Pod, Node, Snapshot))) >= FewestOf(Group)
                 \/ CanBePlaced(Group, Assumed(Pod, Node, Snapshot))
    """
    return any(
        feasible(pod, node, snapshot)
        and (
            len(scheduled(group, assumed(pod, node, snapshot))) >= fewest(group)
            or can_be_placed(group, assumed(pod, node, snapshot), plugins, feasible)
        )
        for pod in tried(group, snapshot, plugins)
        for node in snapshot.nodes
    )


def tried(group: PodGroup, snapshot: Snapshot, plugins: Plugins) -> frozenset[Pod]:
    r"""Return the pods that the cycle of the group tries: its unbound ones that are not being deleted, nor gated, nor wait for claims.

    TLA+: Tried(Group, Snapshot) ==
            {Pod \in UnboundMembers(Group, Snapshot) : ~Pod.Terminating /\ SchedulingGatesRefusal(Pod) = Null}
    """
    gated, waits = (name in plugins.at("preEnqueue") for name in ("SchedulingGates", "DynamicResources"))
    return frozenset(
        pod
        for pod in unbound_members(group, snapshot)
        if not pod.terminating
        and (not gated or scheduling_gates(pod))
        and not (waits and waits_for_claims(pod, snapshot.devices, plugins.departures))
    )  # fmt: skip


def group_endings(group: PodGroup, snapshot: Snapshot, plugins: Plugins) -> frozenset[Ending]:
    r"""Return how the cycle of the group may end, in whatever order its pods of equal priority were queued.

    TLA+: QueuedOrders(Some) ==
            {Order \in [1..Cardinality(Some) -> Some] :
              \A i, j \in DOMAIN Order :
                i < j => Order[i] # Order[j] /\ Order[i].Spec.Priority >= Order[j].Spec.Priority}
    """
    if not alike(group, snapshot, plugins):
        return frozenset({Ending(error=True)})
    orders = filter(highest_first, permutations(sorted(tried(group, snapshot, plugins), key=lambda pod: pod.key)))
    chosen = Choices(plugins)
    return frozenset[Ending]().union(*(endings(group, order, snapshot, chosen) for order in orders))


def highest_first(order: tuple[Pod, ...]) -> bool:
    """Whether no pod comes after one of lower priority."""
    return all(one.priority >= later.priority for one, later in pairwise(order))
