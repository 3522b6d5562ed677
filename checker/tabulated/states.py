"""What is asked of states, asked of the new ones of a level: `Judging`."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from schedcheck.checker.tabulated.growing import Growing, GrowingTable
from schedcheck.checker.tabulated.layout import Words, in_order
from schedcheck.checker.tabulated.loops import judge_nodes
from schedcheck.checker.tabulated.program import Plan
from schedcheck.checker.tabulated.runs import in_pieces
from schedcheck.checker.tabulated.truths import OfEach, asking
from schedcheck.checker.tabulated.worker import room
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties import Always, Sometimes, no_overcommit, type_correct

AT_ONCE = 1 << 10
"""How many states are asked before anybody looks at the time."""

SECONDS_BEFORE_TELLING = 0.5
WORTH_TELLING = 2
"""How many times slower than exploring the asking of states must be to be told."""


class Judging:
    """The properties of states; `broken` has the least state of the level that breaks each.

    A property that looks at nodes one by one is asked once of each node with the pods on it; one that looks at objects
    one by one is asked of their values beforehand; any other is asked of every state, `slowly`. So is what `sometimes`
    holds, unless `truths` knows what that looks at. `look` says whether there is time left, `tell` what takes long.
    """

    def __init__(
        self,
        plan: Plan,
        questions: Sequence[Always | Sometimes],
        look: Callable[[], None] = lambda: None,
        tell: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.plan = plan
        self.broken: dict[str, Words] = {}
        sometimes = [each for each in questions if isinstance(each, Sometimes)]
        self.unwitnessed = {each.name for each in sometimes}
        self._asking = {each.name: asking(plan, each, each.holds) for each in sometimes}
        self.sometimes = [each for each in sometimes if isinstance(self._asking[each.name], OfEach)]
        always = [each for each in questions if isinstance(each, Always)]
        self.of_nodes = [each for each in always if each.holds is no_overcommit or each.name.startswith("stays_on(")]
        self.slowly = [each for each in always if each not in self.of_nodes and not self._of_values(each)]
        self._table, self._breaks = GrowingTable(2), Growing(np.uint64)
        self._buffers = room(plan, 0)
        names = [each.name for each in self.slowly] + [each.name for each in self.sometimes]
        self._pace = Pace(names, look, tell)

    def __call__(self, states: Words) -> bool:
        """Judge the new states of a level: whether one breaks a property. Raises Beyond once the time is over."""
        if self.of_nodes:
            self._judge_nodes(states)
        for name, ask in self._asking.items():
            if (
                name in self.unwitnessed
                and not isinstance(ask, OfEach)
                and any(ask(piece).any() for piece in in_pieces(states))
            ):
                self.unwitnessed.discard(name)
        if self.slowly or any(each.name in self.unwitnessed for each in self.sometimes):
            self._judge_slowly(states)
        else:
            self._pace.passed += len(states)
        return bool(self.broken)

    def counts(self) -> dict[str, Any]:
        """What was found up to the last level."""
        broken = {name: words.tolist() for name, words in self.broken.items()}
        return {"unwitnessed": sorted(self.unwitnessed), "broken": broken}

    def count_from(self, counts: dict[str, Any]) -> None:
        """Go on from what was found."""
        self.unwitnessed = set(counts["unwitnessed"])
        self.broken = {name: np.array(words, np.uint64) for name, words in counts["broken"].items()}

    def _of_values(self, question: Always) -> bool:
        """Whether the question looks at objects one by one, and holds of every value that one may have."""
        slots = self.plan.slots
        values = [Snapshot(pods=(pod,)) for each in slots.pods for pod in each if pod is not None]
        values += [Snapshot(nodes=(node,)) for each in slots.nodes for node in each if node is not None]
        return question.holds is type_correct and all(map(question.holds, values))

    def _judge_nodes(self, states: Words) -> None:
        begin = 0
        while begin < len(states):
            came_to, missing = judge_nodes(
                self.plan.program, self._table.seen(), self._breaks.seen(), states, begin, self._buffers
            )
            for row in range(missing):
                self._answer(self._buffers.missing[row, :2], states[self._buffers.missing_of[row, 1]])
            begin = begin if missing else came_to
        for number in np.flatnonzero(self._buffers.is_broken):
            self.broken[self.of_nodes[number].name] = self._buffers.least[number, : states.shape[1]].copy()

    def _answer(self, key: Words, words: Words) -> None:
        """What the node with the pods on it breaks."""
        if self._table.knows(key):
            return
        state = self.plan.unpacked(words)
        node = state.nodes[int(key[0])]
        assert node is not None
        whole = self.plan.machine.view(state)
        here = replace(whole, pods=whole.pods_by_node.get(node.name, ()), nodes=(node,))
        broken = [number for number, question in enumerate(self.of_nodes) if not question.holds(here)]
        self._breaks.append(sum(1 << number for number in broken))
        self._table.append(key)

    def _judge_slowly(self, states: Words) -> None:
        """Ask of each state, in the order of their words, so that the least that breaks a property is found."""
        ordered = in_order(states)
        for begin in range(0, len(ordered), AT_ONCE):
            with self._pace.of(ordered[begin : begin + AT_ONCE]) as piece:
                for words in piece:
                    self._judge_one(words)

    def _judge_one(self, words: Words) -> None:
        snapshot = self.plan.machine.view(self.plan.unpacked(words))
        for question in self.slowly:
            if question.name not in self.broken and not question.holds(snapshot):
                self.broken[question.name] = words
        for witness in self.sometimes:
            if witness.name in self.unwitnessed and witness.holds(snapshot):
                self.unwitnessed.discard(witness.name)


class Pace:
    """How long it takes to ask each state; it is told once where that is much longer than to explore.

    `passed` counts the states that were explored, whether they were asked or not.
    """

    def __init__(self, names: Sequence[str], look: Callable[[], None], tell: Callable[[str], None]) -> None:
        self.names = tuple(names)
        self.look = look
        self.tell = tell
        self.passed = 0
        self._asked, self._asking, self._told = 0, 0.0, False
        self._begun = time.monotonic()

    @contextmanager
    def of(self, states: Words) -> Iterator[Words]:
        """The states, to be asked under this. Raises Beyond once the time is over."""
        self.look()
        began = time.monotonic()
        yield states
        self._asking += time.monotonic() - began
        self._asked += len(states)
        self.passed += len(states)
        if not self._told and self._asking >= SECONDS_BEFORE_TELLING:
            self._compare()

    def _compare(self) -> None:
        asked = self._asked / self._asking
        exploring = time.monotonic() - self._begun - self._asking
        times = self.passed / max(exploring, 1e-6) / asked
        if times >= WORTH_TELLING:
            self._told = True
            named = (
                f"property {self.names[0]} is" if len(self.names) == 1 else f"properties {', '.join(self.names)} are"
            )
            self.tell(
                f"{named} evaluated in Python: about {asked:,.0f} states a second,"
                f" {times:,.0f} times slower than the exploration"
            )
