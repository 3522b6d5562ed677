"""Properties as formulas over the numbers of a state, each with its definition: `Invariant`, `stated`, `violation`."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import z3

from schedcheck.checker.extenders.unasked import uncounted
from schedcheck.checker.induction.states import State, Step, Symbols
from schedcheck.spec.budgets import protects, spare
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import Always, Property
from schedcheck.spec.properties.kinds import Step as OfSteps
from schedcheck.spec.requests import allocatable, request, requested

Question = Always | OfSteps
"""A property that may be inductive."""


@dataclass(frozen=True)
class Invariant:
    """A predicate of states, as formulas and as a definition; `words` is a claim, empty for the property itself.

    `stated` gives the conjuncts of the predicate in a state, in the same order for every state.
    """

    words: str
    stated: Callable[[State], list[Any]]
    holds: Callable[[Snapshot], bool]


TRUE = Invariant("", lambda state: [], lambda snapshot: True)
"""What a property of steps assumes of the state."""


def stated(question: Property, symbols: Symbols) -> tuple[Invariant, ...]:
    """Return the property as an invariant, then its strengthenings; nothing if the property is not modelled."""
    match question, question.name.partition("(")[0]:
        case OfSteps(), "only_lower_priority_evicted":
            return (TRUE,)
        case OfSteps(), "budget_kept":
            return TRUE, _statuses(symbols)
        case Always(), "no_overcommit":
            return _no_overcommit(question, symbols), _none_returning(question, symbols)
        case Always(), "stays_on":
            return (Invariant("", lambda state: _pods_alone(question, symbols, state), question.holds),)
    return ()


def violation(question: Question, invariant: Invariant, step: Step, symbols: Symbols) -> list[tuple[list[Any], Any]]:
    """Return the formulas by one of which the step violates the property, each with what the state before is known for.

    A conjunct that the step does not change cannot be violated, so it is left out.
    """
    if isinstance(question, Always):
        return broken(invariant, step, symbols)
    found = _of_priorities(step, symbols) if step.victims and "(" not in question.name else None
    if "(" in question.name:
        found = _of_budget(question, step, symbols)
    return [] if found is None else [([], found)]


def broken(invariant: Invariant, step: Step, symbols: Symbols) -> list[tuple[list[Any], Any]]:
    """Return for each conjunct that the step changes the conjunct before, and that it does not hold after."""
    pairs = zip(invariant.stated(symbols.state), invariant.stated(step.after), strict=True)
    return [([before], z3.Not(after)) for before, after in pairs if before is not after and not before.eq(after)]


def _no_overcommit(question: Always, symbols: Symbols) -> Invariant:
    def of_node(state: State, node: int) -> Any:
        return z3.Implies(symbols.present(state, node), _within(symbols, state, node))

    return Invariant("", _by_node(symbols, of_node), question.holds)


def _none_returning(question: Always, symbols: Symbols) -> Invariant:
    """Return the invariant that no node is over-committed, not even an absent one should it return."""
    nodes = symbols.words.scenario.nodes

    def holds(snapshot: Snapshot) -> bool:
        there = {node.name for node in snapshot.nodes}
        gone = tuple(node for node in nodes if node.name not in there)
        return question.holds(replace(snapshot, nodes=(*snapshot.nodes, *gone)))

    stated = _by_node(symbols, partial(_within, symbols))
    return Invariant("The pods of an absent node fit on it, too.", stated, holds)


def _by_node(symbols: Symbols, of_node: Callable[[State, int], Any]) -> Callable[[State], list[Any]]:
    """Return the conjuncts of an invariant that holds of each node alone; those of the state before are made once."""
    before = [of_node(symbols.state, node) for node in symbols.nodes]
    return lambda state: [
        before[node] if symbols.unchanged(state, node) else of_node(state, node) for node in symbols.nodes
    ]


def _within(symbols: Symbols, state: State, node: int) -> Any:
    """Return whether the pods of the node request no more than it has."""
    pods, origin = symbols.words.pods, symbols.words.scenario.nodes[node]
    sums = [(symbols.pods(state, node), allocatable(origin, "pods"))]
    for name in sorted(frozenset[str]().union(*map(requested, pods)) - uncounted(symbols.words.scenario)):
        amounts = {kind: request(pod, name, NO_FAULTS) for kind, pod in enumerate(pods)}
        sums.append((symbols.sum_of(amounts, state, node), allocatable(origin, name)))
    return z3.And(*(z3.Or(used <= 0, used <= most) for used, most in sums))


def _pods_alone(question: Always, symbols: Symbols, state: State) -> list[Any]:
    """Return a property that holds of a state exactly if it holds of each bound pod alone with its node."""
    wrong = []
    for kind, node in symbols.places:
        for number, form in enumerate(symbols.words.nodes[node]):
            if form is None:
                continue
            pod = replace(symbols.words.pods[kind], node_name=form.name)
            if not question.holds(Snapshot((pod,), (form,))):
                there = state.ready[kind, node] + state.other[kind, node] > 0
                wrong.append(z3.And(state.form[node] == number, there))
    return [z3.Not(each) for each in wrong]


def _statuses(symbols: Symbols) -> Invariant:
    """Return the invariant that no status allows more disruptions than its budget has to spare."""

    def in_state(state: State) -> list[Any]:
        return [state.allowed[n] <= symbols.spare(budget, state) for n, budget in enumerate(symbols.budgets)]

    def holds(snapshot: Snapshot) -> bool:
        return all(each.disruptions_allowed <= spare(each, snapshot, symbols.kubelet) for each in snapshot.budgets)

    return Invariant("No status of a budget allows more disruptions than the budget can spare.", in_state, holds)


def _of_priorities(step: Step, symbols: Symbols) -> Any:
    """Return whether a decision evicts a pod whose priority is not lower; None if it cannot."""
    pods = symbols.words.pods
    if step.mover is None:
        return None
    least = pods[step.mover].priority
    high = [number > 0 for (kind, _), number in step.victims.items() if pods[kind].priority >= least]
    return z3.Or(*high) if high else None


def _of_budget(question: OfSteps, step: Step, symbols: Symbols) -> Any:
    """Return whether a step evicts more healthy pods than the budget has to spare; None if it evicts none of its pods."""
    budget = next(each for each in symbols.budgets if question.name == f"budget_kept({each})")
    lost = [
        z3.If(symbols.present(symbols.state, node), number, 0)
        for (kind, node), number in step.evicted.items()
        if protects(budget, symbols.words.pods[kind])
    ]
    return z3.Sum(lost) > symbols.spare(budget, symbols.state) if lost else None
