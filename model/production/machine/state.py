"""The scheduler's memory as a value: `Memory`, `remembered`, `recalled`.

Time is abstracted: a pod either backs off or does not, and only the order of the times at which pods entered the queue
is kept. A backoff has its full length after the first failure.

Not modelled: the node at which the next search begins; the order in which nodes were added; that a host port held by
two pods is freed by the first that leaves. Of the cycle state that the binding cycle reads, only the entry of
VolumeBinding is kept.
"""

import math
from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple, cast

from schedcheck.model.production.cycle.scheduler import Binding, Scheduler, Stage
from schedcheck.model.production.framework.cycle_state import CycleState, NotFoundError
from schedcheck.model.production.framework.events import ClusterEvent
from schedcheck.model.production.framework.plugin import RememberingPlugin, implements
from schedcheck.model.production.framework.status import Status
from schedcheck.model.production.framework.waiting import WaitingPod
from schedcheck.model.production.plugins.volume_binding import RESERVED
from schedcheck.model.production.preemption.eviction import Eviction, Evictions
from schedcheck.model.production.queue.in_flight import Happening
from schedcheck.model.production.queue.queued_pod import Backoff, QueuedPod
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Snapshot
from schedcheck.model.production.volumes.assumed import Reserved
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.storage import PersistentVolume, PersistentVolumeClaim

Key = tuple[str, str]
Entry = tuple[str, ...] | tuple[ClusterEvent, object, object]
"""The identity of a pod in flight, or an event with the object before and after."""
ONE_LENGTH = Backoff(1.0, 1.0)
"""The backoff of a scheduler whose memory is saved."""


class Waiter(NamedTuple):
    """A pod of the queue: its place, rank by timestamp, rejecting plugins, gating plugin, and whether it backs off.

    `place` is empty while the pod is in a binding cycle. `failing` is "refused" or "erring" during a backoff, else
    empty.
    """

    pod: Pod
    place: str
    rank: int
    refused_by: tuple[str, ...]
    pending: tuple[str, ...]
    gate: str
    failing: str


class OnItsWay(NamedTuple):
    """A pod in its binding cycle, and the volumes and claims that are assumed for it."""

    waiter: Waiter
    pod: Pod
    node: str
    stage: str
    reserved: Reserved = Reserved()


class Memory(NamedTuple):
    """Delivered objects, assumed pods, queue, binding cycles, evictions, plugin state, assumed volumes and claims.

    `astray` holds pods that the cache does not count exactly as they were delivered, assumed pods aside. It should be
    empty.
    """

    pods: tuple[Pod, ...] = ()
    nodes: tuple[Node, ...] = ()
    assumed: tuple[Pod, ...] = ()
    waiters: tuple[Waiter, ...] = ()
    flight: tuple[Entry, ...] = ()
    nominations: tuple[tuple[Key, str], ...] = ()
    bindings: tuple[OnItsWay, ...] = ()
    permits: tuple[tuple[Pod, tuple[str, ...], Status | None], ...] = ()
    evictions: tuple[
        tuple[Pod, str, tuple[Pod, ...], tuple[Pod, ...], tuple[str, ...], bool, tuple[Pod, ...]], ...
    ] = ()
    kept: tuple[Hashable, ...] = ()
    volumes: tuple[PersistentVolume, ...] = ()
    claims: tuple[PersistentVolumeClaim, ...] = ()
    astray: tuple[Key, ...] = ()


def remembered(scheduler: Scheduler, bindings: Iterable[Binding]) -> Memory:
    """Return the memory of the scheduler and the progress of its `bindings`."""
    queue, cache, handle = scheduler.queue, scheduler.cache, scheduler.handle
    on_their_way = sorted(bindings, key=lambda each: each.pod.key)
    places = (("active", queue.active), ("refused", queue.backing_off), ("erring", queue.erring))
    waiting = [(queued, place) for place, heap in places for queued in heap]
    waiting += [(queued, "unschedulable") for queued in queue.unschedulable.values()]
    times = {queued.timestamp for queued, _ in waiting} | {each.queued.timestamp for each in on_their_way}
    ranks = {time: rank for rank, time in enumerate(sorted(times))}

    def waiter(queued: QueuedPod, place: str) -> Waiter:
        lasts = queue.backoff.lasts(queued, scheduler.clock())
        failing = ("erring" if queued.errors else "refused") if lasts else ""
        refused_by, pending = tuple(sorted(queued.refused_by)), tuple(sorted(queued.pending))
        return Waiter(queued.pod, place, ranks[queued.timestamp], refused_by, pending, queued.gate, failing)

    return Memory(
        pods=tuple(sorted(handle.listers.pods.values(), key=_key)),
        nodes=tuple(info.node for _, info in sorted(cache.nodes.items()) if info.node is not None),
        assumed=tuple(sorted((cache.pods[key].pod for key in cache.assumed), key=_key)),
        waiters=tuple(sorted((waiter(queued, place) for queued, place in waiting), key=lambda each: each.pod.key)),
        flight=_last_of_each(
            (entry.event, entry.before, entry.after) if isinstance(entry, Happening) else entry
            for entry in queue.in_flight.entries
        ),
        nominations=tuple((key, node) for node in sorted(queue.nominator.nodes()) for key in queue.nominator.on(node)),
        bindings=tuple(
            OnItsWay(waiter(each.queued, ""), each.pod, each.node, each.stage.value, _reserved(each.state))
            for each in on_their_way
        ),
        permits=tuple(
            (each.pod, tuple(sorted(each.pending)), each.signal)
            for each in sorted(handle.waiting, key=lambda each: each.pod.key)
        ),
        evictions=tuple(
            (
                each.preemptor,
                each.node,
                tuple(each.victims),
                tuple(each.losers),
                each.last or ("", ""),
                each.faulty,
                each.others,
            )
            for background in handle.background
            if isinstance(background, Evictions)
            for _, each in sorted(background.running.items())
        ),
        kept=tuple(plugin.remembered() for plugin in _remembering(scheduler)),
        volumes=tuple(each for _, each in sorted(handle.assumed.volumes.items())),
        claims=tuple(each for _, each in sorted(handle.assumed.claims.items())),
        astray=_astray(scheduler),
    )


def _reserved(state: CycleState) -> Reserved:
    """Return the volumes and claims that are assumed for the pod of this cycle."""
    try:
        return state.read(RESERVED, Reserved)
    except NotFoundError:
        return Reserved()


def _astray(scheduler: Scheduler) -> tuple[Key, ...]:
    cache, delivered = scheduler.cache, scheduler.handle.listers.pods.values()
    assumed = {cache.pods[identity].pod for identity in cache.assumed}
    counted = {info.pod for node in cache.nodes.values() for info in node.pods.values()} - assumed
    return tuple(sorted({pod.key for pod in counted.symmetric_difference(pod for pod in delivered if pod.node_name)}))


def _remembering(scheduler: Scheduler) -> Iterator[RememberingPlugin]:
    """Yield the plugins that keep state, profile by profile."""
    for framework in scheduler.frameworks.values():
        for plugin in framework.plugins():
            if implements(plugin, RememberingPlugin):
                yield cast(RememberingPlugin, plugin)


def _key(pod: Pod) -> Key:
    return pod.key


def _last_of_each(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries, keeping the last of equal ones: a reader of the first equal event also reads the last."""
    return tuple(reversed(dict.fromkeys(reversed(list(entries)))))


def recalled(scheduler: Scheduler, memory: Memory) -> list[Binding]:
    """Load `memory` into a scheduler with empty memory, and return its binding cycles. Its clock shows `now`."""
    queue, cache, handle = scheduler.queue, scheduler.cache, scheduler.handle
    handle.listers.pods.update({pod.key: pod for pod in memory.pods})
    handle.snapshot = Snapshot()
    for node in memory.nodes:
        cache.add_node(node)
    for pod in memory.pods:
        if pod.node_name:
            cache.add_pod(PodInfo(pod))
    for pod in memory.assumed:
        cache.assume(PodInfo(pod))
    for key, host in memory.nominations:
        queue.nominator.add(handle.listers.pods[key], host)
    for waiter in memory.waiters:
        queued = _queued(waiter)
        match waiter.place:
            case "active":
                queue.active.put(queued)
            case "refused":
                queue.backing_off.put(queued)
            case "erring":
                queue.erring.put(queued)
            case _:
                queue.unschedulable[queued.key] = queued
    for entry in memory.flight:
        match entry:
            case (ClusterEvent() as event, before, after):
                queue.in_flight.happen(event, before, after)
            case (str(), *_):
                queue.in_flight.begin(entry)
    for pod, plugins, signal in memory.permits:
        handle.waiting.pods[pod.identity] = WaitingPod(pod, dict.fromkeys(plugins, (math.inf, math.inf)), signal)
    for background in handle.background:
        if isinstance(background, Evictions):
            background.running = {
                preemptor.identity: Eviction(
                    preemptor, node, list(victims), list(losers), last if last[1] else None, faulty, others
                )
                for preemptor, node, victims, losers, last, faulty, others in memory.evictions
            }
    handle.assumed.assume(memory.volumes, memory.claims)
    for plugin, kept in zip(_remembering(scheduler), memory.kept, strict=True):
        plugin.recall(kept)
    return [
        Binding(_queued(each.waiter), each.pod, each.node, _state(each.reserved), Stage(each.stage))
        for each in memory.bindings
    ]


def _state(reserved: Reserved) -> CycleState:
    """Return a cycle state that holds the assumed volumes and claims."""
    state = CycleState()
    state.write(RESERVED, reserved)
    return state


def _queued(waiter: Waiter) -> QueuedPod:
    queued = QueuedPod(PodInfo(waiter.pod), float(waiter.rank), gate=waiter.gate)
    queued.refused_by, queued.pending = set(waiter.refused_by), set(waiter.pending)
    queued.refusals, queued.errors = int(waiter.failing == "refused"), int(waiter.failing == "erring")
    queued.until = math.inf if waiter.failing else None
    return queued


def now(memory: Memory) -> float:
    """Return a time later than all timestamps in `memory`."""
    ranks = [waiter.rank for waiter in memory.waiters] + [each.waiter.rank for each in memory.bindings]
    return float(max(ranks, default=-1) + 1)
