"""The kinds of property that can be checked of a scheduler, and the named properties.

- `Always` holds in every reachable snapshot; `Step` holds of every step of the given kinds.
- `Sometimes` demands one reachable snapshot as a witness.
- `Can`: from every reachable snapshot in which `when` holds, a snapshot in which `holds` holds remains reachable.
- `Eventually`, `LeadsTo`, `InfinitelyOften`, `Ceases` and `Behaves` speak of infinite behaviours that are fair. Steps
  of the kinds `meanwhile` happen only finitely often in them: those of an environment that is assumed to rest.
- `Progresses` demands that no fair behaviour stands still while something is due. It is fair to names of its own, which
  are coarser than actions.

Properties are judged by a profile of their own, `corrected` unless said otherwise, so that a faulty scheduler does not
judge itself. `mentions` holds every name and label value that a property singles out, so that no symmetry permutes an
object of that name. All `premises` must be met, or the property holds vacuously. A kind with an implicit premise
(`when` holds somewhere, a step of the kinds is taken) need not state it: see `premises`.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from schedcheck.spec.binding import bound, completed, occupants, unbound
from schedcheck.spec.decisions import Bind, Decision, Nominate, Preempt, Wait
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES
from schedcheck.spec.kubernetes.preemption.disruption import violations
from schedcheck.spec.kubernetes.preemption.importance import by_importance
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile
from schedcheck.spec.published.affinity import concerns, same_domain
from schedcheck.spec.published.control_loop import after
from schedcheck.spec.published.resources import allocatable, requested, used

PHASES = frozenset({"Pending", "Running", "Succeeded", "Failed", "Unknown"})
"""The phases that the API server stores. TLA+: Phases == {"Pending", "Running", "Succeeded", "Failed", "Unknown"}"""


@dataclass(frozen=True)
class Premise:
    """A condition without which a property holds only vacuously.

    It is met by a step of `kinds` of which `taken` holds, or by a reachable snapshot in which `when` holds. `unmet`
    says why the property is vacuous otherwise. `of_pods`: `when` holds in a snapshot if it holds of one of its pods
    alone with the pod's node.
    """

    unmet: str
    kinds: tuple[type, ...] = ()
    taken: Callable[[Any, Any, Any], bool] | None = None
    when: Callable[[Any], bool] | None = None
    of_pods: bool = False


@dataclass(frozen=True)
class Always:
    """An invariant: `holds` is true of every reachable snapshot."""

    name: str
    claim: str
    holds: Callable[[Any], bool]
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class Step:
    """A property of steps: `holds` is true of (snapshot before, action, snapshot after) for every action of `kinds`.

    `of_states`: the property ignores the action, and is true of steps that change nothing.
    """

    name: str
    claim: str
    kinds: tuple[type, ...]
    holds: Callable[[Any, Any, Any], bool]
    mentions: frozenset[str] = frozenset()
    of_states: bool = False
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class Sometimes:
    """A reachability property: `holds` is true of at least one reachable snapshot."""

    name: str
    claim: str
    holds: Callable[[Any], bool]
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class Can:
    """From every reachable snapshot in which `when` holds, a snapshot in which `holds` holds remains reachable."""

    name: str
    claim: str
    when: Callable[[Any], bool]
    holds: Callable[[Any], bool]
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class Progresses:
    r"""No fair behaviour stays from some point on in states that are `due` and for which `shown` has one value.

    A behaviour is strongly fair to each name that `fair` gives: if steps of that name that change the state are possible
    infinitely often, such steps are taken infinitely often. Steps named None need never be taken.

    Formula: (\A Name : SF_State(Taken(Name))) => \A Value : []<>~(Due /\ Shown = Value)
    """

    name: str
    claim: str
    due: Callable[[Any], bool]
    shown: Callable[[Any], Hashable]
    fair: Callable[[Any], Hashable]
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class Fairness:
    r"""The kinds of action that are treated fairly: weakly, strongly; no other kind is.

    Fairness is for each instance of these kinds, an action with its arguments, as `Bind(web-1, node-a)`. Only steps
    that change something count.

    Formula: \A Action \in Weak : WF_Objects(Action) /\ \A Action \in Strong : SF_Objects(Action)
    """

    weak: tuple[type, ...] = ()
    strong: tuple[type, ...] = ()


UNFAIR = Fairness()
"""No fairness at all: no action need ever be taken."""


@dataclass(frozen=True)
class Eventually:
    """Every behaviour reaches a snapshot in which `holds` holds.

    Formula: <>[][~Meanwhile]_Objects => <>Holds
    """

    name: str
    claim: str
    holds: Callable[[Any], bool]
    fairness: Fairness = UNFAIR
    meanwhile: tuple[type, ...] = ()
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class LeadsTo:
    """Every snapshot in which `when` holds is followed by one in which `holds` holds, or is one itself.

    Formula: <>[][~Meanwhile]_Objects => (When ~> Holds)
    """

    name: str
    claim: str
    when: Callable[[Any], bool]
    holds: Callable[[Any], bool]
    fairness: Fairness = UNFAIR
    meanwhile: tuple[type, ...] = ()
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class InfinitelyOften:
    """If `when` holds infinitely often, so does `holds`.

    Formula: <>[][~Meanwhile]_Objects => ([]<>When => []<>Holds)
    """

    name: str
    claim: str
    holds: Callable[[Any], bool]
    when: Callable[[Any], bool] = lambda snapshot: True
    fairness: Fairness = UNFAIR
    meanwhile: tuple[type, ...] = ()
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class Ceases:
    """Steps of `kinds` that change something happen only finitely often.

    A step that changes nothing is a stuttering step. A behaviour that takes only such steps from some point on is the
    same behaviour as one that has ended, whatever the steps are called.

    Formula: <>[][~Meanwhile]_Objects => <>[][~Kinds]_Objects
    """

    name: str
    claim: str
    kinds: tuple[type, ...]
    fairness: Fairness = UNFAIR
    meanwhile: tuple[type, ...] = ()
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class Behaves:
    """A predicate on whole fair behaviours: `holds` of their snapshots and the position to which the last one returns.

    `search` finds a behaviour that violates it in the graph of all states, or None. It is given the graph, a function
    from a state's number to its snapshot, and the memory limit in GiB.
    """

    name: str
    claim: str
    holds: Callable[[Sequence[Any], int], bool]
    search: Callable[[Any, Callable[[int], Any], float | None], Any]
    fairness: Fairness = UNFAIR
    meanwhile: tuple[type, ...] = ()
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


Temporal = Eventually | LeadsTo | InfinitelyOften | Ceases | Behaves
Property = Always | Step | Sometimes | Can | Progresses | Temporal


def premises(question: Property) -> tuple[Premise, ...]:
    """The premises of the property: its own, else the implicit ones of its kind."""
    if question.premises:
        return question.premises
    match question:
        case Step(of_states=False):
            return (Premise("no step of the kinds that it speaks of was ever taken", question.kinds),)
        case Ceases():
            return (Premise("no step that must come to an end ever changed anything", question.kinds),)
        case Can() | LeadsTo() | InfinitelyOften():
            return (Premise("what it supposes never held", when=question.when),)
        case Progresses():
            return (Premise("nothing was ever due", when=question.due),)
        case _:
            return ()


# Properties of a snapshot.


def type_correct(snapshot: Snapshot) -> bool:
    r"""Each object occurs once, and each value is one that the API server would store.

    TLA+: TypeOK ==
            /\ \A Pod, Other \in Pods(Objects) :
                 Pod.Namespace = Other.Namespace /\ Pod.Name = Other.Name => Pod = Other
            /\ \A Node, Other \in Nodes(Objects) : Node.Name = Other.Name => Node = Other
            /\ \A Pod \in Pods(Objects) : Pod.Status.Phase \in Phases
            /\ \A Node \in Nodes(Objects) : \A Resource \in DOMAIN Node.Status.Allocatable :
                 Node.Status.Allocatable[Resource] >= 0
    """
    return (
        len({pod.key for pod in snapshot.pods}) == len(snapshot.pods)
        and len({node.name for node in snapshot.nodes}) == len(snapshot.nodes)
        and all(pod.phase in PHASES for pod in snapshot.pods)
        and all(amount >= 0 for node in snapshot.nodes for amount in node.allocatable.values())
    )


def no_overcommit(snapshot: Snapshot, uncounted: frozenset[str] = frozenset()) -> bool:
    r"""The pods on a node request no more of any resource than it has allocatable, and number no more than it admits.

    Resources in `uncounted` are not checked: the scheduler leaves them to others.

    TLA+: NoOvercommit ==
            \A Node \in Nodes(Objects) : \A Resource \in ResourceNames \union {"pods"} :
              Used(Node, Objects, Resource) > 0 => Used(Node, Objects, Resource) <= Allocatable(Node, Resource)
    """
    return all(
        used(node, snapshot, resource, NO_FAULTS) <= 0
        or used(node, snapshot, resource, NO_FAULTS) <= allocatable(node, resource)
        for node in snapshot.nodes
        for resource in {"pods"}.union(*(requested(pod) for pod in snapshot.pods_by_node.get(node.name, ())))
        if resource not in uncounted
    )


def anti_affinity_kept(snapshot: Snapshot) -> bool:
    r"""No two pods share a topology domain if the required anti-affinity of one of them excludes the other.

    TLA+: AntiAffinityKept ==
            ~\E Node, OtherNode \in Nodes(Objects) : \E Pod \in Occupants(Node, Objects) :
              \E Term \in Pod.Spec.Affinity.PodAntiAffinity.Required :
                /\ SameDomain(Term.TopologyKey, Node, OtherNode)
                /\ \E Other \in Occupants(OtherNode, Objects) \ {Pod} : Concerns(Term, Pod, Other, Objects)
    """
    return not any(
        same_domain(term.topology_key, node, other_node) and concerns(term, pod, other, snapshot, NO_FAULTS)
        for node in snapshot.nodes
        for pod in occupants(node, snapshot, NO_FAULTS)
        for term in pod.affinity.anti_required
        for other_node in snapshot.nodes
        for other in occupants(other_node, snapshot, NO_FAULTS) - {pod}
    )


def everyone_bound(snapshot: Snapshot) -> bool:
    """There is at least one pod, and no pod is unbound."""
    return snapshot.pods != () and unbound(snapshot, NO_FAULTS) == frozenset()


# Properties of a decision.


def bind_feasible(before: Snapshot, decision: Bind, judge: Profile) -> bool:
    r"""The node was there and feasible for the pod in the snapshot before.

    TLA+: BindFeasible(Pod, Decided, Admits(_, _, _)) ==
            Decided.Node \in Nodes(Objects) /\ Admits(Pod, Decided.Node, Objects)
    """
    return decision.node in before.nodes and judge.feasibility(decision.pod, decision.node, before)


def bind_most_viable(before: Snapshot, decision: Bind, judge: Profile) -> bool:
    r"""No feasible node had a higher viability, unless the pod was nominated to the chosen node.

    TLA+: BindMostViable(Pod, Decided, Admits(_, _, _), Rates(_, _, _)) ==
            \/ NominatedTo(Pod, Decided.Node)
            \/ \A Other \in Nodes(Objects) :
                 Admits(Pod, Other, Objects) => Rates(Pod, Other, Objects) <= Rates(Pod, Decided.Node, Objects)
    """
    return decision.pod.nominated_node_name == decision.node.name or all(
        judge.viability(decision.pod, other, before) <= judge.viability(decision.pod, decision.node, before)
        for other in before.nodes
        if judge.feasibility(decision.pod, other, before)
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
    """
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
    """
    return not any(judge.feasibility(decision.pod, node, before) for node in before.nodes)


def no_eviction_of_nobody(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    """Every preemption has at least one victim.

    TLA+: NoEvictionOfNobody(Decided) == Decided.Victims # {}
    """
    return decision.victims != frozenset()


def victims_make_room(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    r"""The chosen node exists and is feasible for the preemptor once the victims are gone.

    TLA+: VictimsMakeRoom(Pod, Decided, Admits(_, _, _)) ==
            Decided.Node \in Nodes(Objects) /\ Admits(Pod, Decided.Node, Objects \ Decided.Victims)
    """
    return decision.node in before.nodes and judge.feasibility(decision.pod, decision.node, before - decision.victims)


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
    """
    return not any(
        judge.feasibility(decision.pod, decision.node, before - (decision.victims - {kept}))
        for kept in decision.victims
    )


def budget_violations(victims: frozenset[Pod], snapshot: Snapshot) -> int:
    """How many of the victims violate a disruption budget, by the disruptionsAllowed of its status."""
    return violations(by_importance(victims), victims, snapshot.budgets, NO_DEPARTURES)


def fewest_budgets_violated(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    """No set of victims that makes room, on any node, violates fewer disruption budgets."""
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
    placed = tuple(
        replace(other, node_name=decision.node.name, nominated_node_name="")
        if waits_for(other, decision.node) and other != decision.pod and other.priority >= decision.pod.priority
        else other
        for other in before.pods
    )
    return judge.feasibility(decision.pod, decision.node, replace(before, pods=placed))


def waits_for(pod: Pod, node: Node) -> bool:
    r"""Whether `pod` is nominated to `node`, and neither bound nor completed.

    TLA+: NominatedTo(Pod, Node) ==
            "NominatedNodeName" \in DOMAIN Pod.Status /\ Pod.Status.NominatedNodeName = Node.Name

    TLA+: WaitsFor(Pod, Node) ==
            NominatedTo(Pod, Node) /\ Pod.Spec.NodeName = "" /\ ~Completed(Pod)
    """
    return pod.nominated_node_name == node.name and pod.node_name == "" and not completed(pod)


def preemption_policy_respected(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    """No preemptor has the preemptionPolicy Never.

    TLA+: PreemptionPolicyRespected(Pod) == Pod.Spec.PreemptionPolicy # "Never"
    """
    return decision.pod.preemption_policy != "Never"


def nobody_evicted(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    """No pod is ever evicted.

    TLA+: NobodyEvicted(Decided) == Decided.Victims = {}
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


# Predicates about one pod.


def awaited(pod: Pod, snapshot: Snapshot) -> bool:
    r"""Whether an unbound pod of higher priority is nominated to the node of `pod` and may take its room.

    TLA+: Awaited(Pod, Snapshot) ==
            \E Other \in Unbound(Snapshot) :
              /\ Other.Status.NominatedNodeName = Pod.Spec.NodeName
              /\ Other.Spec.Priority > Pod.Spec.Priority
    """
    return any(
        other.nominated_node_name == pod.node_name and other.priority > pod.priority
        for other in unbound(snapshot, NO_FAULTS)
    )


def present(snapshot: Snapshot, key: tuple[str, str]) -> Pod | None:
    """The pod of this namespace and name, or None if it does not exist."""
    return next((pod for pod in snapshot.pods if pod.key == key), None)


def pod_waits(snapshot: Snapshot, key: tuple[str, str]) -> bool:
    """Whether the pod exists and is unbound."""
    return any(pod.key == key for pod in unbound(snapshot, NO_FAULTS))


def pod_feasible(snapshot: Snapshot, key: tuple[str, str], judge: Profile) -> bool:
    """Whether the pod exists and is unbound, and some node is feasible for it."""
    return any(
        pod.key == key and judge.feasibility(pod, node, snapshot)
        for pod in unbound(snapshot, NO_FAULTS)
        for node in snapshot.nodes
    )


def pod_bound(snapshot: Snapshot, key: tuple[str, str]) -> bool:
    """Whether the pod exists and is bound to an existing node."""
    pod = present(snapshot, key)
    return pod is not None and bound(pod, snapshot)
