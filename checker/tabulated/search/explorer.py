"""The level-by-level exploration of packed states: `Explorer`.

A level is expanded in pieces by several workers at once; they also look up the successors among the known states. A
state with a question that no table answers is put aside until the specification has answered it. The order in which the
states of a level are found depends on the workers and on earlier answers; nothing that is reported depends on that
order.
"""

import time
from collections import deque
from collections.abc import Callable, Container, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from schedcheck.checker.limits.cores import cores
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import SECONDS_BETWEEN_REPORTS, end_after, gigabytes
from schedcheck.checker.result import Bounds, Progress
from schedcheck.checker.tabulated.layout.layout import Numbers, Words, in_order
from schedcheck.checker.tabulated.loops.arrays import Buffers
from schedcheck.checker.tabulated.loops.orbits import Orbits, canonicalise
from schedcheck.checker.tabulated.loops.runs import in_pieces
from schedcheck.checker.tabulated.search.disk import Disk, anonymous
from schedcheck.checker.tabulated.search.kept import Level, slabs
from schedcheck.checker.tabulated.search.known import Known
from schedcheck.checker.tabulated.search.resuming import Broken, StateJudge, counts, go_on
from schedcheck.checker.tabulated.search.shelf import put_aside
from schedcheck.checker.tabulated.search.together import Together
from schedcheck.checker.tabulated.search.worker import PIECE, Worker, questions

if TYPE_CHECKING:
    from schedcheck.checker.tabulated.answers.oracle import Oracle
    from schedcheck.checker.tabulated.results.leaving import Leaving
    from schedcheck.checker.tabulated.search.plan import Plan
    from schedcheck.checker.tabulated.search.within import Within

SUCCESSORS = 1 << 17
"""The number of successors a worker finds before it looks them up among the known states."""


SLAB = 1 << 21
"""The number of states of a level in a file that are expanded or judged at a time."""

PIECES, LEAST_PIECE = 8, 1 << 10
"""About how many pieces per worker a level is cut into, and a number of states that always fit into one piece."""


class Explorer:
    """The known states of a plan, level by level, and the counts of the exploration."""

    def __init__(
        self,
        plan: "Plan",
        oracle: "Oracle",
        *,
        bounds: Bounds | None = None,
        judged: bool = False,
        judge: StateJudge,
        orbits: Orbits | None = None,
        limits: "Within | None" = None,
        leaving: "Mapping[int, Leaving] | None" = None,
        looked_for: Container[int] = (),
        workers: int = 0,
        report: Callable[[Progress], None] | None = None,
        disk: Disk | None = None,
    ) -> None:
        self.plan = plan
        self.oracle = oracle
        self._together = Together(oracle)
        self.bounds = bounds or Bounds()
        self.judged = judged
        self.judge = judge
        self.orbits = orbits
        self.limits = limits
        self.leaving = leaving or {}
        self.report = report
        self.disk = disk
        workers = workers or cores()
        self._workers = [
            Worker(plan, SUCCESSORS, judged=judged, orbits=orbits, limits=limits, number=number)
            for number in range(workers)
        ]
        self._known, self._beyond = self._nothing_known(), self._nothing_known()
        self._pool = ThreadPoolExecutor(workers) if workers > 1 else None
        self._levels: list[Level] = []
        self.levels: Sequence[Level] = self._levels
        self._in_memory = 0
        self.distinct = 0
        self.generated = 1
        self.expanded = 0
        self.reached = 0
        self.stopped = ""
        self.cut_off = False
        self.answering = 0.0
        self.broken: dict[int, Broken] = {}
        self.looked_for = looked_for
        self.met: set[int] = set()
        self.stuck: Words | None = None
        self.started = self.reported = time.monotonic()
        self.end = float("inf") if self.bounds.seconds is None else end_after(self.bounds.seconds)

    @property
    def depth(self) -> int:
        """The number of levels; the initial level is level 1."""
        return len(self.levels)

    def held(self) -> int:
        """Return the bytes of memory for the set of known states and the levels that are not in a file."""
        return self._known.held + self._beyond.held + self._in_memory

    @property
    def coverage(self) -> list[int]:
        """The number of steps taken, by kind of action."""
        visited = np.sum([worker.buffers.visited for worker in self._workers], axis=0)
        counts = (
            np.sum([worker.buffers.generated for worker in self._workers], axis=0) + visited @ self.plan.chunks.kinds
        )
        return [int(count) for count in counts]

    @property
    def ended(self) -> tuple[int, int]:
        """The numbers of states that no step changes: without a waiting pod, and with one."""
        done, stuck = np.sum([worker.buffers.ended for worker in self._workers], axis=0)
        return int(done), int(stuck)

    def run(self) -> None:
        """Explore until no state is left, a property is broken or a bound is reached. Raises Unusable."""
        broken, more = self.begin(), True
        while more and not broken and not self.stopped:
            if self.depth == self.bounds.depth:
                self.stopped = f"{parameter('limits.depth')} {self.depth}"
                return
            broken, more = self.advance()

    def begin(self) -> bool:
        """Find the initial level, or the levels of an earlier run; return whether a property is broken."""
        broken = False if self.disk is None else go_on(self, self.disk)
        if not self.levels:
            first = self.stands_for(self.plan.first).reshape(1, -1)
            self._known.insert(first, 1)
            found = self._known.take()
            broken = self._keep(found if self.disk is None else self.disk.level([found], self.levels, whole=True))
            self._keep_counts()
        return broken

    def advance(self) -> tuple[bool, bool]:
        """Expand the last level; return whether a property is broken, and whether there is another level."""
        level = self._next(self.levels[-1])
        before, self.reached = self.levels[-1], self.depth
        broken = len(level) > 0 and self._keep(level)
        broken = self._judge_beyond() or broken
        self._note_broken(before)
        self._note_stuck()
        if len(level) > 0 and not self.stopped:
            self._keep_counts()
        return broken or self.broken != {}, len(level) > 0

    def stands_for(self, words: Words) -> Words:
        """Return the canonical form of the state; without symmetry, the state itself."""
        form = words.reshape(1, -1).copy()
        if self.orbits is not None:
            canonicalise(self.plan.program, self.orbits, form, 1)
        words_of: Words = form[0]
        return words_of

    def _keep(self, level: Level) -> bool:
        """Keep and judge the states of a new level; return whether one breaks a property."""
        if self.disk is None:
            self._put_aside()
            self._in_memory += level.nbytes
        self._levels.append(level)
        self.distinct += len(level)
        broken = False
        for slab in slabs(level, SLAB):
            broken = self.judge(slab) or broken
        return broken

    def _put_aside(self) -> None:
        """Move the last level, which is expanded, to a file."""
        for level in self._levels[-1:]:
            self._levels[-1] = put_aside(np.asarray(level))
            if self._levels[-1] is not level:
                self._in_memory -= level.nbytes

    def _judge_beyond(self) -> bool:
        """StateJudge the newly found states beyond the constraints; return whether one breaks a property."""
        found = self._beyond.take()
        self.cut_off = self.cut_off or len(found) > 0
        return len(found) > 0 and self.judge(found)

    def _keep_counts(self) -> None:
        if self.disk is not None:
            self.disk.keep(self.levels, counts(self))

    def take_up(self, level: Level) -> None:
        """Append a level of an earlier run, and add its states to the known ones if all fit."""
        self._levels.append(level)
        self.distinct += len(level)
        for piece in in_pieces(level):
            if self.disk is None or self.disk.complete:
                self._known.insert(piece, len(piece))
                self._known.take()
                self._make_room()

    def count_from(self, coverage: Sequence[int], ended: Sequence[int]) -> None:
        """Resume from the counts of a run that had expanded all levels but the last."""
        self.expanded = self.distinct - len(self.levels[-1])
        self._workers[0].buffers.generated[:] = coverage
        self._workers[0].buffers.ended[:] = ended

    def _next(self, level: Level) -> Level:
        """Return the new states reached from those of the level."""
        for slab in slabs(level, SLAB):
            self._expand_all(slab)
            if self.stopped:
                break
        if self.disk is None:
            return self._known.take()
        return self.disk.level(self._known.taken(), self.levels, whole=not self.stopped)

    def _expand_all(self, level: Words) -> None:
        """Expand these states of the level, until a bound is reached."""
        todo = _in_pieces(range(len(level)), len(self._workers))
        while todo:
            put_aside: list[Numbers] = []
            while todo:
                self._expand(level, todo, put_aside)
                if self.stopped:
                    return
            todo = _in_pieces(np.concatenate(put_aside), len(self._workers)) if put_aside else todo

    def _nothing_known(self) -> Known:
        return Known(self.plan.program.words, len(self._workers))

    def _make_room(self) -> None:
        """Make room for more states; if the set has reached its bound, empty it, as the disk holds its states too."""
        if self.disk is not None and self.disk.full(self._known):
            self.disk.put_away(self._known.taken())
            self._known = self._nothing_known()
        self._known.make_room()
        self._beyond.make_room()

    def _expand(self, level: Words, todo: deque[range | Numbers], put_aside: list[Numbers]) -> None:
        """Let the workers expand some of these states of the level; states with open questions are put aside."""
        busy = self._workers[: len(todo)]
        self._make_room()
        self._at_once(lambda worker: worker.work(busy, self.oracle, level, todo, self._known, self._beyond), busy)
        while any(worker.holds for worker in busy):
            self._make_room()
            self._at_once(lambda worker: worker.put(self._known, self._beyond), busy)
        for worker in busy:
            put_aside.extend(worker.put_aside)
            self.expanded += worker.expanded
            self.answer(level, worker.buffers, worker.missing)
            worker.put_aside, worker.expanded, worker.missing = [], 0, 0
        # States found may be known already if not all known states are in memory.
        self._stop(self._known.fresh if self.disk is None or self.disk.complete else 0)

    def _at_once(self, do: Callable[[Worker], None], workers: Sequence[Worker]) -> None:
        at_once = self._pool.map if self._pool and len(workers) > 1 else map
        list(at_once(do, workers))

    def answer(self, level: Words, buffers: Buffers, missing: int) -> None:
        """Let the specification answer the questions raised by states of the level."""
        began = time.monotonic()
        self._together.answer(questions(level, buffers, missing), self._at_most())
        self.answering += time.monotonic() - began

    def _at_most(self) -> int:
        """Return how many processes may answer at once: even if they shared no memory, they keep the bound on it."""
        if self.bounds.memory is None:
            return len(self._workers)
        return min(len(self._workers), int(self.bounds.memory / max(gigabytes(), 0.01)))

    def _stop(self, found: int) -> None:
        """Set `stopped` if a bound is reached, and report the counts from time to time."""
        bounds, now = self.bounds, time.monotonic()
        distinct = self.distinct + found
        if bounds.max_states is not None and distinct >= bounds.max_states:
            self.stopped = f"{parameter('limits.states')} {bounds.max_states}"
        elif now >= self.end:
            self.stopped = f"{parameter('limits.seconds')} {bounds.seconds:g}"
        elif bounds.memory is not None and (anonymous() if self.disk else gigabytes()) >= bounds.memory:
            self.stopped = f"{parameter('limits.memory')} {bounds.memory:g}"
        if self.report and now - self.reported >= SECONDS_BETWEEN_REPORTS:
            self.reported = now
            self.report(self.progress(found))

    def progress(self, found: int = 0) -> Progress:
        """Return the counts so far; `found` is the number of states found of the next level."""
        distinct, generated = self.distinct + found, self.generated + sum(self.coverage)
        return Progress(distinct, generated, self.depth, distinct - self.expanded, time.monotonic() - self.started)

    @cached_property
    def looking(self) -> Worker:
        """A worker that expands states again, without counting them."""
        return Worker(self.plan, SUCCESSORS, judged=self.judged, orbits=self.orbits, origins=True)

    def _note_broken(self, level: Level) -> None:
        """Note the least step that breaks each property, among the workers' steps from the states of this level."""
        words = self.plan.program.words
        for question, leaves in self.leaving.items():
            from schedcheck.checker.tabulated.results.leaving import least_left

            left = least_left(level, leaves)
            if left is not None:
                self.broken[question] = Broken(left, left)
        for worker in self._workers:
            self.met.update(int(each) for each in np.flatnonzero(worker.buffers.is_broken) if each in self.looked_for)
            for number in np.flatnonzero(worker.buffers.is_broken):
                if number in self.looked_for:
                    continue
                least = worker.buffers.least[number]
                found = Broken(least[:words].copy(), least[words:].copy())
                known = self.broken.get(int(number))
                if known is None or found.in_words() < known.in_words():
                    self.broken[int(number)] = found

    def _note_stuck(self) -> None:
        """Note the least stuck state of the first level that has one."""
        found = [worker.buffers.stuck for worker in self._workers if worker.buffers.is_stuck[0]]
        if self.stuck is None and found:
            self.stuck = in_order(np.stack(found))[0]


def _in_pieces(numbers: range | Numbers, workers: int) -> deque[range | Numbers]:
    """Return the numbers in pieces for the workers, small enough that no worker is idle for long."""
    size = min(PIECE, len(numbers) // (PIECES * workers) + LEAST_PIECE)
    return deque(numbers[begin : begin + size] for begin in range(0, len(numbers), size))
