"""Two evictions of one pod for one reason, in the steps of a trace: `evicted_twice`, `EvictedTwice`."""

from dataclasses import dataclass

from schedcheck.checker.liveness.repetitions import repetition
from schedcheck.checker.result import Violation
from schedcheck.spec.properties.kinds import Once


@dataclass(frozen=True)
class EvictedTwice:
    """A pod, the reason, and the numbers of the two steps that evict it."""

    pod: str
    reason: str
    steps: tuple[int, int]


def evicted_twice(violation: Violation) -> EvictedTwice | None:
    """Return the pod that the trace evicts twice for one reason; None if the property is about something else."""
    found = repetition(violation.property, violation.trace) if isinstance(violation.property, Once) else None
    if found is None:
        return None
    return EvictedTwice(found.mark.pod, found.mark.reason, (found.first, found.second))


def told(violation: Violation) -> str:
    """Return in a sentence which pod is evicted twice, for which reason and in which steps; else the empty string."""
    found = evicted_twice(violation)
    if found is None:
        return ""
    first, second = found.steps
    return f"{found.pod} is evicted in step {first} and again in step {second}, both times by {found.reason}."
