"""What ends a command before it is done: a limit of time or memory, and Ctrl-C; `limited`, `doing`, `reason`.

Under `limited` a timer of the operating system looks at the clock and at the memory ten times a second. Past a limit
it raises `LimitReached` in the main thread, whatever that is doing, just as Ctrl-C raises KeyboardInterrupt: one handler
keeps what is known for both. docs/decisions/limits.md says why.
"""

import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from types import FrameType
from typing import Any

SECONDS_BETWEEN_LOOKS = 0.1
LATE = 1.02
"""A search that looks at the clock itself ends at the limit, between two states; the timer ends the others, a little later."""


class LimitReached(KeyboardInterrupt):
    """A limit of the command is reached; the text is the option that sets it."""


Show = Callable[[str, float, float | None], None]
"""Shows who waits what the command is doing, for how many seconds it has run, and how many it may."""


class Limits:
    """The limits of the command that runs, or of a part of it, which has those of the whole as `around`.

    None is no limit. `show` is called at every look, with what the command is doing. `reached` says that one of the limits
    ended it.
    """

    def __init__(
        self,
        begun: float,
        seconds: float | None,
        memory: float | None,
        show: "Show",
        around: "Limits | None" = None,
    ) -> None:
        self.begun = begun
        self.seconds = seconds
        self.memory = memory
        self.show = show
        self.around = around
        self.off = self.reached = False
        self._lost: BaseException | None = None

    def look(self) -> None:
        """Raises LimitReached, once, past a limit."""
        if self.around is not None:
            self.around.look()
        lost, self._lost = self._lost, None
        if lost is not None:
            raise lost
        if self.off:
            return
        why = self._reached()
        if why:
            self.off = self.reached = True
            raise LimitReached(why)
        self.show(_Process.activity, time.monotonic() - self.begun, self.seconds)

    def _reached(self) -> str:
        if self.seconds is not None and time.monotonic() > self.begun + LATE * self.seconds:
            return f"--time {self.seconds:g}"
        if self.memory is not None and gigabytes() > LATE * self.memory:
            return f"--memory {self.memory:g}"
        return ""

    def catch(self, thrown: Any) -> None:
        """Raise again what was raised where Python cannot pass it on, as in the destructor of an object."""
        if isinstance(thrown.exc_value, KeyboardInterrupt):
            self._lost = thrown.exc_value
        else:
            sys.__unraisablehook__(thrown)


class _Process:
    """What a process has one of: the start of the command that runs, and its limits."""

    begun: float | None = None
    activity = ""
    limits: Limits | None = None

    @classmethod
    def look(cls, number: int, frame: FrameType | None) -> None:
        """What the timer calls."""
        if cls.limits is not None:
            cls.limits.look()

    @classmethod
    def catch(cls, thrown: Any) -> None:
        """What Python calls with an exception that it cannot pass on."""
        if cls.limits is not None:
            cls.limits.catch(thrown)


@contextmanager
def counted() -> Iterator[None]:
    """Count the time of a command from now, and not only from where its limits are known."""
    _Process.begun, _Process.activity = time.monotonic(), ""
    try:
        yield
    finally:
        _Process.begun = None


def unseen(activity: str, seconds: float, most: float | None) -> None:
    """Show nothing."""


@contextmanager
def limited(seconds: float | None = None, memory: float | None = None, show: Show = unseen) -> Iterator[Limits]:
    """End what takes more seconds, or more GiB of memory, wherever it is. Raises LimitReached.

    Only in the main thread, which alone hears of timers. A part of a command may have limits of its own.
    """
    around = _Process.limits
    made = Limits(time.monotonic(), seconds, memory, show, around)
    if threading.current_thread() is not threading.main_thread():
        yield made
        return
    if around is None and _Process.begun is not None:
        made.begun, _Process.begun = _Process.begun, None
    _Process.limits = made
    try:
        with nullcontext() if around is not None else _timer():
            yield made
    finally:
        _Process.limits = around


@contextmanager
def _timer() -> Iterator[None]:
    """Have somebody look now and then."""
    hook, sys.unraisablehook = sys.unraisablehook, _Process.catch
    before = signal.signal(signal.SIGALRM, _Process.look)
    signal.setitimer(signal.ITIMER_REAL, SECONDS_BETWEEN_LOOKS, SECONDS_BETWEEN_LOOKS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        sys.unraisablehook = hook


def doing(activity: str) -> None:
    """Say what the command is doing from now on: a phrase such as "reading the input"."""
    _Process.activity = activity


def ended(end: KeyboardInterrupt) -> str:
    """What is said of a command that ended without an answer: why, and what it was doing."""
    why = f"gave up at {end}" if str(end) else "interrupted"
    return f"{why}, while {_Process.activity}" if _Process.activity else why


def answer() -> None:
    """From now on no limit ends the command: what is known is written whole."""
    limits = _Process.limits
    while limits is not None:
        limits.off, limits = True, limits.around


def end_after(seconds: float) -> float:
    """When so many seconds are over, by the monotonic clock: since the start of a limited command, else from now."""
    limits = _Process.limits
    return seconds + (time.monotonic() if limits is None or limits.seconds is None else limits.begun)


def reason(end: KeyboardInterrupt) -> str:
    """What ended a search: the option that sets the limit, or that it was interrupted."""
    answer()
    return str(end) or "interrupted"


def gigabytes() -> float:
    """The most memory that this program has held, in GiB; what ran in the process before it does not count."""
    with suppress(OSError), open("/proc/self/status", "rb") as status:
        for line in status:
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**30 if sys.platform == "darwin" else 2**20)
