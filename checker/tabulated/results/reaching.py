"""Backward reachability: `reaching`."""

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Numbers, Truths
from schedcheck.checker.tabulated.loops.compiled import compiled


@compiled
def reaching(starts: Numbers, sources: Numbers, goals: Truths) -> Truths:
    """Return which states can reach a goal, given the sources of the steps to each state."""
    found = goals.copy()
    waiting = np.flatnonzero(goals)
    stack = np.empty(goals.shape[0], np.int64)
    stack[: waiting.shape[0]] = waiting
    left = waiting.shape[0]
    while left:
        left -= 1
        state = stack[left]
        for step in range(starts[state], starts[state + 1]):
            source = sources[step]
            if not found[source]:
                found[source] = True
                stack[left] = source
                left += 1
    return found
