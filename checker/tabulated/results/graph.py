"""The graph of all steps, and the states from which a goal is no longer reachable: `steps`, `lost`."""

from typing import NamedTuple

import numpy as np

from schedcheck.checker.liveness.graph import unlabelled
from schedcheck.checker.liveness.possibility import Possibility
from schedcheck.checker.tabulated.layout.layout import Words, in_order
from schedcheck.checker.tabulated.loops.hashing import number_states, numbers_of
from schedcheck.checker.tabulated.results.again import successors
from schedcheck.checker.tabulated.results.truths import truths
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.spec.properties.kinds import Can


class Steps(NamedTuple):
    """All states, level by level, and what stays possible in the graph of their steps."""

    states: Words
    possibility: Possibility


def steps(explorer: Explorer) -> Steps:
    """Return the graph of the exploration; all states are expanded again."""
    states = np.concatenate([np.asarray(level) for level in explorer.levels])
    index = np.full(1 << max(4, (2 * len(states)).bit_length()), -1, np.int64)
    number_states(index, states)
    sources, targets = [np.empty(0, np.int32)], [np.empty(0, np.int32)]
    for origin, found in successors(explorer, states):
        sources.append(origin.astype(np.int32))
        targets.append(numbers_of(index, states, found, len(found)).astype(np.int32))
    graph = unlabelled(len(states), (), np.concatenate(sources), np.concatenate(targets))
    return Steps(states, Possibility(graph))


class Lost(NamedTuple):
    """The nearest and least state from which no goal is reachable, or None; and whether other states are unclear."""

    nearest: Words | None
    unclear: bool


def lost(explorer: Explorer, known: Steps, question: Can) -> Lost:
    """Find the states in which the question arises and from which no goal is reachable.

    States from which a path leads beyond a constraint are unclear.
    """
    states, possibility = known
    arises, goals = (truths(explorer.plan, states, question, each) for each in (question.when, question.holds))
    inside = arises & possibility.hopeless(goals)
    anywhere = arises & possibility.surely_hopeless(goals) if possibility.ways_out.any() else inside
    bad = np.flatnonzero(anywhere)
    if len(bad) == 0:
        return Lost(None, bool(inside.any()))
    ends = np.cumsum([len(level) for level in explorer.levels])
    nearest = states[bad[bad < ends[np.searchsorted(ends, bad[0], side="right")]]]
    return Lost(in_order(nearest)[0], True)
