"""Some composed answers, compared with the whole scheduling cycle of the specification: `Sample`.

Whole means: the definitions are evaluated on the snapshot of the state, in which nothing is left out, without a memo that
a composed answer has filled. Which questions are compared depends on a fixed seed and on their order alone. A comparison tries every node, so the more
nodes there are the fewer are made, and they take a few percent of the time of answering.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from random import Random

from schedcheck.checker.tabulated.answers.oracle import OF_CHOICES, OF_OPTIONS, OF_OUTCOMES, Ending, Option
from schedcheck.checker.tabulated.answers.trials import RATED, Raw, for_choice, plain
from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.kubernetes.control_loop import decided, taken_up
from schedcheck.spec.kubernetes.filter import Verdict, verdicts
from schedcheck.spec.kubernetes.preemption.dry_run import DryRun
from schedcheck.spec.kubernetes.preemption.ties import possible
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile, by_scheduler_name

SEED = 0
FEW = 24
"""Of so many questions for each node, about one is compared."""


JUDGED: Mapping[type[Decision], Container[str]] = {
    Bind: OF_CHOICES | OF_OPTIONS | OF_OUTCOMES,
    Wait: OF_OPTIONS | OF_OUTCOMES,
    # The others depend on the victims, and are kept with each option.
    Nominate: OF_OUTCOMES - {"fewest_budgets_violated"},
}
"""The properties of an end of a cycle that are known when the answers for all nodes are known."""


class Differs(Exception):
    """Raised if a composed answer is not that of the whole cycle; the text names the question and both answers."""


Broken = Callable[[Decision, Snapshot, Container[str]], int]
"""Returns a bit for each of the named properties that a decision breaks, by their definitions on the whole snapshot."""


class Sample:
    """The questions to compare with the whole cycle of a profile; `few` 0 compares all."""

    few = FEW

    def __init__(self, own: Profile, broken: Broken) -> None:
        self._own, self._broken = own, broken
        self._random = Random(SEED)

    def due(self, snapshot: Snapshot) -> bool:
        """Whether to compare the next question."""
        return self._random.random() * self.few * (1 + len(snapshot.nodes)) < 1

    def admission(self, bind: Bind, snapshot: Snapshot, verdict: Verdict, raw: Raw | None, breaks: int) -> None:
        """Compare the verdict, of which only what matters to the choice is known, the raw scores and the properties."""
        pod, node = bind.pod, bind.node
        plugins = by_scheduler_name(pod, self._own.plugins)
        made = taken_up(pod, snapshot, plugins)
        whole, scores, broken = plain(verdicts(made)[node.name]), None, 0
        if whole.refusal is None:
            scores = tuple(each.raw(pod, (node,), made.snapshot, plugins)[node.name] for each in RATED)
            broken = self._broken(bind, snapshot, OF_CHOICES - {"bind_most_viable"})
        _compare(f"{pod} on {node}", (for_choice(whole), scores, broken), (verdict, raw, breaks))

    def evictions(self, pod: Pod, node: Node, snapshot: Snapshot, verdict: Verdict, options: Sequence[Option]) -> None:
        """Compare the verdict, the sets of victims, and the properties of each."""
        run = DryRun(taken_up(pod, snapshot, by_scheduler_name(pod, self._own.plugins)))
        info = next((each for each in run.potential_nodes if each.node.name == node.name), None)
        candidates = frozenset() if info is None else possible(run, info)
        whole = {
            (_keys(victims), self._broken(Nominate(pod, node, victims), snapshot, OF_OPTIONS))
            for victims in {frozenset(candidate.victims) for candidate in candidates}
        }
        composed = {(_keys(option.decision.victims), option.breaks) for option in options}
        question = f"evictions for {pod} on {node}"
        _compare(question, (plain(run.verdicts[node.name]), whole), (verdict, composed))

    def decision(self, pod: Pod, snapshot: Snapshot, endings: Iterable[Ending], *, asks_more: bool) -> None:
        """Compare the nodes that the pod may be bound or nominated to, or that it waits and loses its nomination.

        `asks_more`: no node is feasible, and what happens then is another question.
        """
        found = decided(pod, snapshot, by_scheduler_name(pod, self._own.plugins))
        whole = {(_told(each), self._broken(each, snapshot, JUDGED[type(each)])) for each in found}
        composed = {(_told(each.decision), each.breaks) for each in endings}
        bound = {each for each in whole if each[0][0] == Bind.__name__}
        _compare(f"{pod}", bound if asks_more else whole, composed)


def _keys(pods: Iterable[Pod]) -> frozenset[tuple[str, str]]:
    return frozenset(each.key for each in pods)


def _told(decision: object) -> tuple[str, object]:
    match decision:
        case Bind(node=node) | Nominate(node=node):
            return type(decision).__name__, node.name
        case Wait(unnominated=unnominated):
            return type(decision).__name__, unnominated
    return type(decision).__name__, None


def _compare(question: str, whole: object, composed: object) -> None:
    if whole != composed:
        raise Differs(f"{question}: {composed} is composed, but the whole cycle gives {whole}")
