"""The one place where answers are computed, one after the other: `Desk`.

Limits of time act in the main thread only, so that the command runs the desk there and the web server beside it. Answers
share caches of sums over the cluster, which are not made for several threads.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any

from schedcheck.checker.limits.timer import LimitReached, limited

MOST_LATER = 100
"""How many tasks may wait that nobody waits for."""

LATER_SECONDS = 30.0
"""The seconds that such a task may take, without those of the tasks in between."""


class Late(Exception):
    """A task that waited for longer than its caller does, or that was not finished in time."""


class GiveWay(KeyboardInterrupt):
    """An interruption of a task that nobody waits for, as another one came."""


class TooLong(Exception):
    """A task that nobody waits for, and that takes too long."""


class Desk:
    """Tasks and the loop that runs them; `seconds` is the limit of a task that a caller waits for."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._there = threading.Condition()
        self._now: deque[tuple[Callable[[], Any], Future[Any], float]] = deque()
        self._later: deque[Callable[[], None]] = deque()
        self.stopping = False
        self._left = 0.0
        self.after: Callable[[], None] = lambda: None
        """Called after every task; what it raises ends `run`."""

    def submit(self, task: Callable[[], Any]) -> "Future[Any]":
        """Queue a task and return its future result, the error `Late` if it does not end in time."""
        future: Future[Any] = Future()
        with self._there:
            self._now.append((task, future, time.monotonic() + self.seconds))
            self._there.notify()
        return future

    def later(self, task: Callable[[], None]) -> bool:
        """Queue a task that runs when no caller waits; return whether there was room for it."""
        with self._there:
            if len(self._later) >= MOST_LATER:
                return False
            self._later.append(task)
            self._there.notify()
            return True

    def stop(self) -> None:
        """End `run` after the tasks that callers wait for."""
        with self._there:
            self.stopping = True
            self._there.notify()

    def run(self) -> None:
        """Run tasks until `stop`."""
        with limited():
            pass  # the first limits of a command count from its start; those of the first task must not
        while True:
            with self._there:
                while not (self._now or self._later or self.stopping):
                    self._there.wait()
                if self._now:
                    waited, other = self._now.popleft(), None
                elif self.stopping:
                    return
                else:
                    waited, other = None, self._later.popleft()
            if waited is not None:
                self._answer(*waited)
            elif other is not None:
                self._left = time.monotonic() + LATER_SECONDS
                with suppress(TooLong):
                    other()
            self.after()

    def attempt(self, task: Callable[[], bool]) -> bool:
        """Do a part of a task that nobody waits for; do it again if tasks come that callers wait for. Raises: TooLong."""
        while True:
            self._give_way()
            with suppress(GiveWay), limited(show=self._watch()):
                return task()

    def _watch(self) -> Callable[[str, float, float | None], None]:
        """Return the function that interrupts a part once if a task came; it is called ten times a second."""
        told = False

        def look(activity: str, seconds: float, most: float | None) -> None:
            nonlocal told
            if not told and (self._now or self.stopping):
                told = True
                raise GiveWay

        return look

    def _give_way(self) -> None:
        """Run the tasks that callers wait for. Raises: TooLong."""
        begun = time.monotonic()
        while not self.stopping:
            with self._there:
                if not self._now:
                    break
                waited = self._now.popleft()
            self._answer(*waited)
        self._left += time.monotonic() - begun
        if self.stopping or time.monotonic() > self._left:
            raise TooLong

    def _answer(self, task: Callable[[], Any], future: "Future[Any]", deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            future.set_exception(Late())
        elif future.set_running_or_notify_cancel():
            try:
                with limited(left):
                    made = task()
            except LimitReached:
                future.set_exception(Late())
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(made)
