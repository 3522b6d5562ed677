"""Explanations of the early scheduler's decision on a pod: every predicate, every priority, and the result."""

from collections.abc import Mapping
from dataclasses import dataclass

from schedcheck.checker.exploring.memo import refuse_too_many_orders
from schedcheck.checker.limits.clock import TooManySets
from schedcheck.model.environment import unplaced
from schedcheck.spec.binding import completed
from schedcheck.spec.classic.decision import decision, message
from schedcheck.spec.classic.filtering import Failures, feasible, judged
from schedcheck.spec.classic.policy import Classic
from schedcheck.spec.classic.priorities.scale import Scores
from schedcheck.spec.classic.ranking import by_priority, totals
from schedcheck.spec.decisions import Bind, Decision, Nominate
from schedcheck.spec.objects import Pod, Snapshot


@dataclass(frozen=True)
class ClassicExplanation:
    """The possible decisions for `pod`, taken as pending; `stood` is the node that it is bound to in the input.

    - `failures`: for each node the failures of each predicate.
    - `scores`: for each priority the scores of the feasible nodes, before its weight.
    - `totals`: the weighted sums.
    - `best`: the nodes that the pod may be bound to.
    - `evictions`: the preemptions that may be made if there is no such node.
    - `message`: the scheduler's message if there is neither, or why that was not computed.
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


def classic_explanation(pod: Pod, snapshot: Snapshot, classic: Classic) -> ClassicExplanation | None:
    """Return the explanation for a pod of the snapshot, as if it were pending; None if it has ended."""
    if completed(pod):
        return None
    pending, others = unplaced(pod) if pod.node_name else pod, snapshot - frozenset({pod})
    nodes = feasible(pending, others, classic)
    decisions, beyond = _decisions(pending, others, classic)
    best = tuple(each.node.name for each in decisions if isinstance(each, Bind))
    evictions = tuple(each for each in decisions if isinstance(each, Nominate))
    return ClassicExplanation(
        pod=pending,
        stood=pod.node_name,
        classic=classic,
        failures={node.name: judged(pending, node, others, classic) for node in others.nodes},
        scores=by_priority(pending, nodes, others, classic),
        totals=totals(pending, nodes, others, classic),
        best=best,
        evictions=evictions,
        message="" if best or evictions else beyond or message(pending, others, classic),
    )


def _decisions(pod: Pod, snapshot: Snapshot, classic: Classic) -> tuple[list[Decision], str]:
    """Return the decisions in the order of their texts; or none, and why they are not computed."""
    if not feasible(pod, snapshot, classic):
        try:
            refuse_too_many_orders(pod, snapshot)
        except TooManySets as error:
            return [], f"its victims are not computed, as there are {error}"
    return sorted(decision(pod, snapshot, classic), key=str), ""
