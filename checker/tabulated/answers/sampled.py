"""Some composed answers, compared with the whole scheduling cycle of the specification: `Sample`.

Whole means: the definitions are evaluated on the snapshot of the state, in which nothing is left out, without a memo that
a composed answer has filled. Everything that an answer holds is compared. Which questions are compared depends on a fixed
seed and on their order alone. A comparison tries every node, so the more nodes there are the fewer are made, and they
take a few percent of the time of answering.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from random import Random
from typing import NamedTuple

from schedcheck.checker.tabulated.answers.matters import Admitted, Evicted
from schedcheck.checker.tabulated.answers.oracle import OF_CHOICES, OF_OPTIONS, OF_OUTCOMES, Ending, Option
from schedcheck.checker.tabulated.answers.trials import RATED, Raw, for_choice, plain, reduced
from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.kubernetes.control_loop import decided, taken_up
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.filter import verdicts
from schedcheck.spec.kubernetes.preemption.choice import Casualty, casualty
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, DryRun
from schedcheck.spec.kubernetes.preemption.eligibility import waits_on
from schedcheck.spec.kubernetes.preemption.ties import possible
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile, by_scheduler_name
from schedcheck.spec.properties.of_decisions import budget_violations
from schedcheck.spec.published.preemption import victim_sets

SEED = 0
FEW = 24
"""Of so many questions for each node, about one is compared."""


JUDGED: Mapping[type[Decision], Container[str]] = {
    Bind: OF_CHOICES | OF_OPTIONS | OF_OUTCOMES,
    Wait: OF_OPTIONS | OF_OUTCOMES,
    # `OF_OPTIONS` are kept with each option.
    Nominate: OF_OUTCOMES,
}
"""The properties of an end of a cycle that are known when the answers for all nodes are known."""


class Differs(Exception):
    """Raised if a composed answer is not that of the whole cycle; the text names the question and both answers."""


Broken = Callable[[Decision, Snapshot, Container[str]], int]
"""Returns a bit for each of the named properties that a decision breaks, by their definitions on the whole snapshot."""

Cost = tuple[Casualty, int]
"""The casualty of evictions and, where a property compares budgets, the number of budgets that they violate."""


class Judging(NamedTuple):
    """The judge, the properties that a decision breaks, and whether properties compare viability or budgets."""

    judge: Profile
    broken: Broken
    rates_viability: bool = False
    compares_budgets: bool = False


class Sample:
    """The questions to compare with the whole cycle of a profile; `few` 0 compares all."""

    few = FEW

    def __init__(self, own: Profile, judging: Judging) -> None:
        self._own, self._judging = own, judging
        self._random = Random(SEED)

    def due(self, snapshot: Snapshot) -> bool:
        """Whether to compare the next question."""
        return self._random.random() * self.few * (1 + len(snapshot.nodes)) < 1

    def admission(self, bind: Bind, snapshot: Snapshot, composed: Admitted) -> None:
        """Compare all that matters of the node to the choice."""
        judging = self._judging
        verdict = for_choice(plain(verdicts(_made(bind.pod, snapshot, self._own))[bind.node.name]))
        raw = judged = None
        broken = 0
        if verdict.refusal is None:
            raw = _raw(bind, snapshot, self._own)
            broken = judging.broken(bind, snapshot, OF_CHOICES - {"bind_most_viable"})
        fits = judging.judge.feasibility(bind.pod, bind.node, snapshot)
        if fits and judging.rates_viability:
            judged = _raw(bind, snapshot, judging.judge)
        _compare(f"{bind.pod} on {bind.node}", Admitted(verdict, raw, judged, broken, fits), composed)

    def evictions(self, pod: Pod, node: Node, snapshot: Snapshot, composed: Evicted, options: Sequence[Option]) -> None:
        """Compare all that matters of the node to the outcome, and the sets of victims with the properties of each."""
        run, judge = DryRun(_made(pod, snapshot, self._own)), self._judging.judge
        paid = self._paid(run, node, snapshot)
        costs = sorted({cost for _, cost in paid})
        lowest: dict[frozenset[Pod], int] = {}
        for victims, cost in paid:
            lowest[victims] = min(costs.index(cost), lowest.get(victims, len(costs)))
        told = {
            (kind, _keys(victims), self._judging.broken(Nominate(pod, node, victims), snapshot, OF_OPTIONS))
            for victims, kind in lowest.items()
        }
        (info,) = (each for each in run.cycle.infos if each.node.name == node.name)
        why = None if paid else run.statuses.get(node.name)
        sets = victim_sets(pod, node, snapshot, judge) if self._judging.compares_budgets else ()
        whole = Evicted(
            plain(run.verdicts[node.name]),
            tuple(cost for cost, _ in costs),
            why and reduced(why),
            waits_on(pod, info, run.verdicts),
            judge.feasibility(pod, node, snapshot),
            tuple(violated for _, violated in costs),
            min((budget_violations(each, snapshot) for each in sets), default=None),
        )
        found = {(option.kind, _keys(option.decision.victims), option.breaks) for option in options}
        _compare(f"evictions for {pod} on {node}", (whole, told), (composed, found))

    def decision(
        self, pod: Pod, snapshot: Snapshot, endings: Iterable[Ending], answers: Mapping[str, Evicted] | None
    ) -> None:
        """Compare the nodes that the pod may be bound or nominated to, or that it waits and loses its nomination.

        `answers` are those about evictions. None: no node is feasible, and what happens then is another question.
        """
        run = DryRun(_made(pod, snapshot, self._own))
        whole = {
            (_told(each, self._least(run, each, snapshot)), self._judging.broken(each, snapshot, JUDGED[type(each)]))
            for each in decided(pod, snapshot, by_scheduler_name(pod, self._own.plugins))
        }
        composed = {(_told(each.decision, _cost(each, answers or {})), each.breaks) for each in endings}
        bound = {each for each in whole if each[0][0] == Bind.__name__}
        _compare(f"{pod}", bound if answers is None else whole, composed)

    def _paid(self, run: DryRun, node: Node, snapshot: Snapshot) -> list[tuple[frozenset[Pod], Cost]]:
        """Return the victims of each possible candidate on the node, with their cost."""
        info = next((each for each in run.potential_nodes if each.node.name == node.name), None)
        candidates: Iterable[Candidate] = () if info is None else possible(run, info)
        return [
            (
                victims := frozenset(each.victims),
                (casualty(each), budget_violations(victims, snapshot) if self._judging.compares_budgets else 0),
            )
            for each in candidates
        ]

    def _least(self, run: DryRun, decision: Decision, snapshot: Snapshot) -> Cost | None:
        """Return the lowest cost of the evictions that a decision asks for."""
        if not isinstance(decision, Nominate):
            return None
        paid = self._paid(run, decision.node, snapshot)
        return min((cost for victims, cost in paid if victims == decision.victims), default=None)


def _made(pod: Pod, snapshot: Snapshot, profile: Profile) -> Cycle:
    return taken_up(pod, snapshot, by_scheduler_name(pod, profile.plugins))


def _raw(bind: Bind, snapshot: Snapshot, profile: Profile) -> Raw:
    made = _made(bind.pod, snapshot, profile)
    return tuple(each.raw(bind.pod, (bind.node,), made.snapshot, made.plugins)[bind.node.name] for each in RATED)


def _cost(ending: Ending, answers: Mapping[str, Evicted]) -> Cost | None:
    """Return the cost of the evictions for which an end of a cycle stands."""
    if not isinstance(ending.decision, Nominate):
        return None
    there = answers[ending.decision.node.name]
    return there.costs[ending.kind], there.violated[ending.kind]


def _keys(pods: Iterable[Pod]) -> frozenset[tuple[str, str]]:
    return frozenset(each.key for each in pods)


def _told(decision: object, cost: Cost | None) -> tuple[str, object, Cost | None]:
    match decision:
        case Bind(node=node) | Nominate(node=node):
            return type(decision).__name__, node.name, cost
        case Wait(unnominated=unnominated):
            return type(decision).__name__, unnominated, cost
    return type(decision).__name__, None, cost


def _compare(question: str, whole: object, composed: object) -> None:
    if whole != composed:
        raise Differs(f"{question}: {composed} is composed, but the whole cycle gives {whole}")
