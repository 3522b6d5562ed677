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
    found: Numbers = some.lost.sum(axis=1)
    return found


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


def costs(some: Lost) -> list[list[int]]:
    """Return the costs of each candidate. Each criterion is computed for all at once: there may be hundreds."""
    found: list[list[int]] = np.stack([criterion(some) for criterion in CRITERIA], axis=1).tolist()
    return found


def best(candidates: Mapping[str, Victims]) -> tuple[str, ...]:
    """Return the candidates that are minimal by all criteria, in the order of the candidates."""
    if len(candidates) <= 1:
        return tuple(candidates)
    known = [world.costs for world in candidates.worlds.values()] if isinstance(candidates, Candidates) else [[]]
    every = known if all(known) else costs(Lost.told(candidates.values()))
    least = min(every)
    return tuple(name for name, cost in zip(candidates, every, strict=True) if cost == least)
