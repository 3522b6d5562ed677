"""How much a search with a solver may take, and what it has taken: `Effort`, `Spent`."""

import time
from dataclasses import dataclass

import z3

from schedcheck.checker.exploring.memo import Beyond, Clock
from schedcheck.checker.limits.timer import answer, end_after, gigabytes, reason


@dataclass(frozen=True)
class Effort:
    """Where a search gives up: proposals that are judged, seconds, GiB of memory."""

    rounds: int = 10_000
    seconds: float = 100.0
    memory: float = 4.0


INTERRUPTED = ("interrupted from keyboard", "interrupted", "canceled")
"""What z3 says of Ctrl-C, of which Python does not hear then; it may say the last of its own time too."""

DEFAULT_EFFORT = Effort()


class Spent:
    """What of an effort is spent since now."""

    def __init__(self, effort: Effort = DEFAULT_EFFORT) -> None:
        self.effort = effort
        self.rounds = 0
        self.end = end_after(effort.seconds)
        self.ended = ""

    def clock(self) -> Clock:
        """A clock that ends with the effort."""
        made = Clock(self.effort.seconds)
        made.end = self.end
        return made

    def over(self, end: KeyboardInterrupt) -> str:
        """Why nothing more is to be searched for, which `ended` keeps: the limit, or that it was interrupted."""
        self.ended = reason(end)
        return self.ended

    @property
    def left(self) -> float:
        """The seconds that are left."""
        return self.end - time.monotonic()

    def look(self) -> None:
        """Note whether the time is over; what was found by then is to be told."""
        if self.left <= 0:
            self.ended = self.ended or f"--time {self.effort.seconds:g}"
            answer()

    def judge(self) -> None:
        """Count one more proposal. Raises Beyond if that is one too many."""
        if self.rounds == self.effort.rounds:
            raise Beyond(f"--rounds {self.effort.rounds}")
        self.rounds += 1

    def bound(self) -> None:
        """Raises Beyond where the time is over or the memory taken."""
        if self.left <= 0:
            raise Beyond(f"--time {self.effort.seconds:g}")
        if gigabytes() >= self.effort.memory:
            raise Beyond(f"--memory {self.effort.memory:g}")

    def check(self, solver: z3.Solver, *assumptions: z3.BoolRef) -> bool:
        """Whether the solver finds an answer. Raises Beyond where the time or the memory ends before it knows."""
        self.bound()
        left = self.left
        solver.set("timeout", max(1, round(1000 * left)))
        solver.set("max_memory", max(1, round(1024 * self.effort.memory)))
        answer = solver.check(*assumptions)
        if answer == z3.unknown:
            if solver.reason_unknown() in INTERRUPTED and self.left > 0:
                raise KeyboardInterrupt
            raise Beyond(f"z3 gave up ({solver.reason_unknown()}) within --time {self.effort.seconds:g}")
        return bool(answer == z3.sat)
