"""The judgement of a reply: `Judged`, `Numbers`, and the clauses that may refuse it, `CLAUSES`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from frozendict import frozendict

from schedcheck.spec.decisions import Decision

Verdict = Literal["allowed", "refused", "unknown"]
Strictness = Literal["feasible", "best", "exact"]
STRICTNESSES: tuple[Strictness, ...] = ("feasible", "best", "exact")

CLAUSES: Mapping[str, str] = frozendict(
    {
        "exists": "every node and pod that a decision names is in the cluster",
        "turn": "only a pod that is to be scheduled is bound, nominated or preempted for",
        "filters": "a pod is bound to a node that no filter refuses",
        "nominatedNode": "a pod whose nominated node is feasible is bound there",
        "bestScore": "a pod is bound to a feasible node with the highest score",
        "cycleError": "a cycle in which a plugin fails ends in an error",
        "feasibleNode": "a pod is bound if a node is feasible",
        "ineligible": "a pod that may not preempt others does not preempt them",
        "oneNode": "all victims are on the node that the pod is nominated to",
        "lowerPriority": "a victim has a lower priority than the pod",
        "victimsHelp": "the node is feasible without the victims",
        "reprieve": "the victims on a node are those that cannot be reprieved",
        "leastCasualty": "the victims are those of a node with the least casualty",
        "preempts": "a pod is nominated if evictions make a node feasible for it",
        "unnominated": "a pod loses its nomination only if preemption cannot help it, or the cycle ends in an error",
        "outcome": "the reply tells an unschedulable pod from an error",
        "scores": "each node has the score that the specification gives it",
        "refusals": "each node is refused by the plugin and for the reasons that the specification gives",
        "event": "the text is that of the event or error",
        "rule": "a rule of the user holds after the decision",
    }
)
"""The clauses by which a reply is judged, each with what it demands."""


@dataclass(frozen=True)
class Numbers:
    """The distance of a reply from the best; None where there is nothing to compare, or it was not computed.

    score, best_score
        The total score of the node, and the highest of all feasible nodes. Scores count only between several nodes.
    casualty, specified, least
        The casualty of the victims, the lowest of those that the specification allows, and the least possible one, item
        by item as `criteria` name them. `proved`: the least one is proved.
    """

    score: int | None = None
    best_score: int | None = None
    casualty: tuple[Any, ...] | None = None
    specified: tuple[Any, ...] | None = None
    least: tuple[Any, ...] | None = None
    proved: bool | None = None
    criteria: tuple[str, ...] = ()


NO_NUMBERS = Numbers()


@dataclass(frozen=True)
class Judged:
    """Whether a reply is allowed.

    verdict
        "unknown" where it depends on what is not modelled, or was not asked.
    clause
        The clause that refuses it, a key of `CLAUSES`; empty if none does.
    reasons
        Why it is refused or unknown, a sentence each.
    allowed
        Every decision that the specification allows, in the order of their texts; empty if there are too many, or none.
    failing
        The message of the error in which the specification's cycle ends; empty without one.
    numbers
        The distance from the best.
    judged
        For each part of a reply how much of it was judged, and how much of it there is. The rest is left open, because
        the scheduler did not tell it, or the strictness does not ask for it.
    """

    verdict: Verdict
    clause: str = ""
    reasons: tuple[str, ...] = ()
    allowed: tuple[Decision, ...] = ()
    failing: str = ""
    numbers: Numbers = NO_NUMBERS
    judged: Mapping[str, tuple[int, int]] = frozendict()

    @property
    def open(self) -> tuple[str, ...]:
        """The parts of the reply that were not judged, or not all of them."""
        return tuple(part for part, (done, there) in self.judged.items() if done < there)
