"""One defect, put back in a process of its own, and a search for it within some seconds of CPU: `tried`

The process is a fork, so that a defect, a cache or a crash of one trial has no effect on the next.
"""

import contextlib
import io
import os
import signal
import time
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import NamedTuple

from hypothesis import Phase, settings
from pytest import MonkeyPatch

from tests.checker.differential import long, swarm

FULL = 560.0
"""The CPU seconds that `make differential` takes without its swarm, at scale 1."""
GRACE = 20.0
"""Seconds on the clock, for each second of CPU, after which a trial is ended."""
Defect = tuple[str, Callable[[MonkeyPatch], None], Callable[[], bool]]


class OutOfTimeError(BaseException):
    """The CPU time of a trial is used up."""


class Tried(NamedTuple):
    """Whether the search found the defect, after how many CPU seconds, and how: a part of the search, and the message."""

    found: bool
    seconds: float
    how: str = ""


def by_swarm(seconds: float, start: int) -> str:
    """Search in rounds; return what is found."""
    _, _, found = swarm.searched(start, None)
    return "" if found is None else f"{found.part}: {type(found.what).__name__}: {_short(found.what)}"


def by_long(seconds: float, start: int) -> str:
    """Search as `make differential` did before its swarm, scaled to the time; return what is found."""
    told = io.StringIO()
    try:
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(io.StringIO()):
            long.main(["--scale", str(seconds / FULL), "--seed", str(start), "--rounds", "0"])
    except Exception as error:
        return f"after {len(told.getvalue().splitlines())} parts: {type(error).__name__}: {_short(error)}"
    return ""


SEARCHES: dict[str, Callable[[float, int], str]] = {"long": by_long, "swarm": by_swarm}
"""The searches: without and with random subsets of features."""


def tried(defect: Defect, search: str, seconds: float, start: int) -> Tried:
    """Search for the defect in a fork; a search that ends before its time has found it or has nothing left to try."""
    context = get_context("fork")
    here, there = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(there, defect, search, seconds, start), daemon=True)
    child.start()
    there.close()
    try:
        result = here.recv() if here.poll(seconds * GRACE + 60) else Tried(False, seconds, "no answer in time")
    except EOFError:
        result = Tried(False, seconds, "the process died")
    child.kill()
    child.join()
    return Tried(*result)


def _child(there: Connection, defect: Defect, search: str, seconds: float, start: int) -> None:
    settings.register_profile("power", phases=[Phase.generate], database=None)
    settings.load_profile("power")
    with MonkeyPatch.context() as patch, open(os.devnull, "w") as nowhere:
        defect[1](patch)
        over: list[bool] = []
        signal.signal(signal.SIGPROF, lambda *_: _over(over))
        begun = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            with contextlib.redirect_stderr(nowhere):
                how = SEARCHES[search](seconds, start)
        except OutOfTimeError:
            how = ""
        signal.setitimer(signal.ITIMER_PROF, 0)
        # Hypothesis may turn the end of the time into an error of its own, which is no find.
        how = "" if over else how
        there.send(tuple(Tried(how != "", round(time.process_time() - begun, 1), how)))


def _over(over: list[bool]) -> None:
    over.append(True)
    raise OutOfTimeError


def _short(error: BaseException) -> str:
    return " ".join(str(error).split())[:200]
