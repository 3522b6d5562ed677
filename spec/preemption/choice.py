"""Which candidate is nominated: `casualty`, `selected`.

Kubernetes 1.34: pickOneNodeForPreemption in pkg/scheduler/framework/preemption/preemption.go.
"""

from collections.abc import Collection

from schedcheck.spec.footprints import looks_at
from schedcheck.spec.preemption.dry_run import Candidate
from schedcheck.spec.preemption.importance import started

OFFSET = 2**31
"""What is added to each priority in a sum, so that no victim makes it less."""

Casualty = tuple[int, int, int, int, tuple[bool, int]]


@looks_at("victims.priority", "victims.start_time")
def casualty(candidate: Candidate) -> Casualty:
    """The damage that a candidate does, compared item by item.

    The victims that violate a budget; the highest priority of a victim; the sum of the priorities; the number of
    victims; how early the first of those of the highest priority started.
    """
    victims = candidate.victims
    highest = max(pod.priority for pod in victims)
    without_start, start = min(started(pod) for pod in victims if pod.priority == highest)
    return (
        candidate.violations,
        highest,
        sum(pod.priority + OFFSET for pod in victims),
        len(victims),
        (not without_start, -start),
    )


def selected(candidates: Collection[Candidate]) -> tuple[Candidate, ...]:
    """The candidates of least casualty, any of which may be nominated."""
    least = min((casualty(candidate) for candidate in candidates), default=None)
    return tuple(candidate for candidate in candidates if casualty(candidate) == least)
