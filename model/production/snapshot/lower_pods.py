"""The pods on a node that are less important than some pod: `LowerPods`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo


@dataclass(frozen=True, eq=False)
class LowerPods:
    """The pods on a node whose priority is below some priority, in the order of the table; the rest is computed once."""

    infos: tuple[PodInfo, ...]
    amounts_of: Callable[[Sequence[PodInfo]], Numbers]

    @cached_property
    def by_importance(self) -> tuple[PodInfo, ...]:
        """Return the pods, the most important first."""
        return tuple(sorted(self.infos, key=lambda info: info.importance))

    @cached_property
    def amounts(self) -> Numbers:
        """Return what each of them takes, in that order, of the resources that were known when this was computed."""
        return self.amounts_of(self.by_importance)

    @cached_property
    def together(self) -> Numbers:
        """Return what they take together of these resources."""
        found: Numbers = self.amounts.sum(axis=0)
        return found
