"""One defect, put back in a process of its own, and a search for it within some seconds of CPU: `tried`

The process is a fork, so that a defect, a cache or a crash of one trial has no effect on the next.
"""

import contextlib
import os
import signal
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import NamedTuple

from pytest import MonkeyPatch

from tests.checker.differential.search.parts import PARTS, searched

GRACE = 30.0
"""Seconds on the clock, for each second of CPU, after which a trial is ended."""
Defect = tuple[str, Callable[[MonkeyPatch], None], Callable[[], bool]]


class OutOfTimeError(BaseException):
    """The CPU time of a trial is used up."""


class Tried(NamedTuple):
    """Whether the search found the defect, after how many CPU seconds, and how: the part of the search, and the message."""

    found: bool
    seconds: float
    how: str = ""


def tried(defect: Defect, seconds: float, start: int, parts: tuple[str, ...] = tuple(PARTS)) -> Tried:
    """Search for the defect in a fork."""
    context = get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(there, defect, seconds, start, parts), daemon=True)
    child.start()
    there.close()
    try:
        result = here.recv() if here.poll(seconds * GRACE + 60) else Tried(False, seconds, "no answer in time")
    except EOFError:
        result = Tried(False, seconds, "the process died")
    child.kill()
    child.join()
    return Tried(*result)


def _child(there: Connection, defect: Defect, seconds: float, start: int, parts: tuple[str, ...]) -> None:
    with MonkeyPatch.context() as patch, open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):
        defect[1](patch)
        signal.signal(signal.SIGPROF, _over)
        begun, how = time.process_time(), ""
        signal.setitimer(signal.ITIMER_PROF, seconds + 1)
        try:
            _, found = searched(str(start), seconds, parts, time.process_time)
            how = "" if found is None else f"{found.part} {found.start}: {_short(found.what)}"
        except OutOfTimeError:
            pass
        signal.setitimer(signal.ITIMER_PROF, 0)
        there.send(tuple(Tried(how != "", round(time.process_time() - begun, 1), how)))


def _over(*_: object) -> None:
    """End a case that takes longer than the whole trial may."""
    raise OutOfTimeError


def _short(error: BaseException) -> str:
    return f"{type(error).__name__} {' '.join(str(error).split())[:200]}"
