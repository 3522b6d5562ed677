"""Some composed answers, compared with the whole scheduling cycle of the specification: `Sample`.

Which questions are compared depends on a fixed seed and on their order alone. A comparison tries every node, so the more
nodes there are the fewer are made, and they take a few percent of the time of answering.
"""

from collections.abc import Iterable, Sequence
from random import Random

from schedcheck.checker.tabulated.answers.oracle import Ending, Option
from schedcheck.checker.tabulated.answers.trials import RATED, Raw, for_choice, plain
from schedcheck.spec.decisions import Bind, Nominate, Wait
from schedcheck.spec.kubernetes.control_loop import decided, taken_up
from schedcheck.spec.kubernetes.filter import Verdict, verdicts
from schedcheck.spec.kubernetes.preemption.dry_run import DryRun
from schedcheck.spec.kubernetes.preemption.ties import possible
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile, by_scheduler_name

SEED = 0
FEW = 24
"""Of so many questions for each node, about one is compared."""


class Differs(Exception):
    """Raised if a composed answer is not that of the whole cycle; the text names the question and both answers."""


class Sample:
    """The questions to compare with the whole cycle of a profile; `few` 0 compares all."""

    few = FEW

    def __init__(self, own: Profile) -> None:
        self._own = own
        self._random = Random(SEED)

    def due(self, snapshot: Snapshot) -> bool:
        """Whether to compare the next question."""
        return self._random.random() * self.few * (1 + len(snapshot.nodes)) < 1

    def admission(self, pod: Pod, node: Node, snapshot: Snapshot, verdict: Verdict, raw: Raw | None) -> None:
        """Compare the verdict, of which only what matters to the choice is known, and the raw scores."""
        plugins = by_scheduler_name(pod, self._own.plugins)
        made = taken_up(pod, snapshot, plugins)
        whole = plain(verdicts(made)[node.name])
        scores = None
        if whole.refusal is None:
            scores = tuple(each.raw(pod, (node,), made.snapshot, plugins)[node.name] for each in RATED)
        _compare(f"{pod} on {node}", (for_choice(whole), scores), (verdict, raw))

    def evictions(self, pod: Pod, node: Node, snapshot: Snapshot, options: Sequence[Option]) -> None:
        """Compare the sets of victims."""
        run = DryRun(taken_up(pod, snapshot, by_scheduler_name(pod, self._own.plugins)))
        info = next((each for each in run.potential_nodes if each.node.name == node.name), None)
        candidates = frozenset() if info is None else possible(run, info)
        whole = {frozenset(each.key for each in candidate.victims) for candidate in candidates}
        composed = {frozenset(each.key for each in option.decision.victims) for option in options}
        _compare(f"evictions for {pod} on {node}", whole, composed)

    def decision(self, pod: Pod, snapshot: Snapshot, endings: Iterable[Ending], *, asks_more: bool) -> None:
        """Compare the nodes that the pod may be bound or nominated to, or that it waits and loses its nomination.

        `asks_more`: no node is feasible, and what happens then is another question.
        """
        found = decided(pod, snapshot, by_scheduler_name(pod, self._own.plugins))
        whole = {_told(each) for each in found}
        composed = {_told(each.decision) for each in endings}
        bound = {each for each in whole if each[0] == Bind.__name__}
        _compare(f"{pod}", bound if asks_more else whole, composed)


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
