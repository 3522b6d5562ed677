"""What the cycle of a PodGroup decides for its pods, and where that is not known: `group_decisions`, `known_endings`.

Kubernetes 1.36, 1.37: pkg/scheduler/schedule_one_podgroup.go, submitPodGroupAlgorithmResult.

Not modelled: in 1.36, preemption by a pod of a group, and its nomination; what `unmodelled_in` names of claims of pods of
groups; groups within groups and topology; a PodGroup that is created, changed or deleted; a pod that is deleted between
its cycle and its binding; that the bindings of one group reach the API server one after the other, and one may fail.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from schedcheck.spec.decisions import Bind, Decision, Nominate, Unknown, Wait
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.filters import dynamic_resources
from schedcheck.spec.kubernetes.filters.volume_restrictions import for_one_pod
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pod_groups import Ending, group_endings, pod_group, unbound_members
from schedcheck.spec.kubernetes.preemption import of_groups
from schedcheck.spec.kubernetes.preemption.units import below
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.workload_objects import PodGroup

WAITS = "pod group is unschedulable"
"""The message of a pod whose group does not fit."""

LEFT = "no node is left for the pod"
"""The message of a pod whose group is placed without it."""

ASKED = "not modelled: preemption of pods of a pod group beside extenders"
"""The reason given where extenders might be asked about such victims."""

UNMODELLED = "some preemption by pod groups, some claims of their pods, and in 1.36 nominations, are not modelled"
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
    odd = unmodelled_preemption(group, snapshot)
    if odd and not all(each.placed or each.error for each in found):
        return f"not modelled: preemption for a pod group with {odd}", frozenset()
    ends = of_groups.outcomes(group, snapshot, plugins)
    return (ends, frozenset()) if isinstance(ends, str) else ("", ends)


def unmodelled_preemption(group: PodGroup, snapshot: Snapshot) -> str:
    """Return on what the preemption of the group depends although its endings do not; empty for nothing."""
    claims = any(pod.resource_claims for pod in unbound_members(group, snapshot))
    claiming = "resource claims" if claims and below(group.priority, snapshot) else ""
    return of_groups.unmodelled(group, snapshot) or claiming


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
    claims = (unmodelled_claims(pod, snapshot, plugins) for pod in pods)
    found = next((each for each in claims if each), "")
    if found:
        return f"{found} of a pod of a pod group"
    if Departure.ASSUMED_TERMS_UNSEEN in plugins.departures and shared_for_one_pod(pods, snapshot):
        return "a ReadWriteOncePod claim of several pods of a pod group"
    if Departure.ASSUMED_TERMS_UNSEEN in plugins.departures and shared_unallocated(pods, snapshot, plugins):
        return "a resource claim, not allocated yet, of several pods of a pod group"
    if mixed_up(pods, snapshot, plugins):
        return "a resource claim, not allocated yet, of several pods of a pod group, of which one names it before another claim"
    alone = Departure.MEMBERS_PREEMPT in plugins.departures or snapshot.nodes == ()
    if alone and any(pod.nominated_node_name for pod in pods):
        return "a nominated pod of a pod group"
    if len({pod.scheduler_name for pod in pods}) > 1:
        return "pods of one pod group with several schedulerNames"
    return ""


def unmodelled_claims(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> str:
    """Return the feature of its resource claims on which the cycle of its group depends; empty for none.

    Where an allocated claim is not available on some node, the scheduler may deallocate it after the cycle.
    """
    departures = plugins.departures
    if "DynamicResources" not in {*plugins.at("preFilter"), *plugins.at("filter")}:
        return ""
    if dynamic_resources.claiming(replace(pod, resource_claims=()), snapshot.devices, departures):
        return "an extended resource that a device class backs"
    claims = dynamic_resources.known(pod, snapshot.devices, departures)
    allocated = (each for each in claims if each.allocation is not None)
    idle = (each for each in allocated if dynamic_resources.may_be_deallocated(pod, each))
    if any(not dynamic_resources.available(each, node) for each in idle for node in snapshot.nodes):
        return "an allocated resource claim that may be deallocated"
    feature = dynamic_resources.unmodelled(pod, snapshot.devices, departures)
    return f"resource claims ({feature})" if feature else ""


def shared_for_one_pod(pods: Sequence[Pod], snapshot: Snapshot) -> bool:
    """Whether several of the pods use one ReadWriteOncePod claim.

    In 1.36 what VolumeRestrictions looks up in the snapshot does not grow within the cycle.
    """
    used = Counter((pod.namespace, name) for pod in pods for name in for_one_pod(pod, snapshot.storage))
    return any(number > 1 for number in used.values())


def shared_unallocated(pods: Sequence[Pod], snapshot: Snapshot, plugins: Plugins) -> bool:
    """Whether several of the pods use one resource claim that is not allocated.

    In 1.36 the later pod is placed without regard to where the devices are that the earlier one was allocated.
    """
    used = Counter(key for keys in _unallocated(pods, snapshot, plugins) for key in set(keys))
    return any(number > 1 for number in used.values())


def mixed_up(pods: Sequence[Pod], snapshot: Snapshot, plugins: Plugins) -> bool:
    """Whether a pod may get devices for a claim that an earlier one was allocated for another claim.

    It names a claim of that pod before one that is not allocated then. kube-scheduler takes the allocations of the
    claims in another order than their names, and counts the devices of one claim twice and those of the other not at all.

    Kubernetes 1.37: Filter and Reserve in pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go.
    """
    found = _unallocated(pods, snapshot, plugins)
    return any(
        first in others and later not in others
        for keys in found
        for place, first in enumerate(keys)
        for later in keys[place + 1 :]
        for others in found
    )


def _unallocated(pods: Sequence[Pod], snapshot: Snapshot, plugins: Plugins) -> list[list[tuple[str, str]]]:
    """Return the names of the claims of each pod that are not allocated, in order."""
    known = (dynamic_resources.known(pod, snapshot.devices, plugins.departures) for pod in pods)
    return [[claim.key for claim in claims if claim.allocation is None] for claims in known]


def beside_extenders(decisions: frozenset[Decision], snapshot: Snapshot, plugins: Plugins) -> bool:
    """Whether the decisions for a pod without a group are not known: extenders may be asked about pods that go together.

    By departure "members-preempt" pods of PodGroups are evicted like other pods.
    """
    asked = plugins.extenders != () or plugins.unasked != ()
    if not asked or Departure.MEMBERS_PREEMPT in plugins.departures:
        return False
    grouped = any(pod.node_name and pod.scheduling_group for pod in snapshot.pods)
    return grouped and not all(isinstance(each, Bind) for each in decisions)
