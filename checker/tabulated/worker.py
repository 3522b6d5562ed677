"""What one thread works in: `Worker`, `room`."""

from typing import NamedTuple

import numpy as np

from schedcheck.checker.tabulated.arrays import MOST_SUCCESSORS, RECENT, Asked, Buffers, Recent, Scratch
from schedcheck.checker.tabulated.chunks import Chunks
from schedcheck.checker.tabulated.layout import Numbers, Words
from schedcheck.checker.tabulated.loops import expand
from schedcheck.checker.tabulated.oracle import Oracle
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
        self,
        plan: Plan,
        chunks: Chunks,
        successors: int,
        *,
        judged: bool,
        orbits: Orbits | None,
        limits: Within | None = None,
        origins: bool = False,
    ) -> None:
        """With `origins` it says of each successor which state it was found from."""
        self._judged = judged
        self._forgot = 0
        self._orbits = orbits
        self._limits = limits
        self.plan = plan
        self.chunks = chunks
        self.buffers = room(plan, chunks, successors, origins=origins)
        self.recent = nothing_recent(plan, chunks)
        self._asked, self._scratch = nothing_asked(plan), scratch(plan, chunks)
        self._one = (0,) * plan.layout.words
        self.beyond = np.empty_like(self.buffers.successors)

    def expand(self, oracle: Oracle, level: Words, todo: Numbers) -> End:
        """Expand those states of the level until the buffers are full; the successors are in canonical form.

        Those beyond the constraints are set apart.
        """
        if self._forgot != oracle.forgot:
            self.recent, self._forgot = nothing_recent(self.plan, self.chunks), oracle.forgot
        end = End(
            *expand(
                self.plan.program,
                self.chunks,
                oracle.answers(),
                self.recent,
                self._asked,
                self._scratch,
                self._one,
                level,
                todo,
                self._judged,
                self.buffers,
            )
        )
        if self._orbits is not None:
            canonicalise(self.plan.program, self._orbits, self.buffers.successors, end.successors)
        if self._limits is None:
            return end
        left = set_apart(self.plan.program, self._limits, self.buffers.successors, end.successors, self.beyond)
        return end._replace(successors=left, beyond=end.successors - left)


def nothing_recent(plan: Plan, chunks: Chunks) -> Recent:
    """Nothing that the tables said."""
    places, ask = len(plan.slots.nodes) * RECENT, int(chunks.asks_as.max(initial=-1)) + 1
    return Recent(
        np.zeros((places, plan.program.column_words + plan.program.key_words), np.uint64),
        np.full((places, ask), -1, np.int32),
        np.full((places, ask), -1, np.int32),
    )


def nothing_asked(plan: Plan) -> Asked:
    """Room for what is asked of a state."""
    pods, nodes, key_words = len(plan.slots.pods), len(plan.slots.nodes), plan.program.key_words
    return Asked(
        np.empty(pods, np.int64),
        np.empty(pods, np.int64),
        np.empty(pods, np.int64),
        np.empty((pods, nodes), np.int64),
        np.empty(nodes, np.int64),
        np.empty(1 + plan.program.column_words + key_words, np.uint64),
        np.empty(1 + (nodes + 1) // 2 + key_words, np.uint64),
    )


def scratch(plan: Plan, chunks: Chunks) -> Scratch:
    """Room for what the loop notes of a state."""
    return Scratch(
        np.empty(chunks.adds.shape[1], np.uint64),
        np.empty(len(chunks.word), np.uint64),
        np.empty(len(plan.slots.pods), np.int64),
        np.empty(plan.layout.words, np.uint64),
        np.empty(len(plan.program.kept), np.int64),
    )


def room(plan: Plan, chunks: Chunks, successors: int, *, origins: bool = False) -> Buffers:
    """Buffers for so many successors of the states of the plan, and where these were found from."""
    words, nodes = plan.layout.words, len(plan.slots.nodes)
    missing = MISSING + 8 * len(plan.slots.pods) * (nodes + 1)
    return Buffers(
        np.zeros((successors + 2 * MOST_SUCCESSORS, words), np.uint64),
        np.zeros(successors + 2 * MOST_SUCCESSORS if origins else 0, np.int64),
        np.zeros((missing, 1 + plan.program.column_words + plan.program.key_words + (nodes + 1) // 2), np.uint64),
        np.zeros((missing, 2), np.int64),
        np.zeros(MISSING, np.int64),
        np.zeros(PIECE, np.int64),
        np.zeros(len(plan.machine.kinds()), np.int64),
        np.zeros(len(chunks.needs), np.int64),
        np.zeros(2, np.int64),
        np.zeros((64, 2 * words), np.uint64),
        np.zeros(64, np.int64),
    )
