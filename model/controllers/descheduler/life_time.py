"""The plugin PodLifeTime: it evicts pods that are older than a limit. `life_time`.

descheduler 0.36: pkg/framework/plugins/podlifetime/pod_lifetime.go, New and Deschedule.

Not modelled: as in `statuses`. Differs: time is abstract. When a run begins, any of the pods may be over the limit, also one
that has just been created, and any may be the oldest; or none is. So every order of every choice of them is possible, which is
more than one clock allows. Without a limit all pods with these states are evicted, in any order.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from schedcheck.model.controllers.descheduler.listing import Slot, considered
from schedcheck.model.controllers.descheduler.plan import WHOLE, Done, Stage, Work
from schedcheck.model.controllers.descheduler.statuses import (
    NEVER,
    SURELY,
    has_exit_code,
    in_states,
    meets_conditions,
    status_of,
)
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import PodLifeTime
from schedcheck.spec.objects import Pod


@dataclass(frozen=True)
class Ageing:
    """The eviction of pods of unknown ages: any may be next, and the run may end after any but the `sure` ones."""

    slots: tuple[int, ...] = ()
    """The pods that may be old enough."""
    sure: tuple[int, ...] = ()
    """The pods that are evicted whatever their ages are."""

    def __bool__(self) -> bool:
        return self.slots != () or self.sure != ()

    def pods(self) -> Iterator[int]:
        """Yield the slots of the pods that may be evicted."""
        yield from sorted((*self.slots, *self.sure))

    def next(self) -> Iterator[tuple[int, Work, Work]]:
        """Yield each pod that may be evicted next, twice unless it is alone or one is sure: the others are over the limit or not."""
        for slot in self.pods():
            rest = Ageing(_without(slot, self.slots), _without(slot, self.sure))
            yield slot, rest, rest
            if rest and not rest.sure:
                yield slot, Ageing(), Ageing()

    def kept(self, kept: Callable[[int], bool]) -> Work:
        """Return the evictions of the `kept` pods."""
        return Ageing(*(tuple(slot for slot in slots if kept(slot)) for slots in (self.slots, self.sure)))


def _without(slot: int, slots: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(other for other in slots if other != slot)


def life_time(
    arguments: PodLifeTime, view: View, evictable: Callable[[Pod], bool], slot: Slot, done: Done
) -> Iterator[tuple[Stage, Work]]:
    """Yield the one part of a run: the pods from all nodes that may be over the limit, or have the states; or none, if none must."""
    found: dict[bool, list[int]] = {True: [], False: []}
    for node in view.nodes:
        for pod in view.every_pod_on(node) if arguments.ended else view.pods_on(node):
            met = _met(pod, arguments, view)
            looked_at = considered(pod, arguments.namespaces, arguments.selector)
            if met != NEVER and looked_at and evictable(pod) and _owned(pod, arguments, view):
                found[met == SURELY and not arguments.aged].append(slot(pod))
    work = Ageing(tuple(sorted(found[False])), tuple(sorted(found[True])))
    if not work or done:
        return
    yield WHOLE, work
    if not work.sure:
        yield WHOLE, Ageing()


def _met(pod: Pod, arguments: PodLifeTime, view: View) -> str:
    """Return whether the pod has what the plugin asks of its status."""
    if not arguments.of_status:
        return SURELY
    status = status_of(pod, view)
    has = in_states(status, arguments) and has_exit_code(status, arguments.exit_codes, arguments.with_init_containers)
    return meets_conditions(status, arguments) if has else NEVER


def _owned(pod: Pod, arguments: PodLifeTime, view: View) -> bool:
    """Whether the plugin considers pods with the owners of `pod`: one of an included kind, or none of an excluded one."""
    kinds = {kind for kind, _, _ in view.descheduler.of(pod).owners}
    if arguments.owner_kinds:
        return bool(kinds & arguments.owner_kinds)
    return not kinds & arguments.exclude_owner_kinds
