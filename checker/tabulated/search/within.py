"""The packed states within the constraints: `Within`, and the compiled loops that separate the others."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from schedcheck.checker.exploring.constraints import Limit
from schedcheck.checker.tabulated.layout.layout import Numbers, Truths, Words
from schedcheck.checker.tabulated.loops.compiled import bare, inlined
from schedcheck.checker.tabulated.loops.program import Program
from schedcheck.checker.tabulated.loops.sources import unchanged
from schedcheck.checker.tabulated.search.plan import Plan


@unchanged
class Within(NamedTuple):
    """The counts of each situation for each constraint, and the most that each constraint allows."""

    counts: Numbers
    most: Numbers


def within(plan: Plan, limits: Sequence[Limit]) -> Within:
    """Return the constraints as arrays. Each constraint bounds a sum over all pods."""
    views = [plan.machine.view(plan.slots.alone(*each)) for each in plan.situations]
    counts = [[count(view) for view in views] for count, _ in limits]
    return Within(
        np.array(counts, np.int64).reshape(len(limits), len(views)), np.array([most for _, most in limits], np.int64)
    )


@inlined
def _lies_within(program: Program, limits: Within, states: Words, number: int, sums: Numbers) -> bool:
    pods = program.ends[0]
    for each in range(sums.shape[0]):
        sums[each] = 0
    for pod in range(pods):
        value = np.int64((states[number, program.word[pod]] >> program.shift[pod]) & program.mask[pod])
        own = program.pod_base[pod] + value
        situation = program.situation[own]
        if program.points_at[own] >= 0:
            field = pods + program.points_at[own]
            situation += np.int64((states[number, program.word[field]] >> program.shift[field]) & program.mask[field])
        for each in range(sums.shape[0]):
            sums[each] += limits.counts[each, situation]
    over = 0
    for each in range(sums.shape[0]):
        over += sums[each] > limits.most[each]
    return over == 0


def beyond(program: Program, limits: Within, states: Words) -> Truths:
    """Return which of the states lie beyond the constraints."""
    found = np.empty(states.shape[0], np.bool_)
    _mark_beyond(program, limits, states, found, np.empty_like(limits.most))
    return found


@bare
def _mark_beyond(program: Program, limits: Within, states: Words, found: Truths, sums: Numbers) -> None:
    for number in range(states.shape[0]):
        found[number] = not _lies_within(program, limits, states, number, sums)


def set_apart(program: Program, limits: Within, states: Words, count: int, others: Words) -> int:
    """Move the states within the constraints to the front, the others to `others`; return how many lie within.

    Only the first `count` states are looked at.
    """
    return _set_apart(program, limits, states, count, others, np.empty_like(limits.most))


@bare
def _set_apart(program: Program, limits: Within, states: Words, count: int, others: Words, sums: Numbers) -> int:
    left, apart = 0, 0
    for number in range(count):
        if _lies_within(program, limits, states, number, sums):
            for word in range(states.shape[1]):
                states[left, word] = states[number, word]
            left += 1
        else:
            for word in range(states.shape[1]):
                others[apart, word] = states[number, word]
            apart += 1
    return left
