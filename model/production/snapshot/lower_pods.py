"""The pods on a node that are less important than some pod: `LowerPods`; and pods in some order, with arrays: `Ordered`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo


@dataclass(frozen=True, eq=False)
class Ordered:
    """Pods in some order, and what preemption compares of them as arrays in that order, computed once."""

    infos: Sequence[PodInfo]
    amounts_of: Callable[[Sequence[PodInfo]], Numbers]

    @cached_property
    def amounts(self) -> Numbers:
        """Return what each of them takes of the resources that were known when this was computed."""
        return self.amounts_of(self.infos)

    @cached_property
    def priorities(self) -> Numbers:
        """Return their priorities."""
        return np.array([info.pod.priority for info in self.infos], np.int64)

    @cached_property
    def starts(self) -> Numbers:
        """Return when they have started; those that have not count as the last."""
        return np.array([info.start for info in self.infos], np.int64)


@dataclass(frozen=True, eq=False)
class LowerPods:
    """The pods on a node whose priority is below some priority, in the order of the table."""

    infos: tuple[PodInfo, ...]
    amounts_of: Callable[[Sequence[PodInfo]], Numbers]

    @cached_property
    def by_importance(self) -> tuple[PodInfo, ...]:
        """Return the pods, the most important first."""
        return tuple(sorted(self.infos, key=lambda info: info.importance))

    @cached_property
    def ordered(self) -> Ordered:
        """Return the pods with their arrays, the most important first."""
        return Ordered(self.by_importance, self.amounts_of)

    @cached_property
    def together(self) -> Numbers:
        """Return what they take together of the resources that were known when this was computed."""
        found: Numbers = self.ordered.amounts.sum(axis=0)
        return found
