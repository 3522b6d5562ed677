"""The time that a search has left, and the bounds it may exceed: `Clock`, `Beyond`."""

import time

from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import end_after


class Beyond(Exception):
    """An operator would exceed a bound; the text says which."""


class OutOfTime(Beyond):
    """The time of an exploration is over."""


class TooManySets(Beyond):
    """There are too many sets of lower-priority pods on a node to try; the text says how many, and where."""


class Clock:
    """The time left of `seconds`, counted as in `limits.end_after`; unlimited if `seconds` is None."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self.end = float("inf") if seconds is None else end_after(seconds)

    def look(self) -> None:
        """Raises OutOfTime once the time is over."""
        if time.monotonic() > self.end:
            raise OutOfTime(f"{parameter('limits.seconds')} {self.seconds:g}")

    def stop(self) -> None:
        """Remove the time limit from now on."""
        self.end = float("inf")
