"""The pods that wait to be tried: `SchedulingQueue`. Every pod is in one place: active, backing off, unschedulable, in flight.

Nothing moves by itself: whoever owns the queue calls `flush_backoff` and `flush_unschedulable` now and then, with a clock
that it gives.

Kubernetes 1.34: pkg/scheduler/backend/queue/scheduling_queue.go.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from schedcheck.model.production.framework.events import (
    FORCED,
    TIMED_OUT,
    ClusterEvent,
    pod_changes,
)
from schedcheck.model.production.framework.framework import Framework
from schedcheck.model.production.queue.heap import Heap
from schedcheck.model.production.queue.hints import Hints, Strategy
from schedcheck.model.production.queue.in_flight import InFlight
from schedcheck.model.production.queue.nominator import Nominator
from schedcheck.model.production.queue.queued_pod import Backoff, QueuedPod
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.terms import NamespaceLabels
from schedcheck.spec.objects import Pod

Key = tuple[str, str]
LONGEST_UNSCHEDULABLE = 5 * 60.0
"""How long a pod stays unschedulable before it is tried again without any event, in seconds."""


class QueueError(Exception):
    """A pod would be in two places."""


class SchedulingQueue:
    """The queue of all profiles. `clock` gives the time in seconds, `lister` the pods as they were delivered."""

    def __init__(
        self,
        frameworks: Mapping[str, Framework],
        clock: Callable[[], float],
        lister: Callable[[Key], Pod | None],
        namespaces: Callable[[], NamespaceLabels] = dict,
        backoff: Backoff = Backoff(),  # noqa: B008
        longest_unschedulable: float = LONGEST_UNSCHEDULABLE,
    ) -> None:
        self._frameworks = frameworks
        self._clock = clock
        self._namespaces = namespaces
        self._longest = longest_unschedulable
        self.backoff = backoff
        self.hints = Hints(frameworks)
        self.nominator = Nominator(lister)
        self.active = Heap(self._less)
        self.backing_off = Heap(self._ends_before)
        self.erring = Heap(self._ends_before)
        """Those that back off because something went wrong, not because they were refused."""
        self.unschedulable: dict[Key, QueuedPod] = {}
        self.in_flight = InFlight()

    def add(self, pod: Pod) -> None:
        """A pod has come that waits for a node."""
        self._activate(QueuedPod(PodInfo(pod), self._clock()))
        self._nominate_if_active(pod)

    def update(self, before: Pod, after: Pod) -> None:
        """A pod that waits was changed; it is tried again if that is of any use to it."""
        changes = pod_changes(before, after)
        if after.identity in self.in_flight:
            for event in changes:
                self.in_flight.happen(event, before, after)
            return
        queued = self._find(after.key)
        if queued is None:
            self.add(after)
            return
        queued.info = PodInfo(after)
        self.nominator.update(before, after)
        for heap in (self.active, self.backing_off, self.erring):
            if after.key in heap:
                heap.put(queued)
                return
        for event in changes:
            self._requeue(queued, self.hints.worth(queued, event, before, after))
            if after.key not in self.unschedulable:
                return

    def delete(self, pod: Pod) -> None:
        """A pod waits no more. One that is in flight stays there until it is done."""
        self.nominator.remove(pod.key)
        self._take(pod.key)

    def pop(self) -> QueuedPod | None:
        """Take up the first of the active pods, or else of those that back off after a refusal; None if there is none."""
        while True:
            queued = self.active.pop() or self.backing_off.pop()
            if queued is None:
                return None
            if self.in_flight.begin(queued.identity):
                queued.attempts += 1
                queued.forget_rejectors()
                return queued

    def done(self, identity: tuple[str, ...]) -> None:
        """A pod that was taken up is tried no more."""
        self.in_flight.done(identity)

    def put_back(self, queued: QueuedPod) -> None:
        """A pod could not be placed: it waits for an event, unless one has come already that speaks to it.

        Raises: QueueError if it is in the queue already.
        """
        try:
            if self._find(queued.key) is not None:
                raise QueueError(f"pod {'/'.join(queued.key)} is already present in the queue")
            if queued.rejectors:
                queued.refusals += 1
                queued.errors = 0
            else:
                queued.errors += 1
            queued.timestamp = self._clock()
            queued.until = None
            self._requeue(queued, self._worth_by_now(queued))
        finally:
            self.done(queued.identity)

    def activate(self, pod: Pod) -> None:
        """Try a pod next, whatever it waits for; if it is being tried, once it is back."""
        queued = self.unschedulable.get(pod.key) or self.backing_off.get(pod.key) or self.erring.get(pod.key)
        if queued is None:
            if pod.identity in self.in_flight:
                self.in_flight.happen(FORCED, None, pod)
            return
        # Whoever backs off has passed the gates already.
        self._activate(queued, checked=pod.key not in self.unschedulable)

    def let_in(self, pod: Pod) -> None:
        """Try a pod, once it has backed off, that a plugin kept from that when it had reason to be tried."""
        queued = self.unschedulable.get(pod.key)
        if queued is not None and queued.gate:
            self._take(pod.key)
            self._requeue(queued, Strategy.AFTER_BACKOFF)

    def move_all(
        self, event: ClusterEvent, before: Any, after: Any, concerns: Callable[[Pod], bool] | None = None
    ) -> None:
        """Something has happened: the unschedulable pods that it may help, and that it `concerns`, are tried again."""
        chosen = [queued for queued in self.unschedulable.values() if concerns is None or concerns(queued.pod)]
        self._move(chosen, event, before, after)

    def flush_backoff(self) -> None:
        """Try again the pods that have backed off long enough."""
        now = self._clock()
        for heap in (self.backing_off, self.erring):
            while (first := heap.first()) is not None and not self.backoff.lasts(first, now):
                heap.remove(first.key)
                self._activate(first, checked=True)

    def flush_unschedulable(self) -> None:
        """Try again the pods that have been unschedulable for too long."""
        now = self._clock()
        over = [queued for queued in self.unschedulable.values() if now - queued.timestamp > self._longest]
        if over:
            self.time_out(over)

    def time_out(self, over: Iterable[QueuedPod]) -> None:
        """Try again these pods, which have been unschedulable for too long."""
        self._move(over, TIMED_OUT, None, None)

    def nominated(self, node: str) -> list[PodInfo]:
        """The pods that are nominated to a node, as they are known."""
        infos = ((key, self._find(key)) for key in self.nominator.on(node))
        return [queued.info if queued is not None else self._known(key) for key, queued in infos]

    def places(self) -> Iterator[tuple[Key, str]]:
        """Every pod with each place where it is."""
        named = (("active", self.active), ("backing off", self.backing_off), ("backing off", self.erring))
        for place, heap in named:
            yield from ((queued.key, place) for queued in heap)
        yield from ((key, "unschedulable") for key in self.unschedulable)
        flying = (entry for entry in self.in_flight.entries if isinstance(entry, tuple))
        yield from (((entry[0], entry[1]), "in flight") for entry in flying)

    def _known(self, key: Key) -> PodInfo:
        pod = self.nominator.lister(key)
        return PodInfo(pod if pod is not None else Pod(key[1], key[0]))

    def _less(self, left: QueuedPod, right: QueuedPod) -> bool:
        """The order of the queue, which all profiles share."""
        framework = next(iter(self._frameworks.values()))
        less: bool = framework.at("queueSort")[0].less(left, right)
        return less

    def _ends_before(self, left: QueuedPod, right: QueuedPod) -> bool:
        """The order of those that back off."""
        ends = self.backoff.until(left), self.backoff.until(right)
        return ends[0] < ends[1] if ends[0] != ends[1] else self._less(left, right)

    def _find(self, key: Key) -> QueuedPod | None:
        heaps = (self.active, self.backing_off, self.erring)
        return next((heap.get(key) for heap in heaps if key in heap), self.unschedulable.get(key))

    def _take(self, key: Key) -> None:
        """Take a pod out of where it waits."""
        for heap in (self.active, self.backing_off, self.erring):
            heap.remove(key)
        self.unschedulable.pop(key, None)

    def _gated(self, queued: QueuedPod) -> bool:
        """Whether a plugin keeps the pod from being tried; the one that did so last is asked first."""
        framework = self._frameworks.get(queued.pod.scheduler_name)
        plugins = framework.at("preEnqueue") if framework is not None else ()
        for plugin in sorted(plugins, key=lambda each: each.name != queued.gate):
            if not plugin.pre_enqueue(queued.pod).success:
                queued.refused_by.add(plugin.name)
                queued.gate = plugin.name
                return True
        queued.gate = ""
        return False

    def _activate(self, queued: QueuedPod, *, checked: bool = False) -> None:
        """Make a pod active, unless a plugin keeps it from being tried; `checked` if the plugins were asked before."""
        if not checked and self._gated(queued):
            self._take(queued.key)
            self.unschedulable[queued.key] = queued
            return
        self._take(queued.key)
        self.active.put(queued)

    def _back_off(self, queued: QueuedPod) -> None:
        """Let a pod back off, unless a plugin keeps it from being tried."""
        gated = self._gated(queued)
        self._take(queued.key)
        if gated:
            self.unschedulable[queued.key] = queued
        elif queued.rejectors:
            self.backing_off.put(queued)
        else:
            self.erring.put(queued)

    def _nominate_if_active(self, pod: Pod) -> None:
        """A pod that comes with a nomination has it, if it may be tried."""
        if pod.key in self.active:
            self.nominator.add(pod)

    def _requeue(self, queued: QueuedPod, strategy: Strategy) -> None:
        if strategy is Strategy.SKIP:
            self.unschedulable[queued.key] = queued
        elif strategy is Strategy.AFTER_BACKOFF and self.backoff.lasts(queued, self._clock()):
            self._back_off(queued)
        else:
            self._activate(queued)

    def _worth_by_now(self, queued: QueuedPod) -> Strategy:
        """What becomes of a pod after all that has happened since it was taken up."""
        if not queued.rejectors or queued.identity not in self.in_flight:
            return Strategy.AFTER_BACKOFF
        happenings = self.in_flight.since(queued.identity)
        said = (self.hints.worth(queued, each.event, each.before, each.after) for each in happenings)
        return max(said, default=Strategy.SKIP)

    def _move(self, chosen: Iterable[QueuedPod], event: ClusterEvent, before: Any, after: Any) -> None:
        if not self.hints.interesting(event):
            return
        for queued in chosen:
            if queued.gate and not self.hints.gate_opens(queued, event):
                continue
            strategy = self.hints.worth(queued, event, before, after)
            if strategy is not Strategy.SKIP:
                self._take(queued.key)
                self._requeue(queued, strategy)
        self.in_flight.happen(event, before, after)
