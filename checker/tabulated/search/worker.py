"""A worker: one thread of the exploration with its buffers: `Worker`, `room`."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.loops.arrays import MOST_SUCCESSORS, RECENT, Answers, Asked, Buffers, Recent, Scratch
from schedcheck.checker.tabulated.loops.chunks import Chunks, Planned
from schedcheck.checker.tabulated.loops.loops import expand
from schedcheck.checker.tabulated.loops.orbits import Orbits, canonicalise
from schedcheck.checker.tabulated.search.known import Known

if TYPE_CHECKING:
    from schedcheck.checker.tabulated.answers.oracle import Oracle
    from schedcheck.checker.tabulated.search.within import Within

PIECE = 1 << 16
"""The most states handed out at once."""

MISSING = 1 << 12
"""The number of questions a worker collects before they are answered."""


BUFFERS = 4
"""How often a worker fills its buffers between two checks of the bounds."""


class End(NamedTuple):
    """The place where an expansion stopped, and the numbers of successors, questions and states with open questions."""

    came_to: int
    successors: int
    missing: int
    deferred: int


class Tables(Protocol):
    """What a worker knows of the tables."""

    @property
    def forgot(self) -> int:
        """How often answers were dropped."""
        ...

    def answers(self) -> Answers:
        """Return the tables as they are now."""
        ...


class Held(NamedTuple):
    """The part of a buffer whose states are still to be looked up among the known ones."""

    states: Words
    begin: int
    end: int
    are_beyond: bool


class Worker:
    """One thread's buffers; `expanded`, `missing` and `put_aside` are its results since they were last read."""

    def __init__(
        self,
        plan: Planned,
        successors: int,
        *,
        judged: bool,
        orbits: Orbits | None,
        limits: "Within | None" = None,
        origins: bool = False,
        number: int = 0,
    ) -> None:
        """`origins`: note the predecessor of each successor. `number` is the worker's number in its team."""
        self.number = number
        self._judged = judged
        self._forgot = 0
        self._orbits = orbits
        self._limits = limits
        self.plan = plan
        self.buffers = room(plan, plan.chunks, successors, origins=origins)
        self.recent = nothing_recent(plan, plan.chunks)
        self._asked, self._scratch = nothing_asked(plan), scratch(plan, plan.chunks)
        self._one = (0,) * plan.program.words
        self._beyond = np.empty_like(self.buffers.successors) if limits is not None else None
        self.holds: list[Held] = []
        self.expanded = self.missing = 0
        self.put_aside: list[Numbers] = []

    def work(
        self,
        team: Sequence["Worker"],
        oracle: "Oracle",
        level: Words,
        todo: deque[range | Numbers],
        known: Known,
        beyond: Known,
    ) -> None:
        """Expand states of the level; insert the successors into the known states or those beyond the constraints.

        It stops when nothing is left to do, a worker has a question, a set has no room, or it has filled its buffers
        `BUFFERS` times.
        """
        for _ in range(BUFFERS):
            try:
                piece = todo.popleft()
            except IndexError:
                return
            numbers = np.arange(piece.start, piece.stop) if isinstance(piece, range) else piece
            end = self.expand(oracle, level, numbers)
            if end.came_to < len(piece):
                todo.appendleft(piece[end.came_to :])
            if end.deferred:
                self.put_aside.append(self.buffers.deferred[: end.deferred].copy())
            self.expanded += end.came_to - end.deferred
            self.missing = end.missing
            left = end.successors
            if self._limits is not None and self._beyond is not None:
                from schedcheck.checker.tabulated.search.within import set_apart

                left = set_apart(self.plan.program, self._limits, self.buffers.successors, left, self._beyond)
                self.holds.append(Held(self._beyond, 0, end.successors - left, are_beyond=True))
            self.holds.append(Held(self.buffers.successors, 0, left, are_beyond=False))
            self.put(known, beyond)
            if self.holds or any(each.missing for each in team):
                return

    def put(self, known: Known, beyond: Known) -> None:
        """Insert the held states into the known ones, or into those beyond the constraints, as far as there is room."""
        left = []
        for held in self.holds:
            of = beyond if held.are_beyond else known
            begin = of.found[self.number].insert(of.places, held.states, held.begin, held.end)
            if begin < held.end:
                left.append(held._replace(begin=begin))
        self.holds = left

    def found(
        self, oracle: "Oracle", states: Words, todo: Numbers, answer: Callable[[Words, Buffers, int], None]
    ) -> Iterator[tuple[Numbers, Words]]:
        """Yield the successors of these states in batches, with the number of the predecessor of each.

        Both arrays are buffers that the next batch overwrites. Missing questions are answered by `answer`.
        """
        while len(todo):
            end, buffers = self.expand(oracle, states, todo), self.buffers
            todo = np.concatenate([buffers.deferred[: end.deferred], todo[end.came_to :]])
            answer(states, buffers, end.missing)
            yield buffers.origin[: end.successors], buffers.successors[: end.successors]

    def expand(self, oracle: Tables, level: Words, todo: Numbers) -> End:
        """Expand these states of the level until a buffer is full; the successors are in canonical form."""
        if self._forgot != oracle.forgot:
            self.recent, self._forgot = nothing_recent(self.plan, self.plan.chunks), oracle.forgot
        end = End(
            *expand(
                self.plan.program,
                self.plan.chunks,
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
        return end


def answer(oracle: "Oracle", states: Words, buffers: Buffers, missing: int) -> None:
    """Let the specification answer the questions that some of the states raise."""
    for question, key, words in questions(states, buffers, missing):
        oracle.answer(question, key, words)


def questions(states: Words, buffers: Buffers, missing: int) -> list[tuple[int, Words, Words]]:
    """Return the questions that some of the states raise: the number of each, its key, and a state that raises it."""
    raised = buffers.missing_of[:missing].tolist()
    return [(question, buffers.missing[place], states[state]) for place, (question, state) in enumerate(raised)]


def nothing_recent(plan: Planned, chunks: Chunks) -> Recent:
    """Return an empty cache of recent answers."""
    places, ask = plan.program.nodes * RECENT, int(chunks.asks_as.max(initial=-1)) + 1
    return Recent(
        np.zeros((places, plan.program.column_words + plan.program.key_words), np.uint64),
        np.full((places, ask), -1, np.int32),
        np.full((places, ask), -1, np.int32),
    )


def nothing_asked(plan: Planned) -> Asked:
    """Return empty arrays for the questions of one state."""
    pods, nodes, key_words = plan.program.pods, plan.program.nodes, plan.program.key_words
    return Asked(
        np.empty(pods, np.int64),
        np.empty(pods, np.int64),
        np.empty(pods, np.int64),
        np.empty((pods, nodes), np.int64),
        np.empty(nodes, np.int64),
        np.empty(1 + plan.program.column_words + key_words, np.uint64),
        np.empty(1 + (nodes + 1) // 2 + key_words, np.uint64),
    )


def scratch(plan: Planned, chunks: Chunks) -> Scratch:
    """Return empty scratch space for one state."""
    return Scratch(
        np.empty(chunks.adds.shape[1], np.uint64),
        np.empty(len(chunks.word), np.uint64),
        np.empty(plan.program.pods, np.int64),
        np.empty(plan.program.words, np.uint64),
        np.empty(len(plan.program.kept), np.int64),
    )


def room(plan: Planned, chunks: Chunks, successors: int, *, origins: bool = False) -> Buffers:
    """Return buffers for this many successors; `origins`: also for the predecessor of each."""
    words, nodes = plan.program.words, plan.program.nodes
    missing = MISSING + 8 * plan.program.pods * (nodes + 1)
    return Buffers(
        np.zeros((successors + 2 * MOST_SUCCESSORS, words), np.uint64),
        np.zeros(successors + 2 * MOST_SUCCESSORS if origins else 0, np.int64),
        np.zeros((missing, 1 + plan.program.column_words + plan.program.key_words + (nodes + 1) // 2), np.uint64),
        np.zeros((missing, 2), np.int64),
        np.zeros(MISSING, np.int64),
        np.zeros(PIECE, np.int64),
        np.zeros(plan.chunks.kinds.shape[1], np.int64),
        np.zeros(len(chunks.needs), np.int64),
        np.zeros(2, np.int64),
        np.zeros(words, np.uint64),
        np.zeros(1, np.int64),
        np.zeros((64, 2 * words), np.uint64),
        np.zeros(64, np.int64),
    )
