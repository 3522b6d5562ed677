"""Of which states something is true: `truths`."""

from collections.abc import Callable

import numpy as np

from schedcheck.checker.tabulated.layout import Numbers, Truths, Words
from schedcheck.checker.tabulated.movement import there
from schedcheck.checker.tabulated.program import Plan
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties import Can, Sometimes

Predicate = Callable[[Snapshot], bool]

OF_A_POD = ("pod_can_still_be_bound", "pod_sometimes_bound")
"""The properties whose predicates look at one pod, and whether its node is there."""


def truths(plan: Plan, states: Words, question: Can | Sometimes, predicate: Predicate) -> Truths:
    """Of which states the predicate, one of the question's, is true; it is asked of every state if it must be."""
    for slot, pod in enumerate(plan.scenario.pods):
        if question.name in {f"{name}({pod})" for name in OF_A_POD}:
            return _of_a_pod(plan, states, slot, predicate)
    view, unpacked = plan.machine.view, plan.unpacked
    return np.fromiter((predicate(view(unpacked(words))) for words in states), np.bool_, len(states))


def _of_a_pod(plan: Plan, states: Words, slot: int, predicate: Predicate) -> Truths:
    """Of which states it is true, if it looks at this pod alone and at its node."""
    slots, program, pods = plan.slots, plan.program, len(plan.slots.pods)
    answers = np.array(
        [
            predicate(plan.machine.view(slots.alone(slot, pod, node)))
            for pod, nodes in there(slots, slot)
            for node in nodes
        ],
        np.bool_,
    )
    own = program.pod_base[slot] + field(plan, states, slot)
    where = program.points_at[own]
    nodes = np.stack([field(plan, states, pods + node) for node in range(len(slots.nodes))], axis=1)
    beside = np.where(where >= 0, nodes[np.arange(len(states)), np.maximum(where, 0)], 0)
    first = program.situation[program.pod_base[slot]]
    found: Truths = answers[program.situation[own] + beside - first]
    return found


def field(plan: Plan, states: Words, number: int) -> Numbers:
    """What each state has in this field."""
    program = plan.program
    found: Numbers = ((states[:, program.word[number]] >> program.shift[number]) & program.mask[number]).astype(
        np.int64
    )
    return found
