"""The graph of all steps, and the states from which a goal is no longer reachable: `steps`, `lost`."""

from typing import NamedTuple

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Numbers, Words, in_order
from schedcheck.checker.tabulated.loops.hashing import number_states, numbers_of
from schedcheck.checker.tabulated.results.again import successors
from schedcheck.checker.tabulated.results.reaching import reaching
from schedcheck.checker.tabulated.results.truths import truths
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.spec.properties.kinds import Can


class Steps(NamedTuple):
    """All states, level by level, and the predecessors of each: `sources` from the state's place in `starts` on.

    `outward` are the states with a step beyond a constraint.
    """

    states: Words
    starts: Numbers
    sources: Numbers
    outward: Numbers


def steps(explorer: Explorer) -> Steps:
    """Return the graph of the exploration; all states are expanded again."""
    states = np.concatenate(explorer.levels)
    index = np.full(1 << max(4, (2 * len(states)).bit_length()), -1, np.int64)
    number_states(index, states)
    sources, targets = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for origin, found in successors(explorer, states):
        sources.append(origin.copy())
        targets.append(numbers_of(index, states, found, len(found)))
    source, target = np.concatenate(sources), np.concatenate(targets)
    outward = target < 0
    order = np.argsort(target, kind="stable")[int(outward.sum()) :]
    starts = np.searchsorted(target[order], np.arange(len(states) + 1))
    return Steps(states, starts, source[order], source[outward])


class Lost(NamedTuple):
    """The nearest and least state from which no goal is reachable, or None; and whether other states are unclear."""

    nearest: Words | None
    unclear: bool


def lost(explorer: Explorer, graph: Steps, question: Can) -> Lost:
    """Find the states in which the question arises and from which no goal is reachable.

    States from which a path leads beyond a constraint are unclear.
    """
    arises, goals = (truths(explorer.plan, graph.states, question, each) for each in (question.when, question.holds))
    ways_out = goals.copy()
    ways_out[graph.outward] = True
    inside = arises & ~reaching(graph.starts, graph.sources, goals)
    anywhere = arises & ~reaching(graph.starts, graph.sources, ways_out) if len(graph.outward) else inside
    bad = np.flatnonzero(anywhere)
    if len(bad) == 0:
        return Lost(None, bool(inside.any()))
    ends = np.cumsum([len(level) for level in explorer.levels])
    nearest = graph.states[bad[bad < ends[np.searchsorted(ends, bad[0], side="right")]]]
    return Lost(in_order(nearest)[0], True)
