"""The tables, filled with the answers of the specification: `Oracle`.

Each of four questions is answered once for each projection it depends on. About a pod and a node: whether the pod may
go there and with which scores (ADMISSION), and which pods it may evict there (EVICTION). About a pod, given the answers
for each node: where it is bound (CHOICE), and what happens if no node is feasible (OUTCOME). An answer to the first two
is a number; it stands for everything about the node that matters to the last two.
"""

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from threading import Lock
from typing import Any, NamedTuple, Protocol, cast

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
from schedcheck.spec.properties.kinds import Step

OF_OPTIONS = frozenset(
    {
        "completed_left_alone",
        "never_evicted",
        "never_moved",
        "preemption_has_victims",
        "no_eviction",
        "only_lower_priority_evicted",
        "preemption_policy_respected",
        "victims_make_room",
        "victims_needed",
    }
)
"""Properties of evictions that look at one node and the pods there; names are without arguments."""

OF_OUTCOMES = frozenset(
    {
        FEWEST_BUDGETS_VIOLATED,
        "highest_priority_first",
        "least_casualty",
        "no_eviction_while_feasible",
        "no_wait_while_feasible",
    }
)
"""Properties of decisions that depend on the answers for all nodes."""

OF_CHOICES = frozenset({"bind_feasible", "bind_most_viable", "room_kept", "room_left_to_the_nominated"})
"""Properties of a binding."""


OF_NOMINATIONS = frozenset({"room_kept", "room_left_to_the_nominated"})
"""Properties of a binding that look at the pods nominated to the node."""


VIEWS = 1 << 11
"""The most states that are kept unpacked."""


class Option(NamedTuple):
    """An eviction that a pod may ask for on a node. Evictions of one `kind` are allowed together or not at all.

    `breaks` has a bit for each property of `OF_OPTIONS` that it breaks.
    """

    kind: int
    decision: Preempt | Nominate
    breaks: int


class Ending(NamedTuple):
    """A decision allowed for a pod, with a bit for each property that it breaks.

    An eviction stands for all of its kind on its node; the bits for `OF_OPTIONS` are kept with each single `Option`.
    """

    decision: Decision
    breaks: int
    kind: int = 0


class Loop(Protocol):
    """The control loop of a profile, split into questions about one node and questions about all of them."""

    def admission(self, pod: Pod, node: Node, snapshot: Snapshot) -> Hashable:
        """Return everything about the node that matters to `choice`."""
        ...

    def evictions(self, pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Hashable, Sequence[Option]]:
        """Return everything about the node that matters to `outcome`, and the evictions the pod may ask for there."""
        ...

    def choice(self, pod: Pod, snapshot: Snapshot, answers: Mapping[str, Any]) -> tuple[Iterable[Ending], bool]:
        """Return where the pod may be bound, or that it waits; and whether `outcome` must be asked."""
        ...

    def outcome(self, pod: Pod, snapshot: Snapshot, answers: Mapping[str, Any]) -> Iterable[Ending]:
        """Return the other decisions, one for each node and kind of option there."""
        ...


class Oracle:
    """The tables of a plan, filled by the specification; `asked` counts the answers to each question.

    `forgot` counts how often answers taken from an earlier run were dropped.
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
        self._was_kept = self._stale = False
        self._reading, self._read = Lock(), cast(Answers | None, None)
        self.forgot = 0
        self._views: dict[bytes, tuple[State, Snapshot]] = {}
        self._standing: dict[Hashable, int] = {}
        self._answers: list[Hashable] = []
        self._moves: dict[Hashable, Words] = {}
        self._answered: set[tuple[int, bytes]] = set()
        self._values = {pod: number for number, (_, pod) in enumerate(self._pod_values) if pod is not None}
        self._slots = {pod.key: slot for slot, pod in enumerate(plan.scenario.pods)}
        self._kinds = {kind: number for number, kind in enumerate(plan.machine.kinds())}

    def answers(self) -> Answers:
        """Return the tables as they are now. Several threads may ask at once, while no question is answered."""
        with self._reading:
            self._stale = False
            if self._read is None:
                self._read = self._filled.seen()
            return self._read

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return all answers, with the names of their decisions, as arrays."""
        return {**self._filled.arrays(), **self.names.arrays()}

    def take(self, arrays: Arrays) -> bool:
        """Start from the answers of another run of the same plan; return whether they fit.

        The meanings of the answer numbers are not kept. So the first new question drops all answers, and they are asked
        again. Questions whose keys have such numbers are left open until the tables are read anew.
        """
        names, numbers = Names(), {name: array for name, array in arrays.items() if not name.endswith(NAMES)}
        if names.take(arrays, self.machine.kinds()) and self._filled.take(numbers):
            self.names, self._was_kept, self._read = names, True, None
        return self._was_kept

    def answer(self, question: int, key: Words, words: Words, said: Any = None) -> None:
        """Answer a question that a loop handed back, if it is still open; `words` is a state in which it arises.

        `said` is what `ask` returned for it, None if it is still to be asked.
        """
        kind = question % 4
        self._read = None
        if self._was_kept:
            self._filled, self.names, self._was_kept = Filled(*self._widths), Names(), False
            self.forgot += 1
            self._stale = True
        if self._stale and kind not in (ADMISSION, EVICTION):
            # Its key has numbers of the answers that were dropped: it arises again with new ones.
            return
        table = self._filled.tables[TABLES[kind]]
        key = key[: table.width]
        if (kind, key.tobytes()) in self._answered:
            return
        self._answered.add((kind, key.tobytes()))
        self.asked[kind] += 1
        said = self.ask(question, key, words) if said is None else said
        state, slot = self.state(words), self._pod_values[question // 4 // max(len(self.plan.slots.nodes), 1)][0]
        if kind == ADMISSION:
            self._filled.add(admitted=self._stands_for(said))
        elif kind == EVICTION:
            matters, options = said
            self._evictions(slot, matters, options, state)
        elif kind == CHOICE:
            endings, asks_more = said
            self._choice(slot, endings, asks_more, state)
        else:
            self._outcome(slot, said, state)
        table.append(key)

    def ask(self, question: int, key: Words, words: Words) -> Any:
        """Return what the control loop answers, without entering it into a table."""
        kind, asked = question % 4, question // 4
        state, snapshot = self._seen(words)
        number, place = divmod(asked, max(len(state.nodes), 1))
        slot, pod = self._pod_values[number]
        assert pod is not None and state.pods[slot] == pod, "the pod that is asked about is in the state"
        if kind in (ADMISSION, EVICTION):
            node = state.nodes[place]
            assert node is not None
            if kind == ADMISSION:
                return self.loop.admission(pod, node, snapshot)
            matters, options = self.loop.evictions(pod, node, snapshot)
            return matters, list(options)
        if kind == CHOICE:
            endings, asks_more = self.loop.choice(pod, snapshot, self._told(key, state))
            return list(endings), asks_more
        return list(self.loop.outcome(pod, snapshot, self._told(key, state)))

    def open_among(self, asked: Sequence[tuple[int, Words, Words]]) -> list[int]:
        """Return the places of the questions that are still open, each question once; none of a kept table's."""
        if self._was_kept or self._stale:
            return []
        places: dict[tuple[int, bytes], int] = {}
        for place, (question, key, _) in enumerate(asked):
            kind = question % 4
            places.setdefault((kind, key[: self._filled.tables[TABLES[kind]].width].tobytes()), place)
        return [place for which, place in places.items() if which not in self._answered]

    def state(self, words: Words) -> State:
        """Return the state that these words stand for."""
        return self._seen(words)[0]

    def _seen(self, words: Words) -> tuple[State, Snapshot]:
        """Return the state and its snapshot. The last ones are kept, as several questions arise in one state."""
        known = self._views.get(written := words.tobytes())
        if known is None:
            if len(self._views) >= VIEWS:
                self._views.clear()
            state = self.plan.unpacked(words)
            known = self._views[written] = state, self.machine.view(state)
        return known

    def _stands_for(self, answer: Hashable) -> int:
        number = self._standing.setdefault(answer, len(self._standing))
        if number == len(self._answers):
            self._answers.append(answer)
        return number

    def _told(self, key: Words, state: State) -> dict[str, Hashable]:
        """Return the answer for each existing node that the key of a pod holds."""
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
        """Return what an eviction adds to the words of a state, without the nomination and the evictions still due."""
        before = state._replace(to_evict=())
        if isinstance(decision, Preempt):
            return self._change(before, self.machine.carried_out(decision, before))
        # Pods nominated to the node may lose their nomination if a victim is not yet terminating; no other pod changes.
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
        """Return the bits of the pods that will be evicted later for the pod of this slot."""
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
        """Return what the decision adds to the words of a state; it changes the pod of this slot only."""
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
        return self._kinds[type(decision)]


def broken(steps: Sequence[Step], decision: Decision, snapshot: Snapshot, names: Container[str]) -> int:
    """Return a bit for each of the named properties that the decision breaks; none of them looks at the next state."""
    return sum(
        1 << number
        for number, question in enumerate(steps)
        if question.name.partition("(")[0] in names
        and type(decision) in question.kinds
        and not question.holds(snapshot, decision, snapshot)
    )
