"""The exploration on a graphics processor: `OnDevice`.

The device expands the states of a level, looks its successors up, and hands back the questions that no table answers. This
process answers them, judges the states of each level, and adds what the device counted to the counts of its own worker. So
whatever reads an exploration reads this one.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from schedcheck.checker.tabulated.device.cuda import Device, Full
from schedcheck.checker.tabulated.device.kernels import (
    DEFERRED,
    MISSED,
    SUCCESSORS,
    Lanes,
    canonicalise_lanes,
    expand_lanes,
)
from schedcheck.checker.tabulated.device.room import lanes, most_successors
from schedcheck.checker.tabulated.device.states import States
from schedcheck.checker.tabulated.layout.layout import Numbers, Words, in_order
from schedcheck.checker.tabulated.loops.arrays import Recent
from schedcheck.checker.tabulated.loops.orbits import spare_for
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.checker.tabulated.search.kept import Level

if TYPE_CHECKING:
    from schedcheck.checker.tabulated.answers.oracle import Oracle
    from schedcheck.checker.tabulated.search.plan import Plan

FULL = "the memory of the graphics processor is full"


class OnDevice(Explorer):
    """An exploration whose tables, known states and levels lie in the memory of a device."""

    def __init__(self, plan: "Plan", oracle: "Oracle", device: Device, **options: Any) -> None:
        super().__init__(plan, oracle, workers=1, **options)
        assert self.limits is None and self.disk is None, "refused by name before"
        self.device = device
        self._one = (0,) * plan.layout.words
        self._taught = (-1, -1)
        self._rows = -1

    def begin(self) -> bool:
        """Find the initial level; return whether a property is broken."""
        device = self.device
        try:
            self._program, self._chunks = device.upload(self.plan.program), device.upload(self.plan.chunks)
            self._orbits = None if self.orbits is None else device.upload(self.orbits)
            self._no_numbers = device.zeros((0,), np.int64)
            width = self.plan.program.column_words + self.plan.program.key_words
            nothing = device.zeros((0, 1), np.int32)
            self._recent = Recent(device.zeros((0, width), np.uint64), nothing, nothing)
            self._states = States(device, self.plan.layout.words)
            self._learn()
            # The first state takes the way of all others: it is the only successor of a lane.
            first = self.stands_for(self.plan.packed(self.plan.slots.first)).reshape(1, 1, -1)
            buffers = self._lanes.buffers
            device.copy(buffers.successors[:1, :1], first)
            device.copy(self._lanes.ends[:1], np.ones(1, np.int64))
            self._states.insert(self._lanes, 1, 1)
        except Full:
            self.stopped = FULL
            return False
        return self._keep(self._states.take())

    def _next(self, level: Level) -> Words:
        """Return the new states reached from those of the level."""
        try:
            self._expand_all(np.asarray(level))
        except Full:
            self.stopped = FULL
        # Lanes that could not be made longer were added up before they were given up.
        if "_lanes" in self.__dict__:
            self._add_up()
        return self._states.take()

    def _expand_all(self, level: Words) -> None:
        """Expand the states of the level, and again those with open questions until these are answered."""
        left, todo = len(level), self._no_numbers
        while left:
            put_aside: list[Numbers] = []
            for begin in range(0, left, self._count):
                if self._taught != self._answered():
                    self._learn()
                count = min(self._count, left - begin)
                put_aside.append(self._expand_some(level, todo, begin, count))
                self._stop(self._states.fresh)
                if self.stopped:
                    return
            numbers = np.concatenate(put_aside)
            left, todo = len(numbers), self.device.upload(numbers) if len(numbers) else self._no_numbers

    def _expand_some(self, level: Words, todo: Any, begin: int, count: int) -> Numbers:
        """Expand states, and insert their successors; return the numbers of those with open questions. Raises Full."""
        device, buffers = self.device, self._lanes.buffers
        device.clear(buffers.handed_back)
        device.launch(
            expand_lanes, count,
            self._program, self._chunks, self._answers, self._recent, self._lanes, self._one, self._states.level,
            todo, begin, count, self.judged,
        )  # fmt: skip
        if self._orbits is not None:
            device.launch(canonicalise_lanes, count, self._program, self._orbits, self._lanes, self._spare, count)
        counted = device.read(buffers.handed_back)
        deferred: Numbers = device.read(buffers.deferred)[: counted[DEFERRED]]
        self._states.insert(self._lanes, count, int(counted[SUCCESSORS]))
        self.expanded += count - len(deferred)
        if counted[MISSED]:
            self._ask(level, int(counted[MISSED]))
        return deferred

    def _ask(self, level: Words, missed: int) -> None:
        """Let the specification answer the questions that were handed back."""
        device, buffers, own = self.device, self._lanes.buffers, self._workers[0].buffers
        missing, missing_of = device.read(buffers.missing), device.read(buffers.missing_of)
        own.missing[: len(missing)], own.missing_of[: len(missing)] = missing, missing_of
        self.answer(level, own, min(missed, len(missing)))

    def _answered(self) -> tuple[int, int]:
        return self.oracle.forgot, sum(self.oracle.asked)

    def _learn(self) -> None:
        """Give the device the tables as they are now, and the lanes room for all successors of a state. Raises Full."""
        answers = self.oracle.answers()
        self._answers, self._taught = self.device.upload(answers), self._answered()
        most = most_successors(self.plan, answers)
        if most > self._rows:
            if self._rows >= 0:
                self._add_up()
                most *= 2
            self._make_lanes(most)

    def _make_lanes(self, most: int) -> None:
        self._lanes: Lanes
        # The old ones are given up first, so that there is room for the new ones.
        self.__dict__.pop("_lanes", None)
        self.__dict__.pop("_spare", None)
        self._rows = most
        self._lanes, self._count = lanes(self.device, self.plan, most)
        if self.orbits is not None:
            spare = spare_for(self.plan.program, self.orbits)
            self._spare = type(spare)(
                *(self.device.zeros((self._count, *each.shape), each.dtype.type) for each in spare)
            )

    def _add_up(self) -> None:
        """Add what the lanes counted and found to the buffers of this process's worker."""
        device, buffers, own = self.device, self._lanes.buffers, self._workers[0].buffers
        for theirs, mine in (
            (buffers.generated, own.generated),
            (buffers.visited, own.visited),
            (buffers.ended, own.ended),
        ):
            mine[:] += device.read(theirs).sum(axis=0)
            device.clear(theirs)
        stuck = device.read(buffers.stuck)[device.read(buffers.is_stuck)[:, 0] > 0]
        if len(stuck):
            stuck = np.concatenate([stuck, own.stuck.reshape(1, -1)]) if own.is_stuck[0] else stuck
            own.is_stuck[0], own.stuck[:] = 1, in_order(stuck)[0]
        broken = device.read(buffers.is_broken)
        least = device.read(buffers.least) if broken.any() else None
        for question in np.flatnonzero(broken.any(axis=0)).tolist():
            assert least is not None
            steps = least[broken[:, question] > 0, question]
            if own.is_broken[question]:
                steps = np.concatenate([steps, own.least[question : question + 1]])
            own.is_broken[question], own.least[question] = 1, in_order(steps)[0]
        for found in (buffers.is_stuck, buffers.is_broken):
            device.clear(found)
