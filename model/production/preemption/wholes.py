"""Pods that preemption evicts all or none, since 1.37: `Whole`, `wholes`.

Kubernetes 1.37: getCrossNodesVictims in pkg/scheduler/framework/preemption/types.go, MoreImportantVictim in
pkg/scheduler/framework/preemption/util.go.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.workload_objects import PodGroup

Key = tuple[str, str]


@dataclass
class Whole:
    """Pods that are evicted all or none, with the priority that counts for them, and whether they name a PodGroup."""

    infos: list[PodInfo]
    priority: int
    grouped: bool

    def importance(self) -> tuple[int, bool, int, tuple[bool, int]]:
        """Return the sort key: what is put back earlier comes first."""
        starts = ((info.pod.start_time is None, info.pod.start_time or 0) for info in self.infos)
        return -self.priority, not self.grouped, -len(self.infos), min(starts)


def wholes(placed: Iterable[PodInfo], groups: Iterable[PodGroup]) -> Iterator[Whole]:
    """Yield all these pods, each with the others of its PodGroup if its disruptionMode is all."""
    by_key = {each.key: each for each in groups}
    together: dict[Key, Whole] = {}
    for info in placed:
        named = (info.pod.namespace, info.pod.scheduling_group)
        group = by_key.get(named)
        if group is None or not group.disrupted_together:
            priority = info.pod.priority if group is None else group.priority
            yield Whole([info], priority, bool(info.pod.scheduling_group))
        elif named in together:
            together[named].infos.append(info)
        else:
            together[named] = Whole([info], group.priority, grouped=True)
    yield from together.values()
