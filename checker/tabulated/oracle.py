"""What the specification says, put into the tables: `Oracle`.

Four questions are asked of it, each once for everything that it looks at. Of a pod and a node: whether the pod may go
there and how good that is (ADMISSION), and whom it may evict there (EVICTION). Of a pod, given what was answered of each
node: which node it is bound to (CHOICE), and what else is done where it is bound to none (OUTCOME). An answer of the
first two is a number that stands for all that matters of a node to the last two.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

import numpy as np

from schedcheck.checker.tabulated.growing import Growing, GrowingTable
from schedcheck.checker.tabulated.layout import Words
from schedcheck.checker.tabulated.loops import ADMISSION, CHOICE, EVICTION, Answers
from schedcheck.checker.tabulated.program import Plan, TooWide
from schedcheck.model.evicting import NOBODY
from schedcheck.model.reference import State
from schedcheck.spec.decisions import Bind, Decision, Nominate, Preempt, Wait
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile
from schedcheck.spec.properties import Step, budget_violations


class Option(NamedTuple):
    """Whom a pod may evict on a node, and of which kind this is: those of one kind are allowed together or not at all."""

    kind: int
    decision: Preempt | Nominate


def near(pod: Pod, node: Node, snapshot: Snapshot, wide: bool) -> Snapshot:
    """What a loop is shown of the snapshot when it is asked of one node: if it may look far, all; else that node.

    Of the pods those are there that are on the node, or wait for it, and the one that is to be placed.
    """
    if wide:
        return snapshot
    pods = tuple(
        other for other in snapshot.pods if node.name in (other.node_name, other.nominated_node_name) or other is pod
    )
    return replace(snapshot, pods=pods, nodes=(node,))


def least_violations(pod: Pod, node: Node, snapshot: Snapshot, judge: Profile) -> int | None:
    """How many budgets are violated at least by evictions that make room for the pod there; None where none do."""
    sets = judge.victim_sets(pod, node, snapshot)
    return min((budget_violations(victims, snapshot) for victims in sets), default=None)


class Loop(Protocol):
    """The control loop of a profile, taken apart: what matters of one node, and what follows from all of them."""

    def admission(self, pod: Pod, node: Node, snapshot: Snapshot) -> Hashable:
        """All that matters of the node to `choice`."""
        ...

    def evictions(self, pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Hashable, Sequence[Option]]:
        """All that matters of the node to `outcome`, and whom the pod may evict there."""
        ...

    def choice(self, pod: Pod, snapshot: Snapshot) -> tuple[Iterable[Bind | Wait], bool]:
        """Where the pod may be bound, or that it waits; and whether it must be asked what else may be done."""
        ...

    def outcome(self, pod: Pod, snapshot: Snapshot) -> Iterable[tuple[Decision, int]]:
        """What else may be done, one for each node and kind of option there, with that kind."""
        ...


class Oracle:
    """The tables of a plan, filled by the specification; `asked` counts what was answered."""

    def __init__(self, plan: Plan, loop: Loop, questions: Sequence[Step], of_options: Sequence[bool]) -> None:
        self.plan = plan
        self.machine = plan.machine
        self.loop = loop
        self.questions = tuple(questions)
        # Those of the questions that look at one node and the victims there; the others are asked of the outcome.
        self.of_options = tuple(of_options)
        self.asked = [0, 0, 0, 0]
        nodes, key_words = len(plan.slots.nodes), plan.program.key_words
        self._pod_values = [(slot, pod) for slot, values in enumerate(plan.slots.pods) for pod in values]
        node_key, pod_key = 2 + key_words, 1 + (nodes + 1) // 2 + key_words
        self._tables = (
            GrowingTable(node_key),
            GrowingTable(node_key),
            GrowingTable(pod_key),
            GrowingTable(pod_key),
        )
        self._standing: dict[Hashable, int] = {}
        self._admitted, self._evicted = Growing(np.int64), Growing(np.int64)
        words, kept = plan.layout.words, len(plan.program.kept)
        self._options, self._option_kind = Growing(np.int64, first=[0]), Growing(np.int64)
        self._option_moves_by, self._option_healthy = Growing(np.uint64, words), Growing(np.int64, max(1, kept))
        self._option_evicts, self._option_breaks = Growing(np.uint64), Growing(np.uint64)
        self._asks_more = Growing(np.int64)
        self._chosen, self._choice_kind = Growing(np.int64, first=[0]), Growing(np.int64)
        self._choice_moves_by, self._choice_breaks = Growing(np.uint64, words), Growing(np.uint64)
        self._outcomes, self._outcome_end = Growing(np.int64, first=[0]), Growing(np.int64, width=3)
        self._outcome_moves_by, self._outcome_breaks = Growing(np.uint64, words), Growing(np.uint64)
        # The decision in each row of the options, of the choices and of the outcomes.
        self.options: list[Decision] = []
        self.choices: list[Decision] = []
        self.outcomes: list[Decision] = []

    def answers(self) -> Answers:
        """The tables as they are now."""
        admission, eviction, choice, outcome = (table.seen() for table in self._tables)
        return Answers(
            admission,
            self._admitted.seen(),
            eviction,
            self._evicted.seen(),
            self._options.seen(),
            self._option_kind.seen(),
            self._option_moves_by.seen(),
            self._option_healthy.seen(),
            self._option_evicts.seen(),
            self._option_breaks.seen(),
            choice,
            self._asks_more.seen(),
            self._chosen.seen(),
            self._choice_kind.seen(),
            self._choice_moves_by.seen(),
            self._choice_breaks.seen(),
            outcome,
            self._outcomes.seen(),
            self._outcome_end.seen(),
            self._outcome_moves_by.seen(),
            self._outcome_breaks.seen(),
        )

    def answer(self, question: int, key: Words, words: Words) -> None:
        """Answer a question that was handed back, if it was not answered since; `words` is a state in which it arises."""
        table = self._tables[question]
        key = key[: table.width]
        if table.knows(key):
            return
        self.asked[question] += 1
        state = self.plan.unpacked(words)
        number = int(key[0]) & 0xFFFFFFFF
        if question in (ADMISSION, EVICTION):
            (slot, pod), node = self._pod_values[number // len(state.nodes)], state.nodes[number % len(state.nodes)]
            assert pod is not None and node is not None
            assert state.pods[slot] == pod, "the pod that is asked about is in the state"
            if question == ADMISSION:
                self._admitted.append(self._stands_for(self.loop.admission(pod, node, self.machine.view(state))))
            else:
                self._evictions(slot, pod, node, state)
        else:
            slot, pod = self._pod_values[number]
            assert pod is not None
            if question == CHOICE:
                self._choice(slot, pod, state)
            else:
                self._outcome(slot, pod, state)
        table.append(key)

    def _stands_for(self, answer: Hashable) -> int:
        return self._standing.setdefault(answer, len(self._standing))

    def _evictions(self, slot: int, pod: Pod, node: Node, state: State) -> None:
        matters, options = self.loop.evictions(pod, node, self.machine.view(state))
        self._evicted.append(self._stands_for(matters))
        before = state._replace(to_evict=())
        for option in sorted(options, key=lambda each: (each.kind, str(each.decision))):
            after = self.machine.carried_out(option.decision, before)
            self.options.append(option.decision)
            self._option_kind.append(option.kind)
            self._option_moves_by.append(self._change(before, after._replace(to_evict=())))
            self._option_healthy.append(self.plan.healthy_to_the_kept(state, option.decision.victims))
            self._option_evicts.append(self._evicts(slot, after))
            self._option_breaks.append(self._broken(option.decision, state, of_options=True))
        self._options.append(len(self._option_kind))

    def _evicts(self, slot: int, after: State) -> int:
        """The bits of those who are to be evicted for the pod of this slot."""
        assert all(preemptor in (slot, NOBODY) for preemptor, _ in after.to_evict)
        return sum(1 << self.plan.victims.index(victim) for _, victim in after.to_evict)

    def _choice(self, slot: int, pod: Pod, state: State) -> None:
        decisions, asks_more = self.loop.choice(pod, self.machine.view(state))
        for decision in sorted(decisions, key=str):
            self.choices.append(decision)
            self._choice_kind.append(self._kind(decision))
            self._choice_moves_by.append(self._moved_by(slot, decision, state))
            self._choice_breaks.append(self._broken(decision, state))
        self._chosen.append(len(self._choice_kind))
        self._asks_more.append(int(asks_more))

    def _outcome(self, slot: int, pod: Pod, state: State) -> None:
        for decision, kind in sorted(self.loop.outcome(pod, self.machine.view(state)), key=lambda each: str(each[0])):
            waits = isinstance(decision, Wait)
            node = -1 if isinstance(decision, Wait) else self.plan.slots.by_name[decision.node.name]
            self.outcomes.append(decision)
            self._outcome_end.append([self._kind(decision), node, kind])
            self._outcome_moves_by.append(
                self._moved_by(slot, decision, state) if waits else [0] * self.plan.layout.words
            )
            self._outcome_breaks.append(self._broken(decision, state, of_options=False))
        self._outcomes.append(len(self._outcome_end))

    def _moved_by(self, slot: int, decision: Decision, state: State) -> Words:
        """What the decision adds to the words of a state; it changes the pod of this slot alone."""
        after = self.machine.carried_out(decision, state)
        assert all(
            old == new for place, (old, new) in enumerate(zip(state.pods, after.pods, strict=True)) if place != slot
        )
        return self._change(state, after)

    def _change(self, before: State, after: State) -> Words:
        change: Words = self.plan.packed(after) - self.plan.packed(before)
        return change

    def _kind(self, decision: Decision) -> int:
        return self.machine.kinds().index(type(decision))

    def _broken(self, decision: Decision, state: State, of_options: bool | None = None) -> int:
        """A bit for each property that the decision breaks, of those that are asked of options, or are not."""
        asked = [
            (number, question)
            for number, question in enumerate(self.questions)
            if type(decision) in question.kinds
            and not question.name.startswith("budget_kept(")  # which the loops count
            and (isinstance(decision, Bind | Wait) or of_options is None or self.of_options[number] == of_options)
        ]
        if not asked:
            return 0
        before, after = self.machine.view(state), self.machine.view(self.machine.carried_out(decision, state))
        return sum(1 << number for number, question in asked if not question.holds(before, decision, after))


__all__ = ["Loop", "Option", "Oracle", "TooWide"]
