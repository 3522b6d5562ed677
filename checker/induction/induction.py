"""Whether properties are inductive: `induct`, `Answer`.

A property is inductive if it holds at first and every step keeps it, from every state in which it holds. The pods of a
state are any number of copies of the scenario's pods. What z3 finds is believed only if the specification replays it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

import z3

from schedcheck.checker.extenders.unasked import uncounted
from schedcheck.checker.induction.replaying import Numbers, Replay, replayed
from schedcheck.checker.induction.states import State, Step, Symbols, steps
from schedcheck.checker.induction.vocabulary import Vocabulary, beyond, vocabulary
from schedcheck.checker.limits.effort import Spent
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.budgets import protects, spare
from schedcheck.spec.objects import Node, Snapshot
from schedcheck.spec.properties.kinds import Always, Property
from schedcheck.spec.properties.kinds import Step as StepProperty
from schedcheck.spec.requests import allocatable, request, requested
from schedcheck.spec.faults import NO_FAULTS

TRIES = 12
"""The most counterexamples of one step that are replayed."""


class Standing(StrEnum):
    """What is known of a property."""

    INDUCTIVE = "inductive"
    NOT_INDUCTIVE = "not inductive"
    VIOLATED = "violated at first"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Answer:
    """The answer for one property.

    `assumed` is the strengthening with which it is inductive, empty if none was needed. `why` says why it is unknown.
    """

    name: str
    claim: str
    standing: Standing
    assumed: str = ""
    why: str = ""
    replay: Replay | None = None


@dataclass(frozen=True)
class Invariant:
    """A predicate of states, as a formula and as a definition."""

    words: str
    stated: Callable[[State], Any]
    holds: Callable[[Snapshot], bool]


TRUE = Invariant("", lambda state: z3.BoolVal(True), lambda snapshot: True)


def induct(scenario: Scenario, questions: Sequence[Property], spent: Spent) -> Iterator[Answer]:
    """Yield the answer for each property. Raises Beyond if time or memory ends first."""
    missing = beyond(scenario)
    symbols = None if missing else Symbols(vocabulary(scenario))
    for question in questions:
        if symbols is None:
            yield Answer(question.name, question.claim, Standing.UNKNOWN, why=f"not modelled: {missing}")
        else:
            yield Induction(symbols, spent).answer(question)


class Induction:
    """The questions about one vocabulary."""

    def __init__(self, symbols: Symbols, spent: Spent) -> None:
        self.symbols, self.words, self.spent = symbols, symbols.words, spent
        machine = Reference(self.words.scenario, profile_of(self.words.scenario))
        self.first = machine.view(next(iter(machine.initial_states())))

    def answer(self, question: Property) -> Answer:
        """Return the answer for one property."""
        if isinstance(question, Always) and not question.holds(self.first):
            return Answer(question.name, question.claim, Standing.VIOLATED, replay=Replay(self.first, (), self.first))
        invariants = self._stated(question)
        if invariants is None:
            return Answer(question.name, question.claim, Standing.UNKNOWN, why="the property is not modelled")
        assert isinstance(question, Always | StepProperty)
        plain, *stronger = invariants
        broken = list(self._breaking(plain, question))
        if not broken:
            return Answer(question.name, question.claim, Standing.INDUCTIVE)
        for more in stronger:
            if more.holds(self.first) and self._kept(more, question):
                return Answer(question.name, question.claim, Standing.INDUCTIVE, assumed=more.words)
        replay = next((each for each in map(self._replaying(plain, question), broken) if each is not None), None)
        if replay is None:
            why = "z3 finds a state and a step, but no step of the specification there violates the property"
            return Answer(question.name, question.claim, Standing.UNKNOWN, why=why)
        return Answer(question.name, question.claim, Standing.NOT_INDUCTIVE, replay=replay)

    def _stated(self, question: Property) -> tuple[Invariant, ...] | None:
        """Return the property as an invariant, then its strengthenings; None if it is not modelled."""
        name = question.name.partition("(")[0]
        if isinstance(question, StepProperty) and name == "only_lower_priority_evicted":
            return (TRUE,)
        if isinstance(question, StepProperty) and name == "budget_kept":
            return TRUE, self._statuses_up_to_date()
        if not isinstance(question, Always):
            return None
        if name == "no_overcommit":
            return self._overcommit(question, absent=False), self._overcommit(question, absent=True)
        if name == "stays_on":
            return (Invariant("", lambda state: self._pods_alone(question, state), question.holds),)
        return None

    def _overcommit(self, question: Always, *, absent: bool) -> Invariant:
        """Return no_overcommit of the nodes that are there, or of all nodes as they return."""
        symbols, pods = self.symbols, self.words.pods
        left_out = uncounted(self.words.scenario)
        names = sorted(frozenset().union(*map(requested, pods)) - left_out)

        def stated(state: State) -> Any:
            kept = []
            for number, node in enumerate(self.words.scenario.nodes):
                sums = [(symbols.pods(state, number), allocatable(node, "pods"))]
                for name in names:
                    amounts = {kind: request(pod, name, NO_FAULTS) for kind, pod in enumerate(pods)}
                    sums.append((symbols.sum_of(amounts, state, number), allocatable(node, name)))
                within = z3.And(*(z3.Or(used <= 0, used <= most) for used, most in sums))
                kept.append(within if absent else z3.Implies(symbols.present(state, number), within))
            return z3.And(*kept)

        def holds(snapshot: Snapshot) -> bool:
            there = {node.name for node in snapshot.nodes}
            gone: tuple[Node, ...] = tuple(node for node in self.words.scenario.nodes if node.name not in there)
            return question.holds(replace(snapshot, nodes=(*snapshot.nodes, *gone)))

        words = "the pods whose node is absent fit on it, too" if absent else ""
        return Invariant(words, stated, holds if absent else question.holds)

    def _pods_alone(self, question: Always, state: State) -> Any:
        """Return the property that holds of a state if it holds of each bound pod alone with its node."""
        symbols, wrong = self.symbols, []
        for kind, node in symbols.places:
            for number, form in enumerate(self.words.nodes[node]):
                if form is None:
                    continue
                pod = replace(self.words.pods[kind], node_name=form.name)
                if not question.holds(Snapshot((pod,), (form,))):
                    there = state.ready[kind, node] + state.other[kind, node] > 0
                    wrong.append(z3.And(state.form[node] == number, there))
        return z3.Not(z3.Or(*wrong))

    def _statuses_up_to_date(self) -> Invariant:
        """Return the invariant that no status allows more disruptions than its budget has to spare."""
        symbols = self.symbols

        def stated(state: State) -> Any:
            return z3.And(
                *(state.allowed[n] <= symbols.spare(budget, state) for n, budget in enumerate(symbols.budgets))
            )

        def holds(snapshot: Snapshot) -> bool:
            return all(
                each.disruptions_allowed <= spare(each, snapshot, symbols.kubelet) for each in snapshot.budgets
            )

        return Invariant("no status of a budget allows more disruptions than the budget can spare", stated, holds)

    def _violation(self, question: Always | StepProperty, invariant: Invariant, step: Step) -> Any:
        """Return the formula that the step violates the property; None if it cannot."""
        symbols = self.symbols
        if isinstance(question, Always):
            return z3.Not(invariant.stated(step.after))
        if question.name == "only_lower_priority_evicted":
            if step.mover is None or not step.victims:
                return None
            pods = self.words.pods
            least = pods[step.mover].priority
            high = [number > 0 for (kind, _), number in step.victims.items() if pods[kind].priority >= least]
            return z3.Or(*high) if high else None
        budget = next(each for each in symbols.budgets if question.name == f"budget_kept({each})")
        lost = [
            z3.If(symbols.present(symbols.state, node), number, 0)
            for (kind, node), number in step.evicted.items()
            if protects(budget, self.words.pods[kind])
        ]
        return z3.Sum(lost) > symbols.spare(budget, symbols.state) if lost else None

    def _solver(self, *formulas: Any) -> z3.Solver:
        made = z3.Solver()
        made.add(*self.symbols.any_state(), *formulas)
        return made

    def _breaking(self, invariant: Invariant, question: Always | StepProperty) -> Iterator[tuple[Step, Any]]:
        """Yield the steps that may break the property from a state of the invariant, with the formula of that."""
        for step in steps(self.symbols):
            violation = self._violation(question, invariant, step)
            if violation is None:
                continue
            formula = z3.And(invariant.stated(self.symbols.state), step.guard, violation)
            if self.spent.check(self._solver(formula)):
                yield step, formula

    def _kept(self, more: Invariant, question: Always | StepProperty) -> bool:
        """Whether the stronger invariant is kept by every step, and the property with it."""
        before = more.stated(self.symbols.state)
        for step in steps(self.symbols):
            if self.spent.check(self._solver(before, step.guard, z3.Not(more.stated(step.after)))):
                return False
            violation = None if isinstance(question, Always) else self._violation(question, more, step)
            if violation is not None and self.spent.check(self._solver(before, step.guard, violation)):
                return False
        return True

    def _replaying(
        self, invariant: Invariant, question: Always | StepProperty
    ) -> Callable[[tuple[Step, Any]], Replay | None]:
        def replay(broken: tuple[Step, Any]) -> Replay | None:
            step, formula = broken
            for numbers in self._smallest(step, formula):
                found = replayed(self.words, numbers, question)
                if found is not None:
                    return found
            return None

        return replay

    def _smallest(self, step: Step, formula: Any) -> Iterator[Numbers]:
        """Yield states of few pods from which the step violates the property, the likely ones first."""
        state = self.symbols.state
        total = z3.Sum([state.ready[place] + state.other[place] for place in self.symbols.places])
        likely = self._solver(formula, step.likely)
        solver = likely if self.spent.check(likely) else self._solver(formula)
        for _ in range(TRIES):
            if not self.spent.check(solver):
                return
            self._reduced(solver, total)
            model = solver.model()
            yield self._numbers(model, step)
            solver.add(z3.Or(*(each != model.eval(each, model_completion=True) for each in self._terms())))

    def _reduced(self, solver: z3.Solver, total: Any) -> None:
        """Leave the solver with a model of the fewest pods."""
        most = solver.model().eval(total, model_completion=True).as_long()
        low, high = 0, most
        while low < high:
            middle = (low + high) // 2
            if self.spent.check(solver, total <= middle):
                high = solver.model().eval(total, model_completion=True).as_long()
            else:
                low = middle + 1
        self.spent.check(solver, total <= high)

    def _terms(self) -> list[Any]:
        state = self.symbols.state
        return [each for of in (state.ready, state.other, state.form, state.allowed) for each in of.values()]

    def _numbers(self, model: z3.ModelRef, step: Step) -> Numbers:
        state = self.symbols.state

        def of(terms: Any) -> dict[Any, int]:
            return {key: model.eval(term, model_completion=True).as_long() for key, term in terms.items()}

        return Numbers(
            of(state.ready), of(state.other), of(state.form), of(state.allowed), frozenset() if step.mover is None else frozenset({step.mover})
        )
