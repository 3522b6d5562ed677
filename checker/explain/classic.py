"""Why the early scheduler places a pod where it does, or nowhere: every predicate, every priority, and what follows."""

from collections.abc import Mapping
from dataclasses import dataclass

from schedcheck.checker.exploring.memo import TooManySets, refuse_too_many_orders
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
    """What may be done with `pod`, taken as pending; `stood` is the node that it is bound to in the files.

    `failures` are for each node those of each predicate, `scores` for each priority those of the feasible nodes before
    its weight, `totals` the weighted sums. `best` are the nodes that the pod may be bound to, `evictions` those that
    may be made for it where there is none, and `message` what is said where there is neither, or why that was not
    computed.
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
    """What may be done with a pod of the snapshot, as if it were pending now and not there; None if it has ended."""
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
    """The decisions in the order of their texts, or none and why they are not computed."""
    if not feasible(pod, snapshot, classic):
        try:
            refuse_too_many_orders(pod, snapshot)
        except TooManySets as error:
            return [], f"whom it would evict is not computed, as there are {error}"
    return sorted(decision(pod, snapshot, classic), key=str), ""
