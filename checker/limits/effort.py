"""The effort that a search with a solver may spend, and has spent: `Effort`, `Spent`."""

import time
from dataclasses import dataclass

import z3

from schedcheck.checker.limits.clock import Beyond, Clock
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import answer, end_after, gigabytes, reason


@dataclass(frozen=True)
class Effort:
    """The bounds of a search: judged proposals, seconds, GiB of memory."""

    rounds: int = 10_000
    seconds: float = 100.0
    memory: float = 4.0


MOST_OF_Z3 = 1e6
"""The most seconds, or GiB, that z3 is told as a limit: it reads them as 32-bit numbers of ms and MiB."""

INTERRUPTED = ("interrupted from keyboard", "interrupted", "canceled")
"""The reasons by which z3 reports Ctrl-C, which Python then does not see. z3 uses the last also for its own timeout."""

DEFAULT_EFFORT = Effort()


class Spent:
    """The part of an effort that has been spent since this object was made."""

    def __init__(self, effort: Effort = DEFAULT_EFFORT) -> None:
        self.effort = effort
        self.rounds = 0
        self.end = end_after(effort.seconds)
        self.ended = ""

    def clock(self) -> Clock:
        """Return a clock that ends with the effort."""
        made = Clock(self.effort.seconds)
        made.end = self.end
        return made

    def over(self, end: KeyboardInterrupt) -> str:
        """Return why the search ends, the limit or an interruption, and keep it in `ended`."""
        self.ended = reason(end)
        return self.ended

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self.end - time.monotonic()

    def look(self) -> None:
        """Note whether the time is over; then no limit interrupts the report of the results so far."""
        if self.left <= 0:
            self.ended = self.ended or f"{parameter('limits.seconds')} {self.effort.seconds:g}"
            answer()

    def judge(self) -> None:
        """Count one more proposal. Raises Beyond if that exceeds the bound."""
        if self.rounds == self.effort.rounds:
            raise Beyond(f"{parameter('limits.rounds')} {self.effort.rounds}")
        self.rounds += 1

    def bound(self) -> None:
        """Raises Beyond if the time is over or the memory used up."""
        if self.left <= 0:
            raise Beyond(f"{parameter('limits.seconds')} {self.effort.seconds:g}")
        if gigabytes() >= self.effort.memory:
            raise Beyond(f"{parameter('limits.memory')} {self.effort.memory:g}")

    def check(self, solver: z3.Solver, *assumptions: z3.BoolRef) -> bool:
        """Whether the solver finds a model. Raises Beyond if time or memory ends before it knows."""
        self.bound()
        left = self.left
        solver.set("timeout", max(1, round(1000 * min(left, MOST_OF_Z3))))
        solver.set("max_memory", max(1, round(1024 * min(self.effort.memory, MOST_OF_Z3))))
        answer = solver.check(*assumptions)
        if answer == z3.unknown:
            if solver.reason_unknown() in INTERRUPTED and self.left > 0:
                raise KeyboardInterrupt
            raise Beyond(
                f"z3 gave up ({solver.reason_unknown()}) within {parameter('limits.seconds')} {self.effort.seconds:g}"
            )
        return bool(answer == z3.sat)
