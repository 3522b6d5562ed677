"""User-defined properties of steps, evaluated on every step of every state: `Changing`, `Acting`.

If a property looks at the snapshots only, the steps are found over the tables. If it also looks at the action, the
machine's own steps are used; the specification is then evaluated on every state, as in the direct explorer.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from schedcheck.checker.tabulated.answers.oracle import Oracle
from schedcheck.checker.tabulated.layout.layout import Numbers, Truths, Words
from schedcheck.checker.tabulated.search.explorer import SUCCESSORS
from schedcheck.checker.tabulated.search.pace import Pace
from schedcheck.checker.tabulated.search.plan import Plan
from schedcheck.checker.tabulated.search.worker import Worker, answer
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import Step

AT_ONCE = 1 << 8
"""The number of states whose steps are evaluated between two looks at the clock."""

Steps = Callable[[Words], Iterator[tuple[Numbers, Words]]]
"""A function that yields the steps from some states: the number of each predecessor, and the successors."""


class Changing:
    """A predicate on states: whether some step breaks a property of the snapshots before and after it."""

    def __init__(self, plan: Plan, question: Step, steps: Steps, pace: Pace) -> None:
        self.plan = plan
        self.question = question
        self.steps = steps
        self._pace = pace

    def __call__(self, states: Words) -> Truths:
        """Evaluate the predicate on the states. Raises Beyond when the time is over."""
        return asked(states, self._pace, self._breaking)

    def _breaking(self, states: Words) -> Iterator[int]:
        """Yield the numbers of the states from which a step breaks the property."""
        # Neighbouring states share most of their successors.
        known: dict[bytes, Snapshot] = {}

        def view(words: Words) -> Snapshot:
            name = words.tobytes()
            if name not in known:
                known[name] = self.plan.machine.view(self.plan.unpacked(words))
            return known[name]

        broken: set[int] = set()
        for origin, found in self.steps(states):
            for number, after in zip(origin.tolist(), found, strict=True):
                if number not in broken and not self.question.holds(view(states[number]), None, view(after)):
                    broken.add(number)
        yield from broken


class Acting:
    """A predicate on states: whether some step breaks a property that may look at the action too."""

    def __init__(self, plan: Plan, question: Step, pace: Pace) -> None:
        self.plan = plan
        self.question = question
        self._pace = pace

    def __call__(self, states: Words) -> Truths:
        """Evaluate the predicate on the states. Raises Beyond when the time is over."""
        return asked(states, self._pace, self._breaking)

    def _breaking(self, states: Words) -> Iterator[int]:
        machine, question = self.plan.machine, self.question
        for number, words in enumerate(states):
            state = self.plan.unpacked(words)
            before = machine.view(state)
            if any(
                type(action) in question.kinds and not question.holds(before, action, machine.view(after))
                for action, after in machine.steps(state)
            ):
                yield number


def asked(states: Words, pace: Pace, breaking: Callable[[Words], Iterator[int]]) -> Truths:
    """Return which states `breaking` yields, a few states at a time. Raises Beyond when the time is over."""
    found = np.zeros(len(states), np.bool_)
    for begin in range(0, len(states), AT_ONCE):
        with pace.of(states[begin : begin + AT_ONCE]) as piece:
            for number in breaking(piece):
                found[begin + number] = True
    return found


def steps_over(plan: Plan, oracle: Oracle, *, judged: bool) -> Steps:
    """Return a function that finds all steps which change the state, over the tables; missing answers are asked for."""
    worker: list[Worker] = []

    def steps(states: Words) -> Iterator[tuple[Numbers, Words]]:
        if not worker:
            worker.append(Worker(plan, SUCCESSORS, judged=judged, orbits=None, origins=True))
        yield from worker[0].found(oracle, states, np.arange(len(states)), partial(answer, oracle))

    return steps


def leaving_of(
    plan: Plan,
    oracle: Oracle,
    questions: Sequence[Step],
    look: Callable[[], None],
    tell: Callable[[str], None],
    *,
    judged: bool,
) -> Iterator[Changing | Acting]:
    """Yield, for each property, the predicate on states from which a step breaks it."""
    steps = steps_over(plan, oracle, judged=judged)
    for question in questions:
        pace = Pace([question.name], look, tell)
        yield Changing(plan, question, steps, pace) if question.of_states else Acting(plan, question, pace)
