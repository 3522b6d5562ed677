"""One defect, put back in a process of its own, and a search for it within some seconds of CPU: `tried`

The process is a fork, so that a defect, a cache or a crash of one trial has no effect on the next. The case that found
the defect is tried again in another fork, without it: what it finds there as well says nothing about the defect.
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

from tests.checker.differential.search.parts import PARTS, Found, searched
from tests.checker.differential.search.parts import tried as once
from tests.power.ending import OutOfTimeError, over, short

GRACE = 30.0
"""Seconds on the clock, for each second of CPU, after which a trial is ended."""
OF_A_CASE = 60.0
"""Seconds of CPU that a case may take without the defect."""
Defect = tuple[str, Callable[[MonkeyPatch], None], Callable[[], bool]]


class Tried(NamedTuple):
    """Whether the search found the defect, after how many CPU seconds, and how: the part of the search, and the message."""

    found: bool
    seconds: float
    how: str = ""


def tried(defect: Defect, seconds: float, start: int, parts: tuple[str, ...] = tuple(PARTS)) -> Tried:
    """Search for the defect in a fork."""
    result, found = _forked(lambda: searched(str(start), seconds, parts, time.process_time)[1], seconds, defect[1])
    if found is not None and without(*found):
        return Tried(False, result.seconds, f"without the defect as well: {result.how}")
    return result


def without(part: str, start: str) -> bool:
    """Whether a case differs, or does not end, without any defect."""
    alone, also = _forked(lambda: once(part, start), OF_A_CASE)
    return also is not None or alone.how != ""


Case = tuple[str, str]
"""A kind of search, and the seed of a case."""


def _forked(
    work: Callable[[], Found | None], seconds: float, defect: Callable[[MonkeyPatch], None] = lambda _: None
) -> tuple[Tried, Case | None]:
    """Return what a fork finds by this work, and the case that shows it."""
    context = get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(there, work, seconds, defect), daemon=True)
    child.start()
    there.close()
    case: Case | None = None
    result = Tried(False, seconds, "no answer in time")
    try:
        if here.poll(seconds * GRACE + 60):
            result, case = here.recv()
    except EOFError:
        result = Tried(False, seconds, "the process died")
    child.kill()
    child.join()
    return result, case


def _child(
    there: Connection, work: Callable[[], Found | None], seconds: float, defect: Callable[[MonkeyPatch], None]
) -> None:
    with MonkeyPatch.context() as patch, open(os.devnull, "w") as nowhere, contextlib.redirect_stderr(nowhere):
        defect(patch)
        signal.signal(signal.SIGPROF, over)
        begun, found = time.process_time(), None
        signal.setitimer(signal.ITIMER_PROF, seconds + 1)
        with contextlib.suppress(OutOfTimeError):
            found = work()
        signal.setitimer(signal.ITIMER_PROF, 0)
        how = "" if found is None else f"{found.part} {found.start}: {short(found.what)}"
        case = None if found is None else (found.part, found.start)
        there.send((Tried(found is not None, round(time.process_time() - begun, 1), how), case))
