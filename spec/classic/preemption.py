"""Preemption in Kubernetes 1.17: `eligible`, `potential_nodes`, `candidates`, `damage`, `permitted`.

All pods of lower priority on a node are first removed. If the pod fits there then, they are put back one at a time:
first those whose eviction violates a disruption budget, each group in order of importance. A pod with which the
preemptor no longer fits is a victim. Then the nodes are compared. A snapshot does not record which of several equally
important pods is put back first, so every order is allowed.

Kubernetes 1.17: Preempt, podEligibleToPreemptOthers, nodesWherePreemptionMightHelp, selectVictimsOnNode,
filterPodsWithPDBViolation and pickOneNodeForPreemption in pkg/scheduler/core/generic_scheduler.go, MoreImportantPod and
GetEarliestPodStartTime in pkg/scheduler/util/utils.go. Differs: a pod with the preemptionPolicy Never does not preempt,
as with the feature NonPreemptingPriority.

Extenders that are called about victims are in extended_preemption.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_

from schedcheck.spec.budgets import protects
from schedcheck.spec.classic.extenders import NO_REFUSALS, Refused
from schedcheck.spec.classic.filtering import FOOTPRINTS, errors, failures
from schedcheck.spec.classic.policy import Classic
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import declares, looks_at
from schedcheck.spec.importance import EVICTED, OFFSET, Order, by_importance, jeopardy, orders, renamed, started
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.terms import LabelSelector

Damage = tuple[bool, int, int, int, int, tuple[bool, int]]
NO_DAMAGE: Damage = (False, 0, 0, 0, 0, (False, 0))
"""The damage of a candidate without victims, which is less than any other."""


@dataclass(frozen=True)
class Candidate:
    """A node with its victims: those that violate a budget first, each group in order of importance."""

    node: Node
    victims: tuple[Pod, ...]
    violations: int


def eligible(pod: Pod, snapshot: Snapshot) -> bool:
    """Whether `pod` may preempt: not with policy Never, nor while a lower-priority pod ends on its nominated node."""
    return pod.preemption_policy != "Never" and not any(waits_on(pod, node, snapshot) for node in snapshot.nodes)


def waits_on(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    """Whether `pod` is nominated to `node`, and a pod of lower priority is terminating there."""
    return pod.nominated_node_name == node.name and any(
        other.terminating for other in jeopardy(pod, node, snapshot, NO_FAULTS)
    )


def potential_nodes(pod: Pod, snapshot: Snapshot, classic: Classic, refused: Refused = NO_REFUSALS) -> tuple[Node, ...]:
    """Return the nodes that fail, or that extenders refuse, and whose failures are all resolvable by evictions.

    Evictions may resolve every refusal of an extender.
    """
    failed = {node: failures(pod, node, snapshot, classic) for node in snapshot.nodes}
    return tuple(
        node
        for node, each in failed.items()
        if (each or node.name in refused) and all(failure.resolvable for failure in each)
    )


@looks_at("victims.labels", "budgets")
def violates(pod: Pod, budgets: Iterable[PodDisruptionBudget]) -> bool:
    """Whether a budget that protects `pod` allows no disruption at all.

    A budget with an empty selector protects no pod here, and no budget protects a pod without labels. Disruptions by
    other victims of the same budget are not counted.
    """
    return pod.labels != {} and any(
        budget.disruptions_allowed <= 0 and budget.selector != LabelSelector() and protects(budget, pod)
        for budget in budgets
    )


def reprieve_order(order: Order, budgets: Iterable[PodDisruptionBudget]) -> Order:
    """Return the potential victims in the order in which they are put back."""
    known = tuple(budgets)
    return tuple(sorted(order, key=lambda other: not violates(other, known)))


def passes(pod: Pod, node: Node, snapshot: Snapshot, away: frozenset[Pod], classic: Classic) -> bool:
    """Whether `pod` fits on `node` without these pods."""
    return failures(pod, node, snapshot - away, classic) == ()


@declares(reduce(or_, FOOTPRINTS.values(), EVICTED).with_nominated())
def victims(pod: Pod, node: Node, snapshot: Snapshot, order: Order, classic: Classic) -> Order:
    """Return the pods of `order` that are not put back after all of them are removed."""

    def put_back(away: frozenset[Pod], other: Pod) -> frozenset[Pod]:
        return away - {other} if passes(pod, node, snapshot, away - {other}, classic) else away

    left = reduce(put_back, order, frozenset(order))
    return tuple(other for other in order if other in left)


def candidates(pod: Pod, node: Node, snapshot: Snapshot, classic: Classic) -> frozenset[Candidate]:
    """Return the possible candidates on `node`; none if `pod` does not fit even without all pods of lower priority."""
    endangered = tuple(sorted(jeopardy(pod, node, snapshot, NO_FAULTS), key=lambda other: other.key))
    budgets = snapshot.budgets
    if not passes(pod, node, snapshot, frozenset(endangered), classic):
        return frozenset()
    found = {
        alike
        for order in orders(endangered, budgets)
        for alike in renamed(
            victims(pod, node, snapshot, reprieve_order(order, budgets), classic), by_importance(endangered), budgets
        )
    }
    return frozenset(
        Candidate(node, reprieve_order(each, budgets), sum(violates(victim, budgets) for victim in each))
        for each in found
    )


def victim_sets(pod: Pod, node: Node, snapshot: Snapshot, classic: Classic) -> frozenset[frozenset[Pod]]:
    """Return the victims of each candidate on `node`; none unless it is a potential node."""
    potential = node in potential_nodes(pod, snapshot, classic)
    found = candidates(pod, node, snapshot, classic) if potential else ()
    return frozenset(frozenset(each.victims) for each in found)


@looks_at("victims.priority", "victims.start_time")
def damage(candidate: Candidate) -> Damage:
    """Return the damage that a candidate does, compared lexicographically.

    The items are: whether there are victims at all; the number of victims that violate a budget; the priority of the first victim, which is not always
    the highest, as those that violate a budget come first; the sum of the priorities; the number of victims; and the
    earliest start time among the victims of the highest priority, later being better. A pod without start time counts
    as starting now. Only extenders leave a candidate without victims: they refuse a node on which the pod fits, or name
    no victims.
    """
    if candidate.victims == ():
        return NO_DAMAGE
    highest = max(victim.priority for victim in candidate.victims)
    without_start, start = min(started(victim) for victim in candidate.victims if victim.priority == highest)
    return (
        True,
        candidate.violations,
        candidate.victims[0].priority,
        sum(victim.priority + OFFSET for victim in candidate.victims),
        len(candidate.victims),
        (not without_start, -start),
    )


def permitted(pod: Pod, snapshot: Snapshot, classic: Classic, refused: Refused = NO_REFUSALS) -> frozenset[Candidate]:
    """Return the candidates that may be chosen: every other node has a possible candidate that does no less damage.

    There is none if the pod may not preempt, or if a predicate ended in an error.
    """
    if not eligible(pod, snapshot) or errors(pod, snapshot, classic) != ():
        return frozenset()
    potential = potential_nodes(pod, snapshot, classic, refused)
    by_node = [candidates(pod, node, snapshot, classic) for node in potential]
    worst = [max(damage(each) for each in found) for found in by_node if found]
    return frozenset(each for found in by_node for each in found if all(damage(each) <= other for other in worst))
