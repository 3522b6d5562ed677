"""Whether properties are inductive: `induct`, `Answer`.

A property is inductive if it holds at first and every step keeps it, from every state in which it holds. The pods of a
state are any number of copies of the scenario's pods. What z3 finds is believed only if the specification replays it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import chain
from typing import Any

import z3

from schedcheck.checker.induction.invariants import Invariant, Question, broken, stated, violation
from schedcheck.checker.induction.replaying import Numbers, Replay, replayed
from schedcheck.checker.induction.states import Step, Symbols
from schedcheck.checker.induction.steps import steps
from schedcheck.checker.induction.vocabulary import beyond, vocabulary
from schedcheck.checker.limits.clock import Beyond
from schedcheck.checker.limits.effort import Spent
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.properties.kinds import Always, Property
from schedcheck.spec.properties.kinds import Step as OfSteps

TRIES = 12
"""The most counterexamples of one step that are replayed."""

UNREPLAYED = "z3 finds a state and a step, but no step of the specification there violates the property"


class Standing(StrEnum):
    """What is known of a property."""

    INDUCTIVE = "inductive"
    NOT_INDUCTIVE = "not inductive"
    VIOLATED = "violated at first"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Answer:
    """The answer for one property.

    `assumed` is the invariant with which it is inductive, empty if none is needed. `why` says why it is unknown.
    """

    name: str
    claim: str
    standing: Standing
    assumed: str = ""
    why: str = ""
    replay: Replay | None = None


def induct(scenario: Scenario, questions: Sequence[Property], spent: Spent) -> Iterator[Answer]:
    """Yield the answer for each property; once a limit is reached, the others are unknown."""
    missing = beyond(scenario)
    why = f"not modelled: {missing}" if missing else ""
    induction = None if missing else Induction(scenario, spent)
    for question in questions:
        answer = Answer(question.name, question.claim, Standing.UNKNOWN, why=why)
        if induction is not None and not why:
            try:
                answer = induction.answer(question, answer)
            except Beyond as end:
                why = str(end)
                answer = replace(answer, why=why)
        yield answer


class Induction:
    """The questions about one scenario."""

    def __init__(self, scenario: Scenario, spent: Spent) -> None:
        self.scenario, self.spent = scenario, spent
        machine = Reference(scenario, profile_of(scenario))
        self.first = machine.view(next(iter(machine.initial_states())))

    @cached_property
    def symbols(self) -> Symbols:
        """The states in formulas."""
        return Symbols(vocabulary(self.scenario))

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """Every kind of step in formulas."""
        return tuple(self._looking(steps(self.symbols)))

    def answer(self, question: Property, unknown: Answer) -> Answer:
        """Return the answer for one property, which is `unknown` so far."""
        if isinstance(question, Always) and not question.holds(self.first):
            return replace(unknown, standing=Standing.VIOLATED, replay=Replay(self.first, (), self.first))
        invariants = stated(question, self.symbols)
        if not invariants or not isinstance(question, Always | OfSteps):
            return replace(unknown, why="the property is not modelled")
        plain, *stronger = invariants
        found = list(self._breaking(plain, question))
        if not found:
            return replace(unknown, standing=Standing.INDUCTIVE)
        for more in stronger:
            if more.holds(self.first) and self._kept(more, question):
                return replace(unknown, standing=Standing.INDUCTIVE, assumed=more.words)
        for step, formula in found:
            for numbers in chain.from_iterable(self._smallest(each, formula) for each in (step, *step.others)):
                replay = replayed(self.symbols.words, numbers, question)
                if replay is not None:
                    return replace(unknown, standing=Standing.NOT_INDUCTIVE, replay=replay)
        return replace(unknown, why=UNREPLAYED)

    def _looking(self, made: Iterator[Step]) -> Iterator[Step]:
        """Yield the steps. Raises Beyond if the time is over."""
        for step in made:
            self.spent.bound()
            yield step

    def _breaking(self, invariant: Invariant, question: Question) -> Iterator[tuple[Step, Any]]:
        """Yield the steps that may violate the property from a state of the invariant, with the formula of that."""
        before = invariant.stated(self.symbols.state)
        for step in self.steps:
            for known, violated in violation(question, invariant, step, self.symbols):
                if self._possible(step.guard, known, before, violated):
                    yield step, z3.And(*before, step.guard, violated)

    def _kept(self, more: Invariant, question: Question) -> bool:
        """Whether every step keeps the stronger invariant, and from its states the property."""
        before = more.stated(self.symbols.state)
        return not any(
            self._possible(step.guard, known, before, violated)
            for step in self.steps
            for known, violated in (
                *broken(more, step, self.symbols),
                *(() if isinstance(question, Always) else violation(question, more, step, self.symbols)),
            )
        )

    def _possible(self, guard: Any, known: list[Any], before: list[Any], violated: Any) -> bool:
        """Whether z3 finds a state; first with the conjuncts `known` alone, without which it would not either."""
        return self._satisfiable(*known, guard, violated) and (
            len(known) == len(before) or self._satisfiable(*before, guard, violated)
        )

    def _satisfiable(self, *formulas: Any) -> bool:
        """Whether z3 finds a state of these formulas."""
        self._of_states.push()
        try:
            self._of_states.add(*formulas)
            return self.spent.check(self._of_states)
        finally:
            self._of_states.pop()

    @cached_property
    def _of_states(self) -> z3.Solver:
        return self._solver()

    def _solver(self, *formulas: Any) -> z3.Solver:
        made = z3.Solver()
        made.add(*self.symbols.any_state(), *formulas)
        return made

    def _smallest(self, step: Step, formula: Any) -> Iterator[Numbers]:
        """Yield states from which the step violates the property, those of the fewest pods first.

        States from which the step is likely to be possible come before all others.
        """
        likely = step.likely()
        for first in (likely, z3.Not(likely)):
            solver = self._solver(formula, first)
            for _ in range(TRIES):
                if not self.spent.check(solver):
                    break
                model = self._reduced(solver)
                yield self._numbers(model, step)
                terms = self.symbols.terms
                solver.add(z3.Or(*(each != model.eval(each, model_completion=True) for each in terms)))

    def _reduced(self, solver: z3.Solver) -> z3.ModelRef:
        """Return a model of the fewest bound pods; the solver has one."""
        total, model, low = self.symbols.total, solver.model(), 0
        high = model.eval(total, model_completion=True).as_long()
        while low < high:
            middle = (low + high) // 2
            if self.spent.check(solver, total <= middle):
                model = solver.model()
                high = model.eval(total, model_completion=True).as_long()
            else:
                low = middle + 1
        return model

    def _numbers(self, model: z3.ModelRef, step: Step) -> Numbers:
        state = self.symbols.state

        def of(terms: Any) -> dict[Any, int]:
            return {key: model.eval(term, model_completion=True).as_long() for key, term in terms.items()}

        moving = frozenset() if step.mover is None else frozenset({step.mover})
        return Numbers(of(state.ready), of(state.other), of(state.form), of(state.allowed), moving)
