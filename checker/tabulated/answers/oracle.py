"""What the specification says, put into the tables: `Oracle`.

Four questions are asked of it, each once for everything that it looks at. Of a pod and a node: whether the pod may go
there and how good that is (ADMISSION), and whom it may evict there (EVICTION). Of a pod, given what was answered of each
node: which node it is bound to (CHOICE), and what else is done where it is bound to none (OUTCOME). An answer of the
first two is a number that stands for all that matters of a node to the last two.
"""

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy.typing as npt

from schedcheck.checker.tabulated.answers.filled import TABLES, Filled
from schedcheck.checker.tabulated.answers.named import CHOICE as CHOICES
from schedcheck.checker.tabulated.answers.named import NAMES, OPTION, OUTCOME, Names
from schedcheck.checker.tabulated.answers.tables import Arrays
from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops.arrays import ADMISSION, CHOICE, EVICTION, Answers
from schedcheck.checker.tabulated.search.plan import FEWEST_BUDGETS_VIOLATED, Plan
from schedcheck.model.nominations import to_be_evicted
from schedcheck.model.reference import State
from schedcheck.spec.decisions import Decision, Nominate, Preempt, Unknown, Wait
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile
from schedcheck.spec.properties import Step, budget_violations

OF_OPTIONS = frozenset(
    {
        "completed_left_alone",
        "never_evicted",
        "never_moved",
        "no_eviction_of_nobody",
        "nobody_evicted",
        "only_lower_priority_evicted",
        "preemption_policy_respected",
        "victims_make_room",
        "victims_needed",
    }
)
"""Properties of evictions that look at one node and who is there, by their names without an argument."""

OF_OUTCOMES = frozenset(
    {
        FEWEST_BUDGETS_VIOLATED,
        "highest_priority_first",
        "least_casualty",
        "no_eviction_while_feasible",
        "no_wait_while_feasible",
    }
)
"""Properties of decisions that look at the answers of all nodes."""

OF_CHOICES = frozenset({"bind_feasible", "bind_most_viable", "room_kept", "room_left_to_the_nominated"})
"""Properties of a binding."""


OF_NOMINATIONS = frozenset({"room_kept", "room_left_to_the_nominated"})
"""Those of a binding that look at who is nominated to the node."""


class Option(NamedTuple):
    """Whom a pod may evict on a node, and of which kind this is: those of one kind are allowed together or not at all.

    `breaks` has a bit for each property of `OF_OPTIONS` that it breaks.
    """

    kind: int
    decision: Preempt | Nominate
    breaks: int


class Ending(NamedTuple):
    """What may be done with a pod, and a bit for each property that this breaks.

    An eviction stands for those of a kind on its node; what these break of `OF_OPTIONS` is said of each of them.
    """

    decision: Decision
    breaks: int
    kind: int = 0


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

    def choice(self, pod: Pod, snapshot: Snapshot, answers: Mapping[str, Any]) -> tuple[Iterable[Ending], bool]:
        """Where the pod may be bound, or that it waits; and whether it must be asked what else may be done."""
        ...

    def outcome(self, pod: Pod, snapshot: Snapshot, answers: Mapping[str, Any]) -> Iterable[Ending]:
        """What else may be done, one for each node and kind of option there."""
        ...


class Oracle:
    """The tables of a plan, filled by the specification; `asked` counts what was answered.

    `forgot` counts how often its numbers lost their meaning.
    """

    def __init__(self, plan: Plan, loop: Loop) -> None:
        self.plan = plan
        self.machine = plan.machine
        self.loop = loop
        self.asked = [0, 0, 0, 0]
        nodes, key_words = len(plan.slots.nodes), plan.program.key_words
        self._pod_values = [(slot, pod) for slot, values in enumerate(plan.slots.pods) for pod in values]
        node_key, pod_key = 1 + plan.program.column_words + key_words, 1 + (nodes + 1) // 2 + key_words
        self._widths = node_key, pod_key, plan.layout.words, len(plan.program.kept)
        self._filled = Filled(*self._widths)
        self.names = Names()
        self._was_kept = False
        self.forgot = 0
        self._last: tuple[bytes, State, Snapshot] | None = None
        self._standing: dict[Hashable, int] = {}
        self._answers: list[Hashable] = []
        self._moves: dict[Hashable, Words] = {}
        self._answered: set[tuple[int, bytes]] = set()
        self._values = {pod: number for number, (_, pod) in enumerate(self._pod_values) if pod is not None}
        self._slots = {pod.key: slot for slot, pod in enumerate(plan.scenario.pods)}

    def answers(self) -> Answers:
        """The tables as they are now."""
        return self._filled.seen()

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All that was answered."""
        return {**self._filled.arrays(), **self.names.arrays()}

    def take(self, arrays: Arrays) -> bool:
        """Begin with what was answered in another run of the same plan; whether it fits.

        What the numbers of answers stand for is not kept; so at the first new question all are forgotten, and asked anew.
        """
        names, numbers = Names(), {name: array for name, array in arrays.items() if not name.endswith(NAMES)}
        if names.take(arrays, self.machine.kinds()) and self._filled.take(numbers):
            self.names, self._was_kept = names, True
        return self._was_kept

    def answer(self, question: int, key: Words, words: Words) -> None:
        """Answer a question that was handed back, if it was not answered since; `words` is a state in which it arises."""
        question, asked = question % 4, question // 4
        if self._was_kept:
            self._filled, self.names, self._was_kept = Filled(*self._widths), Names(), False
            self.forgot += 1
        table = self._filled.tables[TABLES[question]]
        key = key[: table.width]
        if (question, key.tobytes()) in self._answered:
            return
        self._answered.add((question, key.tobytes()))
        self.asked[question] += 1
        state, snapshot = self._seen(words)
        number, place = divmod(asked, max(len(state.nodes), 1))
        slot, pod = self._pod_values[number]
        assert pod is not None and state.pods[slot] == pod, "the pod that is asked about is in the state"
        if question in (ADMISSION, EVICTION):
            node = state.nodes[place]
            assert node is not None
            if question == ADMISSION:
                self._filled.add(admitted=self._stands_for(self.loop.admission(pod, node, snapshot)))
            else:
                self._evictions(slot, *self.loop.evictions(pod, node, snapshot), state)
        elif question == CHOICE:
            self._choice(slot, *self.loop.choice(pod, snapshot, self._told(key, state)), state)
        else:
            self._outcome(slot, self.loop.outcome(pod, snapshot, self._told(key, state)), state)
        table.append(key)

    def _seen(self, words: Words) -> tuple[State, Snapshot]:
        """The state and its snapshot; that of which was asked last is kept, as several questions arise in one."""
        if self._last is None or self._last[0] != words.tobytes():
            state = self.plan.unpacked(words)
            self._last = words.tobytes(), state, self.machine.view(state)
        return self._last[1:]

    def _stands_for(self, answer: Hashable) -> int:
        number = self._standing.setdefault(answer, len(self._standing))
        if number == len(self._answers):
            self._answers.append(answer)
        return number

    def _told(self, key: Words, state: State) -> dict[str, Hashable]:
        """What the key of a pod says of each node that is there."""
        return {
            node.name: self._answers[int(key[1 + place // 2]) >> 32 * (place % 2) & 0xFFFFFFFF]
            for place, node in enumerate(state.nodes)
            if node is not None
        }

    def _evictions(self, slot: int, matters: Hashable, options: Sequence[Option], state: State) -> None:
        for option in sorted(options, key=lambda each: (each.kind, str(each.decision))):
            self.names.add(OPTION, option.decision)
            slots = [self._slots[victim.key] for victim in option.decision.victims]
            self._filled.add(
                option_kind=option.kind,
                option_moves_by=self._evicting(option.decision, state),
                option_healthy=self.plan.healthy_to_the_kept(state, option.decision.victims),
                option_evicts=self._evicts(slot, slots, state),
                option_breaks=option.breaks,
            )
        self._filled.add(evicted=self._stands_for(matters), options=len(self._filled.rows["option_kind"]))

    def _evicting(self, decision: Preempt | Nominate, state: State) -> Words:
        """What an eviction adds to the words of a state, beside the nomination and who is to be evicted later."""
        before = state._replace(to_evict=())
        if isinstance(decision, Preempt):
            return self._change(before, self.machine.carried_out(decision, before))
        # Whoever waits for the node may give way, if anybody is evicted who is not terminating; nobody else is changed.
        name = decision.node.name
        waiting = frozenset(each for each in state.pods if each and each.nominated_node_name == name)
        spent = all(victim.terminating for victim in decision.victims)
        question = decision.pod.priority, name, waiting - {decision.pod}, spent
        if question not in self._moves:
            after = self.machine.carried_out(decision, before)
            asks = self._values[decision.pod] * len(state.nodes) + self.plan.slots.by_name[name]
            change = self._change(before, after._replace(to_evict=()))
            self._moves[question] = change - self.plan.program.nominates_by[asks]
        return self._moves[question]

    def _evicts(self, slot: int, victims: Sequence[int], state: State) -> int:
        """The bits of those who are to be evicted later for the pod of this slot."""
        if not self.plan.nominates:
            return 0
        return sum(1 << self.plan.victims.index(victim) for _, victim in to_be_evicted(slot, victims, (), state.pods))

    def _choice(self, slot: int, endings: Iterable[Ending], asks_more: bool, state: State) -> None:
        for decision, breaks, _ in sorted(endings, key=lambda each: str(each.decision)):
            self.names.add(CHOICES, decision)
            self._filled.add(
                choice_kind=self._kind(decision),
                choice_moves_by=self._moved_by(slot, decision, state),
                choice_breaks=breaks,
            )
        self._filled.add(asks_more=int(asks_more), chosen=len(self._filled.rows["choice_kind"]))

    def _outcome(self, slot: int, endings: Iterable[Ending], state: State) -> None:
        for decision, breaks, kind in sorted(endings, key=lambda each: str(each.decision)):
            self.names.add(OUTCOME, decision)
            waits = isinstance(decision, Wait)
            node = -1 if isinstance(decision, Wait | Unknown) else self.plan.slots.by_name[decision.node.name]
            self._filled.add(
                outcome_end=[self._kind(decision), node, kind],
                outcome_moves_by=self._moved_by(slot, decision, state) if waits else [0] * self.plan.layout.words,
                outcome_breaks=breaks,
            )
        self._filled.add(outcomes=len(self._filled.rows["outcome_end"]))

    def _moved_by(self, slot: int, decision: Decision, state: State) -> Words:
        """What the decision adds to the words of a state; it changes the pod of this slot alone."""
        what = state.pods[slot], str(decision)
        if what not in self._moves:
            after = self.machine.carried_out(decision, state)
            assert all(
                old == new for place, (old, new) in enumerate(zip(state.pods, after.pods, strict=True)) if place != slot
            )
            self._moves[what] = self._change(state, after)
        return self._moves[what]

    def _change(self, before: State, after: State) -> Words:
        change: Words = self.plan.packed(after) - self.plan.packed(before)
        return change

    def _kind(self, decision: Decision) -> int:
        return self.machine.kinds().index(type(decision))


def broken(steps: Sequence[Step], decision: Decision, snapshot: Snapshot, names: Container[str]) -> int:
    """A bit for each of the properties that the decision breaks, of those of these names; none looks at what follows."""
    return sum(
        1 << number
        for number, question in enumerate(steps)
        if question.name.partition("(")[0] in names
        and type(decision) in question.kinds
        and not question.holds(snapshot, decision, snapshot)
    )
