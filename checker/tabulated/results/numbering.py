"""The graph of an exploration, numbered as the direct explorer numbers states and actions: `graph_of`.

The direct explorer numbers states as it finds them, breadth first, in the order in which the machine takes its steps.
It numbers an action when it first meets a step of it that changes the state. So the two graphs are equal, array by
array.
"""

from collections.abc import Sequence
from typing import overload

import numpy as np

from schedcheck.checker.liveness.graph import Graph, Numbers
from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops.compiled import bare
from schedcheck.checker.tabulated.results.edges import Edges
from schedcheck.checker.tabulated.search.plan import Plan
from schedcheck.model.reference import State


class Unpacked(Sequence[State]):
    """A sequence of packed states; each state is unpacked when it is asked for."""

    def __init__(self, plan: Plan, words: Words) -> None:
        self.plan = plan
        self.words = words

    def __len__(self) -> int:
        return len(self.words)

    @overload
    def __getitem__(self, number: int) -> State: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[State]: ...

    def __getitem__(self, number: int | slice) -> State | Sequence[State]:
        if isinstance(number, slice):
            return Unpacked(self.plan, self.words[number])
        return self.plan.unpacked(self.words[number])


def graph_of(edges: Edges) -> tuple[Graph, Words]:
    """Return the graph, and the states in the order of their numbers. The edges' first state is the initial one."""
    states = len(edges.states)
    order, number = np.zeros(states, np.int32), np.full(states, -1, np.int32)
    order = order[: breadth_first(edges.offsets, edges.targets, order, number)]
    assert len(order) == len(edges.states), "every state is found from the first"
    offsets, first = np.zeros(len(order) + 1, np.int64), np.full(len(edges.actions), -1, np.int64)
    outline(edges.offsets, edges.targets, edges.labels, order, offsets, first)
    known = edges.actions.known
    met = [label for label in np.argsort(first, kind="stable").tolist() if first[label] >= 0]
    names: dict[tuple[type, str], int] = {}
    named = np.zeros(len(edges.actions), np.int64)
    for label in met:
        action = known[label - 1]
        named[label] = names.setdefault((action.kind, action.text), len(names))
    targets: Numbers = np.empty(int(offsets[-1]), np.int32)
    actions: Numbers = np.empty(int(offsets[-1]), np.int16 if len(names) < 2**15 else np.int32)
    carry_over(edges.offsets, edges.targets, edges.labels, order, number, named, targets, actions)
    kinds, texts = zip(*names, strict=True) if names else ((), ())
    return Graph(
        np.zeros(min(1, len(order)), np.int32), offsets, targets, actions, tuple(texts), tuple(kinds)
    ), edges.states[order]


@bare
def breadth_first(offsets: Numbers, targets: Numbers, order: Numbers, number: Numbers) -> int:
    """Put the states in breadth-first order from the first state, and note the place of each, -1 at first.

    Return how many were reached.
    """
    if order.shape[0] == 0:
        return 0
    number[0] = 0
    found, done = 1, 0
    while done < found:
        state = order[done]
        done += 1
        for step in range(offsets[state], offsets[state + 1]):
            target = targets[step]
            if target >= 0 and number[target] < 0:
                number[target] = found
                order[found] = target
                found += 1
    return found


@bare
def outline(
    offsets: Numbers, targets: Numbers, labels: Numbers, order: Numbers, begins: Numbers, first: Numbers
) -> None:
    """Note where the steps of each state begin, and the first step of each label, -1 at first.

    States are in the given order; steps that change nothing are left out.
    """
    count = 0
    for place in range(order.shape[0]):
        state = order[place]
        for step in range(offsets[state], offsets[state + 1]):
            if targets[step] != state:
                if first[labels[step]] < 0:
                    first[labels[step]] = count
                count += 1
        begins[place + 1] = count


@bare
def carry_over(
    offsets: Numbers,
    targets: Numbers,
    labels: Numbers,
    order: Numbers,
    number: Numbers,
    named: Numbers,
    new_targets: Numbers,
    actions: Numbers,
) -> None:
    """Copy the steps that change the state, in the given order, with the new numbers of states and actions."""
    count = 0
    for place in range(order.shape[0]):
        state = order[place]
        for step in range(offsets[state], offsets[state + 1]):
            target = targets[step]
            if target != state:
                new_targets[count] = number[target] if target >= 0 else target
                actions[count] = named[labels[step]]
                count += 1
