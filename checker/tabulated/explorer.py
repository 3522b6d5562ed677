"""Level by level over packed states: `Explorer`.

A level is expanded in pieces. A state that raises a question which no table answers is put aside until the specification
has answered; so in which order the states of a level are found depends on what the tables held, and nothing else does.
"""

import time
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from schedcheck.checker.exploration import gigabytes
from schedcheck.checker.result import Bounds, Progress
from schedcheck.checker.tabulated.layout import Words
from schedcheck.checker.tabulated.loops import EMPTY, MOST_SUCCESSORS, Buffers, expand, insert, move_over
from schedcheck.checker.tabulated.oracle import Oracle
from schedcheck.checker.tabulated.orbits import Orbits, canonicalise
from schedcheck.checker.tabulated.program import Plan

PIECE = 1 << 17
"""How many successors are found before they are looked for among the known states."""

MISSING = 1 << 12
SECONDS_BETWEEN_REPORTS = 0.25
FILLED = 0.6


class Broken(NamedTuple):
    """The least step that breaks a property: the state that it leads to, and the one that it leads from."""

    after: Words
    before: Words


class Explorer:
    """The states of a plan that are known, level by level, and what was counted."""

    def __init__(
        self,
        plan: Plan,
        oracle: Oracle,
        *,
        bounds: Bounds | None = None,
        judged: bool = False,
        judge_level: Callable[[Words], bool] = lambda states: False,
        orbits: Orbits | None = None,
        report: Callable[[Progress], None] | None = None,
    ) -> None:
        self.plan = plan
        self.oracle = oracle
        self.bounds = bounds or Bounds()
        self.judged = judged
        self.judge_level = judge_level
        self.orbits = orbits
        self.report = report
        words = plan.layout.words
        self.levels: list[Words] = []
        self.distinct = 0
        self.generated = 1
        self.expanded = 0
        self.stopped = ""
        self.answering = 0.0
        self.broken: dict[int, Broken] = {}
        self._known = np.full((1 << 12, words), EMPTY, np.uint64)
        self._buffers = room(self.plan, PIECE)
        self.started = self.reported = time.monotonic()

    @property
    def depth(self) -> int:
        """How many levels there are, the initial one being 1."""
        return len(self.levels)

    @property
    def coverage(self) -> list[int]:
        """How often each kind of action was taken."""
        return [int(count) for count in self._buffers.generated]

    @property
    def ended(self) -> tuple[int, int]:
        """How many states no step changes: with nobody waiting, and with somebody."""
        done, stuck = self._buffers.ended
        return int(done), int(stuck)

    def run(self) -> None:
        """Find every state, until none is left, a property is broken or a bound is reached."""
        first = self.stands_for(self.plan.packed(self.plan.slots.first)).reshape(1, -1)
        level = np.zeros_like(first)
        insert(self._known, first, 1, level, 0)
        self._keep(level)
        broken = self.judge_level(level)
        while not broken and len(self.levels[-1]):
            if self.depth == self.bounds.depth:
                self.stopped = f"--depth {self.depth}"
                return
            level = self._next(self.levels[-1])
            if len(level):
                self._keep(level)
            broken = len(level) > 0 and self.judge_level(level)
            broken = broken or bool(self._buffers.is_broken.any())
            if self.stopped or not len(level):
                break
        self._note_broken()

    def stands_for(self, words: Words) -> Words:
        """The state that is kept in the place of this one."""
        form = words.reshape(1, -1).copy()
        if self.orbits is not None:
            canonicalise(self.plan.program, self.orbits, form, 1)
        words_of: Words = form[0]
        return words_of

    def _keep(self, level: Words) -> None:
        self.levels.append(level)
        self.distinct += len(level)

    def _next(self, level: Words) -> Words:
        """The states that are found from those of the level, and were not known."""
        todo = np.arange(len(level))
        fresh = np.empty((2 * len(level) + PIECE, level.shape[1]), np.uint64)
        found = 0
        while len(todo):
            begin, put_aside = 0, []
            answers = self.oracle.answers()
            while begin < len(todo):
                begin, count, missing, deferred = expand(
                    self.plan.program, answers, level, todo, begin, self.judged, self._buffers
                )
                if self.orbits is not None:
                    canonicalise(self.plan.program, self.orbits, self._buffers.successors, count)
                if self._crowded(count):
                    self._grow(count)
                if found + count > len(fresh):
                    fresh = np.concatenate(
                        (fresh[:found], np.empty_like(fresh), np.empty((count, level.shape[1]), np.uint64))
                    )
                found = insert(self._known, self._buffers.successors, count, fresh, found)
                self._filled = self.distinct + found
                put_aside.append(self._buffers.deferred[:deferred].copy())
                if missing:
                    self._answer(level, missing)
                    answers = self.oracle.answers()
                if self._stop(begin, found):
                    break
            self.expanded += len(todo) - sum(map(len, put_aside))
            if self.stopped:
                break
            todo = np.concatenate(put_aside)
        return fresh[:found].copy()

    def _answer(self, level: Words, missing: int) -> None:
        began = time.monotonic()
        for number in range(missing):
            question, state = self._buffers.missing_of[number]
            self.oracle.answer(int(question), self._buffers.missing[number], level[state])
        self.answering += time.monotonic() - began

    def _crowded(self, more: int) -> bool:
        return self._filled_by(more) > FILLED * len(self._known)

    def _filled_by(self, more: int) -> int:
        return max(self.distinct, getattr(self, "_filled", 0)) + more

    def _grow(self, more: int) -> None:
        size = len(self._known)
        while self._filled_by(more) > FILLED * size:
            size *= 2
        larger = np.full((size, self._known.shape[1]), EMPTY, np.uint64)
        move_over(self._known, larger)
        self._known = larger

    def _stop(self, expanded: int, found: int) -> bool:
        """Whether a bound is reached; and now and then the counts are reported."""
        bounds, now = self.bounds, time.monotonic()
        distinct = self.distinct + found
        if bounds.max_states is not None and distinct >= bounds.max_states:
            self.stopped = f"--max-states {bounds.max_states}"
        elif bounds.seconds is not None and now - self.started >= bounds.seconds:
            self.stopped = f"--time {bounds.seconds:g}"
        elif bounds.memory is not None and gigabytes() >= bounds.memory:
            self.stopped = f"--memory {bounds.memory:g}"
        if self.report and now - self.reported >= SECONDS_BETWEEN_REPORTS:
            self.reported = now
            self.report(self.progress(found))
        return self.stopped != ""

    def progress(self, found: int = 0) -> Progress:
        """The counts so far, with so many states found of the next level."""
        distinct, generated = self.distinct + found, self.generated + sum(self.coverage)
        return Progress(distinct, generated, self.depth, distinct - self.expanded, time.monotonic() - self.started)

    @cached_property
    def buffers_for_looking(self) -> Buffers:
        """Buffers of their own, for expanding states once more without counting them again."""
        return room(self.plan, PIECE)

    def _note_broken(self) -> None:
        words = self.plan.layout.words
        for number in np.flatnonzero(self._buffers.is_broken):
            least = self._buffers.least[number]
            self.broken[int(number)] = Broken(least[:words].copy(), least[words:].copy())


def room(plan: Plan, piece: int) -> Buffers:
    """Buffers for so many successors of the states of the plan."""
    words, nodes = plan.layout.words, len(plan.slots.nodes)
    missing = MISSING + 8 * len(plan.slots.pods) * (nodes + 1)
    return Buffers(
        np.zeros((piece + 2 * MOST_SUCCESSORS, words), np.uint64),
        np.zeros(piece + 2 * MOST_SUCCESSORS, np.int64),
        np.zeros((missing, 2 + plan.program.key_words + (nodes + 1) // 2), np.uint64),
        np.zeros((missing, 2), np.int64),
        np.zeros(piece, np.int64),
        np.zeros(len(plan.machine.kinds()), np.int64),
        np.zeros(2, np.int64),
        np.zeros((64, 2 * words), np.uint64),
        np.zeros(64, np.int64),
    )
