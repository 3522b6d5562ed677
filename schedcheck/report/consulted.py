"""What extenders make of a scheduling cycle that is explained: `Consulted`, `consulted`."""

from collections.abc import Mapping
from dataclasses import dataclass

from schedcheck.checker.asking import not_asked
from schedcheck.report.terminal import joined, listed
from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.extended import Decisions, Ended, Judgement, judgement, undecided
from schedcheck.spec.extenders import Extenders, interested, points
from schedcheck.spec.feasibility.cycle import Cycle, Verdict, admitted, verdicts
from schedcheck.spec.feasibility.refusal import Refusal
from schedcheck.spec.unasked import answers, concerned


@dataclass(frozen=True)
class Consulted:
    """How a cycle ends by what extenders answer.

    `judgement` is the end if every extender answers as it does, or, of those that were not asked, changes nothing.
    `unknown` names the extenders that were not asked and on whose answers the end depends, `possible` all ends then.
    `asked` names those that were asked and concern the pod, `refused` their refusals, `points` what they add to scores.
    """

    judgement: Judgement
    unknown: tuple[str, ...]
    possible: Decisions
    extenders: Extenders
    asked: tuple[str, ...]
    refused: Mapping[str, Refusal]
    points: Mapping[str, int]


def consulted(made: Cycle) -> Consulted | None:
    """What the extenders of the cycle's plugins make of it; None where there are none."""
    if not (made.plugins.extenders or made.plugins.unasked):
        return None
    found = verdicts(made)
    told = answers(made, found)
    ends = [judgement(Ended(made, found, each.extenders)) for each in told]
    first = ends[0]
    left = tuple(info.node for info in made.infos if info.node.name in first.totals)
    return Consulted(
        judgement=first,
        unknown=tuple(each.url_prefix for each in undecided(made)),
        possible=frozenset[Decision]().union(*(each.decisions for each in ends)),
        extenders=told[0].extenders,
        asked=tuple(each.offer.url_prefix for each in made.plugins.extenders if interested(each.offer, made.pod)),
        refused=_refused(found, first.verdicts or {}),
        points=points(made.pod, left, told[0].extenders) if left else {},
    )


def open_nodes(made: Cycle, asked: Consulted | None) -> str:
    """Why it is not known whether the nodes that no plugin refuses are feasible; nothing where it is."""
    filtering = filters_unasked(made)
    if asked is None or (asked.judgement.verdicts is not None and not filtering):
        return ""
    if not filtering:
        return "an extender fails"
    return not_asked(filtering)


def filters_unasked(made: Cycle) -> tuple[str, ...]:
    """The extenders that were not asked whether they keep the nodes that the plugins admit."""
    return tuple(each.url_prefix for each in concerned(made.pod, made.plugins.unasked) if each.filter_verb)


def _refused(before: Mapping[str, Verdict], after: Mapping[str, Verdict]) -> dict[str, Refusal]:
    """The refusals of the nodes that the plugins admit."""
    return {
        name: refusal for name in admitted(before) if name in after and (refusal := after[name].refusal) is not None
    }  # fmt: skip


def possibilities(decisions: Decisions) -> str:
    """What may be done, in words: bindings, then nominations, then that the pod waits."""
    nodes = sorted(each.node.name for each in decisions if isinstance(each, Bind))
    said = [f"be bound to {listed(nodes, ' or ')}"] if nodes else []
    for each in sorted((each for each in decisions if isinstance(each, Nominate)), key=str):
        victims = joined([str(pod) for pod in sorted(each.victims, key=lambda pod: pod.key)])
        said.append(f"be nominated to {each.node} and have {victims} evicted")
    return ", or ".join([*said, *(["wait"] if any(isinstance(each, Wait) for each in decisions) else [])])
