"""The exploration whose states are divided among workers on several machines: `Spread`."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from schedcheck.checker.limits.clock import Beyond
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.result import Progress
from schedcheck.checker.tabulated.distributed.part import Given, Level, Told
from schedcheck.checker.tabulated.distributed.shares import owner
from schedcheck.checker.tabulated.distributed.team import Lost, Team
from schedcheck.checker.tabulated.layout.layout import Words, in_order
from schedcheck.checker.tabulated.results.states import Judging
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.checker.tabulated.search.resuming import Broken
from schedcheck.spec.properties.kinds import Always, Sometimes

if TYPE_CHECKING:
    from schedcheck.checker.tabulated.answers.oracle import Oracle
    from schedcheck.checker.tabulated.search.plan import Plan

Answer = TypeVar("Answer")


class Levels(Sequence[Words]):
    """The levels of all parts. One is fetched from the workers when it is asked for, and none is kept."""

    def __init__(self, fetch: Callable[[int], Words]) -> None:
        self.sizes: list[list[int]] = []
        self._fetch = fetch

    def __len__(self) -> int:
        return len(self.sizes)

    @overload
    def __getitem__(self, number: int) -> Words: ...
    @overload
    def __getitem__(self, number: slice) -> "Sequence[Words]": ...
    def __getitem__(self, number: int | slice) -> Words | Sequence[Words]:
        if isinstance(number, slice):
            chosen = Levels(self._fetch)
            assert number.start is None and number.step is None, "only the first levels are sliced"
            chosen.sizes = self.sizes[number]
            return chosen
        return self._fetch(range(len(self.sizes))[number])

    def __iter__(self) -> Iterator[Words]:
        return (self._fetch(number) for number in range(len(self.sizes)))


class Spread(Explorer):
    """An exploration by a team: the team knows and expands the states, and this process answers its questions."""

    def __init__(
        self, plan: "Plan", oracle: "Oracle", team: Team, of_states: Sequence[Always | Sometimes], **options: Any
    ) -> None:
        super().__init__(plan, oracle, workers=1, **options)
        self.team = team
        self._sizes = Levels(self._level)
        self.levels = self._sizes
        self._coverage = np.zeros(len(plan.machine.kinds()), np.int64)
        self._ended = np.zeros(2, np.int64)
        self._taught = (-1, -1)
        judging = self.judge
        assert isinstance(judging, Judging), "a team's findings are added to those of a judge"
        self._judging = judging
        self._of_states = of_states

    @property
    def coverage(self) -> list[int]:
        """The number of steps taken on complete levels, by kind of action."""
        return [int(count) for count in self._coverage]

    @property
    def ended(self) -> tuple[int, int]:
        """The numbers of states that no step changes: without a waiting pod, and with one."""
        return int(self._ended[0]), int(self._ended[1])

    def begin(self) -> bool:
        """Start the workers and find the initial level; return whether a property is broken."""
        self.team.start(self._given())
        first = self.stands_for(self.plan.packed(self.plan.slots.first))

        def found() -> list[Level]:
            self.team.insert(owner(first, self.team.parts), first.reshape(1, -1))
            return self.team.take()

        levels = self._surely(found)
        self._add(levels)
        self._surely(self._teach)
        return bool(self._judging.broken)

    def advance(self) -> tuple[bool, bool]:
        """Let the workers expand the last level; return whether a property is broken, and whether there is another."""
        before = self.expanded
        try:
            levels = self._surely(lambda: self._expanded(before))
        except KeyboardInterrupt:
            # All counts are those of complete levels.
            self.expanded = before
            raise
        self.reached = self.depth
        some = self._add(levels)
        return bool(self._judging.broken or self.broken), some

    def progress(self, found: int = 0) -> Progress:
        """Return the counts so far, and the states and memory of each worker."""
        kept = map(sum, zip(*self._sizes.sizes, strict=True))
        workers = [
            (before + self.team.found[number][0], self.team.found[number][1]) for number, before in enumerate(kept)
        ]
        return replace(super().progress(found), workers=tuple(workers))

    def _given(self) -> Given:
        left = self.end - time.monotonic()
        return Given(
            self.plan, self.judged, self.orbits, self.limits, self.leaving, self._of_states, self.team.parts,
            self.bounds.seconds, left, self.team.storage,
        )  # fmt: skip

    def _expanded(self, before: int) -> list[Level]:
        self.expanded = before
        left = [True] * self.team.parts
        while any(left) and not self.stopped:
            busy = [number for number, some in enumerate(left) if some]
            for number, turn in zip(busy, self.team.expand(left), strict=True):
                left[number] = turn.left
                self.expanded += turn.expanded
                for question, key, words in zip(turn.questions.tolist(), turn.keys, turn.states, strict=True):
                    self.oracle.answer(question, key, words)
            # A worker that was lost may have been the only one that had been told.
            if self._taught != self._answered():
                self._teach()
            self._stop(sum(states for states, _ in self.team.found))
            self._look(max(memory for _, memory in self.team.found))
        return self.team.take()

    def _teach(self) -> None:
        """Give the workers the tables as the specification has filled them so far."""
        self.team.learn(Told(self.oracle.forgot, self.oracle.answers()))
        self._taught = self._answered()

    def _answered(self) -> tuple[int, int]:
        return self.oracle.forgot, sum(self.oracle.asked)

    def _look(self, memory: float) -> None:
        """Set `stopped` if a worker has more memory than a process may have."""
        if not self.stopped and self.bounds.memory is not None and memory >= self.bounds.memory:
            self.stopped = f"{parameter('limits.memory')} {self.bounds.memory:g}"

    def _add(self, levels: Sequence[Level]) -> bool:
        """Add what the parts found on a level; return whether there are new states."""
        sizes = [each.states for each in levels]
        for each in levels:
            self._coverage += np.array(each.coverage, np.int64)
            self._ended += np.array(each.ended, np.int64)
        if any(sizes):
            self._sizes.sizes.append(sizes)
            self.distinct += sum(sizes)
        self.cut_off = self.cut_off or any(each.beyond for each in levels)
        self._note(levels)
        for each in levels:
            if each.stopped:
                raise Beyond(each.stopped)
        return any(sizes)

    def _note(self, levels: Sequence[Level]) -> None:
        """Note the least states and steps that break a property, as one worker would have found them."""
        judging = self._judging
        judging.unwitnessed = judging.unwitnessed.intersection(*(each.unwitnessed for each in levels))
        slowly = {each.name for each in judging.slowly}
        for name in sorted({name for each in levels for name in each.broken_then}):
            inside = [each.broken[name] for each in levels if name in each.broken]
            anywhere = [each.broken_then[name] for each in levels if name in each.broken_then]
            judging.broken[name] = _least(inside if inside and name in slowly else anywhere)
        for each in levels:
            for number, step in each.steps.items():
                if number in self.looked_for:
                    self.met.add(number)
                elif number not in self.broken or step.in_words() < self.broken[number].in_words():
                    self.broken[number] = Broken(*step)
        stuck = [each.stuck for each in levels if each.stuck is not None]
        if self.stuck is None and stuck:
            self.stuck = _least(stuck)

    def _level(self, number: int) -> Words:
        parts = self._surely(lambda: self.team.level(number))
        return in_order(np.concatenate(parts))

    def _surely(self, ask: Callable[[], Answer]) -> Answer:
        """Ask the team, again if a worker is lost meanwhile. Raises Unusable."""
        while True:
            try:
                return ask()
            except Lost as lost:
                self.team.mend(lost, self._sizes.sizes)


def _least(states: Sequence[Words]) -> Words:
    words: Words = in_order(np.stack(states))[0]
    return words
