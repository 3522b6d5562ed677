"""Whom 1.17 evicts for a pod that no node passes: `eligible`, `potential_nodes`, `candidates`, `damage`, `permitted`.

All pods of lower priority on a node are thought away. If the pod passes there then, they are put back one at a time,
first those whose eviction violates a disruption budget, the most important ones first, and each that leaves no room is
a victim. Then the nodes are compared. Which of several pods that matter alike is put back first no snapshot tells; every
order is allowed.

Kubernetes 1.17: Preempt, podEligibleToPreemptOthers, nodesWherePreemptionMightHelp, selectVictimsOnNode,
filterPodsWithPDBViolation and pickOneNodeForPreemption in pkg/scheduler/core/generic_scheduler.go, MoreImportantPod and GetEarliestPodStartTime in
pkg/scheduler/util/utils.go. Differs: a pod with the preemptionPolicy Never evicts nobody, as with the feature
NonPreemptingPriority.

Not modelled: extenders.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from operator import or_

from schedcheck.spec.budgets import protects
from schedcheck.spec.classic.filtering import FOOTPRINTS, errors, failures
from schedcheck.spec.classic.policy import Classic
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import declares, looks_at
from schedcheck.spec.kubernetes.preemption.choice import OFFSET
from schedcheck.spec.kubernetes.preemption.importance import EVICTED, Order, by_importance, started
from schedcheck.spec.kubernetes.preemption.ties import orders, renamed
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.published.preemption import jeopardy
from schedcheck.spec.terms import LabelSelector

Damage = tuple[int, int, int, int, tuple[bool, int]]


@dataclass(frozen=True)
class Candidate:
    """A node and whom to evict there, who violates a budget first and then the most important one first."""

    node: Node
    victims: tuple[Pod, ...]
    violations: int


def eligible(pod: Pod, snapshot: Snapshot) -> bool:
    """Whether `pod` may evict others: its policy is not Never, and no pod of lower priority terminates where it is nominated."""
    return pod.preemption_policy != "Never" and not any(waits_on(pod, node, snapshot) for node in snapshot.nodes)


def waits_on(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    """Whether `pod` is nominated to `node`, and a pod of lower priority is terminating there."""
    return pod.nominated_node_name == node.name and any(
        other.terminating for other in jeopardy(pod, node, snapshot, NO_FAULTS)
    )


def potential_nodes(pod: Pod, snapshot: Snapshot, classic: Classic) -> tuple[Node, ...]:
    """The nodes that fail, and of whose failures each might be resolved by an eviction."""
    failed = {node: failures(pod, node, snapshot, classic) for node in snapshot.nodes}
    return tuple(node for node, each in failed.items() if each and all(failure.resolvable for failure in each))


@looks_at("victims.labels", "budgets")
def violates(pod: Pod, budgets: Iterable[PodDisruptionBudget]) -> bool:
    """Whether a budget that protects `pod` allows no disruption at all.

    A budget with an empty selector protects nobody here, and nobody protects a pod without labels. What other victims
    take from the same budget is not counted.
    """
    return pod.labels != {} and any(
        budget.disruptions_allowed <= 0 and budget.selector != LabelSelector() and protects(budget, pod)
        for budget in budgets
    )


def reprieve_order(order: Order, budgets: Iterable[PodDisruptionBudget]) -> Order:
    """The potential victims in the order in which they are put back."""
    known = tuple(budgets)
    return tuple(sorted(order, key=lambda other: not violates(other, known)))


def passes(pod: Pod, node: Node, snapshot: Snapshot, away: frozenset[Pod], classic: Classic) -> bool:
    """Whether `pod` passes on `node` without these pods."""
    return failures(pod, node, snapshot - away, classic) == ()


@declares(reduce(or_, FOOTPRINTS.values(), EVICTED).with_nominated())
def victims(pod: Pod, node: Node, snapshot: Snapshot, order: Order, classic: Classic) -> Order:
    """Those of `order`, all of whom are thought away at first, that are not put back."""

    def put_back(away: frozenset[Pod], other: Pod) -> frozenset[Pod]:
        return away - {other} if passes(pod, node, snapshot, away - {other}, classic) else away

    left = reduce(put_back, order, frozenset(order))
    return tuple(other for other in order if other in left)


def candidates(pod: Pod, node: Node, snapshot: Snapshot, classic: Classic) -> frozenset[Candidate]:
    """What evictions on `node` may come to: nothing if `pod` does not pass there without anybody of lower priority."""
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
    """The victims of each candidate on `node`, if that is a potential one."""
    potential = node in potential_nodes(pod, snapshot, classic)
    found = candidates(pod, node, snapshot, classic) if potential else ()
    return frozenset(frozenset(each.victims) for each in found)


@looks_at("victims.priority", "victims.start_time")
def damage(candidate: Candidate) -> Damage:
    """The damage that a candidate does, compared item by item.

    The victims that violate a budget; the priority of the first victim, which is the highest unless only others violate
    a budget; the sum of the priorities; the number of victims; how early the first of those of the highest priority
    started, who has no start time being taken to start now.
    """
    highest = max(victim.priority for victim in candidate.victims)
    without_start, start = min(started(victim) for victim in candidate.victims if victim.priority == highest)
    return (
        candidate.violations,
        candidate.victims[0].priority,
        sum(victim.priority + OFFSET for victim in candidate.victims),
        len(candidate.victims),
        (not without_start, -start),
    )


def permitted(pod: Pod, snapshot: Snapshot, classic: Classic) -> frozenset[Candidate]:
    """The candidates any of which may be chosen: on every other node there may be one that does no less damage.

    None for a pod that may not evict others, nor where a predicate could not be asked.
    """
    if not eligible(pod, snapshot) or errors(pod, snapshot, classic) != ():
        return frozenset()
    by_node = [candidates(pod, node, snapshot, classic) for node in potential_nodes(pod, snapshot, classic)]
    worst = [max(damage(each) for each in found) for found in by_node if found]
    return frozenset(each for found in by_node for each in found if all(damage(each) <= other for other in worst))
