"""The nodes of a dry run, each without its pods of lower priority: `World`; those that help: `Candidates`; as arrays: `Lost`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress
from operator import attrgetter

import numpy as np

from schedcheck.model.production.framework.extender import Victims
from schedcheck.model.production.snapshot.labels import Mask, Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo

POD = attrgetter("pod")


def importance(info: PodInfo) -> tuple[int, int]:
    """Return the sort key of victims."""
    return info.importance


@dataclass(slots=True)
class World:
    """A node without its pods of lower priority: the order in which they are reprieved, and which of them are victims.

    The first `violating` pods are those whose eviction violates a PodDisruptionBudget. `turns` are the places of the
    pods in the order of importance, empty if that is their order. `costs` are those of the choice, empty if unknown.
    """

    order: Sequence[PodInfo]
    violating: int = 0
    turns: list[int] = field(default_factory=list)
    lost: list[bool] = field(default_factory=list)
    costs: list[int] = field(default_factory=list)

    @property
    def victims(self) -> list[PodInfo]:
        """Return the victims in the order in which they were not reprieved."""
        return list(compress(self.order, self.lost))

    @property
    def violations(self) -> int:
        """Return how many victims violate a PodDisruptionBudget."""
        return sum(self.lost[: self.violating]) if self.violating else 0

    def told(self) -> Victims:
        """Return the victims, the most important first."""
        both = 0 < self.violating < len(self.order)
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
        """Return victims that are told, at least one on each node, as arrays."""
        every = list(every)
        width = max(len(each.pods) for each in every)
        lost = np.array([[place < len(each.pods) for place in range(width)] for each in every])
        priorities, starts = np.zeros((2, *lost.shape), np.int64)
        infos = [PodInfo(pod) for each in every for pod in each.pods]
        priorities[lost], starts[lost] = [info.pod.priority for info in infos], [info.start for info in infos]
        violations = np.array([each.violations for each in every], np.int64)
        return Lost(violations, priorities[:, 0], lost, priorities, starts)


def highest(lost: Mask, priorities: Numbers) -> Numbers:
    """Return the highest priority among the victims of each node."""
    found: Numbers = np.where(lost, priorities, np.iinfo(np.int64).min).max(axis=1)
    return found


class Candidates(Mapping[str, Victims]):
    """Candidates by node. The choice needs their costs alone; only those of the chosen are told as `Victims`."""

    def __init__(self, worlds: Mapping[str, World]) -> None:
        self.worlds = worlds

    def __getitem__(self, node: str) -> Victims:
        return self.worlds[node].told()

    def __iter__(self) -> Iterator[str]:
        return iter(self.worlds)

    def __len__(self) -> int:
        return len(self.worlds)
