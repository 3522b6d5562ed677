"""Properties of states, evaluated on the new states of a level: `Judging`."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np

from schedcheck.checker.properties.of_workloads import STAYS_ON
from schedcheck.checker.tabulated.layout.kube_sight import shown_to_nodes
from schedcheck.checker.tabulated.layout.layout import Words, in_order
from schedcheck.checker.tabulated.loops.arrays import RECENT
from schedcheck.checker.tabulated.loops.growing import Growing, GrowingTable
from schedcheck.checker.tabulated.loops.hashing import Table
from schedcheck.checker.tabulated.loops.judging import Harmless, judge_nodes
from schedcheck.checker.tabulated.loops.runs import in_pieces
from schedcheck.checker.tabulated.results.truths import OfEach, asking
from schedcheck.checker.tabulated.search.explorer import cores
from schedcheck.checker.tabulated.search.pace import Pace
from schedcheck.checker.tabulated.search.plan import Plan
from schedcheck.checker.tabulated.search.worker import room
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import Always, Sometimes
from schedcheck.spec.properties.of_snapshots import no_overcommit, type_correct

AT_ONCE = 1 << 10
"""The number of states that are evaluated between two looks at the clock."""

MANY = 1 << 15
"""If there are more states than this, nodes are judged on all cores."""


class Clerk:
    """The buffers in which one thread judges nodes."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._buffers = room(plan, plan.chunks, 0)
        words = 1 + plan.program.column_words
        self._sums, self._key = np.empty(plan.chunks.adds.shape[1], np.uint64), np.empty(words, np.uint64)
        places = RECENT * len(plan.slots.nodes)
        self._harmless = Harmless(np.zeros(places, np.uint8), np.zeros((places, words - 1), np.uint64))

    def judge(self, known: tuple[Table, Words], states: Words) -> tuple[int, int]:
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
            yield self._buffers.least[question, : self.plan.layout.words].copy()


class Judging:
    """The properties of states; `broken` has the least state of the level that breaks each property.

    A property of single nodes is evaluated once for each node with its pods. `type_correct` is evaluated in advance on
    all values of objects. Other `always` properties are evaluated on every state (`slowly`), and so are `sometimes`
    properties, unless `truths` knows what they depend on. `look` checks the time left; `tell` receives a line if this
    is slow.
    """

    def __init__(
        self,
        plan: Plan,
        questions: Sequence[Always | Sometimes],
        look: Callable[[], None] = lambda: None,
        tell: Callable[[str], None] = lambda line: None,
        workers: int = 0,
    ) -> None:
        workers = workers or cores()
        self.plan = plan
        self.broken: dict[str, Words] = {}
        sometimes = [each for each in questions if isinstance(each, Sometimes)]
        self.unwitnessed = {each.name for each in sometimes}
        self._asking = {each.name: asking(plan, each, each.holds) for each in sometimes}
        self.sometimes = [each for each in sometimes if isinstance(self._asking[each.name], OfEach)]
        always = [each for each in questions if isinstance(each, Always)]
        self.of_nodes = [each for each in always if each.holds is no_overcommit or each.name.startswith(f"{STAYS_ON}(")]
        self.slowly = [each for each in always if each not in self.of_nodes and not self._of_values(each)]
        self._table, self._breaks = GrowingTable(1 + plan.program.column_words), Growing(np.uint64)
        self._clerks = [Clerk(plan) for _ in range(workers)]
        self._pool = ThreadPoolExecutor(workers)
        names = [each.name for each in self.slowly] + [each.name for each in self.sometimes]
        self._pace = Pace(names, look, tell)

    def __call__(self, states: Words) -> bool:
        """Judge the new states of a level; return whether one breaks a property. Raises Beyond if time is over."""
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
        """Return the findings up to the last level."""
        broken = {name: words.tolist() for name, words in self.broken.items()}
        return {"unwitnessed": sorted(self.unwitnessed), "broken": broken}

    def count_from(self, counts: dict[str, Any]) -> None:
        """Resume from these findings."""
        self.unwitnessed = set(counts["unwitnessed"])
        self.broken = {name: np.array(words, np.uint64) for name, words in counts["broken"].items()}

    def _of_values(self, question: Always) -> bool:
        """Whether the question looks at objects one by one and holds of every value that an object may have."""
        slots = self.plan.slots
        values = [Snapshot(pods=(pod,)) for each in slots.pods for pod in each if pod is not None]
        values += [Snapshot(nodes=(node,)) for each in slots.nodes for node in each if node is not None]
        return question.holds is type_correct and all(map(question.holds, values))

    def _judge_nodes(self, states: Words) -> None:
        left = np.array_split(states, len(self._clerks))
        while any(map(len, left)):
            at_once = self._pool.map if len(states) > MANY else map
            ends = list(
                at_once(Clerk.judge, self._clerks, [(self._table.seen(), self._breaks.seen())] * len(left), left)
            )
            for number, (clerk, (came_to, missing)) in enumerate(zip(self._clerks, ends, strict=True)):
                for key, words in clerk.questions(left[number], missing):
                    self._answer(key, words)
                left[number] = left[number] if missing else left[number][came_to:]
        for number, question in enumerate(self.of_nodes):
            broken = [words for clerk in self._clerks for words in clerk.broken(number)]
            if broken:
                self.broken[question.name] = in_order(np.stack(broken))[0]

    def _answer(self, key: Words, words: Words) -> None:
        """Add the properties that the node with its pods breaks to the table, unless they are there."""
        if self._table.knows(key):
            return
        state = self.plan.unpacked(words)
        node = state.nodes[int(key[0])]
        assert node is not None
        whole = self.plan.machine.view(state)
        pods = tuple(map(shown_to_nodes, whole.pods_by_node.get(node.name, ())))
        here = replace(whole, pods=pods, nodes=(node,))
        broken = [number for number, question in enumerate(self.of_nodes) if not question.holds(here)]
        self._breaks.append(sum(1 << number for number in broken))
        self._table.append(key)

    def _judge_slowly(self, states: Words) -> None:
        """Evaluate every state, in the order of their words, so that the least violating state is found."""
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
