"""Properties of single nodes, looked up for the new states of a level: `Nodes`."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Words, in_order
from schedcheck.checker.tabulated.loops.arrays import RECENT
from schedcheck.checker.tabulated.loops.chunks import Planned
from schedcheck.checker.tabulated.loops.growing import Growing, GrowingTable
from schedcheck.checker.tabulated.loops.hashing import Table
from schedcheck.checker.tabulated.loops.judging import Harmless, judge_nodes
from schedcheck.checker.tabulated.search.worker import room

MANY = 1 << 15
"""If there are more states than this, nodes are judged on all cores."""

Judged = tuple[Table, Words]
"""The keys of the nodes that were judged, and for each key a bit for every property that it breaks."""


class Clerk:
    """The buffers in which one thread judges nodes."""

    def __init__(self, plan: Planned) -> None:
        self.plan = plan
        self._buffers = room(plan, plan.chunks, 0)
        words = 1 + plan.program.column_words
        self._sums, self._key = np.empty(plan.chunks.adds.shape[1], np.uint64), np.empty(words, np.uint64)
        places = RECENT * plan.program.nodes
        self._harmless = Harmless(np.zeros(places, np.uint8), np.zeros((places, words - 1), np.uint64))

    def judge(self, known: Judged, states: Words) -> tuple[int, int]:
        """Judge the nodes of these states; return where it stopped, and the number of missing questions."""
        table, breaks = known
        ones = (0,) * states.shape[1]
        return judge_nodes(
            self.plan.program,
            self.plan.chunks,
            table,
            breaks,
            self._harmless,
            ones,
            states,
            self._sums,
            self._key,
            self._buffers,
        )

    def questions(self, states: Words, missing: int) -> Iterator[tuple[Words, Words]]:
        """Yield the keys that are not in the table, each with a state that has it."""
        for row in range(missing):
            yield self._buffers.missing[row, : len(self._key)], states[self._buffers.missing_of[row, 1]]

    def broken(self, question: int) -> Iterator[Words]:
        """Yield the least state that breaks the question, if it found one."""
        if self._buffers.is_broken[question]:
            yield self._buffers.least[question, : self.plan.program.words].copy()


class Nodes:
    """The nodes that were judged, each with its pods, and the clerks that look them up."""

    def __init__(self, plan: Planned, workers: int, judged: Judged | None = None) -> None:
        """`judged` are those of another run of the same plan, which judges no others."""
        self._given = judged
        self._table, self._breaks = GrowingTable(1 + plan.program.column_words), Growing(np.uint64)
        self._clerks = [Clerk(plan) for _ in range(workers)]
        self._pool = ThreadPoolExecutor(workers)

    def __call__(self, states: Words, answer: Callable[[Words, Words], None]) -> None:
        """Look the nodes of these states up; `answer` is given each key that is not known, with a state that has it."""
        left = np.array_split(states, len(self._clerks))
        while any(map(len, left)):
            at_once = self._pool.map if len(states) > MANY else map
            ends = list(at_once(Clerk.judge, self._clerks, [self.judged()] * len(left), left))
            for number, (clerk, (came_to, missing)) in enumerate(zip(self._clerks, ends, strict=True)):
                for key, words in clerk.questions(left[number], missing):
                    if not self._table.knows(key):
                        answer(key, words)
                left[number] = left[number] if missing else left[number][came_to:]

    def add(self, key: Words, breaks: int) -> None:
        """Note the properties that the node of this key breaks."""
        self._breaks.append(breaks)
        self._table.append(key)

    def judged(self) -> Judged:
        """Return all that was judged, as the loop reads it."""
        return self._given or (self._table.seen(), self._breaks.seen())

    def broken(self, question: int) -> Words | None:
        """Return the least state that breaks the property of this number; None if none does."""
        found = [words for clerk in self._clerks for words in clerk.broken(question)]
        if not found:
            return None
        least: Words = in_order(np.stack(found))[0]
        return least
