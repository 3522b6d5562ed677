"""The effect of extenders on an explained cycle of the early scheduler: `EarlyConsulted`, `consulted`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice

from schedcheck.checker.explain.extenders import MOST_ANSWERS, bound_by
from schedcheck.checker.extenders.wording import not_asked
from schedcheck.spec.classic.decision import Decisions, ended
from schedcheck.spec.classic.extenders import Kept, points
from schedcheck.spec.classic.policy import Classic
from schedcheck.spec.decisions import Decision
from schedcheck.spec.extenders import interested
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.refusal import Refusal, unschedulable
from schedcheck.spec.unasked_extenders import concerned


@dataclass(frozen=True)
class EarlyConsulted:
    """The result of a cycle, depending on the answers of extenders.

    - `left`: the nodes that the asked extenders keep, and the error if one ends the cycle.
    - `unknown`: the unasked extenders on which the decision depends; `possible` are the decisions then, all of them if
      `complete`.
    - `filters`: why it is unknown whether the nodes that pass are feasible; empty if it is known.
    - `asked`: the asked extenders that the pod concerns.
    - `points`: what they add to the scores.
    - `binder`: the extender that binds the pod in place of the scheduler, or empty.
    """

    left: Kept
    unknown: tuple[str, ...]
    possible: Decisions
    complete: bool
    filters: str
    asked: tuple[str, ...]
    points: Mapping[str, int]
    binder: str

    @property
    def refused(self) -> Mapping[str, Refusal]:
        """The extenders' refusals of nodes that pass every predicate."""
        return {
            name: unschedulable("", *(failure.words for failure in each)) for name, each in self.left.refused.items()
        }


def consulted(pod: Pod, snapshot: Snapshot, classic: Classic) -> EarlyConsulted:
    """Return the effect of the extenders on the cycle of `pod`."""
    heard = [said for _, said in islice(ended(pod, snapshot, classic), MOST_ANSWERS + 1)]
    differing = any(each.decisions != heard[0].decisions for each in heard)
    open_ended = concerned(pod, classic.unasked) if differing else ()
    return replace(
        before_preemption(pod, heard[0].left, classic),
        unknown=tuple(each.url_prefix for each in open_ended),
        possible=frozenset[Decision]().union(*(each.decisions for each in heard)),
        complete=len(heard) <= MOST_ANSWERS,
    )


def before_preemption(pod: Pod, left: Kept, classic: Classic) -> EarlyConsulted:
    """Return the effect of the extenders on the nodes, where the decisions that follow are not computed."""
    filtering = tuple(each.url_prefix for each in concerned(pod, classic.unasked) if each.filter_verb)
    return EarlyConsulted(
        left=left,
        unknown=(),
        possible=frozenset(),
        complete=False,
        filters=not_asked(filtering) if filtering else "",
        asked=tuple(each.offer.url_prefix for each in classic.extenders if interested(each.offer, pod)),
        points=points(pod, left.nodes, classic.extenders),
        binder=bound_by(pod, (*(each.offer for each in classic.extenders), *classic.unasked)),
    )
