"""What one thread works in: `Worker`, `room`."""

from typing import NamedTuple

import numpy as np

from schedcheck.checker.tabulated.layout import Numbers, Words
from schedcheck.checker.tabulated.loops import MOST_SUCCESSORS, Answers, Buffers, expand
from schedcheck.checker.tabulated.orbits import Orbits, canonicalise
from schedcheck.checker.tabulated.program import Plan
from schedcheck.checker.tabulated.within import Within, set_apart

PIECE = 1 << 16
"""How many states are handed out at once."""

MISSING = 1 << 12
"""How many questions a worker finds before they are answered."""


class End(NamedTuple):
    """How far a worker came, and how many successors, questions, states with open questions, and states beyond it found."""

    came_to: int
    successors: int
    missing: int
    deferred: int
    beyond: int = 0


class Worker:
    """What one thread works in."""

    def __init__(
        self, plan: Plan, successors: int, *, judged: bool, orbits: Orbits | None, limits: Within | None
    ) -> None:
        self._judged = judged
        self._orbits = orbits
        self._limits = limits
        self.plan = plan
        self.buffers = room(plan, successors)
        self.beyond = np.empty_like(self.buffers.successors)

    def expand(self, answers: Answers, level: Words, todo: Numbers) -> End:
        """Expand those states of the level until the buffers are full; the successors are in canonical form.

        Those beyond the constraints are set apart.
        """
        end = End(*expand(self.plan.program, answers, level, todo, 0, self._judged, self.buffers))
        if self._orbits is not None:
            canonicalise(self.plan.program, self._orbits, self.buffers.successors, end.successors)
        if self._limits is None:
            return end
        left = set_apart(
            self.plan.program, self._limits, self.buffers.successors, end.successors, self.beyond
        )  # fmt: skip
        return end._replace(successors=left, beyond=end.successors - left)


def room(plan: Plan, successors: int) -> Buffers:
    """Buffers for so many successors of the states of the plan."""
    words, nodes = plan.layout.words, len(plan.slots.nodes)
    missing = MISSING + 8 * len(plan.slots.pods) * (nodes + 1)
    return Buffers(
        np.zeros((successors + 2 * MOST_SUCCESSORS, words), np.uint64),
        np.zeros(successors + 2 * MOST_SUCCESSORS, np.int64),
        np.zeros((missing, 2 + plan.program.key_words + (nodes + 1) // 2), np.uint64),
        np.zeros((missing, 2), np.int64),
        np.zeros(PIECE, np.int64),
        np.zeros(len(plan.machine.kinds()), np.int64),
        np.zeros(2, np.int64),
        np.zeros((64, 2 * words), np.uint64),
        np.zeros(64, np.int64),
    )
