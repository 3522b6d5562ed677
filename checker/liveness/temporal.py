"""Temporal properties of an explored graph: their counterexamples, the search for lassos, and the replay of lassos.

A counterexample of each kind is a fair behaviour with only finitely many steps of `meanwhile` that

- eventually: never satisfies `holds`;
- leads_to: satisfies `when` once, and from there on never `holds`;
- infinitely_often: from some point on never satisfies `holds`, but `when` infinitely often;
- ceases: takes steps of `kinds` infinitely often.

A counterexample of `once` is finite; `checker.liveness.repetitions` finds it.

The graph must have all states, not only representatives: a permutation of objects would confuse whose turn it is.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from schedcheck.checker.limits.clock import Beyond
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.liveness.fair_cycles import Round
from schedcheck.checker.liveness.graph import Explored, Flags, Graph, instance
from schedcheck.checker.liveness.lassos import Lasso, lasso
from schedcheck.checker.liveness.repetitions import repeated, repetition
from schedcheck.checker.result import Stage, Violation
from schedcheck.model.machine import Machine, State
from schedcheck.spec.properties.kinds import (
    Behaves,
    Ceases,
    Eventually,
    Fairness,
    InfinitelyOften,
    LeadsTo,
    Once,
    Temporal,
)

Endless = Eventually | LeadsTo | InfinitelyOften | Ceases | Behaves
"""The properties whose counterexamples are lassos."""

Named = Eventually | LeadsTo | InfinitelyOften | Ceases
"""The properties whose counterexamples this module finds; another kind searches by itself."""

Evaluate = Callable[[Callable[[Any], bool]], Flags]
"""A function from a predicate over snapshots to the states in which it holds."""

BYTES_OF_AN_EDGE, BYTES_OF_A_STATE = 24, 90
"""The most memory of a search besides the graph, if every edge may be part of a cycle: measured."""


class NotABehaviour(AssertionError):
    """An error: a lasso of the graph is no behaviour of the machine, or does not violate the property."""


def needed(graph: Graph) -> float:
    """Return the most memory that a search of the graph may take, the graph included, in GiB."""
    return graph.gigabytes() + (BYTES_OF_AN_EDGE * graph.edges + BYTES_OF_A_STATE * graph.states) / 2**30


def broken(
    machine: Machine[State],
    explored: Explored,
    questions: Iterable[Temporal],
    judging: Callable[[Temporal], Evaluate],
    gigabytes: float | None,
) -> list[Violation]:
    """Return the violations of these properties in a graph of all states, each replayed; `judging` gives their judges.

    Raises Beyond if the search might take more than this many GiB.
    """
    violations = []
    for question in questions:
        if isinstance(question, Once):
            violations += _repeated(machine, explored, question, gigabytes)
            continue
        if isinstance(question, Behaves):
            found = question.search(explored.graph, lambda number: machine.view(explored.states[number]), gigabytes)
        else:
            found = counterexample(explored.graph, question, judging(question), gigabytes=gigabytes)
        if found is not None:
            trace = run(machine, explored.states.__getitem__, explored.graph, found)
            violations.append(shown(machine, question, trace, len(found.prefix)))
    return violations


def _repeated(
    machine: Machine[State], explored: Explored, question: Once, gigabytes: float | None
) -> list[Violation]:  # fmt: skip
    """Return the shortest violation, if there is one. Raises: Beyond, NotABehaviour."""
    graph = explored.graph
    _within(graph, gigabytes)
    edges = repeated(machine, explored, question)
    if edges is None:
        return []
    behaviour = Lasso(graph.source(edges[0]), tuple(edges), ())
    trace = run(machine, explored.states.__getitem__, graph, behaviour)
    if repetition(question, trace) is None:
        raise NotABehaviour(f"the behaviour keeps the property: {question.name}")
    return [Violation(question, trace)]


def counterexample(graph: Graph, question: Named, judge: Evaluate, *, gigabytes: float | None = None) -> Lasso | None:
    """Return the lasso with the shortest prefix that violates the property; None if the property holds.

    Raises Beyond if the search might take more than this many GiB.
    """
    _within(graph, gigabytes)
    everywhere = np.ones(graph.states, dtype=np.bool_)
    weak, strong = graph.of_kinds(question.fairness.weak), graph.of_kinds(question.fairness.strong)
    allowed = ~graph.of_kinds(question.meanwhile)
    match question:
        case Eventually() | LeadsTo():
            inside = ~judge(question.holds)
            start = everywhere if isinstance(question, Eventually) else judge(question.when)
            wanted = Round(inside, everywhere, allowed, weak, strong)
            return lasso(graph, start, wanted, at_once=isinstance(question, Eventually))
        case InfinitelyOften():
            wanted = Round(~judge(question.holds), judge(question.when), allowed, weak, strong)
            return lasso(graph, everywhere, wanted, at_once=False)
        case Ceases():
            kinds = graph.of_kinds(question.kinds)
            wanted = Round(everywhere, everywhere, allowed, weak, strong, often_taken=kinds)
            return lasso(graph, everywhere, wanted, at_once=False)


def _within(graph: Graph, gigabytes: float | None) -> None:
    """Raises Beyond if the search of the graph might take more than this many GiB."""
    if gigabytes is not None and needed(graph) > gigabytes:
        raise Beyond(
            f"{parameter('limits.graph')} {gigabytes:g}: {graph.states:,} states and {graph.edges:,} steps need {needed(graph):.2g} GiB"
        )


def run(
    machine: Machine[State],
    states: Callable[[int], State],
    graph: Graph,
    found: Lasso,
    naming: Callable[[Any], tuple[type, str]] = instance,
) -> tuple[Stage, ...]:
    """Replay the lasso on the machine from one of its initial states; `naming` labels the edges of the graph.

    Raises NotABehaviour if the machine has no such step.
    """
    first = states(found.first)
    if first not in list(machine.initial_states()):
        raise NotABehaviour(f"not an initial state: {first!r}")
    stages = [Stage(None, first)]
    for edge in (*found.prefix, *found.round):
        label, target = int(graph.actions[edge]), states(int(graph.targets[edge]))
        name = graph.kinds[label], graph.texts[label]
        taken = (
            Stage(action, state)
            for action, state in machine.steps(stages[-1].state)
            if state == target and naming(action) == name
        )
        stage = next(taken, None)
        if stage is None:
            raise NotABehaviour(f"no step {name[1]} from {stages[-1].state!r} to {target!r}")
        stages.append(stage)
    return tuple(stages)


def shown(machine: Machine[State], question: Endless, trace: tuple[Stage, ...], loop: int) -> Violation:
    """Return the violation that a lasso shows, judged by the machine alone; its cycle begins at stage `loop`.

    Raises NotABehaviour if it shows none.
    """
    around = Around.of(machine, trace[loop:])
    if trace[loop].state != trace[-1].state:
        raise NotABehaviour("the round does not lead back")
    if not around.fair(question.fairness):
        raise NotABehaviour(f"the round is not fair: {question.name}")
    if any(kind in question.meanwhile for kind, _ in around.taken):
        raise NotABehaviour(f"the round takes steps that are to come to an end: {question.name}")
    if not breaks(machine, question, trace, loop):
        raise NotABehaviour(f"the behaviour keeps the property: {question.name}")
    return Violation(question, trace, loop)


def breaks(machine: Machine[State], question: Endless, trace: Sequence[Stage], loop: int) -> bool:
    """Whether a lasso violates the property, fair or not, by the definitions on its stages."""
    views = [machine.view(stage.state) for stage in trace]
    match question:
        case Eventually():
            return not any(question.holds(view) for view in views)
        case LeadsTo():
            last = max((number for number, view in enumerate(views) if question.holds(view)), default=-1)
            return last < loop and any(question.when(view) for view in views[last + 1 :])
        case InfinitelyOften():
            around = views[loop:]
            return any(question.when(view) for view in around) and not any(question.holds(view) for view in around)
        case Behaves():
            return not question.holds(views, loop)
        case Ceases():
            return any(
                type(after.action) in question.kinds and before.state != after.state
                for before, after in pairwise(trace[loop:])
            )


class Around(NamedTuple):
    """A cycle on the machine: the instances that it takes, and by state the enabled ones.

    A step that changes nothing neither takes an instance nor enables it.
    """

    taken: frozenset[tuple[type, str]]
    possible: tuple[frozenset[tuple[type, str]], ...]

    @staticmethod
    def of(
        machine: Machine[State], stages: Iterable[Stage], naming: Callable[[Any], tuple[type, str]] = instance
    ) -> "Around":
        """Return the cycle through these stages, of which first and last have the same state.

        One stage alone is stuttering there.
        """
        stages = list(stages)
        possible = (
            frozenset(naming(action) for action, after in machine.steps(stage.state) if after != stage.state)
            for stage in stages
        )
        taken = (naming(after.action) for before, after in pairwise(stages) if before.state != after.state)
        return Around(frozenset(taken), tuple(possible))

    def fair(self, fairness: Fairness) -> bool:
        """Whether the cycle is fair: it takes instances that it always enables, or, if strongly fair, ever enables."""
        owed = [each - self.taken for each in self.possible]
        always, sometimes = frozenset.intersection(*owed), frozenset[tuple[type, str]]().union(*owed)
        return not any(kind in fairness.weak for kind, _ in always) and not any(
            kind in fairness.strong for kind, _ in sometimes
        )
