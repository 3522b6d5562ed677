"""Limits of time or memory and Ctrl-C, which end a command early: `limited`, `doing`, `reason`.

Under `limited` a timer of the operating system checks the clock and the memory ten times a second. Past a limit
it raises `LimitReached` in the main thread at any point outside of imports, just as Ctrl-C raises KeyboardInterrupt: one handler
keeps the results so far for both. docs/decisions/limits.md gives the reasons.
"""

import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from types import FrameType
from typing import Any

from schedcheck.checker.limits.parameters import parameter

SECONDS_BETWEEN_LOOKS = 0.1
SECONDS_BETWEEN_REPORTS = 0.25
"""The seconds between two reports of an exploration's progress."""

LONGEST_IMPORT = 10.0
"""The seconds after which an import is interrupted too."""

LATE = 1.02
"""The factor by which the timer is later than a search's own check of its limit, which ends it between two states."""


class LimitReached(KeyboardInterrupt):
    """A limit of the command is reached; the text names the parameter that sets it."""

    # Python 3.11 puts "decoding with ... failed" into the text of an exception raised in a codec, unless its class has
    # an __init__ of its own.
    def __init__(self, limit: str) -> None:
        super().__init__(limit)


Show = Callable[[str, float, float | None], None]
"""Shows a user the current activity, the seconds so far, and the most seconds allowed."""


class Limits:
    """The limits of the running command, or of a part of it; `around` are then the limits of the whole.

    None is no limit. `show` is called at every check, with the current activity. `reached` says that one of the limits
    ended the command.
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
            return f"{parameter('limits.seconds')} {self.seconds:g}"
        if self.memory is not None and gigabytes() > LATE * self.memory:
            return f"{parameter('limits.memory')} {self.memory:g}"
        return ""

    def catch(self, thrown: Any) -> None:
        """Keep an interruption that Python cannot propagate, as in a destructor, to raise it at the next check."""
        if isinstance(thrown.exc_value, KeyboardInterrupt):
            self._lost = thrown.exc_value
        elif not self.reached:  # an object whose making the limit interrupted may fail in its destructor
            sys.__unraisablehook__(thrown)


class _Process:
    """The state of the process: the start of the running command, its activity, and its limits."""

    begun: float | None = None
    activity = ""
    limits: Limits | None = None
    imports = 0
    since: float | None = None

    @classmethod
    def look(cls, number: int, frame: FrameType | None) -> None:
        """Handle a signal of the timer. During an import it waits: some modules cannot be imported after half an import."""
        if _imports(frame) <= cls.imports:
            cls.since = None
        else:
            cls.since = cls.since or time.monotonic()
            if time.monotonic() < cls.since + LONGEST_IMPORT:
                return
        if cls.limits is not None:
            cls.limits.look()

    @classmethod
    def catch(cls, thrown: Any) -> None:
        """Handle an exception that Python cannot propagate."""
        if cls.limits is not None:
            cls.limits.catch(thrown)


def _imports(frame: FrameType | None) -> int:
    """Return how many functions of the import system are running."""
    number = 0
    while frame is not None:
        number += frame.f_code.co_filename.startswith("<frozen importlib")
        frame = frame.f_back
    return number


@contextmanager
def counted() -> Iterator[None]:
    """Count the time of a command from now on, before its limits are known."""
    _Process.begun, _Process.activity = time.monotonic(), ""
    try:
        yield
    finally:
        _Process.begun = None


def unseen(activity: str, seconds: float, most: float | None) -> None:
    """Show nothing."""


@contextmanager
def limited(seconds: float | None = None, memory: float | None = None, show: Show = unseen) -> Iterator[Limits]:
    """Interrupt the body once it takes more seconds, or more GiB of memory. Raises LimitReached.

    It has an effect only in the main thread, which alone gets timer signals. A part of a command may have its own
    limits.
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
    """Check the limits at regular intervals."""
    hook, sys.unraisablehook = sys.unraisablehook, _Process.catch
    _Process.imports, _Process.since = _imports(sys._getframe()), None
    before = signal.signal(signal.SIGALRM, _Process.look)
    signal.setitimer(signal.ITIMER_REAL, SECONDS_BETWEEN_LOOKS, SECONDS_BETWEEN_LOOKS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        sys.unraisablehook = hook


@contextmanager
def quiet(*signals: signal.Signals) -> Iterator[None]:
    """Hold signals back until the body is done; a copy that is made meanwhile begins with them held back.

    The main thread needs handlers for this as well: what it blocks may reach another thread of the process, and Python
    handles it in the main thread all the same.
    """
    came: list[int] = []
    # Blocking handles a signal that came just before, which may raise: only with the mask known is it always put back.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        with ExitStack() as undo:
            for each in signals if threading.current_thread() is threading.main_thread() else ():
                handler = signal.getsignal(each)
                if handler is not None:  # None is one that Python does not know
                    undo.callback(signal.signal, each, handler)
                    signal.signal(each, lambda number, _: came.append(number))
            undo.callback(signal.pthread_sigmask, signal.SIG_SETMASK, before)
            signal.pthread_sigmask(signal.SIG_BLOCK, signals)
            yield
    finally:
        for number in came:
            signal.raise_signal(number)


def running() -> bool:
    """Whether limits are kept already, by a command or by a question that this one is part of."""
    return _Process.limits is not None


def doing(activity: str) -> None:
    """Set the current activity of the command: a phrase such as "reading the input"."""
    _Process.activity = activity


@contextmanager
def doing_meanwhile(activity: str) -> Iterator[None]:
    """Set the current activity of the command for the body, and the one before again unless the body is interrupted."""
    before, _Process.activity = _Process.activity, activity
    yield
    _Process.activity = before


def ended(end: KeyboardInterrupt) -> str:
    """Return the message for a command that ended without an answer: why, and during which activity."""
    why = f"gave up at {end}" if str(end) else "interrupted"
    return f"{why}, while {_Process.activity}" if _Process.activity else why


def answer() -> None:
    """Switch all limits off, so that the result is written completely."""
    limits = _Process.limits
    while limits is not None:
        limits.off, limits = True, limits.around


def resume() -> None:
    """Switch the limits on again that no one has reached: the search that ended was not the last."""
    limits = _Process.limits
    while limits is not None:
        limits.off, limits = limits.reached, limits.around


def end_after(seconds: float) -> float:
    """Return the monotonic time at which `seconds` are over, since the start of a limited command, else from now."""
    limits = _Process.limits
    return seconds + (time.monotonic() if limits is None or limits.seconds is None else limits.begun)


def reason(end: KeyboardInterrupt) -> str:
    """Return why a search ended: the option that sets the limit, or that it was interrupted."""
    answer()
    return str(end) or "interrupted"


def forget_peak() -> None:
    """Let the peak memory begin with what is held now, where the system can (Linux), as for a new process."""
    with suppress(OSError), open("/proc/self/clear_refs", "wb", buffering=0) as forget:
        forget.write(b"5")


def gigabytes() -> float:
    """Return the peak memory of this program in GiB; an earlier program in the same process does not count."""
    with suppress(OSError), open("/proc/self/status", "rb") as status:
        for line in status:
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**30 if sys.platform == "darwin" else 2**20)
