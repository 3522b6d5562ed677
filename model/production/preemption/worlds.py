"""The nodes of a dry run, each without its pods of lower priority: `World`; and as arrays: `Lost`, `Candidates`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, compress
from operator import attrgetter

import numpy as np

from schedcheck.model.production.framework.extender import Victims
from schedcheck.model.production.snapshot.labels import Mask, Numbers
from schedcheck.model.production.snapshot.lower_pods import Ordered
from schedcheck.model.production.snapshot.pod_info import PodInfo

POD, PRIORITY, START = attrgetter("pod"), attrgetter("pod.priority"), attrgetter("start")


def importance(info: PodInfo) -> tuple[int, int]:
    """Return the sort key of victims."""
    return info.importance


@dataclass(slots=True)
class World:
    """A node without its pods of lower priority: the order in which they are reprieved, and which of them are victims.

    The first `violating` pods are those whose eviction violates a PodDisruptionBudget.
    """

    order: Ordered
    violating: int = 0
    lost: list[bool] = field(default_factory=list)

    @property
    def victims(self) -> list[PodInfo]:
        """Return the victims in the order in which they were not reprieved."""
        return list(compress(self.order.infos, self.lost))

    @property
    def violations(self) -> int:
        """Return how many victims violate a PodDisruptionBudget."""
        return sum(self.lost[: self.violating]) if self.violating else 0

    def told(self) -> Victims:
        """Return the victims, the most important first."""
        both = 0 < self.violating < len(self.order.infos)
        pods = sorted(self.victims, key=importance) if both else self.victims
        return Victims(tuple(map(POD, pods)), self.violations)


@dataclass(frozen=True, eq=False)
class Lost:
    """The victims on several nodes as arrays, one row a node and one column a pod that may be lost.

    `first` is the priority of the first victim that is told, which is the most important one. `lost` says which columns
    are victims; `priorities` and `starts` are theirs.
    """

    violations: Numbers
    first: Numbers
    lost: Mask
    priorities: Numbers
    starts: Numbers

    @staticmethod
    def told(every: Iterable[Victims]) -> "Lost":
        """Return victims that are told, by an extender for instance, as arrays."""
        every = list(every)
        priorities, starts = ([[of(PodInfo(pod)) for pod in each.pods] for each in every] for of in (PRIORITY, START))
        arrays = _side_by_side([[True] * len(each.pods) for each in every], priorities, starts)
        first = np.array([each.pods[0].priority for each in every], np.int64)
        return Lost(np.array([each.violations for each in every], np.int64), first, *arrays)

    @staticmethod
    def of(worlds: Sequence[World]) -> "Lost":
        """Return the victims of worlds as arrays."""
        lost, priorities, starts = _side_by_side(
            [each.lost for each in worlds],
            [each.order.priorities for each in worlds],
            [each.order.starts for each in worlds],
        )
        violations = np.array([each.violations for each in worlds], np.int64)
        return Lost(violations, highest(lost, priorities), lost, priorities, starts)


def highest(lost: Mask, priorities: Numbers) -> Numbers:
    """Return the highest priority among the victims of each node."""
    found: Numbers = np.where(lost, priorities, np.iinfo(np.int64).min).max(axis=1)
    return found


def _side_by_side(
    turns: Sequence[Sequence[bool]], priorities: Sequence[Sequence[int] | Numbers], starts: Sequence[Sequence[int] | Numbers]
) -> tuple[Mask, Numbers, Numbers]:
    """Return these lists, one for each node, as the rows of three arrays; what a row lacks is neither lost nor anything."""
    sizes = np.array([[len(each)] for each in turns], np.int64)
    there = np.arange(sizes.max()) < sizes
    lost, both = np.zeros(there.shape, bool), np.zeros((2, *there.shape), np.int64)
    lost[there] = np.fromiter(chain.from_iterable(turns), bool)
    both[0, there], both[1, there] = np.concatenate(priorities), np.concatenate(starts)
    return lost, both[0], both[1]


class Candidates(Mapping[str, Victims]):
    """Candidates by node. Only for the chosen ones the victims are told; the choice needs `Lost` alone."""

    def __init__(self, worlds: Mapping[str, World]) -> None:
        self._worlds = worlds

    def __getitem__(self, node: str) -> Victims:
        return self._worlds[node].told()

    def __iter__(self) -> Iterator[str]:
        return iter(self._worlds)

    def __len__(self) -> int:
        return len(self._worlds)

    def lost(self) -> Lost:
        """Return the victims of all candidates as arrays."""
        return Lost.of(list(self._worlds.values()))
