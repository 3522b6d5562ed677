"""Preemption in the printed model: Jeopardy, Casualty, VictimSets, PreemptionEnabled, Preemption.

Jeopardy and Casualty are not defined in print; here they are read as the text around them describes them.
Not modelled: disruption budgets, graceful termination, nominations. kube-scheduler's preemption, which has them, is in
spec/kubernetes/preemption.
"""

from collections.abc import Iterator
from itertools import chain, combinations

from schedcheck.spec.decisions import Preempt
from schedcheck.spec.faults import Fault
from schedcheck.spec.footprints import declares, footprint, looks_at
from schedcheck.spec.importance import jeopardy
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.published.feasibility import FILTERS
from schedcheck.spec.published.operators import Operators, VictimSets, scheduling_enabled

LOWEST_PRIORITY = -(2**31)
"""The lowest priority that a pod can have. TLA+: LowestPriority == -2147483647 - 1"""


@looks_at("victims.priority")
def casualty(pods: frozenset[Pod]) -> tuple[int, int, int]:
    r"""Return the damage of evicting `pods`, compared lexicographically: highest priority, sum of priorities, count.

    Negative priorities add nothing to the sum, so that no set becomes better by one more victim.

    TLA+: Casualty(Victims) ==
            <<Max({LowestPriority} \union {Pod.Spec.Priority : Pod \in Victims}),
              Sum([Pod \in Victims |-> Max({0, Pod.Spec.Priority})]),
              Cardinality(Victims)>>
    """
    return (
        max((pod.priority for pod in pods), default=LOWEST_PRIORITY),
        sum(max(0, pod.priority) for pod in pods),
        len(pods),
    )


def subsets(pods: frozenset[Pod]) -> Iterator[frozenset[Pod]]:
    """Yield all subsets of `pods`: SUBSET in TLA+."""
    ordered = sorted(pods, key=lambda pod: pod.key)
    return (
        frozenset(chosen)
        for chosen in chain.from_iterable(combinations(ordered, size) for size in range(len(ordered) + 1))
    )


@declares(footprint(*(each.admits for each in FILTERS), jeopardy))
def victim_sets(pod: Pod, node: Node, snapshot: Snapshot, profile: Operators) -> VictimSets:
    r"""Return the sets of lower-priority pods on `node` whose removal makes `pod` fit there.

    TLA+: VictimSets(Pod, Node, Snapshot) ==
            {Victims \in SUBSET Jeopardy(Pod, Node, Snapshot) : Feasibility(Pod, Node, Snapshot \ Victims)}
    """
    return frozenset(
        pods
        for pods in subsets(jeopardy(pod, node, snapshot, profile.faults))
        if profile.feasibility(pod, node, snapshot - pods)
    )


def preemptable(pod: Pod, snapshot: Snapshot, profile: Operators) -> frozenset[Node]:
    r"""Return the nodes on which some evictions would make `pod` fit.

    TLA+: Preemptable(Pod) ==
            {Node \in Nodes(Objects) : VictimSets(Pod, Node, Objects) # {}}
    """
    return frozenset(node for node in snapshot.nodes if profile.victim_sets(pod, node, snapshot))


def preemption_enabled(pod: Pod, snapshot: Snapshot, profile: Operators) -> bool:
    r"""Whether `pod` may preempt: no node is feasible, and evictions would make some node feasible.

    TLA+: PreemptionEnabled(Pod) ==
            /\ "overlapping-case" \in Faults \/ ~SchedulingEnabled(Pod)
            /\ "preemption-policy-ignored" \in Faults \/ Pod.Spec.PreemptionPolicy # "Never"
            /\ Preemptable(Pod) # {}
    """
    faults = profile.faults
    return (
        (Fault.OVERLAPPING_CASE in faults or not scheduling_enabled(pod, snapshot, profile))
        and (Fault.PREEMPTION_POLICY_IGNORED in faults or pod.preemption_policy != "Never")
        and preemptable(pod, snapshot, profile) != frozenset()
    )


def candidates(pod: Pod, snapshot: Snapshot, profile: Operators) -> frozenset[tuple[Node, frozenset[Pod]]]:
    r"""Return the pairs of node and victims among which the one of least casualty is chosen.

    TLA+: Candidates(Pod) ==
            UNION {{<<Node, Victims>> : Victims \in IF "victims-unchecked" \in Faults
                                                    THEN SUBSET Jeopardy(Pod, Node, Objects)
                                                    ELSE VictimSets(Pod, Node, Objects)} : Node \in Preemptable(Pod)}
    """
    return frozenset(
        (node, pods)
        for node in preemptable(pod, snapshot, profile)
        for pods in considered(pod, node, snapshot, profile)
    )


def considered(pod: Pod, node: Node, snapshot: Snapshot, profile: Operators) -> VictimSets:
    """Return the victim sets of the candidates on one node, which must be preemptable."""
    if Fault.VICTIMS_UNCHECKED in profile.faults:
        return frozenset(subsets(jeopardy(pod, node, snapshot, profile.faults)))
    return profile.victim_sets(pod, node, snapshot)


def preemption(pod: Pod, snapshot: Snapshot, profile: Operators) -> frozenset[Preempt]:
    r"""Return the preemptions of least casualty, over all nodes and all victim sets.

    TLA+: Preemption(Pod) ==
            LET Possible == Candidates(Pod)
            IN \E Candidate \in Possible :
                 /\ \A Other \in Possible : NoMore(Casualty(Candidate[2]), Casualty(Other[2]))
                 /\ Objects' = (Objects \ Candidate[2]) \union Recreated(Candidate[2])
    Differs: in TLA+ the action itself adds the recreated pods, Recreated, in place of the victims; here the machine
    does.
    """
    damage = {candidate: profile.casualty(candidate[1]) for candidate in candidates(pod, snapshot, profile)}
    least = min(damage.values())
    return frozenset(Preempt(pod, node, victims) for (node, victims), casualty in damage.items() if casualty == least)
