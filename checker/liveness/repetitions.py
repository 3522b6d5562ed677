"""Two steps with a common mark and nothing of the environment between them: `repeated`, `repetition`.

The graph of all states decides it without a history variable: a mark is repeated if, from a state to which a marked step
leads, some path without steps of the environment reaches a state from which such a step leads.
"""

from collections.abc import Sequence
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from schedcheck.checker.liveness.graph import Explored, Flags, Graph, instance
from schedcheck.checker.liveness.paths import Search
from schedcheck.checker.result import Stage
from schedcheck.model.machine import Machine
from schedcheck.spec.properties.kinds import Once

Marked = dict[Any, list[int]]
"""The edges of each mark, ascending."""


class Repetition(NamedTuple):
    """A mark, and the indices in a trace of the two states to which steps with it lead."""

    mark: Any
    first: int
    second: int


def repeated(machine: Machine[Any], explored: Explored, question: Once) -> list[int] | None:
    """Return the edges of a shortest behaviour whose last step has the mark of an earlier one; None if there is none."""
    graph = explored.graph
    marked = marks(machine, explored, question)
    everywhere = distances(graph) if marked else None
    allowed = ~graph.of_kinds(question.apart)
    shortest: list[int] | None = None
    for mark in sorted(marked, key=str):
        assert everywhere is not None
        found = _again(graph, marked[mark], everywhere, allowed, len(shortest) if shortest is not None else None)
        shortest = found or shortest
    return shortest


def marks(machine: Machine[Any], explored: Explored, question: Once) -> Marked:
    """Return the edges with a mark, by mark; steps beyond a constraint are left out."""
    graph, found = explored.graph, Marked()
    kinds = graph.of_kinds(question.kinds)
    for source in np.flatnonzero(graph.enabling(kinds)).tolist():
        steps = _marked_steps(machine, explored.states[source], question)
        for edge in graph.edges_from(source):
            target = int(graph.targets[edge])
            if target < 0 or not kinds[graph.actions[edge]]:
                continue
            name = graph.kinds[graph.actions[edge]], graph.texts[graph.actions[edge]]
            reached = explored.states[target]
            for mark in sorted({mark for of, after, mark in steps if of == name and after == reached}, key=str):
                found.setdefault(mark, []).append(edge)
    return found


def _marked_steps(machine: Machine[Any], state: Any, question: Once) -> list[tuple[tuple[type, str], Any, Any]]:
    """Return the steps with marks from a state: the instance, the state after it, and one mark each."""
    return [
        (instance(action), after, mark)
        for action, after in machine.steps(state)
        if type(action) in question.kinds
        for mark in question.marks(state, action)
    ]


class Distances(NamedTuple):
    """The BFS from the initial states, and the number of steps to each state."""

    search: Search
    steps: list[int]


def distances(graph: Graph) -> Distances:
    """Return the numbers of steps from the initial states."""
    search = Search(graph, lambda edges, targets: np.ones(len(edges), dtype=np.bool_))
    steps = [0] * graph.states
    search.begin(graph.initial)
    for level in count(1):
        search.advance()
        if not len(search.frontier):
            return Distances(search, steps)
        for state in search.frontier.tolist():
            steps[state] = level
    raise AssertionError("the search ends")


def _again(graph: Graph, edges: Sequence[int], begun: Distances, allowed: Flags, below: int | None) -> list[int] | None:
    """Return the shortest behaviour that takes one of the edges, then allowed ones, then one of the edges again.

    None if there is none, or none shorter than `below`.
    """
    # The edge that leads to each state first, and the level on which the second part of the search begins there.
    entries = {int(graph.targets[edge]): edge for edge in sorted(edges, key=lambda each: -_end(graph, each, begun))}
    waiting = sorted((_end(graph, edge, begun), state) for state, edge in entries.items())
    last = {graph.source(edge): edge for edge in reversed(edges)}
    search = Search(graph, lambda edges, targets: allowed[graph.actions[edges]])
    level = waiting[0][0]
    while (waiting or len(search.frontier)) and (below is None or level + 1 < below):
        now = [state for at, state in waiting if at == level]
        waiting = [each for each in waiting if each[0] != level]
        search.begin(np.array(now, dtype=np.int64))
        for state in search.frontier.tolist():
            if state in last:
                middle = search.path(state)
                entry = graph.source(middle[0]) if middle else state
                first = entries[entry]
                return [*begun.search.path(graph.source(first)), first, *middle, last[state]]
        search.advance()
        level += 1
    return None


def _end(graph: Graph, edge: int, begun: Distances) -> int:
    """Return the length of the shortest behaviour that ends with this edge."""
    return begun.steps[graph.source(edge)] + 1


def repetition(question: Once, trace: Sequence[Stage]) -> Repetition | None:
    """Return the common mark of the last step and of the latest earlier one, by the definition on the stages.

    None if the last step has none of an earlier one, or if a step of the environment lies between them.
    """
    last = len(trace) - 1
    now = _of_step(question, trace, last)
    for number in range(last - 1, 0, -1):
        if _changes(trace, number) and type(trace[number].action) in question.apart:
            return None
        common = now & _of_step(question, trace, number)
        if common:
            return Repetition(min(common, key=str), number, last)
    return None


def _of_step(question: Once, trace: Sequence[Stage], number: int) -> frozenset[Any]:
    """Return the marks of the step to this stage of a trace."""
    if number < 1 or not _changes(trace, number) or type(trace[number].action) not in question.kinds:
        return frozenset()
    return question.marks(trace[number - 1].state, trace[number].action)


def _changes(trace: Sequence[Stage], number: int) -> bool:
    """Whether the step to this stage changes the state."""
    return bool(trace[number - 1].state != trace[number].state)
