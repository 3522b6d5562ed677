"""The decisions of the early scheduler for a pod: bind it to one of the best nodes, else preempt, else wait.

Extenders filter the nodes that pass every predicate, add to their scores, and are called about victims.

A pod is nominated to the node from which others are evicted for it. The victims linger, and a later turn binds the pod,
there or elsewhere.

Kubernetes 1.6: Schedule in plugin/pkg/scheduler/generic_scheduler.go; 1.17: scheduleOne in pkg/scheduler/scheduler.go,
Preempt, podEligibleToPreemptOthers and FitError in pkg/scheduler/core/generic_scheduler.go.

Not modelled: the order of the queue, so that any unbound pod may be tried; pods that name another scheduler.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from schedcheck.spec.binding import unbound
from schedcheck.spec.classic.extended_preemption import chosen
from schedcheck.spec.classic.extenders import NO_REFUSALS, Kept, Refused, kept
from schedcheck.spec.classic.filtering import errors, failures, feasible
from schedcheck.spec.classic.policy import Classic
from schedcheck.spec.classic.preemption import eligible, potential_nodes
from schedcheck.spec.classic.ranking import highest
from schedcheck.spec.classic.unasked_extenders import answers
from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extenders import Nodes
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.fit_error import NO_NODES, fit_error, histogram
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.refusal import unschedulable
from schedcheck.spec.unasked_extenders import Answer, concerned

Decisions = frozenset[Decision]
NOTHING_LEFT = Kept(())


@dataclass(frozen=True)
class Judgement:
    """The possible decisions for a pod, and the nodes that the extenders keep or refuse."""

    decisions: Decisions
    left: Kept


def turn(snapshot: Snapshot) -> frozenset[Pod]:
    """Return the pods that may be tried next: all unbound pods that are not terminating."""
    return frozenset(pod for pod in unbound(snapshot, NO_FAULTS) if not pod.terminating)


def decision(pod: Pod, snapshot: Snapshot, classic: Classic) -> Decisions:
    r"""Return the decisions possible for `pod`, which must be unbound, over all answers of unasked extenders.

    TLA+: EarlyExtendedDecisions(Pod, Snapshot) ==
            LET Kept == EarlyKeptFrom(1, Pod, EarlyFeasible(Pod, Snapshot))
                More == EarlyPoints(Pod, Kept.Nodes)
                Sum_(Node) == EarlyScore(Pod, Node, Kept.Nodes, Snapshot) + More[Node]
            IN IF Kept.Error THEN {Wait(Pod, FALSE)}
               ELSE IF Kept.Nodes = {} THEN EarlyExtendedWithoutANode(Pod, Snapshot)
               ELSE {Bind(Node) : Node \in {Each \in Kept.Nodes : \A Other \in Kept.Nodes : Sum_(Other) <= Sum_(Each)}}
    """
    return frozenset(decided for _, said in ended(pod, snapshot, classic) for decided in said.decisions)


def ended(pod: Pod, snapshot: Snapshot, classic: Classic) -> Iterator[tuple[Answer, Judgement]]:
    """Yield each possible answer of the extenders with the end of the cycle that follows from it."""
    nodes = feasible(pod, snapshot, classic)
    for each in answers(pod, nodes, snapshot, classic):
        yield each, judgement(pod, nodes, snapshot, replace(classic, extenders=each.extenders))


def undecided(pod: Pod, snapshot: Snapshot, classic: Classic) -> tuple[Offer, ...]:
    """Return the extenders with unknown answers on which the end of the cycle depends."""
    ends = (said.decisions for _, said in ended(pod, snapshot, classic))
    first = next(ends)
    return concerned(pod, classic.unasked) if any(each != first for each in ends) else ()


def judgement(pod: Pod, nodes: Nodes, snapshot: Snapshot, classic: Classic) -> Judgement:
    """Return the end of the cycle for a pod that passes every predicate on these nodes, with the asked extenders."""
    left = kept(pod, nodes, classic.extenders)
    if left.error is not None:
        return Judgement(frozenset({Wait(pod)}), left)
    if left.nodes:
        return Judgement(frozenset(Bind(pod, node) for node in highest(pod, left.nodes, snapshot, classic)), left)
    return Judgement(without_a_node(pod, snapshot, classic, left.refused), left)


def without_a_node(pod: Pod, snapshot: Snapshot, classic: Classic, refused: Refused = NO_REFUSALS) -> Decisions:
    r"""Return the decisions for a pod that is left no node: nominate it, or leave it unbound.

    The pod loses its nomination if no eviction could help on any node. It keeps it if it may not preempt, if a
    predicate or an extender ended in an error, or if evictions were tried and none suffices.

    TLA+: EarlyExtendedWithoutANode(Pod, Snapshot) ==
            LET Ends(Offered) ==
                  LET Agreed == EarlyAgreedFrom(1, Pod, Offered, Snapshot).Candidates
                  IN IF Agreed = {} THEN {Wait(Pod, FALSE)} ELSE {Nominate(Each.Node, Each.Victims) : Each \in EarlyLeast(Agreed)}
            IN IF Nodes(Snapshot) = {} \/ ~EarlyEligible(Pod, Snapshot) THEN {Wait(Pod, FALSE)}
               ELSE IF EarlyPotential(Pod, Snapshot) = {} THEN {Wait(Pod, TRUE)}
               ELSE UNION {Ends(Offered) : Offered \in EarlyOffers(Pod, Snapshot)}
    """
    if errors(pod, snapshot, classic) or not snapshot.nodes or not eligible(pod, snapshot):
        return frozenset({Wait(pod)})
    if potential_nodes(pod, snapshot, classic, refused) == ():
        return frozenset({Wait(pod, unnominated=pod.nominated_node_name != "")})
    ways = [
        frozenset[Decision](Nominate(pod, each.node, frozenset(each.victims), clears_always=True) for each in way)
        for way in chosen(pod, snapshot, classic, refused)
    ]
    return frozenset[Decision]().union(*(way or {Wait(pod)} for way in ways))


def message(pod: Pod, snapshot: Snapshot, classic: Classic, left: Kept = NOTHING_LEFT) -> str:
    """Return the message of 1.17 about a pod that is left no node: counts for each reason, or the first error.

    `left` are the refusals of extenders; a refusal without a reason is not counted.
    """
    if left.error is not None:
        return left.error.reason
    erring = errors(pod, snapshot, classic)
    if erring:
        return erring[0].words
    if not snapshot.nodes:
        return NO_NODES
    said = ((*failures(pod, node, snapshot, classic), *left.refused.get(node.name, ())) for node in snapshot.nodes)
    refusals = (unschedulable("", *(failure.words for failure in each)) for each in said)
    return fit_error(len(snapshot.nodes), histogram(refusals))
