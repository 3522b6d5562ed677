"""The specification's results for one pod, in the shape that a reply is judged by: `View`, `views`.

There are several views where the result depends on extenders that were not asked: one for each of their answers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, TypeVar

from frozendict import frozendict

from schedcheck.checker.explain.extenders import MOST_ANSWERS
from schedcheck.checker.explain.published import Explanation, explanation
from schedcheck.checker.exploring.memo import refuse_too_many_orders
from schedcheck.checker.extenders.as_values import rated_once
from schedcheck.checker.extenders.wording import not_asked
from schedcheck.checker.limits.clock import TooManySets
from schedcheck.spec.classic.decision import Judgement as EarlyJudgement
from schedcheck.spec.classic.decision import ended as early_ended
from schedcheck.spec.classic.failures import Failure
from schedcheck.spec.classic.filtering import errors, feasible, judged
from schedcheck.spec.classic.policy import Classic
from schedcheck.spec.classic.ranking import totals
from schedcheck.spec.decisions import Decision, Unknown, Wait
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.kubernetes.control_loop import ending, taken_up, unmodelled, without_a_node
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.extended_cycle import Judgement, ended
from schedcheck.spec.kubernetes.filter import Verdict, admitted
from schedcheck.spec.kubernetes.preemption.dry_run import DryRun
from schedcheck.spec.kubernetes.scores.scored import Scored
from schedcheck.spec.kubernetes.select_host import Choice, choice_among, open_to_scores, scores_of
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import Profile, by_scheduler_name
from schedcheck.spec.refusal import Code, Refusal
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES, PUBLISHED, Scheduler
from schedcheck.spec.unasked_extenders import concerned

UNSCORED = Scored()
Answered = TypeVar("Answered")


class Open(Exception):
    """A result that is not known, or that would take too long to compute; the text says why."""


class View(Protocol):
    """What the specification says of one pod in one snapshot.

    - `decisions`: what may be done; empty if there are too many sets of victims to try.
    - `feasible`: the names of the feasible nodes, in order.
    - `totals`: the total scores by which the nodes are compared, by name; empty where they are not compared.
    - `failing`: the message of the error in which the cycle ends; empty without one.
    """

    @property
    def decisions(self) -> frozenset[Decision]: ...  # noqa: D102

    @property
    def feasible(self) -> tuple[str, ...]: ...  # noqa: D102

    @property
    def totals(self) -> Mapping[str, int]: ...  # noqa: D102

    @property
    def failing(self) -> str: ...  # noqa: D102

    def refusals(self, node: str) -> tuple[Refusal, ...]:
        """Return the refusals of a node, the recorded one first; none if it is feasible."""
        ...


@dataclass(frozen=True)
class OfKubernetes:
    """The cycle of kube-scheduler without extenders."""

    made: Cycle

    @cached_property
    def run(self) -> DryRun:
        """The dry run of preemption, which has the verdicts too."""
        return DryRun(self.made)

    @cached_property
    def feasible(self) -> tuple[str, ...]:
        """The names of the feasible nodes."""
        return admitted(self.run.verdicts)

    @cached_property
    def scores(self) -> Scored:
        """The scores, if they decide."""
        return scores_of(self.made, self.feasible) if open_to_scores(self.made, self.feasible) else UNSCORED

    @cached_property
    def end(self) -> Choice:
        """The end of the cycle."""
        return choice_among(self.made, self.run.verdicts, self.scores)

    @cached_property
    def decisions(self) -> frozenset[Decision]:
        """The possible decisions. Raises: Open."""
        if self.end.kind != "unschedulable":
            return ending(self.made, self.end)
        _refuse_too_many_orders(self.made.pod, self.made.snapshot)
        return without_a_node(self.run)

    @property
    def totals(self) -> Mapping[str, int]:
        """The scores; none where a score plugin fails."""
        return self.scores.total if self.scores.error is None else {}

    @property
    def failing(self) -> str:
        """The error in which the cycle ends."""
        return self.end.error

    def refusals(self, node: str) -> tuple[Refusal, ...]:
        """Return the recorded refusal of the node."""
        return _recorded(self.run.verdicts[node])


def _recorded(verdict: Verdict) -> tuple[Refusal, ...]:
    return () if verdict.refusal is None else (verdict.refusal,)


@dataclass(frozen=True)
class OfExtended:
    """The cycle of kube-scheduler with one answer of the extenders."""

    made: Cycle
    said: Judgement

    @property
    def decisions(self) -> frozenset[Decision]:
        """The possible decisions."""
        return self.said.decisions

    @cached_property
    def _verdicts(self) -> Mapping[str, Verdict]:
        return DryRun(self.made).verdicts if self.said.verdicts is None else self.said.verdicts

    @property
    def feasible(self) -> tuple[str, ...]:
        """The nodes that plugins and extenders admit; none is known after an error of an extender."""
        return admitted(self._verdicts) if self.said.verdicts is not None else ()

    @property
    def totals(self) -> Mapping[str, int]:
        """The scores of plugins and extenders together."""
        return self.said.totals

    @property
    def failing(self) -> str:
        """The error in which the cycle ends."""
        if self.said.verdicts is not None:
            return ""
        return next((each.message for each in self.said.decisions if isinstance(each, Wait)), "")

    def refusals(self, node: str) -> tuple[Refusal, ...]:
        """Return the recorded refusal of the node."""
        return _recorded(self._verdicts[node])


@dataclass(frozen=True)
class OfClassic:
    """The cycle of the early scheduler with one answer of the extenders."""

    pod: Pod
    snapshot: Snapshot
    policy: Classic
    said: EarlyJudgement

    @property
    def decisions(self) -> frozenset[Decision]:
        """The possible decisions."""
        return self.said.decisions

    @cached_property
    def feasible(self) -> tuple[str, ...]:
        """The nodes that predicates and extenders admit."""
        return tuple(sorted(node.name for node in self.said.left.nodes))

    @cached_property
    def totals(self) -> Mapping[str, int]:
        """The weighted sums of the priorities."""
        return totals(self.pod, self.said.left.nodes, self.snapshot, self.policy)

    @cached_property
    def failing(self) -> str:
        """The error of an extender, or the first error of a predicate where no node is feasible."""
        if self.said.left.error is not None:
            return self.said.left.error.reason
        erring = () if self.feasible else errors(self.pod, self.snapshot, self.policy)
        return erring[0].words if erring else ""

    def refusals(self, node: str) -> tuple[Refusal, ...]:
        """Return the failures of every predicate on the node, or the refusal of an extender."""
        found = next(each for each in self.snapshot.nodes if each.name == node)
        asked = judged(self.pod, found, self.snapshot, self.policy)
        own = [_early(name, each) for name, said in asked.items() for each in said]
        more = () if own else (_early("", each) for each in self.said.left.refused.get(node, ()))
        return (*own, *more)


def _early(predicate: str, failure: Failure) -> Refusal:
    code = Code.ERROR if failure.error else Code.UNSCHEDULABLE if failure.resolvable else Code.UNRESOLVABLE
    return Refusal(predicate, code, (failure.words,))


@dataclass(frozen=True)
class OfPublished:
    """The choice of the published model."""

    told: Explanation

    @cached_property
    def decisions(self) -> frozenset[Decision]:
        """The possible decisions; none if there are too many sets of victims to try."""
        return frozenset(self.told.decisions or ())

    @cached_property
    def feasible(self) -> tuple[str, ...]:
        """The nodes that every filter admits."""
        return tuple(each.node.name for each in self.told.nodes if each.feasible)

    @cached_property
    def totals(self) -> Mapping[str, int]:
        """The viability of the feasible nodes."""
        return {each.node.name: each.viability for each in self.told.nodes if each.viability is not None}

    failing = ""

    def refusals(self, node: str) -> tuple[Refusal, ...]:
        """Return the reason of every filter that refuses the node."""
        found = next(each for each in self.told.nodes if each.node.name == node)
        return tuple(Refusal(name, Code.UNSCHEDULABLE, (why,)) for name, why in found.reasons.items() if why)


def _of_kubernetes(pod: Pod, snapshot: Snapshot, profile: Profile) -> Iterator[View]:
    plugins = by_scheduler_name(pod, profile.plugins)
    why = unmodelled(pod, snapshot, plugins)
    if why:
        raise Open(why)
    made = taken_up(pod, snapshot, plugins)
    if plugins.extenders or plugins.unasked:
        yield from (OfExtended(made, said) for _, said in _limited(ended(made, rated_once(made)), pod, plugins.unasked))
    else:
        yield OfKubernetes(made)


def _of_classic(pod: Pod, snapshot: Snapshot, profile: Profile) -> Iterator[View]:
    others, policy = snapshot - frozenset({pod}), profile.policy
    if policy.extenders or policy.unasked or not feasible(pod, others, policy):
        _refuse_too_many_orders(pod, others)
    for _, said in _limited(early_ended(pod, others, policy), pod, policy.unasked):
        yield OfClassic(pod, others, policy, said)


def _of_published(pod: Pod, snapshot: Snapshot, profile: Profile) -> Iterator[View]:
    told = explanation(pod, snapshot, profile)
    assert told is not None, "the pod has not ended"
    if told.decisions is None:
        raise Open("there are too many sets of victims to try")
    yield OfPublished(told)


def _limited(answers: Iterator[Answered], pod: Pod, unasked: Sequence[Offer]) -> Iterator[Answered]:
    """Yield the results by the answers of the extenders. Raises: Open after too many."""
    for number, each in enumerate(answers):
        if number == MOST_ANSWERS:
            raise Open(not_asked(each.url_prefix for each in concerned(pod, tuple(unasked))))
        yield each


def _refuse_too_many_orders(pod: Pod, snapshot: Snapshot) -> None:
    """Raises: Open."""
    try:
        refuse_too_many_orders(pod, snapshot)
    except TooManySets as error:
        raise Open(f"the victims are not computed, as there are {error}") from None


VIEWS: Mapping[Scheduler, Callable[[Pod, Snapshot, Profile], Iterator[View]]] = frozendict(
    {PUBLISHED: _of_published, KUBERNETES: _of_kubernetes, CLASSIC: _of_classic}
)
"""The views of each scheduler."""

UNASKED: Mapping[Scheduler, Callable[[Pod, Profile], tuple[Offer, ...]]] = frozendict(
    {
        PUBLISHED: lambda pod, profile: (),
        KUBERNETES: lambda pod, profile: by_scheduler_name(pod, profile.plugins).unasked,
        CLASSIC: lambda pod, profile: profile.policy.unasked,
    }
)
"""The extenders of each scheduler that are not asked."""


def views(pod: Pod, snapshot: Snapshot, profile: Profile) -> Iterator[View]:
    """Yield what the specification says of a pod of the snapshot that is to be scheduled, for each answer of extenders.

    Raises: Open.
    """
    for view in VIEWS[profile.scheduler](pod, snapshot, profile):
        for each in view.decisions:
            if isinstance(each, Unknown):
                raise Open(each.why)
        yield view


def unasked(pod: Pod, profile: Profile) -> str:
    """Return the message that the extenders of the pod's scheduler were not asked."""
    offers = UNASKED[profile.scheduler](pod, profile)
    return not_asked(each.url_prefix for each in concerned(pod, offers))
