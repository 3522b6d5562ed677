"""Evaluate a predicate on every explored state: `truths`.

A predicate may depend on one pod and its node, or on a pod and the pods of each node. It is then evaluated once for
each projection it depends on. Any other predicate is evaluated on every state.
"""

from collections.abc import Callable

import numpy as np

from schedcheck.checker.tabulated.answers.near import near
from schedcheck.checker.tabulated.layout.layout import Numbers, Truths, Words
from schedcheck.checker.tabulated.layout.movement import there
from schedcheck.checker.tabulated.loops.runs import in_pieces
from schedcheck.checker.tabulated.search.plan import Plan
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import Can, InfinitelyOften, LeadsTo, Sometimes, Temporal
from schedcheck.spec.properties.of_pods import pod_waits
from schedcheck.spec.properties.of_snapshots import all_pods_bound

Predicate = Callable[[Snapshot], bool]
Question = Can | Sometimes | Temporal

OF_A_POD = ("pod_can_still_be_bound", "pod_sometimes_bound", "eventually_bound")
"""The properties whose predicates depend on one pod and on whether its node exists."""

OF_FEASIBILITY = ("bound_once_feasible", "never_starves")
"""The properties that arise when a node is feasible for a waiting pod, and are fulfilled when that is no longer so."""


def truths(plan: Plan, states: Words, question: Question, predicate: Predicate) -> Truths:
    """Return in which states a predicate of the question is true; it is evaluated on every state if it must be."""
    ask = asking(plan, question, predicate)
    return np.concatenate([np.empty(0, np.bool_), *(ask(piece) for piece in in_pieces(states))])


def asking(plan: Plan, question: Question, predicate: Predicate) -> Callable[[Words], Truths]:
    """Return a function that evaluates a predicate of the question on packed states; `OfEach` unpacks each."""
    if predicate is all_pods_bound:
        return AllPodsBound(plan)
    for slot, pod in enumerate(plan.scenario.pods):
        if question.name in {f"{name}({pod})" for name in OF_A_POD}:
            return OfAPod(plan, slot, predicate)
        if question.name in {f"{name}({pod})" for name in OF_FEASIBILITY}:
            assert isinstance(question, LeadsTo | InfinitelyOften)
            if predicate is question.when:
                return Feasible(plan, slot)
            if isinstance(question, InfinitelyOften):
                return OfAPod(plan, slot, predicate)
            feasible = Feasible(plan, slot)
            return lambda states: ~feasible(states)
    return OfEach(plan, predicate)


class OfEach:
    """A predicate whose projection is unknown; it is evaluated on every state."""

    def __init__(self, plan: Plan, predicate: Predicate) -> None:
        self.plan = plan
        self.predicate = predicate

    def __call__(self, states: Words) -> Truths:
        """Evaluate the predicate on the states."""
        view, unpacked = self.plan.machine.view, self.plan.unpacked
        return np.fromiter((self.predicate(view(unpacked(words))) for words in states), np.bool_, len(states))


class OfAPod:
    """A predicate that depends on the pod of this slot and its node only; it is evaluated once for each situation."""

    def __init__(self, plan: Plan, slot: int, predicate: Predicate) -> None:
        self.plan = plan
        self.slot = slot
        view, alone = plan.machine.view, plan.slots.alone
        self._answers = np.array(
            [
                predicate(view(alone(slot, pod, node)))
                for pod, nodes in there(plan.slots, slot)
                for node in nodes
            ],
            np.bool_,
        )  # fmt: skip

    def __call__(self, states: Words) -> Truths:
        """Evaluate the predicate on the states."""
        plan, program = self.plan, self.plan.program
        first = program.situation[program.pod_base[self.slot]]
        found: Truths = self._answers[situation(plan, states, self.slot) - first]
        return found


def waiting(plan: Plan, slot: int) -> OfAPod:
    """Return the predicate that the pod of this slot waits."""
    key = plan.scenario.pods[slot].key
    return OfAPod(plan, slot, lambda snapshot: pod_waits(snapshot, key))


class AllPodsBound:
    """The predicate that some pod exists and no pod waits."""

    def __init__(self, plan: Plan) -> None:
        slots = range(len(plan.scenario.pods))
        self._there = [OfAPod(plan, slot, lambda snapshot: snapshot.pods != ()) for slot in slots]
        self._waits = [waiting(plan, slot) for slot in slots]

    def __call__(self, states: Words) -> Truths:
        """Evaluate the predicate on the states."""
        found = np.zeros(len(states), np.bool_)
        for is_there in self._there:
            found |= is_there(states)
        for waits in self._waits:
            found &= ~waits(states)
        return found


class Feasible:
    """The predicate that the pod of this slot waits and the judge finds some node feasible for it."""

    def __init__(self, plan: Plan, slot: int) -> None:
        self.plan = plan
        self.slot = slot
        self._waits = waiting(plan, slot)
        self._known: dict[bytes, bool] = {}

    def __call__(self, states: Words) -> Truths:
        """Evaluate the predicate on the states."""
        plan, program, slot = self.plan, self.plan.program, self.slot
        found = np.zeros(len(states), np.bool_)
        those = np.flatnonzero(self._waits(states))
        states = states[those]
        own = field(plan, states, slot).astype(np.uint64)
        for node in range(len(plan.slots.nodes)):
            is_there = program.is_there[program.node_base[node] + field(plan, states, len(plan.slots.pods) + node)] > 0
            head = np.full(len(states), node, np.uint64)
            keys = np.column_stack([head, own, key_of(plan, states, node)])
            rows = np.flatnonzero(is_there & ~found[those])
            found[those[rows]] = self._of_node(node, keys[rows], states[rows])
        return found

    def _of_node(self, node: int, keys: Words, states: Words) -> Truths:
        """Return in which states the node is feasible, evaluated once for each key."""
        different, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        answers = [
            self._feasible(node, key.tobytes(), states[number]) for key, number in zip(different, first, strict=True)
        ]
        answer: Truths = np.array(answers, np.bool_)[which.reshape(-1)]
        return answer

    def _feasible(self, node: int, key: bytes, words: Words) -> bool:
        if key not in self._known:
            state = self.plan.unpacked(words)
            pod, where = state.pods[self.slot], state.nodes[node]
            assert pod is not None and where is not None
            shown = near(pod, where, self.plan.machine.view(state), self.plan.wide)
            self._known[key] = self.plan.judge.feasibility(pod, where, shown)
        return self._known[key]


def situation(plan: Plan, states: Words, slot: int) -> Numbers:
    """Return the situation of the pod of this slot in each state."""
    program, pods = plan.program, len(plan.slots.pods)
    own = program.pod_base[slot] + field(plan, states, slot)
    where = program.points_at[own]
    found: Numbers = program.situation[own]
    for node in range(len(plan.slots.nodes)):
        found += np.where(where == node, field(plan, states, pods + node), 0)
    return found


def key_of(plan: Plan, states: Words, node: int) -> Words:
    """Return, for each state, all that a question about the node may depend on: its value and its pods.

    Its pods are all that point at it. If definitions may look further: the values of all nodes and all pods that point
    at one; all pods for user-defined rules.
    """
    program, pods, wide = plan.program, len(plan.slots.pods), plan.wide
    key = Told(len(states))
    for other in range(len(plan.slots.nodes)) if wide else (node,):
        key.tell(field(plan, states, pods + other), len(plan.slots.nodes[other]))
    for slot in range(pods):
        value = field(plan, states, slot)
        where = program.points_at[program.pod_base[slot] + value]
        seen = (where >= 0 if wide else where == node) | plan.sights.everyone
        key.tell(np.where(seen, value + 1, 0), len(plan.slots.pods[slot]) + 1)
    if len(plan.scenario.budgets) and program.ends[3] > program.ends[2]:
        for budget in range(int(program.ends[2]), int(program.ends[3])):
            key.tell(field(plan, states, budget), int(program.mask[budget]) + 1)
    return key.words()


class Told:
    """Several numbers for each state, packed into as few words as possible in the order in which they are added."""

    def __init__(self, states: int) -> None:
        self._words = [np.zeros(states, np.uint64)]
        self._used = 0

    def tell(self, numbers: Numbers, bound: int) -> None:
        """Add a number below `bound` for each state."""
        width = (bound - 1).bit_length()
        if self._used + width > 64:
            self._words.append(np.zeros_like(self._words[0]))
            self._used = 0
        self._words[-1] |= numbers.astype(np.uint64) << np.uint64(self._used)
        self._used += width

    def words(self) -> Words:
        """Return the packed words."""
        return np.column_stack(self._words)


def field(plan: Plan, states: Words, number: int) -> Numbers:
    """Return the number that each state has in this field."""
    program = plan.program
    found: Numbers = ((states[:, program.word[number]] >> program.shift[number]) & program.mask[number]).astype(
        np.int64
    )
    return found
