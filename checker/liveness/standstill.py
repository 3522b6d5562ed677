"""Where a fair behaviour stands still for ever though something is due: `stalled`, by the search for fair rounds.

The names that `Progresses` treats fairly label the edges of the graph, in the place of instances of actions.
"""

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from schedcheck.checker.exploring.result import Violation
from schedcheck.checker.liveness.fair_cycles import Round
from schedcheck.checker.liveness.graph import Explored
from schedcheck.checker.liveness.lassos import Lasso, lasso
from schedcheck.checker.liveness.temporal import Around, NotABehaviour, run
from schedcheck.model.machine import Machine
from schedcheck.spec.properties import Fairness, Progresses


class Owed:
    """The kind of the edges of a step that must be taken if it is possible again and again."""


class Free:
    """The kind of the edges of a step that need never be taken."""


FAIRLY = Fairness(strong=(Owed,))


def naming(question: Progresses) -> Callable[[Any], tuple[type, str]]:
    """How the property labels the step of an action: by the name that it is fair to."""

    def named(action: Any) -> tuple[type, str]:
        name = question.fair(action)
        return (Free, "") if name is None else (Owed, repr(name))

    return named


def stalled(machine: Machine[Any], explored: Explored, question: Progresses) -> Violation | None:
    """A fair behaviour that breaks the property, with the shortest prefix, run on the machine; None where it holds.

    The edges of the graph, which is not reduced, are labelled by `naming`.
    """
    graph = explored.graph
    due, classes = np.zeros(graph.states, np.bool_), np.zeros(graph.states, np.int32)
    numbers: dict[Hashable, int] = {}
    for number, view in enumerate(map(machine.view, explored.states)):
        due[number] = question.due(view)
        classes[number] = numbers.setdefault(question.shown(view), len(numbers)) if due[number] else -1
    everywhere, owed = np.ones(graph.states, np.bool_), graph.of_kinds(FAIRLY.strong)
    allowed, none = np.ones(len(owed), np.bool_), np.zeros(len(owed), np.bool_)
    found = lasso(graph, due, Round(due, everywhere, allowed, none, owed, classes=classes), at_once=False)
    return None if found is None else _shown(machine, explored, question, found)


def _shown(machine: Machine[Any], explored: Explored, question: Progresses, found: Lasso) -> Violation:
    """The lasso run on the machine, and judged there. Raises NotABehaviour where it does not break the property."""
    trace = run(machine, explored.states.__getitem__, explored.graph, found, naming(question))
    around = trace[len(found.prefix) :]
    if around[0].state != around[-1].state or not Around.of(machine, around, naming(question)).fair(FAIRLY):
        raise NotABehaviour(f"the round does not lead back, or is not fair: {question.name}")
    views = [machine.view(stage.state) for stage in around]
    if not all(map(question.due, views)) or len(set(map(question.shown, views))) != 1:
        raise NotABehaviour(f"the behaviour keeps the property: {question.name}")
    return Violation(question, trace, len(found.prefix))
