"""The judgement of a reply by the specification: `judge`.

The definitions decide. Here only the clause that a refused reply breaks is named, and the numbers are put beside it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from schedcheck.checker.judging.judged import NO_NUMBERS, Judged, Numbers, Strictness
from schedcheck.checker.judging.matching import EVICTING, WAITING, matches, unknown_names, victims_of
from schedcheck.checker.judging.numbers import victims_numbers
from schedcheck.checker.judging.reply import Reply
from schedcheck.checker.judging.rules import Rule, broken
from schedcheck.checker.judging.tellings import Broken, nomination_kept, parts, refusal_text, tellings
from schedcheck.checker.judging.turn import not_in_turn
from schedcheck.checker.judging.views import Open, View, unasked, views
from schedcheck.checker.limits.effort import Spent
from schedcheck.spec.decisions import Bind, Decision, Nominate, Preempt, Wait
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.importance import jeopardy
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile

MOST_NAMES = 5
"""The most nodes that a sentence names."""


@dataclass(frozen=True)
class Question:
    """A reply about a pod of the snapshot, and how it is judged.

    `spent` is the effort for the least casualty; None leaves it out. `rules` are those of the user.
    """

    pod: Pod
    snapshot: Snapshot
    profile: Profile
    reply: Reply
    strictness: Strictness = "best"
    rules: Sequence[Rule] = ()
    spent: Spent | None = None

    @cached_property
    def victims(self) -> frozenset[Pod] | None:
        """The victims that the reply names; None if it names none."""
        return victims_of(self.reply, self.snapshot)

    def node(self, name: str) -> Node:
        """Return the node of this name."""
        return next(each for each in self.snapshot.nodes if each.name == name)


def judge(
    pod: Pod,
    snapshot: Snapshot,
    profile: Profile,
    reply: Reply,
    strictness: Strictness = "best",
    *,
    rules: Sequence[Rule] = (),
    spent: Spent | None = None,
) -> Judged:
    """Return whether the reply about `pod`, a pod of the snapshot, is allowed in this profile.

    strictness
        "feasible": any feasible node, any victims of lower priority whose eviction makes a node feasible. "best": a
        decision of the specification. "exact": also the scores, refusals and texts that the reply tells.
    rules
        Properties of the user that the decision may not break.
    spent
        The effort for the proof of the least casualty, which is left out without it.
    """
    asked = Question(pod, snapshot, profile, reply, strictness, rules, spent)
    missing = unknown_names(reply, snapshot)
    if missing:
        return Judged("refused", "exists", missing, judged={"decision": (1, 1)})
    waiting = not_in_turn(pod, snapshot, profile)
    if waiting:
        if reply.kind in WAITING:
            return Judged("allowed", reasons=(waiting,), judged={"decision": (1, 1)})
        return Judged("refused", "turn", (waiting,), judged={"decision": (1, 1)})
    try:
        return _together([judged_by(view, asked) for view in views(pod, snapshot, profile)], asked)
    except Open as why:
        return Judged("unknown", reasons=(str(why),))


def _together(found: Sequence[Judged], asked: Question) -> Judged:
    """Return the judgement, which is unknown if it depends on the answers of extenders."""
    first = found[0]
    if all(each.verdict == first.verdict for each in found):
        return first
    allowed = sorted({decided for each in found for decided in each.allowed}, key=str)
    return Judged("unknown", reasons=(unasked(asked.pod, asked.profile),), allowed=tuple(allowed))


def judged_by(view: View, asked: Question) -> Judged:
    """Return the judgement by one view of a pod that is to be scheduled."""
    wrong = list(_wrong(view, asked))
    if not wrong:
        breaks = broken(asked.rules, asked.pod, asked.reply, asked.snapshot)
        wrong = [Broken("rule", breaks)] if breaks else []
    return Judged(
        verdict="refused" if wrong else "allowed",
        clause=wrong[0].clause if wrong else "",
        reasons=tuple(each.reason for each in wrong),
        allowed=tuple(sorted(view.decisions, key=str)),
        failing=view.failing,
        numbers=_numbers(view, asked),
        judged=parts(asked.pod, asked.snapshot, view, asked.reply, asked.strictness),
    )


def _wrong(view: View, asked: Question) -> Iterator[Broken]:
    """Yield how the reply breaks a clause; if its decision does, nothing that it tells beside it is looked at."""
    reply = asked.reply
    if any(matches(reply, each) for each in view.decisions):
        if asked.strictness != "feasible":
            yield from nomination_kept(view, reply)
        if asked.strictness == "exact":
            yield from tellings(asked.snapshot, view, reply)
    elif reply.kind == "bind":
        yield from _bind(view, asked)
    elif reply.kind in WAITING:
        yield from _wait(view)
    else:
        yield from _evict(view, asked)


def _bind(view: View, asked: Question) -> Iterator[Broken]:
    """Yield why the pod is not bound to the node."""
    pod, name = asked.pod, asked.reply.node
    refusals = view.refusals(name)
    if refusals:
        for each in refusals:
            yield Broken("filters", f"{name} is refused by {refusal_text(each)}")
    elif name not in view.feasible and not view.failing:
        yield Broken("filters", f"{name} is not feasible")
    elif asked.strictness == "feasible":
        return
    elif view.failing:
        yield Broken("cycleError", f"the cycle ends in an error: {view.failing}")
    elif pod.nominated_node_name in view.feasible:
        yield Broken("nominatedNode", f"{pod} is nominated to {pod.nominated_node_name}, which is feasible")
    else:
        best = sorted(each.node.name for each in view.decisions if isinstance(each, Bind))
        highest = view.totals.get(best[0]) if best else None
        yield Broken(
            "bestScore", f"{name} has the score {view.totals.get(name)}, and {_some(best)} {highest}"
        )  # fmt: skip


def _wait(view: View) -> Iterator[Broken]:
    """Yield why the pod does not stay pending."""
    if view.feasible:
        yield Broken("feasibleNode", f"{_some(view.feasible)} {_are(view.feasible)} feasible")
        return
    for each in sorted(view.decisions, key=str):
        if isinstance(each, Nominate | Preempt):
            victims = ", ".join(sorted(map(str, each.victims)))
            yield Broken(
                "preempts", f"{each.node} is feasible without {victims}" if victims else f"{each.node} is left"
            )


def _some(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = len(names) - MOST_NAMES
    if more > 0:
        return f"{', '.join(names[:MOST_NAMES])} and {more:,} more nodes"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _evict(view: View, asked: Question) -> Iterator[Broken]:
    """Yield why these victims are not evicted for the pod."""
    pod, reply, victims = asked.pod, asked.reply, asked.victims
    if view.feasible:
        yield Broken("feasibleNode", f"{_some(view.feasible)} {_are(view.feasible)} feasible without evictions")
        return
    if view.failing and asked.strictness != "feasible":
        yield Broken("cycleError", f"the cycle ends in an error: {view.failing}")
        return
    nodes = {reply.node} if reply.node else {each.node_name for each in victims or ()}
    beside = [each for each in victims or () if each.node_name not in nodes or len(nodes) > 1]
    if beside or len(nodes) != 1:
        on = ", ".join(f"{each} is on {each.node_name or 'no node'}" for each in sorted(beside, key=str))
        yield Broken("oneNode", on or "there is no victim")
        return
    node = asked.node(nodes.pop())
    higher = sorted((each for each in victims or () if each.priority >= pod.priority), key=str)
    if higher:
        for each in higher:
            yield Broken("lowerPriority", f"{each} has the priority {each.priority}, and {pod} {pod.priority}")
        return
    gone = jeopardy(pod, node, asked.snapshot, NO_FAULTS) if victims is None else victims
    if not asked.profile.feasibility(pod, node, asked.snapshot - gone):
        yield Broken("victimsHelp", f"{node} is not feasible without {', '.join(sorted(map(str, gone))) or 'anybody'}")
        return
    yield from _worse(view, asked, node)


def _worse(view: View, asked: Question, node: Node) -> Iterator[Broken]:
    """Yield why other victims are evicted, or none, although the node is feasible without these."""
    permitted = [each for each in view.decisions if isinstance(each, Nominate | Preempt)]
    if not permitted:
        why = "; ".join(sorted(each.message for each in view.decisions if isinstance(each, Wait) and each.message))
        yield Broken("ineligible", why or f"{asked.pod} may not preempt others")
        return
    if asked.strictness == "feasible":
        return
    here = [each for each in permitted if each.node == node]
    if here:
        sets = " or ".join(sorted(_names(each.victims) for each in here))
        yield Broken("reprieve", f"the victims on {node} are {sets}, not {_names(asked.victims or frozenset())}")
        return
    others = " or ".join(sorted(f"{_names(each.victims)} on {each.node}" for each in permitted))
    yield Broken("leastCasualty", f"the least casualty is that of {others}")


def _names(victims: frozenset[Pod]) -> str:
    return ", ".join(sorted(map(str, victims))) or "nobody"


def _numbers(view: View, asked: Question) -> Numbers:
    """Return the score of the node, or the casualty of the victims, beside the best."""
    if asked.reply.kind == "bind" and view.totals:
        return Numbers(score=view.totals.get(asked.reply.node), best_score=max(view.totals.values()))
    if asked.reply.kind in EVICTING:
        allowed: frozenset[Decision] = view.decisions
        return victims_numbers(
            asked.pod, asked.victims, allowed, asked.snapshot, asked.profile, asked.spent
        )  # fmt: skip
    return NO_NUMBERS
