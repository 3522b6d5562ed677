"""All that a scheduler knows, as a value: `Memory`, `remembered`, `recalled`.

Time is abstracted: a pod backs off or it does not, and of the times at which pods came to the queue only the order is
kept. A backoff has its full length after the first failure.

Not modelled: what plugins but VolumeBinding write into the state of a cycle for its binding cycle, where the next search
begins, the order in which nodes came, what of two equal host ports is left.
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
"""A pod that is being tried, or a happening."""
ONE_LENGTH = Backoff(1.0, 1.0)
"""The backoff of a scheduler whose memory is kept."""


class Waiter(NamedTuple):
    """A pod of the queue: since when in the order of all, who refused it, what gates it, and whether it backs off.

    `failing` is empty, "refused" or "erring"; `place` where it waits, empty while it is on its way.
    """

    pod: Pod
    place: str
    rank: int
    refused_by: tuple[str, ...]
    pending: tuple[str, ...]
    gate: str
    failing: str


class OnItsWay(NamedTuple):
    """A pod in its binding cycle, and what is assumed of volumes for it."""

    waiter: Waiter
    pod: Pod
    node: str
    stage: str
    reserved: Reserved = Reserved()


class Memory(NamedTuple):
    """What was delivered, who is assumed, who waits, what is under way, what plugins keep, what is assumed of volumes.

    `astray` are the pods that do not count on a node exactly as they were delivered, as they should but for the assumed.
    """

    pods: tuple[Pod, ...] = ()
    nodes: tuple[Node, ...] = ()
    assumed: tuple[Pod, ...] = ()
    waiters: tuple[Waiter, ...] = ()
    flight: tuple[Entry, ...] = ()
    nominations: tuple[tuple[Key, str], ...] = ()
    bindings: tuple[OnItsWay, ...] = ()
    permits: tuple[tuple[Pod, tuple[str, ...], Status | None], ...] = ()
    evictions: tuple[tuple[Pod, str, tuple[Pod, ...], tuple[Pod, ...], tuple[str, ...], bool], ...] = ()
    kept: tuple[Hashable, ...] = ()
    volumes: tuple[PersistentVolume, ...] = ()
    claims: tuple[PersistentVolumeClaim, ...] = ()
    astray: tuple[Key, ...] = ()


def remembered(scheduler: Scheduler, bindings: Iterable[Binding]) -> Memory:
    """What the scheduler knows, and what its `bindings` have come to."""
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
            (each.preemptor, each.node, tuple(each.victims), tuple(each.losers), each.last or ("", ""), each.faulty)
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
    """What is assumed of volumes for the pod of this cycle."""
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
    """The plugins that keep something, profile by profile."""
    for framework in scheduler.frameworks.values():
        for plugin in framework.plugins():
            if implements(plugin, RememberingPlugin):
                yield cast(RememberingPlugin, plugin)


def _key(pod: Pod) -> Key:
    return pod.key


def _last_of_each(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """The entries without those that come again: whoever sees one of two equal happenings sees the later one."""
    return tuple(reversed(dict.fromkeys(reversed(list(entries)))))


def recalled(scheduler: Scheduler, memory: Memory) -> list[Binding]:
    """Make this what the scheduler, which knows nothing yet, knows; its bindings. Its clock stands at `now`."""
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
                preemptor.key: Eviction(preemptor, node, list(victims), list(losers), last if last[1] else None, faulty)
                for preemptor, node, victims, losers, last, faulty in memory.evictions
            }
    handle.assumed.assume(memory.volumes, memory.claims)
    for plugin, kept in zip(_remembering(scheduler), memory.kept, strict=True):
        plugin.recall(kept)
    return [
        Binding(_queued(each.waiter), each.pod, each.node, _state(each.reserved), Stage(each.stage))
        for each in memory.bindings
    ]


def _state(reserved: Reserved) -> CycleState:
    """The state of a cycle with what is assumed of volumes."""
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
    """A moment later than all that is kept."""
    ranks = [waiter.rank for waiter in memory.waiters] + [each.waiter.rank for each in memory.bindings]
    return float(max(ranks, default=-1) + 1)
