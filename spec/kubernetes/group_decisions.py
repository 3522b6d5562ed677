"""What the cycle of a PodGroup decides for its pods, and where that is not known: `group_decisions`, `preempts_groups`.

Kubernetes 1.36, 1.37: pkg/scheduler/schedule_one_podgroup.go, submitPodGroupAlgorithmResult.

Not modelled: preemption of pods of groups by a pod without a group; in 1.36, preemption by a pod of a group, and its
nomination; resource claims and volume claims of pods of groups; groups within groups and topology; a PodGroup that is created, changed or deleted; a pod that is deleted between its
cycle and its binding; that the bindings of one group reach the API server one after the other, and that one may fail.
"""

from collections.abc import Iterator

from schedcheck.spec.decisions import Bind, Decision, Nominate, Unknown, Wait
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pod_groups import Ending, group_endings, pod_group, unbound_members
from schedcheck.spec.kubernetes.preemption import of_groups
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.volumes.claims import claim_name
from schedcheck.spec.workload_objects import PodGroup

WAITS = "pod group is unschedulable"
"""The message of a pod whose group does not fit."""

LEFT = "no node is left for the pod"
"""The message of a pod whose group is placed without it."""

UNMODELLED = "some preemption by and of pod groups, claims of their pods, and in 1.36 nominations, are not modelled"
"""The reason given for an unknown answer of a question about pods of PodGroups."""


def group_decisions(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> frozenset[Decision]:
    r"""Return what the cycle of the group of `pod` may decide for it; Unknown if that depends on what is not modelled.

    Whichever pod of the group is asked, a Bind carries out the whole cycle; for a pod that it leaves unbound it is a
    Wait, as only the others change then.

    TLA+: WithoutGroup(Decided) ==
            [Kind |-> Decided.Kind, Node |-> Decided.Node, Victims |-> Decided.Victims,
             Unnominated |-> Decided.Unnominated, Placed |-> {}, Left |-> FALSE, Others |-> {}]

    TLA+: DecidedFor(Pod, Ending) ==
            LET Pairs == Ending.Placed \union Ending.Nominated
                Own == {Pair \in Pairs : Pair[1] = Pod}
                Loses == Pod \in Ending.Lost
            IN IF Own = {}
               THEN {[Kind |-> "Wait", Node |-> Null, Victims |-> {}, Unnominated |-> Loses, Placed |-> {},
                      Left |-> Pairs # {}, Others |-> IF Loses THEN Ending.Lost \ {Pod} ELSE {}]}
               ELSE {[Kind |-> IF Ending.Nominated = {} THEN "Bind" ELSE "Nominate", Node |-> Pair[2],
                      Victims |-> Ending.Victims, Unnominated |-> FALSE, Placed |-> Pairs, Left |-> FALSE, Others |-> {}] :
                      Pair \in Own}

    TLA+: PodGroupDecisions(Pod, Snapshot) ==
            IF Pod.Spec.SchedulingGroup = "" THEN {WithoutGroup(Decided) : Decided \in KubeDecisions(Pod, Snapshot)}
            ELSE UNION {UNION {DecidedFor(Pod, Ending) : Ending \in GroupEndings(Group, Snapshot)} :
                         Group \in PodGroupsOf(Pod)}
    """
    group = pod_group(pod, snapshot)
    if group is None:
        return frozenset({Wait(pod, WAITS)})
    why, found = known_endings(group, snapshot, plugins)
    return frozenset({Unknown(pod, why)}) if why else frozenset(decided_for(pod, each) for each in found)


def known_endings(group: PodGroup, snapshot: Snapshot, plugins: Plugins) -> tuple[str, frozenset[Ending]]:
    """Return why it is not known how the cycle of the group ends, empty if it is, and the possible ends."""
    why = unmodelled_in(group, snapshot, plugins)
    if why:
        return f"not modelled: {why}", frozenset()
    found = group_endings(group, snapshot, plugins)
    if any(each.preempts for each in found):
        return "not modelled: preemption by a pod of a pod group", frozenset()
    if all(each.placed for each in found) or Departure.MEMBERS_PREEMPT in plugins.departures:
        return "", found
    odd = of_groups.unmodelled(group, snapshot)
    if odd and not all(each.placed or each.error for each in found):
        return f"not modelled: preemption for a pod group with {odd}", frozenset()
    ends = of_groups.outcomes(group, snapshot, plugins)
    return (ends, frozenset()) if isinstance(ends, str) else ("", ends)


def decided_for(pod: Pod, ending: Ending) -> Decision:
    """Return the decision for one pod of the group when its cycle ends so."""
    own = next((node for each, node in (*ending.placed, *ending.nominated) if each == pod), None)
    if own is None:
        others = tuple(sorted(ending.lost - {pod}, key=lambda each: each.key)) if pod in ending.lost else ()
        left = ending.placed != () or ending.nominated != ()
        return Wait(pod, LEFT if left else WAITS, pod in ending.lost, left, others)
    others_placed = tuple(pair for pair in (*ending.placed, *ending.nominated) if pair[0] != pod)
    if ending.nominated:
        return Nominate(pod, own, ending.victims, together=others_placed)
    return Bind(pod, own, together=others_placed)


def unmodelled_in(group: PodGroup, snapshot: Snapshot, plugins: Plugins) -> str:
    """Return the feature of the group's pods on which its cycle depends although it is not modelled; empty for none."""
    if group.unmodelled:
        return f"{group.unmodelled} of a pod group"
    pods = sorted(unbound_members(group, snapshot), key=lambda pod: pod.key)
    if any(pod.resource_claims for pod in pods):
        return "resource claims of a pod of a pod group"
    if any(claim_name(volume, pod) is not None for pod in pods for volume in pod.volumes):
        return "volume claims of a pod of a pod group"
    alone = Departure.MEMBERS_PREEMPT in plugins.departures or snapshot.nodes == ()
    if alone and any(pod.nominated_node_name for pod in pods):
        return "a nominated pod of a pod group"
    if len({pod.scheduler_name for pod in pods}) > 1:
        return "pods of one pod group with several schedulerNames"
    return ""


def lower(pod: Pod, priority: int, snapshot: Snapshot) -> bool:
    """Whether `pod` may be a victim of a preemptor of this priority: by its own priority or by that of its group."""
    group = pod_group(pod, snapshot)
    return pod.priority < priority or (group is not None and group.priority < priority)


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
