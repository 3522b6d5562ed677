"""Properties of steps that may look at anything, asked of every step of every state: `Changing`, `Acting`.

The steps of which one speaks that looks at the snapshots alone are found over the tables. One that looks at the action is
asked of the machine's own steps, for which the specification is asked of every state, as the direct explorer asks it.
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
from schedcheck.spec.properties import Step

AT_ONCE = 1 << 8
"""The steps of how many states are asked before anybody looks at the time."""

Steps = Callable[[Words], Iterator[tuple[Numbers, Words]]]
"""Finds the steps from some states: where each leads from, and what it leads to."""


class Changing:
    """From which states a step breaks a property that looks at the snapshots before it and after it, and at no action."""

    def __init__(self, plan: Plan, question: Step, steps: Steps, pace: Pace) -> None:
        self.plan = plan
        self.question = question
        self.steps = steps
        self._pace = pace

    def __call__(self, states: Words) -> Truths:
        """The answer for each of the states. Raises Beyond once the time is over."""
        return asked(states, self._pace, self._breaking)

    def _breaking(self, states: Words) -> Iterator[int]:
        """The numbers of the states from which a step breaks it."""
        # What one state leads to, its neighbours lead to as well.
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
    """From which states a step breaks a property that may look at the action as well."""

    def __init__(self, plan: Plan, question: Step, pace: Pace) -> None:
        self.plan = plan
        self.question = question
        self._pace = pace

    def __call__(self, states: Words) -> Truths:
        """The answer for each of the states. Raises Beyond once the time is over."""
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
    """Of which of the states it is so, asked a few at a time. Raises Beyond once the time is over."""
    found = np.zeros(len(states), np.bool_)
    for begin in range(0, len(states), AT_ONCE):
        with pace.of(states[begin : begin + AT_ONCE]) as piece:
            for number in breaking(piece):
                found[begin + number] = True
    return found


def steps_over(plan: Plan, oracle: Oracle, *, judged: bool) -> Steps:
    """What finds, over the tables, every step that changes something; what no table holds yet is asked."""
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
    """What says of each of the properties from which states a step breaks it."""
    steps = steps_over(plan, oracle, judged=judged)
    for question in questions:
        pace = Pace([question.name], look, tell)
        yield Changing(plan, question, steps, pace) if question.of_states else Acting(plan, question, pace)
