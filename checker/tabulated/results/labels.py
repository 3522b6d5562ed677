"""The action of each step that the compiled loops take: `Labels`.

A step adds to the words of a state. Here it also adds the number of its action to one extra word, which is 0 in every
state. So the same compiled loop that finds the successors tells which action leads to each. Actions with equal texts
get different numbers if that is needed to sort the steps of a state into the machine's order.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from schedcheck.checker.tabulated.answers.named import CHOICE, COUNTED_BY, OPTION, OUTCOME
from schedcheck.checker.tabulated.answers.oracle import Oracle
from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.layout.movement import Move
from schedcheck.checker.tabulated.loops.arrays import Answers
from schedcheck.checker.tabulated.loops.program import Program
from schedcheck.checker.tabulated.search.plan import Plan
from schedcheck.model.controllers import Create, End, Recount, Replace, Start, TaintByCondition, TaintEvict
from schedcheck.model.environment import Evict, NodeEvent
from schedcheck.model.nominations import EvictVictim, Terminate
from schedcheck.model.pod_garbage_collection import Collect
from schedcheck.model.scenario import ANY
from schedcheck.spec.decisions import Nominate

ASKER = 32
"""The bit from which on a word holds the preemptor, as its slot plus one."""

DECISIONS = 12
STAGES: dict[type, int] = {
    Evict: 2,
    Create: 3,
    Replace: 4,
    Recount: 5,
    TaintByCondition: 6,
    TaintEvict: 7,
    Start: 8,
    End: 8,
    Collect: 9,
    EvictVictim: 10,
    Terminate: 11,
}
"""The order in which the machine takes steps by kind: events of pods are 0, those of nodes 1, decisions last."""


class Label(NamedTuple):
    """An action, and its place among the steps of a state: stage, two numbers that order actions within it, text."""

    stage: int
    first: int
    second: int
    text: str
    kind: type


class Labels:
    """The actions of a plan, numbered from 1 in the order in which they are met; `known` has them in that order."""

    def __init__(self, plan: Plan, oracle: Oracle) -> None:
        self.plan = plan
        self.oracle = oracle
        self.known: list[Label] = []
        self._numbers: dict[Label, int] = {}
        self._two: dict[int, int] = {}
        self._rows: dict[str, list[int]] = {row: [] for row in COUNTED_BY}
        self._forgot = oracle.forgot
        self._kinds = {kind.__name__: kind for kind in plan.machine.kinds()}

    def __len__(self) -> int:
        """Return how many numbers there are, including 0."""
        return len(self.known) + 1

    @cached_property
    def recounts(self) -> tuple[int, ...]:
        """The number of the recount of each budget, which the loops do not label."""
        stage = STAGES[Recount]
        return tuple(
            self._number(Label(stage, place, 0, str(Recount(str(budget))), Recount))
            for place, budget in enumerate(self.plan.scenario.budgets)
        )

    @cached_property
    def program(self) -> Program:
        """The arrays of the plan, with one extra word in what a step adds."""
        plan, program = self.plan, self.plan.program
        of_pods = [
            self._number(label)
            for (slot, _, _), moves in zip(plan.situations, plan.moves, strict=True)
            for label in self._of_moves(slot, moves)
        ]
        slots_of_nodes = [slot for slot, values in enumerate(plan.slots.nodes) for _ in values]
        of_nodes = [
            self._number(label)
            for slot, moves in zip(slots_of_nodes, plan.node_moves, strict=True)
            for label in self._of_moves(slot, moves)
        ]
        return program._replace(
            moves_by=widened(program.moves_by, of_pods),
            node_moves_by=widened(program.node_moves_by, of_nodes),
            nominates_by=widened(program.nominates_by, self._askers()),
        )

    def _askers(self) -> list[int]:
        """Return, for each pod value and node, the bits that tell the preemptor; 0 if evictions do not depend on it."""
        plan = self.plan
        nodes = len(plan.slots.nodes)
        return [
            (slot + 1) << ASKER if plan.nominates else 0
            for slot, values in enumerate(plan.slots.pods)
            for _ in range(len(values) * nodes)
        ]

    def whole(self, words: Words) -> Numbers:
        """Return the numbers of the actions in the words; a preemptor and its eviction become one number."""
        found: Numbers = words.astype(np.int64)
        asked = np.flatnonzero(found >> ASKER)
        different, which = np.unique(found[asked], return_inverse=True)
        numbers = [self._of_two(int(each)) for each in different]
        found[asked] = np.array(numbers, np.int64)[which.reshape(-1)]
        return found

    def _of_two(self, word: int) -> int:
        """Return the number of the nomination of this preemptor at the cost of these victims."""
        if word not in self._two:
            pod = self.plan.scenario.pods[(word >> ASKER) - 1]
            row = self.known[(word & ((1 << ASKER) - 1)) - 1]
            self._two[word] = self._number(row._replace(text=f"{Nominate.__name__}({pod}, {row.text})"))
        return self._two[word]

    def answers(self) -> Answers:
        """Return the tables as they are now, with one extra word in what a step adds."""
        answers = self.oracle.answers()
        if self._forgot != self.oracle.forgot:
            self._rows, self._forgot = {row: [] for row in COUNTED_BY}, self.oracle.forgot
        for row, numbers in self._rows.items():
            named = self.oracle.names.from_row(row, len(numbers))
            numbers.extend(self._number(Label(DECISIONS, 0, 0, text, self._kinds[kind])) for kind, text in named)
        return answers._replace(
            option_moves_by=widened(answers.option_moves_by, self._rows[OPTION]),
            choice_moves_by=widened(answers.choice_moves_by, self._rows[CHOICE]),
            outcome_moves_by=widened(answers.outcome_moves_by, self._rows[OUTCOME]),
        )

    def places(self) -> Numbers:
        """Return the place of each number in the order in which the machine takes the steps of a state."""
        order = sorted(range(len(self.known)), key=lambda number: self.known[number][:4])
        found = np.zeros(len(self), np.int64)
        found[np.array(order, np.int64) + 1] = np.arange(1, len(self))
        return found

    def _number(self, label: Label) -> int:
        found = self._numbers.get(label)
        if found is None:
            self.known.append(label)
            found = self._numbers[label] = len(self.known)
        return found

    def _of_moves(self, slot: int, moves: Sequence[Move]) -> Iterator[Label]:
        """Yield the labels of the moves of the object in this slot, in their order."""
        rules = self._evicting(slot)
        for place, move in enumerate(moves):
            kind = type(move.action)
            first, second = next(rules) if kind is Evict else (slot, place)
            stage = STAGES.get(kind, 1 if issubclass(kind, NodeEvent) else 0)
            yield Label(stage, first, second, str(move.action), kind)

    def _evicting(self, slot: int) -> Iterator[tuple[int, int]]:
        """Yield the number of each rule that may evict the pod of the slot, with the pod's place in the rule."""
        key = self.plan.scenario.pods[slot].key
        if any(rule.event == ANY and rule.bound == 0 for rule in self.plan.scenario.rules):
            return
        for number, rule in enumerate(self.plan.scenario.rules):
            if rule.event == "evict" and key in rule.pods and rule.bound != 0:
                yield number, rule.pods.index(key)


def widened(rows: Words, numbers: Sequence[int]) -> Words:
    """Return the used rows, each with its number appended."""
    found: Words = np.column_stack([rows[: len(numbers)], np.array(numbers, np.uint64)])
    return found
