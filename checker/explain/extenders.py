"""The effect of extenders on an explained scheduling cycle: `Consulted`, `consulted`."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from schedcheck.checker.extenders.as_values import rated_once
from schedcheck.checker.extenders.wording import not_asked
from schedcheck.spec.decisions import Decision
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extenders import Extender, Extenders, binder, interested
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.extended_cycle import Decisions, Judgement, ended, undecided, without_texts
from schedcheck.spec.kubernetes.extenders import points
from schedcheck.spec.kubernetes.filter import Verdict, admitted, verdicts
from schedcheck.spec.objects import Pod
from schedcheck.spec.refusal import Refusal
from schedcheck.spec.unasked_extenders import concerned

MOST_ANSWERS = 100
"""The most combinations of answers that are tried for the possible decisions; large clusters have more."""


@dataclass(frozen=True)
class Consulted:
    """The result of a cycle, depending on the answers of extenders.

    `judgement` is the result with the answers of the asked extenders, if the unasked ones change nothing. `unknown`
    names the unasked extenders on which the result depends. `possible` are the possible decisions then, all of them if
    `complete`. `asked` names the asked extenders that the pod concerns, `refused` their refusals, `points` their
    additions to scores. `binder` is the extender that binds the pod in place of the scheduler, or empty.
    """

    judgement: Judgement
    unknown: tuple[str, ...]
    possible: Decisions
    complete: bool
    extenders: Extenders
    asked: tuple[str, ...]
    refused: Mapping[str, Refusal]
    points: Mapping[str, int]
    binder: str


def consulted(made: Cycle) -> Consulted | None:
    """Return the effect of the plugins' extenders on the cycle; None if there are none."""
    if not (made.plugins.extenders or made.plugins.unasked):
        return None
    found = verdicts(made)
    rated = rated_once(made)
    heard = list(islice(ended(made, rated), MOST_ANSWERS + 1))
    told, ends = [answer for answer, _ in heard], [said for _, said in heard]
    first = ends[0]
    differing = len({without_texts(each.decisions) for each in ends}) > 1
    depended_on = concerned(made.pod, made.plugins.unasked) if differing else undecided(made, rated)
    left = tuple(info.node for info in made.infos if info.node.name in first.totals)
    return Consulted(
        judgement=first,
        unknown=tuple(each.url_prefix for each in depended_on),
        possible=frozenset[Decision]().union(*(each.decisions for each in ends)),
        complete=len(told) <= MOST_ANSWERS,
        extenders=told[0].extenders,
        asked=tuple(each.offer.url_prefix for each in made.plugins.extenders if interested(each.offer, made.pod)),
        refused=_refused(found, first.verdicts or {}),
        points=points(made.pod, left, told[0].extenders) if left else {},
        binder=bound_by(made.pod, (*(each.offer for each in made.plugins.extenders), *made.plugins.unasked)),
    )


def bound_by(pod: Pod, offers: tuple[Offer, ...]) -> str:
    """Return the URL of the extender that binds `pod` in place of the scheduler; empty if the scheduler binds it."""
    found = binder(pod, tuple(Extender(each) for each in offers))
    return "" if found is None else found.offer.url_prefix


def open_nodes(made: Cycle, asked: Consulted | None) -> str:
    """Return why it is unknown whether the nodes that no plugin refuses are feasible; empty if it is known."""
    filtering = filters_unasked(made)
    if asked is None or (asked.judgement.verdicts is not None and not filtering):
        return ""
    if not filtering:
        return "an extender fails"
    return not_asked(filtering)


def filters_unasked(made: Cycle) -> tuple[str, ...]:
    """Return the unasked extenders that filter nodes."""
    return tuple(each.url_prefix for each in concerned(made.pod, made.plugins.unasked) if each.filter_verb)


def _refused(before: Mapping[str, Verdict], after: Mapping[str, Verdict]) -> dict[str, Refusal]:
    """Return the extenders' refusals of nodes that the plugins admit."""
    return {
        name: refusal for name in admitted(before) if name in after and (refusal := after[name].refusal) is not None
    }  # fmt: skip


def refuser(name: str, refusal: Refusal, asked: Consulted | None) -> str:
    """Return the name of the refusing plugin, or "an extender"; empty if neither is known."""
    return refusal.plugin or ("an extender" if asked is not None and name in asked.refused else "")
