"""What the properties of a model demand: of initial states, of all states, of all steps, and of whole behaviours."""

from typing import NamedTuple

from schedcheck.checker.language.checking import formulas
from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.evaluation.steps import Label
from schedcheck.checker.language.evaluation.system import Formula, State


class Demands(NamedTuple):
    """The demands, each with the name of its property."""

    of_initial: list[tuple[str, formulas.Predicate]]
    of_states: list[tuple[str, formulas.Predicate]]
    of_steps: list[tuple[str, Formula]]
    temporal: list[tuple[str, formulas.Temporal]]


class Evidence(NamedTuple):
    """The evidence that a property is broken: its text, the state before it (-1: none), the step, and the claim.

    `depth` is the level on which it was found.
    """

    depth: int
    text: str
    origin: int
    label: Label | None
    state: State
    claim: str


def demands(model: Model) -> Demands:
    """Return what the properties of a model demand; a property may demand several things."""
    found = Demands([], [(name, formulas.Predicate(asked)) for name, asked in model.invariants.items()], [], [])
    for name, asked in model.properties.items():
        for part in formulas.conjuncts(asked):
            match part:
                case formulas.Predicate():
                    found.of_initial.append((name, part))
                case formulas.Always(formulas.Predicate() as predicate):
                    found.of_states.append((name, predicate))
                case formulas.Always(formulas.Steps(holds=True) as steps):
                    found.of_steps.append((name, steps.formula))
                case _:
                    found.temporal.append((name, part))
    return found
