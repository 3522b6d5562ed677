"""What may be asked of a scheduler: the kinds of property, and the named ones.

`always` speaks of every reachable snapshot, `step` of every step of the kinds that it names, `sometimes` demands a
witness, `can` demands that from every reachable snapshot in which `when` holds one remains reachable in which it
is fulfilled, and `ends` that some kinds of step come to an end once others no longer happen. `eventually`, `leads_to`,
`infinitely_often` and `ceases` speak of whole behaviours that are fair, and in which steps of the kinds `meanwhile`
happen only finitely often: those of the environment, where it is said to rest; so does `behaves`, of which what it says is
its own matter. `progresses` demands that no behaviour
stands still for ever where something is due, which is fair to steps by names of its own, coarser than those of actions.

Properties are judged by a profile of their own, `corrected` unless said otherwise, so that a faulty
scheduler is not its own judge. `mentions` holds every name and label value that a property singles out, so that no
symmetry moves an object of that name. `premises` must all be met for the property to be put to the test; where a kind has
one of its own (what `when` supposes, that a step of the kinds is taken), it need not be given: `premises`.
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
"""What the API server lets be stored. TLA+: Phases == {"Pending", "Running", "Succeeded", "Failed", "Unknown"}"""


@dataclass(frozen=True)
class Premise:
    """What puts a property to the test: a step of `kinds` is taken of which `taken` holds, or a snapshot reached of which
    `when` holds. A property that holds without it holds vacuously, and `unmet` says why.

    `of_pods`: `when` holds of a snapshot if it holds of one of its pods alone with its node.
    """

    unmet: str
    kinds: tuple[type, ...] = ()
    taken: Callable[[Any, Any, Any], bool] | None = None
    when: Callable[[Any], bool] | None = None
    of_pods: bool = False


@dataclass(frozen=True)
class Always:
    """`holds` of every reachable snapshot."""

    name: str
    claim: str
    holds: Callable[[Any], bool]
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class Step:
    """`holds` of (snapshot before, action, snapshot after), for every step whose action is one of `kinds`.

    `of_states`: it looks at no action, and is true of steps that change nothing.
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
    """`holds` of at least one reachable snapshot."""

    name: str
    claim: str
    holds: Callable[[Any], bool]
    mentions: frozenset[str] = frozenset()
    premises: tuple[Premise, ...] = ()


@dataclass(frozen=True)
class Can:
    """From every reachable snapshot of which `when` holds, one of which `holds` holds remains reachable."""

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
    r"""Of which kinds of action each instance is treated fairly: weakly, strongly; of any other kind none is.

    An instance is an action with its arguments, as `Bind(web-1, node-a)`; only steps that change something count.

    Formula: \A Action \in Weak : WF_Objects(Action) /\ \A Action \in Strong : SF_Objects(Action)
    """

    weak: tuple[type, ...] = ()
    strong: tuple[type, ...] = ()


UNFAIR = Fairness()
"""Nobody need ever do anything."""


@dataclass(frozen=True)
class Eventually:
    """On every behaviour a snapshot comes of which `holds` holds.

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
    """After every snapshot of which `when` holds comes one of which `holds` holds; it may be the same.

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
    """Where snapshots of which `when` holds come again and again, so do those of which `holds` holds.

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
    """What is said of every fair behaviour, in words of its own: `holds` of its snapshots, and where it goes on after the last.

    `search` finds one of which it does not hold in a graph of all states, given the snapshot of each by its number and
    how many GiB it may take; None where there is none.
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
    """What must be met for the property to be put to the test: what it says itself, else what its kind supposes."""
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


# Of every snapshot.


def type_correct(snapshot: Snapshot) -> bool:
    r"""Each object once, each value one that the API server would store.

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
    r"""No node's pods request more than it has, of any resource, nor are there more of them than it takes.

    What is `uncounted` is left to others than the scheduler.

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
    r"""No two pods share a domain in which one of them requires to be apart from the other.

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
    """Somebody is there, and nobody waits."""
    return snapshot.pods != () and unbound(snapshot, NO_FAULTS) == frozenset()


# Of every decision.


def bind_feasible(before: Snapshot, decision: Bind, judge: Profile) -> bool:
    r"""The node was there and feasible for the pod in the snapshot before.

    TLA+: BindFeasible(Pod, Decided, Admits(_, _, _)) ==
            Decided.Node \in Nodes(Objects) /\ Admits(Pod, Decided.Node, Objects)
    """
    return decision.node in before.nodes and judge.feasibility(decision.pod, decision.node, before)


def bind_most_viable(before: Snapshot, decision: Bind, judge: Profile) -> bool:
    r"""No feasible node had a higher viability, unless the pod was nominated to this one.

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
    r"""Nobody of a higher priority was waiting.

    TLA+: HighestPriorityFirst(Pod) ==
            \A Other \in Unbound(Objects) : Other.Spec.Priority <= Pod.Spec.Priority
    """
    return all(other.priority <= decision.pod.priority for other in unbound(before, judge.faults))


def never_moved(before: Snapshot, decision: Bind | Preempt | Nominate, judge: Profile) -> bool:
    r"""The pod that was taken up had no node yet.

    TLA+: NeverMoved(Pod) == Pod.Spec.NodeName = ""
    """
    return decision.pod.node_name == ""


def completed_left_alone(before: Snapshot, decision: Decision, judge: Profile) -> bool:
    r"""No pod that has ended is taken up or evicted.

    TLA+: CompletedLeftAlone(Pod, Decided) ==
            \A Each \in {Pod} \union Decided.Victims : ~Completed(Each)
    """
    victims = decision.victims if isinstance(decision, Preempt | Nominate) else frozenset()
    return not any(completed(pod) for pod in {decision.pod, *victims})


def no_wait_while_feasible(before: Snapshot, decision: Wait, judge: Profile) -> bool:
    r"""A pod is left waiting only where no node is feasible for it.

    TLA+: NoWaitWhileFeasible(Pod, Admits(_, _, _)) ==
            ~\E Node \in Nodes(Objects) : Admits(Pod, Node, Objects)
    """
    return not any(judge.feasibility(decision.pod, node, before) for node in before.nodes)


def only_lower_priority_evicted(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    r"""Every victim has a lower priority than the pod that it makes room for.

    TLA+: OnlyLowerPriorityEvicted(Pod, Decided) ==
            \A Victim \in Decided.Victims : Victim.Spec.Priority < Pod.Spec.Priority
    """
    return all(victim.priority < decision.pod.priority for victim in decision.victims)


def no_eviction_while_feasible(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    r"""No node was feasible when somebody was evicted.

    TLA+: NoEvictionWhileFeasible(Pod, Admits(_, _, _)) ==
            ~\E Node \in Nodes(Objects) : Admits(Pod, Node, Objects)
    """
    return not any(judge.feasibility(decision.pod, node, before) for node in before.nodes)


def no_eviction_of_nobody(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    r"""An eviction has a victim.

    TLA+: NoEvictionOfNobody(Decided) == Decided.Victims # {}
    """
    return decision.victims != frozenset()


def victims_make_room(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    r"""The node is there, and feasible without the victims.

    TLA+: VictimsMakeRoom(Pod, Decided, Admits(_, _, _)) ==
            Decided.Node \in Nodes(Objects) /\ Admits(Pod, Decided.Node, Objects \ Decided.Victims)
    """
    return decision.node in before.nodes and judge.feasibility(decision.pod, decision.node, before - decision.victims)


def least_casualty(before: Snapshot, decision: Preempt, judge: Profile) -> bool:
    r"""No set of victims that makes room, on any node, does less damage.

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
    r"""No victim is evicted in vain: with any one of them kept, the pod would not fit there.

    TLA+: VictimsNeeded(Pod, Decided, Admits(_, _, _)) ==
            ~\E Kept \in Decided.Victims : Admits(Pod, Decided.Node, Objects \ (Decided.Victims \ {Kept}))
    """
    return not any(
        judge.feasibility(decision.pod, decision.node, before - (decision.victims - {kept}))
        for kept in decision.victims
    )


def budget_violations(victims: frozenset[Pod], snapshot: Snapshot) -> int:
    """How many of the victims violate a disruption budget, by what its status allows."""
    return violations(by_importance(victims), victims, snapshot.budgets, NO_DEPARTURES)


def fewest_budgets_violated(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    """No set of victims that makes room, on any node, violates fewer budgets."""
    least = budget_violations(decision.victims, before)
    return least == 0 or all(
        budget_violations(others, before) >= least
        for node in before.nodes
        for others in judge.victim_sets(decision.pod, node, before)
    )


def room_kept(before: Snapshot, decision: Bind, judge: Profile) -> bool:
    r"""The pod leaves room on the node for all of no lower priority that are nominated to it.

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
    r"""Whether `pod` is nominated to `node`, and not bound yet.

    TLA+: NominatedTo(Pod, Node) ==
            "NominatedNodeName" \in DOMAIN Pod.Status /\ Pod.Status.NominatedNodeName = Node.Name

    TLA+: WaitsFor(Pod, Node) ==
            NominatedTo(Pod, Node) /\ Pod.Spec.NodeName = "" /\ ~Completed(Pod)
    """
    return pod.nominated_node_name == node.name and pod.node_name == "" and not completed(pod)


def preemption_policy_respected(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    r"""The pod that preempts does not have the preemptionPolicy Never.

    TLA+: PreemptionPolicyRespected(Pod) == Pod.Spec.PreemptionPolicy # "Never"
    """
    return decision.pod.preemption_policy != "Never"


def nobody_evicted(before: Snapshot, decision: Preempt | Nominate, judge: Profile) -> bool:
    r"""Nobody is evicted at all.

    TLA+: NobodyEvicted(Decided) == Decided.Victims = {}
    """
    return decision.victims == frozenset()


def room_left_to_the_nominated(before: Snapshot, decision: Bind, judge: Profile) -> bool:
    """Who is nominated to the node fits there yet, once all have ended that are being ended, unless it never would have."""
    left = before - frozenset(pod for pod in before.pods if pod.terminating)
    return all(
        judge.feasibility(other, decision.node, after(decision, left))
        for other in left.pods
        if waits_for(other, decision.node) and other != decision.pod and judge.feasibility(other, decision.node, left)
    )


# Of one pod.


def awaited(pod: Pod, snapshot: Snapshot) -> bool:
    r"""Somebody of a higher priority waits, nominated to the node of the pod, and may take the room that it leaves.

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
    """The pod of this namespace and name, None while it is not there."""
    return next((pod for pod in snapshot.pods if pod.key == key), None)


def pod_waits(snapshot: Snapshot, key: tuple[str, str]) -> bool:
    """The pod is there and has no node."""
    return any(pod.key == key for pod in unbound(snapshot, NO_FAULTS))


def pod_feasible(snapshot: Snapshot, key: tuple[str, str], judge: Profile) -> bool:
    """The pod is there and has no node, and some node is feasible for it."""
    return any(
        pod.key == key and judge.feasibility(pod, node, snapshot)
        for pod in unbound(snapshot, NO_FAULTS)
        for node in snapshot.nodes
    )


def pod_bound(snapshot: Snapshot, key: tuple[str, str]) -> bool:
    """The pod is there and has a node."""
    pod = present(snapshot, key)
    return pod is not None and bound(pod, snapshot)
