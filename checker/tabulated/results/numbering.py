"""The graph of an exploration, its states and actions numbered as the direct explorer numbers them: `graph_of`.

That one numbers states as it finds them, breadth first, from each state in the order in which the machine takes its
steps, and actions as it first meets one that changes something. So the two graphs are the same, array by array.
"""

from collections.abc import Sequence
from typing import overload

import numpy as np

from schedcheck.checker.liveness.graph import Graph, Numbers
from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops.compiled import compiled
from schedcheck.checker.tabulated.results.edges import Edges
from schedcheck.checker.tabulated.search.plan import Plan
from schedcheck.model.reference import State


class Unpacked(Sequence[State]):
    """Packed states, each unpacked as it is asked for."""

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
    """The graph, and the states in the order of their numbers. The first state of the edges is the initial one."""
    order, number = breadth_first(edges.offsets, edges.targets)
    assert len(order) == len(edges.states), "every state is found from the first"
    offsets, first = outline(edges.offsets, edges.targets, edges.labels, order, len(edges.actions))
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


@compiled
def breadth_first(offsets: Numbers, targets: Numbers) -> tuple[Numbers, Numbers]:
    """The states in the order in which they are found from the first, and the place of each in it."""
    states = offsets.shape[0] - 1
    order = np.zeros(states, np.int32)
    number = np.full(states, -1, np.int32)
    if states == 0:
        return order, number
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
    return order[:found], number


@compiled
def outline(offsets: Numbers, targets: Numbers, labels: Numbers, order: Numbers, known: int) -> tuple[Numbers, Numbers]:
    """Where the steps of each state begin, in the order and without those that change nothing; the first step of each label."""
    begins = np.zeros(order.shape[0] + 1, np.int64)
    first = np.full(known, -1, np.int64)
    count = 0
    for place in range(order.shape[0]):
        state = order[place]
        for step in range(offsets[state], offsets[state + 1]):
            if targets[step] != state:
                if first[labels[step]] < 0:
                    first[labels[step]] = count
                count += 1
        begins[place + 1] = count
    return begins, first


@compiled
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
    """Write the steps that change something anew, in the order, with the new numbers of states and actions."""
    count = 0
    for place in range(order.shape[0]):
        state = order[place]
        for step in range(offsets[state], offsets[state + 1]):
            target = targets[step]
            if target != state:
                new_targets[count] = number[target] if target >= 0 else target
                actions[count] = named[labels[step]]
                count += 1
