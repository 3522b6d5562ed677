"""Accounts of a life that are kept beside the scheduler: `Backoffs`, of its attempts; `Signals`, of the waits on Permit

What the scheduler keeps itself cannot judge it: the end of a backoff that is never computed anew looks right to whoever
asks for it. So each account is kept from what happens alone, and is compared with what the scheduler does.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import floor
from typing import Any

from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.framework.waiting import WaitingPod
from schedcheck.model.production.queue.queued_pod import QueuedPod
from schedcheck.spec.objects import Pod

Identity = tuple[str, ...]


@dataclass
class Failures:
    """The rejections and the errors in a row of a pod, and when it failed last, in seconds."""

    rejections: int = 0
    errors: int = 0
    since: float = 0.0

    def until(self, initial: float, most: float) -> float:
        """Return the second in which the backoff ends, after all of which the pod may be tried.

        Kubernetes 1.37: calculateBackoffDuration in pkg/scheduler/backend/queue/backoff_queue.go.
        """
        count = self.errors or self.rejections
        return floor(self.since + min(most, initial * 2.0 ** (count - 1)))


class Backoffs:
    """The failures of each queued pod, as they happen."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._queue, self._clock = scheduler.queue, scheduler.clock
        self._failed: dict[Identity, Failures] = {}
        for name, heard in (("add", self._added), ("put_back", self._put_back)):
            setattr(self._queue, name, _after(heard, getattr(self._queue, name)))

    def _added(self, pod: Any) -> None:
        self._failed.pop(pod.identity, None)

    def _put_back(self, queued: QueuedPod) -> None:
        known = self._failed.setdefault(queued.identity, Failures())
        rejected = bool(queued.refused_by or queued.pending)
        known.since = self._clock()
        known.rejections, known.errors = (known.rejections + 1, 0) if rejected else (known.rejections, known.errors + 1)

    def _lasts(self, queued: QueuedPod) -> bool:
        known, backoff = self._failed.get(queued.identity), self._queue.backoff
        return known is not None and known.until(backoff.initial, backoff.most) >= floor(self._clock())

    def early(self) -> list[Pod]:
        """Return the pods in the activeQ that have not backed off."""
        return [each.pod for each in self._queue.active if self._lasts(each)]

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
    """The plugins that a pod still waits for, and whether it was allowed or rejected first; None while neither."""

    asked: set[str]
    allowed: bool | None = None


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
                signal.allowed = False if signal.allowed is None else signal.allowed
                reject(plugin, reason)

            made.reject = rejected  # type: ignore[method-assign]
            return made

        waiting.add = added  # type: ignore[method-assign]

    @staticmethod
    def _allowed(signal: Signal, plugin: str) -> None:
        signal.asked.discard(plugin)
        if not signal.asked and signal.allowed is None:
            signal.allowed = True

    def first(self, waiting: WaitingPod | None) -> bool | None:
        """Return whether the pod was allowed first; None if it does not wait, or nothing was decided."""
        return None if waiting is None or id(waiting) not in self.said else self.said[id(waiting)].allowed
