"""The choice of the node to preempt on: `best`, all the candidates that may be chosen.

Kubernetes 1.34: pickOneNodeForPreemption in pkg/scheduler/framework/preemption/preemption.go, GetEarliestPodStartTime
in pkg/scheduler/util/utils.go.
"""

from collections.abc import Callable, Mapping
from operator import attrgetter

from schedcheck.model.production.framework.extender import Victims

PRIORITY = attrgetter("priority")
LIFT = 2**31
"""Added to each priority in a sum, so that more victims never cost less."""


def highest_priority(victims: Victims) -> int:
    """Return the priority of the first victim, which is the most important."""
    return victims.pods[0].priority


def sum_of_priorities(victims: Victims) -> int:
    """Return the sum of the priorities, each increased by `LIFT`."""
    priorities: int = sum(map(PRIORITY, victims.pods))
    return priorities + LIFT * len(victims.pods)


def earliest_start(victims: Victims) -> int:
    """Return the earliest start among the victims of the highest priority; unstarted ones count as last."""
    highest = max(map(PRIORITY, victims.pods))
    starts = [
        start for pod in victims.pods if pod.priority == highest and (start := pod.start_time) is not None
    ]  # fmt: skip
    return min(starts, default=2**63 - 1)


CRITERIA: tuple[Callable[[Victims], int], ...] = (
    lambda victims: victims.violations,
    highest_priority,
    sum_of_priorities,
    lambda victims: len(victims.pods),
    lambda victims: -earliest_start(victims),
)
"""The costs to minimise, in lexicographic order."""


def best(candidates: Mapping[str, Victims]) -> tuple[str, ...]:
    """Return the candidates that are minimal by all criteria, in the order of the candidates."""
    left = tuple(candidates)
    for criterion in CRITERIA:
        costs = {name: criterion(candidates[name]) for name in left}
        least = min(costs.values(), default=0)
        left = tuple(name for name, cost in costs.items() if cost == least)
        if len(left) <= 1:
            break
    return left
