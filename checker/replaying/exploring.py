"""What a scheduler may have known when it decided, explored: `Explorer`.

The changes of one stream are delivered in their order, and at the latest `lag` after they happened. Changes with the time
of the decision may have come before it or after it. A binding may have failed without a record.
"""

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf

from schedcheck.checker.judging.reply import PodKey
from schedcheck.checker.replaying.knowledge import Delivered, Knowledge, Version
from schedcheck.checker.replaying.records import STREAMS, Change, Decided, Stream
from schedcheck.spec.objects import Pod


@dataclass(frozen=True)
class Lag:
    """How late the scheduler may learn of a change: seconds, or that number of changes if records have no time."""

    seconds: float = 1.0
    changes: int = 16


class Explorer:
    """The knowledge of a scheduler, and the changes that it may not know yet."""

    def __init__(self, known: Knowledge, lag: Lag) -> None:
        self.known, self.lag = known, lag
        self._recent: dict[Stream, deque[Delivered]] = {stream: deque() for stream in STREAMS}

    def deliver(self, change: Change) -> None:
        """Deliver a change, which the scheduler may learn late."""
        delivered = self.known.deliver(change)
        if delivered is not None:
            self._recent[change.stream].append(delivered)
            self._settle(change.time)

    def _settle(self, now: float | None) -> None:
        """Forget the changes that the scheduler must know."""
        for recent in self._recent.values():
            while recent and self._old(recent, now):
                self.known.settle(recent.popleft())

    def _old(self, recent: deque[Delivered], now: float | None) -> bool:
        time = recent[0].change.time
        if now is None or time is None:
            return len(recent) > self.lag.changes
        return time < now - self.lag.seconds

    def recent(self) -> tuple[Delivered, ...]:
        """Return the last change of each object that the scheduler may not know yet, the last one first."""
        every = {
            (stream, delivered.change.key if stream != "rest" else ""): delivered
            for stream, recent in self._recent.items()
            for delivered in recent
        }
        return tuple(sorted(every.values(), key=lambda each: each.change.line, reverse=True))

    def knowledges(
        self, decided: Decided, ahead: Sequence[Change], failing: Sequence[PodKey], coming: Sequence[Decided] = ()
    ) -> Generator[tuple[Delivered, ...]]:
        """Yield for each possible knowledge the changes that it lacks; the knowledge holds until the next one is asked for.

        `ahead` are the changes after the decision that have its time. `failing` are the bindings that the scheduler may not
        know: they failed, or came later. `coming` are later bindings that it may know. The first knowledge is that of the
        record, and the next ones have the decision at another place in the order of the bindings. Some differ in nothing that
        matters for the reply, and are left out.
        """
        self._settle(decided.time)
        in_order = self._forward(decided, ahead)
        yield next(in_order)
        for some in self._displaced(decided, failing, coming):
            with self._assuming(some):
                yield ()
        yield from in_order
        for some in _subsets([*failing, *coming]):
            with self._assuming(some):
                yield from self._forward(decided, ahead)

    def _displaced(
        self, decided: Decided, failing: Sequence[PodKey], coming: Sequence[Decided]
    ) -> Iterator[Sequence[PodKey | Decided]]:
        """Yield what differs if the decision was made elsewhere in the order of the calls, the nearest place first."""
        calls: list[tuple[float, PodKey | Decided]] = [(_early(self.known.bound[key].time), key) for key in failing]
        calls += [(_early(each.time), each) for each in coming]
        calls.sort(key=lambda call: call[0])
        place = sum(time < _early(decided.time) for time, _ in calls)
        for distance in range(len(calls) + 1):
            for here in sorted({place - distance, place + distance}):
                if 0 <= here <= len(calls):
                    known = [each for _, each in calls[:here] if isinstance(each, Decided)]
                    later = [each for _, each in calls[here:] if not isinstance(each, Decided)]
                    if known or later:
                        yield [*known, *later]

    @contextmanager
    def _assuming(self, some: Sequence[PodKey | Decided]) -> Iterator[None]:
        """Take some bindings as failed, and some later ones as decided, as long as the context."""
        forgotten = [each for each in some if not isinstance(each, Decided)]
        assumed = [each for each in some if isinstance(each, Decided)]
        for key in forgotten:
            self.known.forget(key)
        for decided in assumed:
            self.known.decide(decided)
        try:
            yield
        finally:
            for decided in assumed:
                self.known.revoke(decided)
            for key in forgotten:
                self.known.remember(key)

    def _forward(self, decided: Decided, ahead: Sequence[Change]) -> Iterator[tuple[Delivered, ...]]:
        """Yield the knowledge now and earlier ones, then those with changes of the same time."""
        yield from self._back(decided, STREAMS)
        done: list[Delivered] = []
        try:
            for change in ahead:
                delivered = self.known.deliver(change)
                if delivered is not None:
                    done.append(delivered)
                    yield ()
        finally:
            for delivered in reversed(done):
                self.known.undo(delivered)

    def _back(self, decided: Decided, streams: Sequence[Stream]) -> Iterator[tuple[Delivered, ...]]:
        """Yield the knowledge now, and those that lack the last changes of some of the streams."""
        if not streams:
            yield ()
            return
        yield from self._back(decided, streams[1:])
        undone: list[Delivered] = []
        try:
            for delivered in reversed(self._recent[streams[0]]):
                self.known.undo(delivered)
                undone.append(delivered)
                if matters(delivered, decided):
                    for lacking in self._back(decided, streams[1:]):
                        yield (*undone, *lacking)
        finally:
            for delivered in reversed(undone):
                self.known.deliver(delivered.change)


def matters(delivered: Delivered, decided: Decided) -> bool:
    """Whether a change may matter for the reply: a binding does not depend on budgets, and on no pod's start time."""
    change, before = delivered.change, delivered.before
    if change.stream == "rest":
        return decided.reply.kind != "bind" or _but_budgets(before) != _but_budgets(change.after)
    if change.stream == "node" or decided.reply.kind != "bind":
        return True
    assert isinstance(before, Version)
    return _placed(before.pod) != _placed(change.after)


def _but_budgets(rest: object) -> object:
    return replace(rest, budgets=()) if rest is not None else None  # type: ignore[type-var]


def _early(time: float | None) -> float:
    return -inf if time is None else time


def _placed(pod: object) -> Pod | None:
    """Return what a binding of another pod may depend on."""
    if not isinstance(pod, Pod):
        return None
    return replace(pod, start_time=None, phase="Running" if pod.phase == "Pending" and pod.node_name else pod.phase)


def _subsets(some: Sequence[PodKey | Decided]) -> Iterator[tuple[PodKey | Decided, ...]]:
    """Yield the sets of some of these, the smallest first."""
    for size in range(1, len(some) + 1):
        yield from combinations(some, size)
