"""The scheduling queue: `SchedulingQueue`. A pod is in one place: activeQ, backoffQ, unschedulablePods or in flight.

No pod moves by itself: the owner of the queue calls `flush_backoff` and `flush_unschedulable` from time to time, and
provides the clock.

Kubernetes 1.34: pkg/scheduler/backend/queue/scheduling_queue.go.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from schedcheck.model.production.framework.events import (
    FORCED,
    TIMED_OUT,
    ClusterEvent,
    pod_changes,
)
from schedcheck.model.production.framework.framework import Framework
from schedcheck.model.production.framework.plugin import QueueSortPlugin
from schedcheck.model.production.queue.heap import Heap
from schedcheck.model.production.queue.hints import Hints, Strategy
from schedcheck.model.production.queue.in_flight import InFlight
from schedcheck.model.production.queue.nominator import Nominator
from schedcheck.model.production.queue.queued_pod import Backoff, QueuedPod
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.terms import NamespaceLabels
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.objects import Pod

Key = tuple[str, str]
LONGEST_UNSCHEDULABLE = 5 * 60.0
"""How long a pod stays in unschedulablePods before it is tried again without any event, in seconds."""


class QueueError(Exception):
    """A pod would be in two places of the queue."""


class SchedulingQueue:
    """The queue of all profiles. `clock` returns the time in seconds, `lister` the pods as they were delivered."""

    def __init__(
        self,
        frameworks: Mapping[str, Framework],
        clock: Callable[[], float],
        lister: Callable[[Key], Pod | None],
        namespaces: Callable[[], NamespaceLabels] = dict,
        backoff: Backoff = Backoff(),  # noqa: B008
        longest_unschedulable: float = LONGEST_UNSCHEDULABLE,
        departures: Departures = NEWEST.departures,
    ) -> None:
        self._frameworks = frameworks
        self._clock = clock
        self._namespaces = namespaces
        self._longest = longest_unschedulable
        self._departures = departures
        self.backoff = backoff
        self.hints = Hints(frameworks)
        self.nominator = Nominator(lister)
        self.active = Heap(self._less)
        self.backing_off = Heap(self._ends_before)
        self.erring = Heap(self._ends_before)
        """Pods that back off after an error, not after a rejection."""
        self.unschedulable: dict[Key, QueuedPod] = {}
        self.in_flight = InFlight()

    def add(self, pod: Pod) -> None:
        """Add a new unbound pod."""
        self._activate(QueuedPod(PodInfo(pod), self._clock()))
        self._nominate_if_active(pod)

    def update(self, before: Pod, after: Pod) -> None:
        """Update an unbound pod; an unschedulable one is requeued if the change may make it schedulable."""
        changes = pod_changes(before, after, self._departures)
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
        """Remove a pod from the queue. A pod in flight stays in flight until it is done."""
        self.nominator.remove(pod.key)
        self._take(pod.key)

    def pop(self) -> QueuedPod | None:
        """Pop the first pod of the activeQ, else the first that backs off after a rejection, else return None."""
        while True:
            queued = self.active.pop() or self.backing_off.pop()
            if queued is None:
                return None
            if self.in_flight.begin(queued.identity):
                queued.attempts += 1
                queued.forget_rejectors()
                return queued

    def take_group(self, pod: Pod) -> list[QueuedPod]:
        """Take the other queued pods of the PodGroup of a popped pod, wherever they wait; they are in flight then."""
        places = (*self.active, *self.backing_off, *self.erring, *self.unschedulable.values())
        mates = [each for each in places if _group(each.pod) == _group(pod) and each.key != pod.key]
        for each in mates:
            self._take(each.key)
            self.in_flight.begin(each.identity)
            each.attempts += 1
            each.forget_rejectors()
        return mates

    def held(self, queued: QueuedPod) -> bool:
        """Whether a PreEnqueue plugin rejects a pod that was taken with its group."""
        return self._gated(queued)

    def hold(self, queued: QueuedPod) -> None:
        """Set a pod aside whose group is held back by one of its pods."""
        self.unschedulable[queued.key] = queued
        self.done(queued.identity)

    def done(self, identity: tuple[str, ...]) -> None:
        """End the scheduling of a pod that was popped."""
        self.in_flight.done(identity)

    def put_back(self, queued: QueuedPod) -> None:
        """Put back a pod that could not be scheduled.

        After a rejection it waits for an event, unless a helpful one came while it was in flight. After an error it
        only backs off.

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
        """Move a pod to the activeQ regardless of events and backoff; a pod in flight moves once it is put back."""
        queued = self.unschedulable.get(pod.key) or self.backing_off.get(pod.key) or self.erring.get(pod.key)
        if queued is None:
            if pod.identity in self.in_flight:
                self.in_flight.happen(FORCED, None, pod)
            return
        # A pod that backs off has passed PreEnqueue already.
        self._activate(queued, checked=pod.key not in self.unschedulable)

    def let_in(self, pod: Pod) -> None:
        """Requeue a pod that PreEnqueue had rejected, after its backoff."""
        queued = self.unschedulable.get(pod.key)
        if queued is not None and queued.gate and queued.identity == pod.identity:
            self._take(pod.key)
            self._requeue(queued, Strategy.AFTER_BACKOFF)

    def move_all(
        self, event: ClusterEvent, before: Any, after: Any, concerns: Callable[[Pod], bool] | None = None
    ) -> None:
        """Requeue the unschedulable pods that the event may help; `concerns` limits it to some pods."""
        chosen = [queued for queued in self.unschedulable.values() if concerns is None or concerns(queued.pod)]
        self._move(chosen, event, before, after)

    def flush_backoff(self) -> None:
        """Move the pods whose backoff is over to the activeQ."""
        now = self._clock()
        for heap in (self.backing_off, self.erring):
            while (first := heap.first()) is not None and not self.backoff.lasts(first, now):
                heap.remove(first.key)
                self._activate(first, checked=True)

    def flush_unschedulable(self) -> None:
        """Requeue the pods that have been in unschedulablePods for too long."""
        now = self._clock()
        over = [queued for queued in self.unschedulable.values() if now - queued.timestamp > self._longest]
        if over:
            self.time_out(over)

    def time_out(self, over: Iterable[QueuedPod]) -> None:
        """Requeue these pods, which have been in unschedulablePods for too long."""
        self._move(over, TIMED_OUT, None, None)

    def nominated(self, node: str) -> list[PodInfo]:
        """Return the pods that are nominated to a node, in the form in which they are queued or were delivered."""
        return [self._nominated(key) for key in self.nominator.on(node)]

    def nominations(self) -> list[tuple[str, PodInfo]]:
        """Return every nominated pod, in that form, with its node."""
        # Most of them are unschedulable, and every cycle asks for all of them.
        waiting = self.unschedulable
        return [
            (node, self._nominated(key) if (queued := waiting.get(key)) is None else queued.info)
            for key, node in self.nominator.node_of.items()
        ]

    def places(self) -> Iterator[tuple[Key, str]]:
        """Yield the key of every pod with each place that it is in."""
        named = (("active", self.active), ("backing off", self.backing_off), ("backing off", self.erring))
        for place, heap in named:
            yield from ((queued.key, place) for queued in heap)
        yield from ((key, "unschedulable") for key in self.unschedulable)
        flying = (entry for entry in self.in_flight.entries if isinstance(entry, tuple))
        yield from (((entry[0], entry[1]), "in flight") for entry in flying)

    def _nominated(self, key: Key) -> PodInfo:
        queued = self._find(key)
        return self._known(key) if queued is None else queued.info

    def _known(self, key: Key) -> PodInfo:
        """Return a nominated pod that is not queued; one in flight, which is tried with its group, by its name alone."""
        pod = self.nominator.lister(key)
        bare = pod is None or (pod.scheduling_group and pod.identity in self.in_flight)
        return PodInfo(Pod(key[1], key[0], uid=pod.uid if pod else "") if bare or pod is None else pod)

    def _less(self, left: QueuedPod, right: QueuedPod) -> bool:
        """Whether `left` is scheduled before `right`. All profiles share one QueueSort plugin."""
        less: bool = self._sorting.less(left, right)
        return less

    @cached_property
    def _sorting(self) -> QueueSortPlugin:
        """Return the QueueSort plugin of all profiles."""
        found: QueueSortPlugin = next(iter(self._frameworks.values())).at("queueSort")[0]
        return found

    def _ends_before(self, left: QueuedPod, right: QueuedPod) -> bool:
        """Whether `left` precedes `right` in the backoffQ: by the end of the backoff, then in queue order."""
        ends = self.backoff.until(left), self.backoff.until(right)
        return ends[0] < ends[1] if ends[0] != ends[1] else self._less(left, right)

    def _find(self, key: Key) -> QueuedPod | None:
        heaps = (self.active, self.backing_off, self.erring)
        return next((heap.get(key) for heap in heaps if key in heap), self.unschedulable.get(key))

    def _take(self, key: Key) -> None:
        """Remove a pod from the activeQ, the backoffQ and unschedulablePods."""
        for heap in (self.active, self.backing_off, self.erring):
            heap.remove(key)
        self.unschedulable.pop(key, None)

    def _gated(self, queued: QueuedPod) -> bool:
        """Whether a PreEnqueue plugin rejects the pod; the plugin that did so last is asked first."""
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
        """Move a pod to the activeQ unless PreEnqueue rejects it; if `checked`, PreEnqueue has passed already."""
        if not checked and self._gated(queued):
            self._take(queued.key)
            self.unschedulable[queued.key] = queued
            return
        self._take(queued.key)
        self.active.put(queued)

    def _back_off(self, queued: QueuedPod) -> None:
        """Move a pod to the backoffQ unless PreEnqueue rejects it."""
        gated = self._gated(queued)
        self._take(queued.key)
        if gated:
            self.unschedulable[queued.key] = queued
        elif queued.rejectors:
            self.backing_off.put(queued)
        else:
            self.erring.put(queued)

    def _nominate_if_active(self, pod: Pod) -> None:
        """Record the nomination that a new pod brings along, before 1.37 only if the pod is in the activeQ."""
        if pod.key in self.active or Departure.MEMBERS_QUEUED_ALONE not in self._departures:
            self.nominator.add(pod)

    def _requeue(self, queued: QueuedPod, strategy: Strategy) -> None:
        if strategy is Strategy.SKIP:
            self.unschedulable[queued.key] = queued
        elif strategy is Strategy.AFTER_BACKOFF and self.backoff.lasts(queued, self._clock()):
            self._back_off(queued)
        else:
            self._activate(queued)

    def _worth_by_now(self, queued: QueuedPod) -> Strategy:
        """Return how the events since the pod was popped requeue it."""
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


def _group(pod: Pod) -> tuple[str, str]:
    """Return the PodGroup that a pod names, by namespace and name."""
    return pod.namespace, pod.scheduling_group
