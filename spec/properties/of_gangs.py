"""Properties of gangs: pods of a pod group of which a workload demands that minCount are scheduled together."""

from dataclasses import replace

from schedcheck.spec.binding import completed
from schedcheck.spec.decisions import Bind, Wait
from schedcheck.spec.kubernetes.gangs import as_placed, has_a_place, members, min_count
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import Profile

Gang = frozenset[Pod]


def gang_all_or_nothing(before: Snapshot, decision: Bind, judge: Profile) -> bool:
    r"""A member of a gang is bound only if then at least minCount of its members are bound.

    This is what kube-scheduler promises: of each binding, whatever happens afterwards to the pods that are bound.

    TLA+: GangAllOrNothing(Pod, Decided) ==
            \A Policy \in GroupPolicies(Pod) :
              Cardinality({Pod} \union WaitingMembers(Pod, Objects)
                          \union {Other \in Members(Pod, Objects) : Other.Spec.NodeName # ""}) >= Policy.MinCount

    TLA+: PodGroupAllOrNothing(Pod, Decided) ==
            \A Group \in PodGroupsOf(Pod) :
              Cardinality({Pair[1] : Pair \in Decided.Placed}
                          \union {Other \in GroupMembers(Group, Objects) : Other.Spec.NodeName # ""}) >= Group.MinCount
    """
    least = min_count(decision.pod, before)
    there = {other for other in members(decision.pod, before) if other.node_name}
    bound = {decision.pod, *decision.allowed, *(pod for pod, _ in decision.together)}
    return least is None or len(there | bound) >= least


def binds_a_member(before: Snapshot, decision: Bind, after: Snapshot) -> bool:
    """Whether the bound pod is a member of a gang."""
    return min_count(decision.pod, before) is not None


def holding_gangs(snapshot: Snapshot) -> frozenset[Gang]:
    r"""Return the gangs of which some members wait on permit: each as all its members that are not completed.

    TLA+: HoldingGangs(Snapshot) ==
            {Members(Pod, Snapshot) : Pod \in {Each \in Pods(Snapshot) : Each.Status.WaitsOn # "" /\ ~Completed(Each)}}
    """
    return frozenset(members(pod, snapshot) for pod in snapshot.pods if pod.waits_on and not completed(pod))


def two_gangs_wait(snapshot: Snapshot) -> bool:
    """Whether members of at least two gangs wait on permit."""
    return len(holding_gangs(snapshot)) > 1


def blocked(gang: Gang, snapshot: Snapshot, judge: Profile) -> bool:
    r"""Whether nothing can be done for any member without a place but to let it wait.

    TLA+: Blocked(Gang, Snapshot) ==
            \A Pod \in Gang : HasAPlace(Pod) \/ \A Decided \in GangDecisions(Pod, Snapshot) : Decided.Kind = "Wait"
    """
    return all(
        isinstance(decision, Wait)
        for pod in gang
        if not has_a_place(pod)
        for decision in judge.decision(pod, as_placed(snapshot), judge)
    )


def can_be_completed(pod: Pod, snapshot: Snapshot, judge: Profile) -> bool:
    r"""Whether members of the gang of `pod` can be placed, one after the other, until minCount have a place.

    TLA+: CanBeCompleted(Pod, Snapshot) ==
            \/ \A Policy \in GroupPolicies(Pod) :
                 Cardinality({Each \in Members(Pod, Snapshot) : HasAPlace(Each)}) >= Policy.MinCount
            \/ \E Each \in {Other \in Members(Pod, Snapshot) : ~HasAPlace(Other)} : \E Node \in Nodes(Snapshot) :
                 /\ GangAdmits(Each, Node, Snapshot)
                 /\ LET Waiting == [Each EXCEPT !.Status.WaitsOn = Node.Name]
                    IN CanBeCompleted(Waiting, (Snapshot \ {Each}) \union {Waiting})
    """
    least, gang = min_count(pod, snapshot), members(pod, snapshot)
    if least is None or len({each for each in gang if has_a_place(each)}) >= least:
        return True
    return any(
        can_be_completed(
            placed, replace(snapshot, pods=tuple(placed if one == each else one for one in snapshot.pods)), judge
        )
        for each in gang
        if not has_a_place(each)
        for node in snapshot.nodes
        if judge.feasibility(each, node, as_placed(snapshot))
        for placed in (replace(each, waits_on=node.name),)
    )


def without_places(pods: Gang, snapshot: Snapshot) -> Snapshot:
    r"""Return the snapshot in which none of these pods waits on permit.

    TLA+: WithoutPlaces(Pods_, Snapshot) ==
            {IF Object \in Pods_ THEN [Object EXCEPT !.Status.WaitsOn = ""] ELSE Object : Object \in Snapshot}
    """
    return replace(snapshot, pods=tuple(replace(pod, waits_on="") if pod in pods else pod for pod in snapshot.pods))


def no_gang_deadlock(snapshot: Snapshot, judge: Profile) -> bool:
    r"""No gangs hold each other up: blocked while members wait on permit, though each fits if the others give way.

    Only their time limits end such a state.

    TLA+: NoGangDeadlock ==
            LET Stuck == {Gang \in HoldingGangs(Objects) : Blocked(Gang, Objects)}
            IN \/ Cardinality(Stuck) < 2
               \/ \E Gang \in Stuck :
                    LET Without == WithoutPlaces(UNION (Stuck \ {Gang}), Objects)
                    IN ~CanBeCompleted(CHOOSE Pod \in Gang : TRUE, Without)
    """
    stuck = {gang for gang in holding_gangs(snapshot) if blocked(gang, snapshot, judge)}
    if len(stuck) < 2:
        return True
    return not all(
        can_be_completed(
            min(gang, key=lambda pod: pod.key), without_places(frozenset[Pod]().union(*stuck - {gang}), snapshot), judge
        )
        for gang in stuck
    )
