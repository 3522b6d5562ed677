"""The choice of the node to preempt on: `best`, all the candidates that may be chosen.

Kubernetes 1.34: pickOneNodeForPreemption in pkg/scheduler/framework/preemption/preemption.go, GetEarliestPodStartTime
in pkg/scheduler/util/utils.go.
"""

from collections.abc import Callable, Mapping

import numpy as np

from schedcheck.model.production.framework.extender import Victims
from schedcheck.model.production.preemption.worlds import Candidates, Lost, highest
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.pod_info import NEVER

LIFT = 2**31
"""Added to each priority in a sum, so that more victims never cost less."""


def violations(some: Lost) -> Numbers:
    """Return how many victims violate a PodDisruptionBudget, for each candidate."""
    return some.violations


def highest_priority(some: Lost) -> Numbers:
    """Return the priority of the first victim, which is the most important."""
    return some.first


def sum_of_priorities(some: Lost) -> Numbers:
    """Return the sum of the priorities, each increased by `LIFT`."""
    found: Numbers = np.where(some.lost, some.priorities + LIFT, 0).sum(axis=1)
    return found


def number(some: Lost) -> Numbers:
    """Return the number of victims."""
    return np.count_nonzero(some.lost, axis=1)


def earliest_start(some: Lost) -> Numbers:
    """Return the earliest start among the victims of the highest priority; unstarted ones count as last."""
    most_important = some.lost & (some.priorities == highest(some.lost, some.priorities)[:, None])
    found: Numbers = np.where(most_important, some.starts, NEVER).min(axis=1)
    return found


CRITERIA: tuple[Callable[[Lost], Numbers], ...] = (
    violations,
    highest_priority,
    sum_of_priorities,
    number,
    lambda some: -earliest_start(some),
)
"""The costs to minimise, in lexicographic order."""


def best(candidates: Mapping[str, Victims]) -> tuple[str, ...]:
    """Return the candidates that are minimal by all criteria, in the order of the candidates.

    Each criterion is computed for all candidates at once: there are at least a hundred in a large cluster.
    """
    names = tuple(candidates)
    if len(names) <= 1:
        return names
    some = candidates.lost() if isinstance(candidates, Candidates) else Lost.told(candidates.values())
    left = np.arange(len(names))
    for criterion in CRITERIA:
        costs = criterion(some)[left]
        left = left[costs == costs.min()]
        if len(left) == 1:
            break
    return tuple(names[place] for place in left.tolist())
