"""Fair behaviours that never make the progress that is due: `stalled`, by the search for fair cycles.

The edges of the graph are labelled with the names that `Progresses` treats fairly, not with instances of actions.
"""

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from schedcheck.checker.liveness.fair_cycles import Round
from schedcheck.checker.liveness.graph import Explored
from schedcheck.checker.liveness.lassos import Lasso, lasso
from schedcheck.checker.liveness.temporal import Around, NotABehaviour, run
from schedcheck.checker.result import Violation
from schedcheck.model.machine import Machine
from schedcheck.spec.properties.kinds import Fairness, Progresses


class Owed:
    """The kind of edges that must be taken if they are enabled infinitely often."""


class Free:
    """The kind of edges that need never be taken."""


FAIRLY = Fairness(strong=(Owed,))


def naming(question: Progresses) -> Callable[[Any], tuple[type, str]]:
    """Return the function that labels the step of an action with the name to which the property is fair."""

    def named(action: Any) -> tuple[type, str]:
        name = question.fair(action)
        return (Free, "") if name is None else (Owed, repr(name))

    return named


def stalled(machine: Machine[Any], explored: Explored, question: Progresses) -> Violation | None:
    """Return a fair behaviour that violates the property, replayed on the machine; None if the property holds.

    Its prefix is the shortest. The edges of the graph, which is not reduced, are labelled by `naming`.
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
    """Return the lasso replayed and judged on the machine. Raises NotABehaviour if it does not violate the property."""
    trace = run(machine, explored.states.__getitem__, explored.graph, found, naming(question))
    around = trace[len(found.prefix) :]
    if around[0].state != around[-1].state or not Around.of(machine, around, naming(question)).fair(FAIRLY):
        raise NotABehaviour(f"the round does not lead back, or is not fair: {question.name}")
    views = [machine.view(stage.state) for stage in around]
    if not all(map(question.due, views)) or len(set(map(question.shown, views))) != 1:
        raise NotABehaviour(f"the behaviour keeps the property: {question.name}")
    return Violation(question, trace, len(found.prefix))
