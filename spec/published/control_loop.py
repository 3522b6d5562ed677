"""The control loop: Turn, Scheduling, Decision, and the snapshot after a decision.

The loop is stated over four operators: Feasibility, Viability, VictimSets and Casualty.
"""

from dataclasses import replace

from schedcheck.spec.binding import unbound
from schedcheck.spec.decisions import Bind, Decision, Nominate, Preempt, Unknown, Wait, WaitOnPermit
from schedcheck.spec.nominations import outranked
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.published.operators import Operators, scheduling_enabled
from schedcheck.spec.published.preemption import preemption, preemption_enabled


def turn(snapshot: Snapshot, profile: Operators) -> frozenset[Pod]:
    r"""Return the pods that may be tried next: the unbound pods of the highest priority.

    TLA+: Turn(Snapshot) ==
            LET Waiting == Unbound(Snapshot)
            IN {Pod \in Waiting : \A Other \in Waiting : Other.Spec.Priority <= Pod.Spec.Priority}
    """
    waiting = unbound(snapshot, profile.faults)
    return frozenset(pod for pod in waiting if all(other.priority <= pod.priority for other in waiting))


def scheduling(pod: Pod, snapshot: Snapshot, profile: Operators) -> frozenset[Bind]:
    r"""Return the binds to a feasible node of the highest viability, one for each such node.

    TLA+: Scheduling(Pod) ==
            LET Feasible == {Node \in Nodes(Objects) : Feasibility(Pod, Node, Objects)}
            IN \E Node \in Feasible :
                 /\ \A Other \in Feasible : Viability(Pod, Other, Objects) <= Viability(Pod, Node, Objects)
                 /\ Objects' = {IF Object = Pod THEN [Pod EXCEPT !.Spec.NodeName = Node.Name] ELSE Object :
                                 Object \in Objects}
    """
    feasible = {node for node in snapshot.nodes if profile.feasibility(pod, node, snapshot)}
    viability = {node: profile.viability(pod, node, snapshot) for node in feasible}
    return frozenset(
        Bind(pod, node) for node in feasible if all(viability[other] <= viability[node] for other in feasible)
    )


def decision(pod: Pod, snapshot: Snapshot, profile: Operators) -> frozenset[Decision]:
    r"""Return the decisions possible for `pod`: bind it, else preempt for it, else leave everything unchanged.

    TLA+: Decision(Pod) ==
            \/ IF SchedulingEnabled(Pod) THEN Scheduling(Pod) ELSE FALSE
            \/ IF PreemptionEnabled(Pod) THEN Preemption(Pod) ELSE FALSE
            \/ IF SchedulingEnabled(Pod) \/ PreemptionEnabled(Pod) THEN FALSE ELSE UNCHANGED Objects
    """
    scheduling_is_enabled = scheduling_enabled(pod, snapshot, profile)
    preemption_is_enabled = preemption_enabled(pod, snapshot, profile)
    return frozenset[Decision]().union(
        scheduling(pod, snapshot, profile) if scheduling_is_enabled else (),
        preemption(pod, snapshot, profile) if preemption_is_enabled else (),
        () if scheduling_is_enabled or preemption_is_enabled else (Wait(pod),),
    )


def after(decided: Decision, snapshot: Snapshot) -> Snapshot:
    r"""Return the snapshot after a decision is carried out: Objects' of Scheduling, Preemption and UNCHANGED.

    TLA+: KubeAfter(Decided, Pod, Snapshot) ==
            LET Losing == IF \A Victim \in Decided.Victims : Victim.Terminating THEN {}
                          ELSE Outranked(Pod, Decided.Node, Snapshot)
                Becomes(Object) ==
                  CASE Object = Pod /\ Decided.Kind = "Bind" ->
                         [Pod EXCEPT !.Spec.NodeName = Decided.Node.Name, !.Status.NominatedNodeName = ""]
                    [] Object = Pod /\ Decided.Kind = "Nominate" ->
                         [Pod EXCEPT !.Status.NominatedNodeName = Decided.Node.Name]
                    [] Object = Pod /\ Decided.Unnominated -> [Pod EXCEPT !.Status.NominatedNodeName = ""]
                    [] Object \in Losing -> [Object EXCEPT !.Status.NominatedNodeName = ""]
                    [] OTHER -> Object
            IN {Becomes(Object) : Object \in Snapshot}

    TLA+: GangAfter(Decided, Pod, Snapshot) ==
            LET Allowed == IF Decided.Kind = "Bind" THEN WaitingMembers(Pod, Snapshot) ELSE {}
                Placed_ == {IF Object \in Allowed THEN [Object EXCEPT !.Spec.NodeName = Object.Status.WaitsOn, !.Status.WaitsOn = ""]
                            ELSE Object : Object \in Snapshot}
            IN IF Decided.Kind = "WaitOnPermit"
               THEN {IF Object = Pod THEN [Pod EXCEPT !.Status.WaitsOn = Decided.Node.Name, !.Status.NominatedNodeName = ""]
                     ELSE Object : Object \in Snapshot}
               ELSE KubeAfter(Decided, Pod, Placed_)

    TLA+: PodGroupAfter(Decided, Pod, Snapshot) ==
            LET Place(Object) == (CHOOSE Pair \in Decided.Placed : Pair[1] = Object)[2].Name
                Becoming(Object) ==
                  CASE Object \notin {Pair[1] : Pair \in Decided.Placed} ->
                         IF Object \in Decided.Others THEN [Object EXCEPT !.Status.NominatedNodeName = ""] ELSE Object
                    [] Decided.Kind = "Bind" ->
                         [Object EXCEPT !.Spec.NodeName = Place(Object), !.Status.NominatedNodeName = ""]
                    [] OTHER -> [Object EXCEPT !.Status.NominatedNodeName = Place(Object)]
                Group == {Becoming(Object) : Object \in Snapshot}
            IN IF Decided.Placed = {} THEN KubeAfter(Decided, Pod, Group) ELSE Group
    """
    match decided:
        case Bind(pod, node, _, allowed, together):
            with_it = {each: replace(each, node_name=each.waits_on, waits_on="") for each in allowed}
            with_it |= {each: replace(each, node_name=where.name, nominated_node_name="") for each, where in together}
            return _changed(snapshot, {pod: replace(pod, node_name=node.name, nominated_node_name=""), **with_it})
        case WaitOnPermit(pod, node):
            return _changed(snapshot, {pod: replace(pod, waits_on=node.name, nominated_node_name="")})
        case Preempt(_, _, victims):
            return snapshot - victims
        case Nominate(pod, node, _, _, tuple(together)):
            with_it = {each: replace(each, nominated_node_name=where.name) for each, where in together}
            return _changed(snapshot, {pod: replace(pod, nominated_node_name=node.name), **with_it})
        case Nominate(pod, node, victims, clears_always):
            # kube-scheduler clears other pods' nominations with the first eviction, and keeps them without any.
            clears = clears_always or not all(each.terminating for each in victims)
            losing = outranked(pod, node, snapshot) if clears else frozenset[Pod]()
            cleared = {other: replace(other, nominated_node_name="") for other in losing}
            return _changed(snapshot, {pod: replace(pod, nominated_node_name=node.name), **cleared})
        case Wait(pod, _, True, _, others):
            return _changed(snapshot, {each: replace(each, nominated_node_name="") for each in (pod, *others)})
        case Wait():
            return snapshot
        case Unknown():
            return snapshot


def _changed(snapshot: Snapshot, pods: dict[Pod, Pod]) -> Snapshot:
    return replace(snapshot, pods=tuple(pods.get(pod, pod) for pod in snapshot.pods))
