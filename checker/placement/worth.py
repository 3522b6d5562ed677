"""The worth of a placement of pending pods: `Worth`, `worth`."""

from dataclasses import dataclass

from schedcheck.spec.objects import Pod, Snapshot
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
