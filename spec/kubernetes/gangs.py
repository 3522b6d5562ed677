"""Gang scheduling as of 1.35, with the feature gates GenericWorkload and GangScheduling: the plugin GangScheduling.

A pod of a gang does not enter the queue before minCount pods of its group exist. Its members are scheduled one by one;
each that finds a node waits on permit, and counts on that node as if it were bound. Once minCount members wait or are
bound, all that wait are bound. The time limit of a waiting pod ends its wait: it leaves the node, and is tried again.

Kubernetes 1.35: pkg/scheduler/framework/plugins/gangscheduling and pkg/scheduler/backend/workloadmanager.

Not modelled: that the bindings of one gang reach the API server one after the other, and that one may fail; that a pod
in the queue stays there while its group loses pods; a Workload that is created or deleted; resource claims of members.
"""

from dataclasses import replace

from schedcheck.spec.binding import completed
from schedcheck.spec.decisions import Bind, Decision, Nominate, WaitOnPermit
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pod_groups import pod_group
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.refusal import Refusal, unresolvable
from schedcheck.spec.workload_objects import GangWorkload, GroupPolicy

NAME = "GangScheduling"


def one_by_one(plugins: Plugins) -> bool:
    """Whether the profile schedules the members of a gang one by one: whether the plugin notes those that are reserved."""
    return NAME in plugins.at("reserve")


def workload_of(pod: Pod, snapshot: Snapshot) -> GangWorkload | None:
    r"""Return the workload to which `pod` refers; None without a reference, or if it does not exist.

    In TLA+ a set with the one workload, or none.

    TLA+: WorkloadsOf(Pod) ==
            {Each \in Workloads :
              /\ Pod.Spec.Workload # Null
              /\ Each.Namespace = Pod.Namespace
              /\ Each.Name = Pod.Spec.Workload.Workload}
    """
    if pod.workload is None:
        return None
    key = (pod.namespace, pod.workload.workload)
    return next((each for each in snapshot.workloads if each.key == key), None)


def group_policy(pod: Pod, snapshot: Snapshot) -> GroupPolicy | None:
    r"""Return the policy of the group to which `pod` belongs; None without a reference, its workload or that group.

    In TLA+ a set with the one policy, or none.

    TLA+: GroupPolicies(Pod) ==
            {Policy \in UNION {Each.Groups : Each \in WorkloadsOf(Pod)} : Policy.Name = Pod.Spec.Workload.Group}
    """
    found = workload_of(pod, snapshot)
    if pod.workload is None or found is None:
        return None
    return next((policy for policy in found.groups if policy.name == pod.workload.group), None)


def min_count(pod: Pod, snapshot: Snapshot) -> int | None:
    r"""Return the minCount of the gang to which `pod` belongs; None if it belongs to none.

    Its gang is that of its workload, in 1.35, or that of its PodGroup, later.

    TLA+: InAGang(Pod) == \E Policy \in GroupPolicies(Pod) : Policy.MinCount > 0
    """
    policy = group_policy(pod, snapshot) or pod_group(pod, snapshot)
    return None if policy is None else policy.min_count


def members(pod: Pod, snapshot: Snapshot) -> frozenset[Pod]:
    r"""Return the pods of the group to which `pod` belongs, with itself: those of one replica. Ended pods are not seen.

    TLA+: Members(Pod, Snapshot) ==
            {Other \in Pods(Snapshot) :
              /\ Other.Namespace = Pod.Namespace
              /\ Other.Spec.Workload = Pod.Spec.Workload
              /\ ~Completed(Other)}

    Differs: KubeGangs.tla is about 1.35, which knows no PodGroups.
    """
    return frozenset(
        other
        for other in snapshot.pods
        if other.namespace == pod.namespace
        and other.workload == pod.workload
        and other.scheduling_group == pod.scheduling_group
        and not completed(other)
    )  # fmt: skip


def has_a_place(pod: Pod) -> bool:
    r"""Whether `pod` is bound, or waits on permit for a node.

    TLA+: HasAPlace(Pod) == Pod.Spec.NodeName # "" \/ Pod.Status.WaitsOn # ""
    """
    return pod.node_name != "" or pod.waits_on != ""


def refusal(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> Refusal | None:
    r"""Return the refusal that keeps `pod` out of the queue; None if it may enter.

    A pod that refers to a workload or a group that does not exist waits for it.

    TLA+: GangRefused(Pod, Snapshot) ==
            /\ Pod.Spec.Workload # Null
            /\ \/ GroupPolicies(Pod) = {}
               \/ \E Policy \in GroupPolicies(Pod) : Cardinality(Members(Pod, Snapshot)) < Policy.MinCount
    """
    if not one_by_one(plugins) or pod.workload is None:
        return None
    if workload_of(pod, snapshot) is None:
        return unresolvable(
            NAME, f'waiting for pods\'s workload "{pod.workload.workload}" to appear in scheduling queue'
        )
    policy = group_policy(pod, snapshot)
    if policy is None:
        return unresolvable(
            NAME, f'pod group "{pod.workload.group}" doesn\'t exist for a workload "{pod.workload.workload}"'
        )
    if policy.min_count is not None and len(members(pod, snapshot)) < policy.min_count:
        return unresolvable(NAME, "waiting for minCount pods from a gang to appear in scheduling queue")
    return None


def quorum(pod: Pod, snapshot: Snapshot) -> bool:
    r"""Whether `pod`, which has found a node, and the members of its gang that have a place are minCount or more.

    TLA+: Quorum(Pod, Snapshot) ==
            \A Policy \in GroupPolicies(Pod) :
              Cardinality({Pod} \union {Other \in Members(Pod, Snapshot) : HasAPlace(Other)}) >= Policy.MinCount
    """
    least = min_count(pod, snapshot)
    return least is None or len({pod} | {other for other in members(pod, snapshot) if has_a_place(other)}) >= least


def waiting_members(pod: Pod, snapshot: Snapshot) -> tuple[Pod, ...]:
    r"""Return the other members of the gang of `pod` that wait on permit, by name.

    TLA+: WaitingMembers(Pod, Snapshot) ==
            {Other \in Members(Pod, Snapshot) \ {Pod} : InAGang(Pod) /\ Other.Status.WaitsOn # ""}
    """
    if min_count(pod, snapshot) is None:
        return ()
    waiting = (other for other in members(pod, snapshot) - {pod} if other.waits_on)
    return tuple(sorted(waiting, key=lambda other: other.key))


def as_placed(snapshot: Snapshot) -> Snapshot:
    r"""Return the snapshot in which the pods that wait on permit have their nodes, as in the scheduler's cache.

    TLA+: AsPlaced(Snapshot) ==
            {IF Object.Kind = "Pod" /\ Object \in {Pod \in Pods(Snapshot) : Pod.Status.WaitsOn # ""}
             THEN [Object EXCEPT !.Spec.NodeName = Object.Status.WaitsOn] ELSE Object : Object \in Snapshot}
    """
    if not any(pod.waits_on for pod in snapshot.pods):
        return snapshot
    pods = tuple(replace(pod, node_name=pod.waits_on) if pod.waits_on else pod for pod in snapshot.pods)
    return replace(snapshot, pods=pods)


def after_permit(decision: Decision, snapshot: Snapshot, plugins: Plugins) -> Decision:
    r"""Return the decision after Permit. A member short of the quorum waits; one that completes it allows the others.

    Victims that wait on permit are given as they are in `snapshot`.

    TLA+: AsTheyStand(Victims, Snapshot) ==
            {Pod \in Pods(Snapshot) : \E Victim \in Victims : Victim.Namespace = Pod.Namespace /\ Victim.Name = Pod.Name}

    TLA+: AfterPermit(Decided, Pod, Snapshot) ==
            IF Decided.Kind = "Bind" /\ ~Quorum(Pod, Snapshot) THEN [Decided EXCEPT !.Kind = "WaitOnPermit"]
            ELSE [Decided EXCEPT !.Victims = AsTheyStand(Decided.Victims, Snapshot)]
    """
    match decision:
        case Bind(pod, node) if one_by_one(plugins):
            if not quorum(pod, snapshot):
                return WaitOnPermit(pod, node)
            return replace(decision, allowed=waiting_members(pod, snapshot))
        case Nominate(_, _, victims):
            keys = {victim.key for victim in victims}
            return replace(decision, victims=frozenset(pod for pod in snapshot.pods if pod.key in keys))
        case _:
            return decision
