"""What the cycle of a PodGroup decides for its pods, and where that is not known: `group_decisions`, `preempts_groups`.

Kubernetes 1.36, 1.37: pkg/scheduler/schedule_one_podgroup.go, submitPodGroupAlgorithmResult.

Not modelled: preemption by and of pod groups; resource claims and volume claims of their pods; a nomination of theirs;
groups within groups and topology; a PodGroup that is created, changed or deleted; a pod that is deleted between its
cycle and its binding; that the bindings of one group reach the API server one after the other, and that one may fail.
"""

from collections.abc import Iterator

from schedcheck.spec.decisions import Bind, Decision, Unknown, Wait
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pod_groups import Ending, group_endings, pod_group, tried, unbound_members
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.volumes.claims import claim_name
from schedcheck.spec.workload_objects import PodGroup

WAITS = "pod group is unschedulable"
"""The message of a pod whose group does not fit."""

LEFT = "no node is left for the pod"
"""The message of a pod whose group is placed without it."""

UNMODELLED = "preemption by and of pod groups, and claims and nominations of their pods, are not modelled"
"""The reason given for an unknown answer of a question about pods of PodGroups."""


def group_decisions(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> frozenset[Decision]:
    r"""Return what the cycle of the group of `pod` may decide for it; Unknown if that depends on what is not modelled.

    Whichever pod of the group is asked, a Bind carries out the whole cycle; for a pod that it leaves unbound it is a
    Wait, as only the others change then.

    TLA+: WithoutGroup(Decided) ==
            [Kind |-> Decided.Kind, Node |-> Decided.Node, Victims |-> Decided.Victims,
             Unnominated |-> Decided.Unnominated, Placed |-> {}, Left |-> FALSE]

    TLA+: DecidedFor(Pod, Ending) ==
            LET Own == {Pair \in Ending : Pair[1] = Pod}
                Waits == [Kind |-> "Wait", Node |-> Null, Victims |-> {}, Unnominated |-> FALSE,
                          Placed |-> {}, Left |-> Ending # {}]
            IN IF Own = {} THEN {Waits}
               ELSE {[Waits EXCEPT !.Kind = "Bind", !.Node = Pair[2], !.Placed = Ending, !.Left = FALSE] : Pair \in Own}

    TLA+: PodGroupDecisions(Pod, Snapshot) ==
            IF Pod.Spec.SchedulingGroup = "" THEN {WithoutGroup(Decided) : Decided \in KubeDecisions(Pod, Snapshot)}
            ELSE UNION {UNION {DecidedFor(Pod, Ending) : Ending \in GroupEndings(Group, Snapshot)} :
                         Group \in PodGroupsOf(Pod)}
    """
    group = pod_group(pod, snapshot)
    if group is None:
        return frozenset({Wait(pod, WAITS)})
    why = unmodelled_in(group, snapshot)
    found = group_endings(group, snapshot, plugins) if not why else frozenset[Ending]()
    if any(each.preempts for each in found):
        why = "not modelled: preemption by a pod of a pod group"
    elif any(not each.placed and not each.error for each in found) and might_preempt(group, snapshot, plugins):
        why = "not modelled: preemption for a pod group"
    if why:
        return frozenset({Unknown(pod, why)})
    return frozenset(decided_for(pod, each) for each in found)


def decided_for(pod: Pod, ending: Ending) -> Decision:
    """Return the decision for one pod of the group when its cycle ends so."""
    own = next((node for each, node in ending.placed if each == pod), None)
    if own is None:
        return Wait(pod, LEFT, left=True) if ending.placed else Wait(pod, WAITS)
    return Bind(pod, own, together=tuple(pair for pair in ending.placed if pair[0] != pod))


def unmodelled_in(group: PodGroup, snapshot: Snapshot) -> str:
    """Return the feature of the group's pods on which its cycle depends although it is not modelled; empty for none."""
    if group.unmodelled:
        return f"not modelled: {group.unmodelled} of a pod group"
    pods = sorted(unbound_members(group, snapshot), key=lambda pod: pod.key)
    if any(pod.resource_claims for pod in pods):
        return "not modelled: resource claims of a pod of a pod group"
    if any(claim_name(volume, pod) is not None for pod in pods for volume in pod.volumes):
        return "not modelled: volume claims of a pod of a pod group"
    if any(pod.nominated_node_name for pod in pods):
        return "not modelled: a nominated pod of a pod group"
    if len({pod.scheduler_name for pod in pods}) > 1:
        return "not modelled: pods of one pod group with several schedulerNames"
    return ""


def lower(pod: Pod, priority: int, snapshot: Snapshot) -> bool:
    """Whether `pod` may be a victim of a preemptor of this priority: by its own priority or by that of its group."""
    group = pod_group(pod, snapshot)
    return pod.priority < priority or (group is not None and group.priority < priority)


def might_preempt(group: PodGroup, snapshot: Snapshot, plugins: Plugins) -> bool:
    """Whether preemption might make room for the group: whether it may fit once all pods of lower priority are gone.

    By departure "members-preempt" the group itself does not preempt.

    Kubernetes 1.37: Preempt and selectVictimsOnDomain in pkg/scheduler/framework/preemption/podgrouppreemption.go.
    """
    if "DefaultPreemption" not in plugins.at("postFilter") or Departure.MEMBERS_PREEMPT in plugins.departures:
        return False
    victims = frozenset(pod for pod in snapshot.pods if pod.node_name and lower(pod, group.priority, snapshot))
    if not victims or any(pod.preemption_policy == "Never" for pod in tried(group, snapshot, plugins)):
        return False
    mixed = any(uncertain(pod, group.priority, snapshot) for pod in victims)
    return mixed or any(each.placed for each in group_endings(group, snapshot - victims, plugins))


def uncertain(pod: Pod, priority: int, snapshot: Snapshot) -> bool:
    """Whether it is not modelled with which pods `pod` is a victim: its group is of another priority, or goes as a whole."""
    group = pod_group(pod, snapshot)
    return group is not None and (group.disrupted_together or group.priority != pod.priority)


def preempts_groups(pod: Pod, decisions: frozenset[Decision], snapshot: Snapshot, plugins: Plugins) -> Iterator[str]:
    """Yield why the decisions of a pod without a group are not known: it might preempt pods of groups.

    By departure "members-preempt" it evicts them like other pods.
    """
    if Departure.MEMBERS_PREEMPT in plugins.departures:
        return
    victims = [each for each in snapshot.pods if each.node_name and each.scheduling_group]
    victims = [each for each in victims if lower(each, pod.priority, snapshot)]
    if pod.preemption_policy == "Never" or not victims or all(isinstance(each, Bind) for each in decisions):
        return
    certain = all(isinstance(each, Wait) for each in decisions)
    if not certain or any(uncertain(each, pod.priority, snapshot) for each in victims):
        yield "not modelled: preemption of pods of a pod group"
