"""The states of one worker: `Part` expands them, and knows which states of its own were found before.

Nothing here depends on how the workers exchange their successors.
"""

import time
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import NamedTuple

import numpy as np

from schedcheck.checker.limits.clock import Beyond, Clock
from schedcheck.checker.tabulated.distributed.shares import Dealer
from schedcheck.checker.tabulated.distributed.storage import Storage
from schedcheck.checker.tabulated.layout.layout import Numbers, Words, in_order
from schedcheck.checker.tabulated.loops.arrays import MOST_SUCCESSORS, Answers
from schedcheck.checker.tabulated.loops.orbits import Orbits
from schedcheck.checker.tabulated.loops.runs import in_pieces
from schedcheck.checker.tabulated.results.leaving import Leaving, least_left
from schedcheck.checker.tabulated.results.states import Judging
from schedcheck.checker.tabulated.search.disk import anonymous
from schedcheck.checker.tabulated.search.explorer import SUCCESSORS
from schedcheck.checker.tabulated.search.known import Known
from schedcheck.checker.tabulated.search.plan import Plan
from schedcheck.checker.tabulated.search.resuming import Broken
from schedcheck.checker.tabulated.search.shelf import put_aside
from schedcheck.checker.tabulated.search.within import Within, set_apart
from schedcheck.checker.tabulated.search.worker import PIECE, Worker
from schedcheck.spec.properties.kinds import Always, Sometimes

SENT = 1 << 18
"""The number of states sent last that a part remembers."""

FILLS = 8
"""How often a part fills its buffers before it hands its successors over."""


class Given(NamedTuple):
    """What all parts of an exploration have in common. `left` are the seconds of `seconds` that are left at the start."""

    plan: Plan
    judged: bool
    orbits: Orbits | None
    limits: Within | None
    leaving: Mapping[int, Leaving]
    of_states: Sequence[Always | Sometimes]
    parts: int
    seconds: float | None
    left: float
    storage: Storage | None


class Kept(NamedTuple):
    """A level of a part in the storage: the number of its states, and the attempt that wrote it."""

    states: int
    attempt: int


class Told(NamedTuple):
    """The tables as the specification has filled them so far."""

    forgot: int
    tables: Answers

    def answers(self) -> Answers:
        """Return the tables."""
        return self.tables


class Turn(NamedTuple):
    """The end of a turn: whether states are left, and the open questions, each with its key and a state that has it."""

    left: bool
    expanded: int
    questions: Numbers
    keys: Words
    states: Words


class Level(NamedTuple):
    """What a part found on a level: its new states, counts and findings. `beyond`: it found states past a constraint.

    `broken` has the least states that break a property; `broken_then` also counts the states past a constraint.
    """

    states: int
    beyond: int
    coverage: list[int]
    ended: list[int]
    stuck: Words | None
    steps: dict[int, Broken]
    broken: dict[str, Words]
    broken_then: dict[str, Words]
    unwitnessed: set[str]
    stopped: str


class Part:
    """The states of one part, level by level, and those that were found of the next level."""

    def __init__(self, given: Given, number: int, attempt: int = 0) -> None:
        """`attempt` is the number of workers that had this part before, and were lost."""
        self.given, self.number, self.attempt = given, number, attempt
        self._words = given.plan.layout.words
        self._worker = Worker(given.plan, SUCCESSORS, judged=given.judged, orbits=given.orbits)
        room = FILLS * (SUCCESSORS + 2 * MOST_SUCCESSORS)
        self._out: Words = np.empty((room, self._words), np.uint64)
        self._dealer = Dealer(self._words, given.parts, SENT, room)
        self._aside: Words = np.empty((0, self._words), np.uint64)
        clock = Clock(given.seconds)
        clock.end = time.monotonic() + given.left
        self._judging = Judging(given.plan, given.of_states, clock.look, workers=1)
        self.levels: list[Words] = []
        self._told: Told | None = None
        self._seen = False
        self._forget()

    def restart(self, kept: Sequence[Kept]) -> None:
        """Forget all that was found after these levels, and read those that are missing. Raises Unusable."""
        self._look()
        del self.levels[len(kept) :]
        for level in range(len(self.levels), len(kept)):
            assert self.given.storage is not None, "levels are read from a storage"
            states = self.given.storage.read(
                self.number, level + 1, kept[level].attempt, kept[level].states, self._words
            )
            self.levels.append(put_aside(states))
        self._forget()

    def _look(self) -> None:
        """Raises Unusable, at first, where the storage is not that of the process that was started by the user."""
        if self.given.storage is not None and not self._seen:
            self.given.storage.look()
        self._seen = True

    def _forget(self) -> None:
        """Forget all but the levels."""
        self._known, self._beyond = Known(self._words), Known(self._words)
        self._dealer.forget()
        for level in self.levels:
            for piece in in_pieces(level):
                self._known.insert(piece, len(piece))
                self._known.take()
        self._judging.broken = {}
        buffers = self._worker.buffers
        for counts in (buffers.generated, buffers.visited, buffers.ended, buffers.is_stuck, buffers.is_broken):
            counts[:] = 0
        self._begin()

    def learn(self, told: Told) -> None:
        """Use these tables from now on."""
        # A copy: the object store's memory is not for arrays that are used for long.
        self._told = deepcopy(told)

    def expand(self) -> tuple[Turn | Words, ...]:
        """Expand states of the last level until the buffers are full or there are questions.

        Return the end of the turn, and for each part the successors that belong to it; its own are kept here.
        """
        assert self._told is not None
        count, expanded, missing = 0, 0, 0
        level, worker = self.levels[-1], self._worker
        for _ in range(FILLS):
            todo = None if missing else self._todo()
            if todo is None:
                break
            end = worker.expand(self._told, level, todo)
            self._done(todo, end.came_to, worker.buffers.deferred[: end.deferred].copy())
            expanded += end.came_to - end.deferred
            missing = end.missing
            self._out[count : count + end.successors] = worker.buffers.successors[: end.successors]
            count = self._dealer.sift(self._out, count, count + end.successors)
        found = self._dealer.by_owner(self._out, count)
        self.insert(found[self.number])
        found[self.number] = found[self.number][:0]
        of = worker.buffers.missing_of[:missing]
        left = self._next < len(level) or bool(self._deferred)
        questions = of[:, 0].copy(), worker.buffers.missing[:missing].copy(), level[of[:, 1]]
        return Turn(left, expanded, *questions), *found

    def insert(self, *batches: Words) -> tuple[int, float]:
        """Add the new ones among these states, which belong to this part; return what `found` returns."""
        for states in batches:
            within = states if self.given.limits is None else self._within(states)
            self._known.insert(within, len(within))
        return self.found()

    def _within(self, states: Words) -> Words:
        """Return the states within the constraints; add the others to those beyond them."""
        assert self.given.limits is not None
        inside, count = states.copy(), len(states)
        if len(self._aside) < count:
            self._aside = np.empty((count, self._words), np.uint64)
        within = set_apart(self.given.plan.program, self.given.limits, inside, count, self._aside)
        self._beyond.insert(self._aside, count - within)
        return inside[:within]

    def found(self) -> tuple[int, float]:
        """Return the number of states found of the next level, and the memory of this worker in GiB."""
        return self._known.fresh, anonymous()

    def take(self) -> Level:
        """End the level: keep and judge the states found, and return what was found. Raises Unusable."""
        before = self.levels[-1] if self.levels else None
        states, beyond = in_order(self._known.take()), self._beyond.take()
        if self.given.storage is not None:
            self.given.storage.keep(self.number, len(self.levels) + 1, self.attempt, states)
        if before is not None:
            self.levels[-1] = put_aside(before)
        self.levels.append(states)
        broken: dict[str, Words] = {}
        stopped = ""
        try:
            self._judging(states)
            broken = dict(self._judging.broken)
            if len(beyond):
                self._judging(beyond)
            steps = {} if before is None else self._steps(before)
        except Beyond as bound:
            stopped, steps = str(bound), {}
        return self._level(len(states), len(beyond), steps, broken, stopped)

    def level(self, number: int) -> Words:
        """Return the states of a level, sorted."""
        return np.asarray(self.levels[number])

    def _level(
        self, states: int, beyond: int, steps: dict[int, Broken], broken: dict[str, Words], stopped: str
    ) -> Level:
        buffers = self._worker.buffers
        coverage = (buffers.generated + buffers.visited @ self.given.plan.chunks.kinds).tolist()
        ended = buffers.ended.tolist()
        stuck = buffers.stuck.copy() if buffers.is_stuck[0] else None
        buffers.generated[:] = buffers.visited[:] = 0
        buffers.ended[:] = 0
        self._begin()
        then, unwitnessed = dict(self._judging.broken), set(self._judging.unwitnessed)
        return Level(states, beyond, coverage, ended, stuck, steps, broken, then, unwitnessed, stopped)

    def _steps(self, before: Words) -> dict[int, Broken]:
        """Return the least step of this part that breaks each property of steps. Raises Beyond."""
        found, buffers, words = {}, self._worker.buffers, self._words
        for question, leaves in self.given.leaving.items():
            left = least_left(before, leaves)
            if left is not None:
                found[question] = Broken(left, left)
        for number in np.flatnonzero(buffers.is_broken).tolist():
            least = buffers.least[number]
            own = Broken(least[:words].copy(), least[words:].copy())
            if number not in found or own.in_words() < found[number].in_words():
                found[number] = own
        return found

    def _begin(self) -> None:
        """Begin with the first state of the last level."""
        self._next = 0
        self._deferred: list[Numbers] = []

    def _todo(self) -> Numbers | None:
        """Return the numbers of states to expand; first new ones, then those that had questions."""
        level = len(self.levels[-1])
        if self._next < level:
            return np.arange(self._next, min(self._next + PIECE, level))
        return self._deferred.pop() if self._deferred else None

    def _done(self, todo: Numbers, came_to: int, deferred: Numbers) -> None:
        if self._next < len(self.levels[-1]):
            self._next += came_to
        elif came_to < len(todo):
            self._deferred.append(todo[came_to:])
        if len(deferred):
            self._deferred.append(deferred)
