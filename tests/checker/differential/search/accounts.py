"""Accounts of a life that are kept beside the scheduler: `Backoffs`, of its attempts; `Signals`, of the waits on Permit

`Binders` are the answers of Bind plugins; `replaced` are pods that are being bound, and are gone; `Expiries` are the ends of the time
in which an assumed pod must be delivered.

What the scheduler keeps itself cannot judge it: the end of a backoff that is never computed anew looks right to whoever
asks for it. So each account is kept from what happens alone, and is compared with what the scheduler does.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from math import floor, inf
from typing import Any

from schedcheck.model.production.cache.cache import Cache
from schedcheck.model.production.cycle.scheduler import Binding, Scheduler
from schedcheck.model.production.framework.waiting import WaitingPod
from schedcheck.model.production.queue.queued_pod import QueuedPod
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.objects import Pod

Identity = tuple[str, ...]


@dataclass
class Failures:
    """The rejections and the errors in a row of a pod, and when it failed last, in seconds."""

    rejections: int = 0
    errors: int = 0
    since: float = 0.0
    gated: bool = False
    """Whether a PreEnqueue plugin has rejected the pod since it failed last; it backs off as after a rejection then."""

    def until(self, initial: float, most: float) -> float:
        """Return the second in which the backoff ends, after all of which the pod may be tried.

        A greatest backoff of 0 disables it. Kubernetes 1.37: getBackoffTime and calculateBackoffDuration in
        pkg/scheduler/backend/queue/backoff_queue.go.
        """
        if most == 0:
            return -inf
        count = self.errors or self.rejections
        return floor(self.since + min(most, initial * 2.0 ** (count - 1)))


class Backoffs:
    """The failures of each queued pod, as they happen."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._queue, self._clock = scheduler.queue, scheduler.clock
        self._failed: dict[Identity, Failures] = {}
        self._hurried: list[Pod] = []
        for name, heard in (("add", self._added), ("put_back", self._put_back)):
            setattr(self._queue, name, _after(heard, getattr(self._queue, name)))
        self._hear_pops()
        for framework in scheduler.frameworks.values():
            for plugin in framework.at("preEnqueue"):
                self._hear_gates(plugin)

    def _hear_gates(self, plugin: Any) -> None:
        """Note each pod that a PreEnqueue plugin rejects.

        Kubernetes 1.37: runPreEnqueuePlugin in scheduling_queue.go, add in backoff_queue.go of pkg/scheduler/backend/queue.
        """
        ask = plugin.pre_enqueue

        def heard(pod: Pod) -> Any:
            said = ask(pod)
            if not said.success and pod.identity in self._failed:
                self._failed[pod.identity].gated = True
            return said

        plugin.pre_enqueue = heard

    def _hear_pops(self) -> None:
        """Note each pod that is popped before its backoff after an error is over.

        One that backs off after a rejection may be popped early. Kubernetes 1.37: popBackoff in pkg/scheduler/backend/queue/backoff_queue.go.
        """
        pop = self._queue.pop

        def heard() -> QueuedPod | None:
            queued = pop()
            known = None if queued is None else self._failed.get(queued.identity)
            hurried = known is not None and known.errors and not known.gated
            if queued is not None and hurried and self._lasts(queued):
                self._hurried.append(queued.pod)
            return queued

        self._queue.pop = heard  # type: ignore[method-assign]

    def _added(self, pod: Any) -> None:
        self._failed.pop(pod.identity, None)

    def _put_back(self, queued: QueuedPod) -> None:
        """Note a failure, unless the pod is queued already, as one is that changed while it was deleted, and stays so.

        Kubernetes 1.37: AddUnschedulableIfNotPresent in pkg/scheduler/backend/queue/scheduling_queue.go.
        """
        if any(key == queued.key and place != "in flight" for key, place in self._queue.places()):
            return
        known = self._failed.setdefault(queued.identity, Failures())
        rejected = bool(queued.refused_by or queued.pending)
        known.since, known.gated = self._clock(), False
        known.rejections, known.errors = (known.rejections + 1, 0) if rejected else (known.rejections, known.errors + 1)

    def _lasts(self, queued: QueuedPod) -> bool:
        known, backoff = self._failed.get(queued.identity), self._queue.backoff
        return known is not None and known.until(backoff.initial, backoff.most) >= floor(self._clock())

    def early(self) -> list[Pod]:
        """Return the pods that have not backed off, and are in the activeQ, or were popped after an error since the last call."""
        hurried, self._hurried = self._hurried, []
        return [*hurried, *(each.pod for each in self._queue.active if self._lasts(each))]

    def late(self) -> list[Pod]:
        """Return the pods in the backoffQ that have backed off; none is left there when it was flushed."""
        heaps = (self._queue.backing_off, self._queue.erring)
        return [each.pod for heap in heaps for each in heap if not self._lasts(each)]


def _after(heard: Callable[[Any], None], call: Callable[[Any], None]) -> Callable[[Any], None]:
    """Return the call, of which `heard` hears first."""

    def made(thing: Any) -> None:
        heard(thing)
        call(thing)

    return made


@dataclass
class Signal:
    """The plugins that a pod still waits for, and whether it was allowed or rejected first; None while neither. `by` has rejected it."""

    asked: set[str]
    allowed: bool | None = None
    by: str = ""


@dataclass
class Signals:
    """What was said first to each pod that waits on Permit, whichever its plugins say later.

    Kubernetes 1.37: Allow and Reject in pkg/scheduler/framework/runtime/waiting_pods_map.go.
    """

    said: dict[int, Signal] = field(default_factory=dict)

    def hear(self, scheduler: Scheduler) -> None:
        """Hear what is said to the pods that begin to wait in this scheduler."""
        waiting = scheduler.handle.waiting
        add = waiting.add

        def added(pod: Any, waits: Any, now: float) -> WaitingPod:
            made = add(pod, waits, now)
            signal = self.said[id(made)] = Signal(set(waits))
            made.allow = _after(lambda plugin: self._allowed(signal, plugin), made.allow)  # type: ignore[method-assign]
            reject = made.reject

            def rejected(plugin: str, reason: str) -> None:
                if signal.allowed is None:
                    signal.allowed, signal.by = False, plugin
                reject(plugin, reason)

            made.reject = rejected  # type: ignore[method-assign]
            return made

        waiting.add = added  # type: ignore[method-assign]

    @staticmethod
    def _allowed(signal: Signal, plugin: str) -> None:
        signal.asked.discard(plugin)
        if not signal.asked and signal.allowed is None:
            signal.allowed = True

    def rejector(self, waiting: WaitingPod | None) -> str:
        """Return the plugin that rejected the pod first; empty if none did, or its time was over, or it is a victim."""
        return "" if waiting is None or id(waiting) not in self.said else self.said[id(waiting)].by

    def first(self, waiting: WaitingPod | None) -> bool | None:
        """Return whether the pod was allowed first; None if it does not wait, or nothing was decided."""
        return None if waiting is None or id(waiting) not in self.said else self.said[id(waiting)].allowed


@dataclass
class Binders:
    """What the Bind plugins have answered to each pod that is being bound: whether each has skipped it, in order.

    Kubernetes 1.37: RunBindPlugins in pkg/scheduler/framework/runtime/framework.go.
    """

    answers: dict[Identity, list[tuple[str, bool]]] = field(default_factory=dict)

    def heard(self, pod: Pod, plugin: str, *, skips: bool) -> None:
        """Note an answer."""
        self.answers.setdefault(pod.identity, []).append((plugin, skips))

    def wrong(self, pod: Pod, order: Sequence[str]) -> str:
        """Return what is wrong with the answers to a pod of a profile with these plugins; empty if nothing is.

        They are asked in order, and the first that does not skip the pod is the last that is asked.
        """
        found = self.answers.pop(pod.identity, [])
        names = [plugin for plugin, _ in found]
        if any(not skips for _, skips in found[:-1]):
            return f"{names} were asked to bind {pod}, of which the last but one had not skipped it"
        ended = bool(found) and not found[-1][1]
        wanted = list(order[: len(found)]) if ended else list(order)
        return "" if names == wanted else f"{names} were asked to bind {pod}, of {list(order)}"


class Expiries:
    """The assumed pods whose bindings have ended, and when; each must be delivered in the time that a cache gives it."""

    def __init__(self, cache: Cache, lasts: float) -> None:
        self._cache, self._lasts = cache, lasts
        self._ended: dict[Identity, float] = {}
        finish, assume, expire = cache.finish_binding, cache.assume, cache.expire

        def finished(identity: Identity, now: float) -> None:
            self._ended[identity] = now
            finish(identity, now)

        def assumed(info: PodInfo) -> None:
            assume(info)
            self._ended.pop(info.identity, None)

        def expired(now: float) -> list[Identity]:
            due = self._due(now)
            found = expire(now)
            assert set(found) == due, f"{sorted(found)} expire, and not {sorted(due)}"
            return found

        cache.finish_binding, cache.assume, cache.expire = finished, assumed, expired  # type: ignore[method-assign]

    def _due(self, now: float) -> set[Identity]:
        """Return the pods that are still assumed, and whose time is over."""
        return {
            each for each, ended in self._ended.items() if each in self._cache.assumed and ended + self._lasts <= now
        }


def replaced(bindings: Sequence[Binding], known: Mapping[Any, Pod]) -> list[Pod]:
    """Return the pods that begin to be bound, and that were deleted or created again since they were popped."""
    return [each.pod for each in bindings if each.pod.identity != getattr(known.get(each.pod.key), "identity", None)]


@dataclass
class Attempts:
    """The calls of two own plugins, the first and the last of all, from Reserve to PostBind: in each attempt at a pod.

    At each point the first one is called before the last one, and nobody after the first refusal or failure. Then, and after
    a binding that fails, both are told to unreserve, the last one first, whether they had their turn at Reserve or not.

    Kubernetes 1.37: RunReservePluginsReserve, RunReservePluginsUnreserve and others in pkg/scheduler/framework/runtime/framework.go.
    """

    own: tuple[str, str]
    points: tuple[str, ...]
    calls: dict[Identity, list[tuple[str, str, bool]]] = field(default_factory=dict)

    def heard(self, pod: Pod, point: str, plugin: str, *, well: bool) -> None:
        """Note a call, and whether the plugin had nothing against the pod."""
        self.calls.setdefault(pod.identity, []).append((point, plugin, well))

    def wrong(self, under_way: Container[Identity]) -> str:
        """Return what is wrong with the calls of the attempts that have ended since; empty if nothing is."""
        ended = {each: self.calls.pop(each) for each in list(self.calls) if each not in under_way}
        return "; ".join(f"{pod}: {calls}" for pod, calls in ended.items() if not self.right(calls))

    def right(self, calls: Sequence[tuple[str, str, bool]]) -> bool:
        """Whether these are the calls of an attempt that has ended."""
        whole = [(point, plugin, True) for point in self.points for plugin in self.own]
        if list(calls) == whole:
            return True
        *begun, last, first = calls if len(calls) > 1 else (None, None)
        undone = [("unreserve", plugin, True) for plugin in reversed(self.own)]
        refused = [place for place, each in enumerate(begun) if each is not None and not each[2]]
        said = [(*each[:2], True) for each in begun if each is not None]
        bound = len(begun) > len(whole) - len(self.own)
        return [last, first] == undone and said == whole[: len(said)] and refused in ([], [len(said) - 1]) and not bound
