"""Explanations of the early scheduler's decision on a pod: every predicate, every priority, and the result."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from schedcheck.checker.explain.early_extenders import EarlyConsulted, before_preemption, consulted
from schedcheck.checker.explain.shortages import NOTHING_SHORT, Shortage
from schedcheck.checker.exploring.memo import refuse_too_many_orders
from schedcheck.checker.limits.clock import TooManySets
from schedcheck.model.environment import unplaced
from schedcheck.spec.binding import completed
from schedcheck.spec.classic.decision import decision, message
from schedcheck.spec.classic.extenders import Kept, kept
from schedcheck.spec.classic.filtering import Failures, feasible, judged
from schedcheck.spec.classic.policy import Classic
from schedcheck.spec.classic.predicates.pod_fits_resources import compared, requested, room, used
from schedcheck.spec.classic.priorities.scale import Scores
from schedcheck.spec.classic.ranking import by_priority, totals
from schedcheck.spec.decisions import Bind, Decision, Nominate
from schedcheck.spec.objects import Node, Pod, Snapshot


@dataclass(frozen=True)
class ClassicExplanation:
    """The possible decisions for `pod`, taken as pending; `stood` is the node that it is bound to in the input.

    - `failures`: for each node the failures of each predicate.
    - `scores`: for each priority the scores of the nodes that pass and that extenders keep, before its weight.
    - `totals`: the weighted sums, with the points of extenders.
    - `best`: the nodes that the pod may be bound to.
    - `evictions`: the preemptions that may be made if there is no such node.
    - `message`: the scheduler's message if there is neither, or why that was not computed.
    - `consulted`: the effect of extenders, None without any.
    - `short`: for each node the resources of which it has too little left, with the amounts.

    If the decision depends on extenders that were not asked, there is no best node, no eviction and no message.
    """

    pod: Pod
    stood: str
    classic: Classic
    failures: Mapping[str, Mapping[str, Failures]]
    scores: Mapping[str, Scores]
    totals: Scores
    best: tuple[str, ...]
    evictions: tuple[Nominate, ...]
    message: str
    consulted: EarlyConsulted | None = None
    short: Mapping[str, tuple[Shortage, ...]] = NOTHING_SHORT

    @property
    def unknown(self) -> tuple[str, ...]:
        """The extenders that were not asked, and on which the decision depends."""
        return () if self.consulted is None else self.consulted.unknown


def classic_explanation(pod: Pod, snapshot: Snapshot, classic: Classic) -> ClassicExplanation | None:
    """Return the explanation for a pod of the snapshot, as if it were pending; None if it has ended."""
    if completed(pod):
        return None
    pending, others = unplaced(pod) if pod.node_name else pod, snapshot - frozenset({pod})
    asked, beyond = _consulted(pending, others, classic)
    decisions: list[Decision] = []
    if not beyond and not (asked and asked.unknown):
        decisions, beyond = _decisions(pending, others, classic)
    best = tuple(each.node.name for each in decisions if isinstance(each, Bind))
    evictions = tuple(each for each in decisions if isinstance(each, Nominate))
    left = Kept(feasible(pending, others, classic)) if asked is None else asked.left
    known = not (asked and asked.unknown) and not (best or evictions)
    failures = {node.name: judged(pending, node, others, classic) for node in others.nodes}
    return ClassicExplanation(
        pod=pending,
        stood=pod.node_name,
        classic=classic,
        failures=failures,
        scores=by_priority(pending, left.nodes, others, classic),
        totals=totals(pending, left.nodes, others, classic),
        best=best,
        evictions=evictions,
        message=(beyond or message(pending, others, classic, left)) if known else "",
        consulted=asked,
        short={node.name: tuple(_short(pending, node, others, classic, failures[node.name])) for node in others.nodes},
    )


def _short(
    pod: Pod, node: Node, snapshot: Snapshot, classic: Classic, failed: Mapping[str, Failures]
) -> Iterator[Shortage]:
    """Yield the resources of which the node has too little left, with what is asked and what is free."""
    words = {failure.words for each in failed.values() for failure in each}
    has = room(node, classic.by_allocatable)
    for resource in compared(pod, frozenset()):
        found = Shortage(resource, requested(pod, resource), has.get(resource, 0) - used(node, snapshot, resource))
        if found.reason in words:
            yield found


def _consulted(pod: Pod, snapshot: Snapshot, classic: Classic) -> tuple[EarlyConsulted | None, str]:
    """Return the effect of extenders, None without any; and why the decisions are not computed, empty if they are."""
    if not (classic.extenders or classic.unasked):
        return None, ""
    try:
        refuse_too_many_orders(pod, snapshot)
    except TooManySets as error:
        left = kept(pod, feasible(pod, snapshot, classic), classic.extenders)
        return before_preemption(pod, left, classic), _too_many(error)
    return consulted(pod, snapshot, classic), ""


def _decisions(pod: Pod, snapshot: Snapshot, classic: Classic) -> tuple[list[Decision], str]:
    """Return the decisions in the order of their texts; or none, and why they are not computed."""
    if not feasible(pod, snapshot, classic):
        try:
            refuse_too_many_orders(pod, snapshot)
        except TooManySets as error:
            return [], _too_many(error)
    return sorted(decision(pod, snapshot, classic), key=str), ""


def _too_many(error: TooManySets) -> str:
    return f"its victims are not computed, as there are {error}"
