"""Gang scheduling as of 1.37, with the feature gate GenericWorkload: the pods of a PodGroup are tried in one cycle.

No pod of a group enters the queue before minCount pods of the group exist and none of them is held back. One cycle then
tries all its unbound pods, one after the other, each with the ones before it assumed. If minCount pods of the group have
a node at the end, those that found one are bound; otherwise no pod is. The policy basic is that with a minCount of 1.
The pods are of equal priority, so that their order is the one in which they were queued: any is possible.

Kubernetes 1.37: pkg/scheduler/schedule_one_podgroup.go; preEnqueueHierarchiesDisabled and PlacementFeasible in
pkg/scheduler/framework/plugins/gangscheduling.

`kubernetes/group_decisions` has what it decides, and what is not modelled.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import permutations

from schedcheck.spec.binding import completed
from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.select_host import Choice, choice
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.refusal import Refusal, unresolvable
from schedcheck.spec.workload_objects import PodGroup

NAME = "GangScheduling"

Feasible = Callable[[Pod, Node, Snapshot], bool]

Pairs = tuple[tuple[Pod, Node], ...]
"""Pods, each with its node."""


def in_one_cycle(plugins: Plugins) -> bool:
    """Whether the profile tries the pods of a PodGroup in one cycle: whether the plugin judges placements."""
    return NAME in plugins.at("placementFeasible")


def pod_group(pod: Pod, snapshot: Snapshot) -> PodGroup | None:
    r"""Return the PodGroup of `pod`; None if it names none, or one that does not exist.

    In TLA+ a set with the one group, or none.

    TLA+: PodGroupsOf(Pod) ==
            {Each \in PodGroups : Each.Namespace = Pod.Namespace /\ Each.Name = Pod.Spec.SchedulingGroup}
    """
    key = (pod.namespace, pod.scheduling_group)
    return next((each for each in snapshot.pod_groups if each.key == key), None)


def group_members(group: PodGroup, snapshot: Snapshot) -> frozenset[Pod]:
    r"""Return the pods that name this group. Ended pods are not seen.

    TLA+: GroupMembers(Group, Snapshot) ==
            {Pod \in Pods(Snapshot) :
              /\ Pod.Namespace = Group.Namespace
              /\ Pod.Spec.SchedulingGroup = Group.Name
              /\ ~Completed(Pod)}
    """
    return frozenset(
        pod
        for pod in snapshot.pods
        if pod.namespace == group.namespace
        and pod.scheduling_group == group.name
        and not completed(pod)
    )  # fmt: skip


def unbound_members(group: PodGroup, snapshot: Snapshot) -> frozenset[Pod]:
    r"""Return the members without a node, whether or not they are being deleted.

    TLA+: UnboundMembers(Group, Snapshot) == {Pod \in GroupMembers(Group, Snapshot) : Pod.Spec.NodeName = ""}
    """
    return frozenset(pod for pod in group_members(group, snapshot) if pod.node_name == "")


def scheduled(group: PodGroup, snapshot: Snapshot) -> frozenset[Pod]:
    r"""Return the members that have a node.

    TLA+: Scheduled(Group, Snapshot) == {Pod \in GroupMembers(Group, Snapshot) : Pod.Spec.NodeName # ""}
    """
    return frozenset(pod for pod in group_members(group, snapshot) if pod.node_name != "")


def fewest(group: PodGroup) -> int:
    r"""Return how many pods of the group must have a node after its cycle, so that any is bound in it.

    TLA+: FewestOf(Group) == IF Group.MinCount = 0 THEN 1 ELSE Group.MinCount
    """
    return 1 if group.min_count is None else group.min_count


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
    """Return the pods that enter the queue with `pod` or not at all: the unbound members of its group, with itself."""
    group = pod_group(pod, snapshot) if in_one_cycle(plugins) else None
    return frozenset({pod}) if group is None else unbound_members(group, snapshot)


def alike(group: PodGroup, snapshot: Snapshot) -> bool:
    r"""Whether all members have one schedulerName, one preemptionPolicy, and the priority of the group.

    Otherwise the cycle ends in an error before any pod is tried.

    TLA+: AllAlike(Group, Snapshot) == \A Pod \in GroupMembers(Group, Snapshot) : Pod.Spec.Priority = Group.Priority

    Differs: tla/ has one schedulerName and one preemptionPolicy.
    Kubernetes 1.37: validatePodGroup in pkg/scheduler/schedule_one_podgroup.go.
    """
    members = group_members(group, snapshot)
    return (
        len({(pod.scheduler_name, pod.preemption_policy) for pod in members}) <= 1
        and all(pod.priority == group.priority for pod in members)
    )  # fmt: skip


@dataclass(frozen=True)
class Ending:
    """The end of a group's cycle: the pods to be bound, each with its node, by name; none if the group does not fit.

    `error`: it does not fit because the cycle of a pod ended in an error.
    """

    placed: Pairs = ()
    error: bool = False


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
    r"""Return how the cycle of the group may end that tries its pods in this order; `placed` have a node in `snapshot`.

    In TLA+ an ending is a set of pairs, empty if the group does not fit.

    TLA+: Assumed(Pod, Node, Snapshot) ==
            (Snapshot \ {Pod}) \union {[Pod EXCEPT !.Spec.NodeName = Node.Name]}

    TLA+: Endings(Group, Order, Snapshot, Placed_) ==
            IF Cardinality(Scheduled(Group, Snapshot)) + Len(Order) < FewestOf(Group) THEN {{}}
            ELSE IF Order = <<>> THEN {Placed_}
            ELSE LET Pod == Head(Order)
                     Found == Choice(Pod, Seen(Snapshot))
                 IN CASE Found.Kind = "error" -> {{}}
                      [] Found.Kind = "unschedulable" -> Endings(Group, Tail(Order), Snapshot, Placed_)
                      [] Found.Kind = "scheduled" ->
                           UNION {Endings(Group, Tail(Order), Assumed(Pod, Node, Snapshot), Placed_ \union {<<Pod, Node>>}) :
                                   Node \in Found.Hosts}
    """
    if len(scheduled(group, snapshot)) + len(order) < fewest(group):
        return frozenset({Ending()})
    if not order:
        return frozenset({Ending(tuple(sorted(placed, key=lambda each: each[0].key)))})
    pod, later = order[0], order[1:]
    end = chosen[pod, snapshot]
    if end.kind == "error":
        return frozenset({Ending(error=True)})
    if end.kind == "unschedulable":
        return endings(group, later, snapshot, chosen, placed)
    return frozenset[Ending]().union(
        *(
            endings(group, later, assumed(pod, node, snapshot), chosen, (*placed, (pod, node)))
            for node in snapshot.nodes
            if node.name in end.hosts
        )
    )


def choice_in_group(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> Choice:
    """Return the end of the cycle of one pod of a group. No pod preempts by itself."""
    ended = frozenset(each for each in snapshot.pods if completed(each))
    return choice(cycle(pod, snapshot - (ended | {pod}), plugins))


def assumed(pod: Pod, node: Node, snapshot: Snapshot) -> Snapshot:
    """Return the snapshot in which `pod` has this node."""
    pods = tuple(replace(each, node_name=node.name) if each == pod else each for each in snapshot.pods)
    return replace(snapshot, pods=pods)


def can_be_placed(group: PodGroup, snapshot: Snapshot, feasible: Feasible) -> bool:
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
            or can_be_placed(group, assumed(pod, node, snapshot), feasible)
        )
        for pod in tried(group, snapshot)
        for node in snapshot.nodes
    )


def tried(group: PodGroup, snapshot: Snapshot) -> frozenset[Pod]:
    r"""Return the pods that the cycle of the group tries: its unbound ones that are not being deleted.

    TLA+: Tried(Group, Snapshot) == {Pod \in UnboundMembers(Group, Snapshot) : ~Pod.Terminating}
    """
    return frozenset(pod for pod in unbound_members(group, snapshot) if not pod.terminating)


def group_endings(group: PodGroup, snapshot: Snapshot, plugins: Plugins) -> frozenset[Ending]:
    r"""Return how the cycle of the group may end, in whatever order its pods were queued.

    TLA+: QueuedOrders(Some) ==
            {Order \in [1..Cardinality(Some) -> Some] : \A i, j \in DOMAIN Order : i # j => Order[i] # Order[j]}

    TLA+: GroupEndings(Group, Snapshot) ==
            IF ~AllAlike(Group, Snapshot) THEN {{}}
            ELSE UNION {Endings(Group, Order, Snapshot, {}) : Order \in QueuedOrders(Tried(Group, Snapshot))}
    """
    if not alike(group, snapshot):
        return frozenset({Ending(error=True)})
    orders = permutations(sorted(tried(group, snapshot), key=lambda pod: pod.key))
    chosen = Choices(plugins)
    return frozenset[Ending]().union(*(endings(group, order, snapshot, chosen) for order in orders))
