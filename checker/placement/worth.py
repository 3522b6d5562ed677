"""The worth of a placement of pending pods, and a simple bound of it: `Worth`, `worth`, `most_of`."""

from collections.abc import Mapping
from dataclasses import dataclass

from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.placement import Placement, placed_at, score
from schedcheck.spec.profiles import Profile


@dataclass(frozen=True)
class Worth:
    """The worth of a placement: the number of placed pods by priority, the highest first, and the score."""

    placed: tuple[tuple[int, int], ...]
    score: int

    @property
    def rank(self) -> tuple[tuple[int, ...], int]:
        """A value by which worths for the same pending pods compare: the greater is the better."""
        return tuple(number for _, number in self.placed), self.score


def priorities(pods: tuple[Pod, ...]) -> list[int]:
    """Return the priorities of the pods, the highest first."""
    return sorted({pod.priority for pod in pods}, reverse=True)


def worth(placement: Placement, waiting: tuple[Pod, ...], snapshot: Snapshot, profile: Profile) -> Worth:
    """Return the worth of a placement of the pending pods, in a snapshot in which they are pending."""
    return Worth(
        tuple((priority, placed_at(priority, placement)) for priority in priorities(waiting)),
        score(placement, snapshot, profile),
    )


def most_of(pods: tuple[Pod, ...], limits: Mapping[tuple[Pod, Node], int]) -> Worth:
    """Return a bound of the worth from bounds of the viability of every possible pair: each pod has its best node."""
    best: dict[Pod, int] = {}
    for (pod, _), limit in limits.items():
        best[pod] = max(best.get(pod, 0), limit)
    numbers = ((priority, sum(pod.priority == priority for pod in best)) for priority in priorities(pods))
    return Worth(tuple(numbers), sum(best.values()))
