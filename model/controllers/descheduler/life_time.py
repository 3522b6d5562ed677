"""The plugin PodLifeTime: it evicts pods that are older than a limit. `life_time`.

descheduler 0.36: pkg/framework/plugins/podlifetime/pod_lifetime.go, New and Deschedule.

Not modelled: states, conditions and exit codes, which the reader of the policy refuses; pods that have ended. Differs:
time is abstract. When a run begins, any of the pods may be over the limit, also one that has just been created, and
any may be the oldest. So every order of every choice of them is possible, which is more than one clock allows.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from schedcheck.model.controllers.descheduler.listing import Slot, considered
from schedcheck.model.controllers.descheduler.plan import WHOLE, Done, Stage, Work
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import PodLifeTime
from schedcheck.spec.objects import Pod


@dataclass(frozen=True)
class Ageing:
    """The eviction of pods of unknown ages: any may be next, and the run may end after any."""

    slots: tuple[int, ...] = ()

    def __bool__(self) -> bool:
        return self.slots != ()

    def pods(self) -> Iterator[int]:
        """Yield the slots of the pods that may be evicted."""
        yield from self.slots

    def next(self) -> Iterator[tuple[int, Work, Work]]:
        """Yield each pod that may be evicted next, twice unless it is alone: the others are over the limit or not."""
        for slot in self.slots:
            rest = Ageing(tuple(other for other in self.slots if other != slot))
            yield slot, rest, rest
            if rest:
                yield slot, Ageing(), Ageing()

    def kept(self, kept: Callable[[int], bool]) -> Work:
        """Return the evictions of the `kept` pods."""
        return Ageing(tuple(slot for slot in self.slots if kept(slot)))


def life_time(
    arguments: PodLifeTime, view: View, evictable: Callable[[Pod], bool], slot: Slot, done: Done
) -> Iterator[tuple[Stage, Work]]:
    """Yield the one part of a run: the pods that may be over the limit, from all nodes."""
    slots = sorted(
        slot(pod)
        for node in view.nodes
        for pod in view.pods_on(node)
        if considered(pod, arguments.namespaces, arguments.selector) and evictable(pod) and _owned(pod, arguments, view)
    )
    if slots and not done:
        yield WHOLE, Ageing(tuple(slots))


def _owned(pod: Pod, arguments: PodLifeTime, view: View) -> bool:
    """Whether the plugin considers pods with the owners of `pod`: one of an included kind, or none of an excluded one."""
    kinds = {kind for kind, _, _ in view.descheduler.of(pod).owners}
    if arguments.owner_kinds:
        return bool(kinds & arguments.owner_kinds)
    return not kinds & arguments.exclude_owner_kinds
