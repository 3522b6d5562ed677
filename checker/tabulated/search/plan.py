"""The layout of a scenario in words and arrays, for the compiled loops: `Plan`.

The projection that a definition depends on is a sum, so computing it needs no names. Each value of each pod and node
adds its own bits, or one to a count of similar pods, to the words of a *key* (`columns`). Equal keys mean equal
answers.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from schedcheck.checker.properties.by_name import EVICTIONS
from schedcheck.checker.tabulated.layout.columns import Columns, NodeValue, PodValue, TooWide
from schedcheck.checker.tabulated.layout.layout import BITS, Layout, Numbers, Words
from schedcheck.checker.tabulated.layout.movement import Move, moves_of_node, moves_of_pod, there
from schedcheck.checker.tabulated.layout.sights import Sights
from schedcheck.checker.tabulated.layout.slots import Slots
from schedcheck.checker.tabulated.loops.chunks import Chunks, chunks
from schedcheck.checker.tabulated.loops.program import TURN, WAITS, WAITS_TO_THE_JUDGE, Program
from schedcheck.model.controllers import Recount
from schedcheck.model.nominations import NOBODY, evictable
from schedcheck.model.reference import Reference, State
from schedcheck.spec.binding import unbound
from schedcheck.spec.budgets import healthy, spare_of
from schedcheck.spec.decisions import Nominate
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget
from schedcheck.spec.profiles import Profile
from schedcheck.spec.properties.kinds import Step

Situation = tuple[int, Pod | None, Node | None]
"""The slot of a pod, the pod, and the node it points at."""

FEWEST_BUDGETS_VIOLATED = "fewest_budgets_violated"
"""The property that compares how many budgets evictions violate."""


class Plan:
    """The packing of a machine's states, and the arrays for the compiled loops."""

    def __init__(
        self,
        machine: Reference,
        judge: Profile,
        questions: Sequence[Step],
        classes: tuple[Sequence[Sequence[int]], Sequence[Sequence[int]]] = ((), ()),
    ) -> None:
        self.machine = machine
        self.judge = judge
        self.questions = tuple(questions)
        self.slots = Slots(machine, *classes)
        self.scenario = machine.scenario
        self.nominates = machine.profile.nominates

    @cached_property
    def preemptors(self) -> tuple[int, ...]:
        """The slots of the pods that may have evictions due, then NOBODY; empty if the profile never nominates."""
        if not self.nominates:
            return ()
        lowest = min((pod.priority for pod in self.scenario.pods), default=0)
        return (*(slot for slot, pod in enumerate(self.scenario.pods) if pod.priority > lowest), NOBODY)

    @cached_property
    def victims(self) -> tuple[int, ...]:
        """The slots of the pods that a pod of higher priority may evict. Raises TooWide."""
        highest = max((pod.priority for pod in self.scenario.pods), default=0)
        found = tuple(slot for slot, pod in enumerate(self.scenario.pods) if pod.priority < highest)
        if len(found) > BITS and self.nominates:
            raise TooWide(f"{len(found)} pods may be victims, more than {BITS}")
        return found

    @cached_property
    def layout(self) -> Layout:
        """The place of each field of a state."""
        first, slots = self.slots.first, self.slots
        return Layout(
            (
                *(len(values) for values in slots.pods),
                *(len(values) for values in slots.nodes),
                *(bound + 1 for bound in first.left),
                *self._budget_sizes,
                *(2 ** len(self.victims) for _ in self.preemptors),
            )
        )

    @cached_property
    def _budget_sizes(self) -> tuple[int, ...]:
        return tuple(max(allowed, len(self.slots.pods)) + 1 for allowed in self.slots.first.allowed)

    def packed(self, state: State) -> Words:
        """Return the state in words."""
        pairs = set(state.to_evict)
        return self.layout.pack(
            (
                *(self.slots.pod_numbers[slot][pod] for slot, pod in enumerate(state.pods)),
                *(self.slots.node_numbers[slot][node] for slot, node in enumerate(state.nodes)),
                *state.left,
                *state.allowed,
                *(
                    sum(1 << place for place, victim in enumerate(self.victims) if (preemptor, victim) in pairs)
                    for preemptor in self.preemptors
                ),
            )
        )

    def unpacked(self, words: Words) -> State:
        """Return the state that these words stand for."""
        numbers = self.layout.unpack(words)
        ends = list(self._ends)
        evictions = zip(self.preemptors, numbers[ends[3] :], strict=True)
        return State(
            tuple([values[number] for values, number in zip(self.slots.pods, numbers, strict=False)]),
            tuple([values[number] for values, number in zip(self.slots.nodes, numbers[ends[0] :], strict=False)]),
            tuple(numbers[ends[1] : ends[2]]),
            tuple(numbers[ends[2] : ends[3]]),
            tuple(
                sorted(
                    (preemptor, victim)
                    for preemptor, bits in evictions
                    for place, victim in enumerate(self.victims)
                    if bits >> place & 1
                )
            ),
        )

    @cached_property
    def first(self) -> Words:
        """The initial state in words."""
        return self.packed(self.slots.first)

    @property
    def compares_budgets(self) -> bool:
        """Whether a property compares how many budgets evictions violate."""
        return any(each.name == FEWEST_BUDGETS_VIOLATED for each in self.questions)

    @property
    def _budgets_matter(self) -> bool:
        """Whether decisions, or properties of them, depend on what budgets allow."""
        return self.nominates or self.compares_budgets

    @property
    def wide(self) -> bool:
        """Whether the printed model's answer for a pod and a node may depend on pods elsewhere."""
        return self.sights.wide

    @cached_property
    def _ends(self) -> tuple[int, ...]:
        first = self.slots.first
        pods, nodes = len(first.pods), len(first.pods) + len(first.nodes)
        counters, budgets = nodes + len(first.left), nodes + len(first.left) + len(first.allowed)
        return pods, nodes, counters, budgets, budgets + len(self.preemptors)

    @cached_property
    def situations(self) -> tuple[Situation, ...]:
        """Every pod value with every value of the node it points at."""
        slots = self.slots
        return tuple(
            (slot, pod, node) for slot in range(len(slots.pods)) for pod, nodes in there(slots, slot) for node in nodes
        )

    @cached_property
    def moves(self) -> tuple[tuple[Move, ...], ...]:
        """The moves of the pod in each situation."""
        return tuple(moves_of_pod(self.slots, *each, self.questions) for each in self.situations)

    @cached_property
    def node_moves(self) -> tuple[tuple[Move, ...], ...]:
        """The moves of the node for each node value."""
        values = ((slot, node) for slot, each in enumerate(self.slots.nodes) for node in each)
        return tuple(moves_of_node(self.slots, *each, self.questions) for each in values)

    @cached_property
    def program(self) -> Program:
        """The arrays for the compiled loops. Raises TooWide."""
        slots, layout = self.slots, self.layout
        pod_values = [(slot, pod, nodes) for slot in range(len(slots.pods)) for pod, nodes in there(slots, slot)]
        situations = self.situations
        node_values = [(slot, node) for slot, values in enumerate(slots.nodes) for node in values]
        # The columns come first: they may be too wide, and the moves take long.
        column, node_column = self.columns.column
        wide, node_wide = self.columns.wide
        moves, node_moves = self.moves, self.node_moves
        kinds = self.machine.kinds()
        priorities = sorted({pod.priority for pod in self.scenario.pods})
        evicting = {slot: self._ends[3] + place for place, slot in enumerate(self.preemptors)}
        return Program(
            _numbers(self._ends),
            _numbers(word for word, _ in layout.places),
            _words(shift for _, shift in layout.places),
            _words((1 << width) - 1 for width in layout.widths),
            _starts(len(values) for values in slots.pods),
            _numbers(slots.pointed_at(pod) for _, pod, _ in pod_values),
            column,
            wide,
            _starts(len(nodes) for _, _, nodes in pod_values),
            np.array([self._flags(slot, pod, node) for slot, pod, node in situations], np.uint8),
            self._healthy(situations, self._recounted),
            self._spare(self._recounted),
            _starts(map(len, moves)),
            self._rows(moves),
            self._changes(
                (slot, slots.pod_numbers[slot][pod], each)
                for (slot, pod, _), each in zip(situations, moves, strict=True)
            ),
            _words(move.breaks for each in moves for move in each),
            _starts(len(values) for values in slots.nodes),
            np.array([node is not None for _, node in node_values], np.uint8),
            node_column,
            node_wide,
            np.array(self.columns.budgets, np.int64).reshape(-1, 2),
            _starts(map(len, node_moves)),
            self._rows(node_moves),
            self._changes(
                (len(slots.pods) + slot, slots.node_numbers[slot][node], each)
                for (slot, node), each in zip(node_values, node_moves, strict=True)
            ),
            _words(move.breaks for each in node_moves for move in each),
            _numbers(priorities.index(pod.priority) for pod in self.scenario.pods),
            _words(
                1 << self.victims.index(slot) if self.nominates and slot in self.victims else 0
                for slot in range(len(slots.pods))
            ),
            np.array([evictable(pod) for _, pod, _ in pod_values], np.uint8),
            np.array(
                [pod is not None and pod.node_name == "" and not pod.terminating for _, pod, _ in pod_values], np.uint8
            ),
            _numbers(evicting.get(slot, -1) for slot in range(len(slots.pods))),
            np.array([kind in EVICTIONS for kind in kinds], np.uint8),
            _numbers(number for number, _ in self._kept),
            self._healthy(situations, [budget for _, budget in self._kept]),
            self._spare([budget for _, budget in self._kept]),
            kinds.index(Recount) if Recount in kinds else -1,
            int(not self.nominates),
            wide.shape[1],
            column.shape[1],
            self._seen,
            self.columns.mask(0)[: column.shape[1]],
            _numbers(self.sights.near(len(slots.nodes))).reshape(2, -1),
            self._nominating,
        )

    @cached_property
    def chunks(self) -> Chunks:
        """The arrays of pods and nodes taken several at a time."""
        return chunks(self.program, len(self.machine.kinds()))

    def _rows(self, moves: Sequence[Sequence[Move]]) -> Numbers:
        """Return the kind and the conditions of each move, as rows."""
        rows = [
            (
                move.kind,
                self._ends[1] + move.counter if move.counter >= 0 else -1,
                self._ends[2] + move.budget if move.budget >= 0 else -1,
                move.victim,
            )
            for some in moves
            for move in some
        ]
        return np.array(rows, np.int64).reshape(-1, 4)

    def _changes(self, moves: Iterable[tuple[int, int, Sequence[Move]]]) -> Words:
        """Return what each move of an object adds to the words, given the object's field and its value's number."""
        places, rows = self.layout.places, []
        for field, value, some in moves:
            for move in some:
                changes = [(field, move.value - value)]
                changes += [(self._ends[1] + move.counter, -1)] if move.counter >= 0 else []
                changes += [(self._ends[2] + move.budget, -1)] if move.budget >= 0 else []
                row = [0] * self.layout.words
                for changed, difference in changes:
                    word, shift = places[changed]
                    row[word] += difference << shift
                rows.append([each % 2**64 for each in row])
        return np.array(rows, np.uint64).reshape(-1, self.layout.words)

    def _flags(self, slot: int, pod: Pod | None, node: Node | None) -> int:
        if pod is None:
            return 0
        profile, snapshot = self.machine.profile, self.machine.view(self.slots.alone(slot, pod, node))
        return (
            TURN * (pod in profile.turn(snapshot, profile))
            + WAITS * (pod in unbound(snapshot, profile.faults))
            + WAITS_TO_THE_JUDGE * (pod in unbound(snapshot, self.judge.faults))
        )

    @cached_property
    def columns(self) -> Columns:
        """The parts of pods and nodes that the questions see. Raises TooWide."""
        slots = self.slots
        pods = [PodValue(slot, pod, slots.pointed_at(pod)) for slot, values in enumerate(slots.pods) for pod in values]
        nodes = [NodeValue(slot, node) for slot, values in enumerate(slots.nodes) for node in values]
        budgets = [size - 1 for size in self._budget_sizes] if self._budgets_matter else []
        return Columns([self.sights.judged, *self.sights.all], pods, nodes, budgets)

    @cached_property
    def sights(self) -> Sights:
        """The part that each question sees, for each value of a pod."""
        values = [pod for each in self.slots.pods for pod in each]
        return Sights(values, self.scenario, (self.machine.profile, self.judge), self.questions)

    @cached_property
    def _nominating(self) -> Words:
        """The amounts that nominating each value of a pod to each node adds to the words of a state."""
        slots, rows = self.slots, []
        for slot, values in enumerate(slots.pods):
            for value, pod in enumerate(values):
                for node in self.scenario.nodes:
                    row = [0] * self.layout.words
                    if slot in self.preemptors and pod is not None and not pod.node_name:
                        decision = Nominate(pod, node, frozenset())
                        after = self.machine.carried_out(decision, slots.alone(slot, pod, None)).pods[slot]
                        word, shift = self.layout.places[slot]
                        row[word] = (slots.pod_numbers[slot].get(after, value) - value << shift) % 2**64
                    rows.append(row)
        return np.array(rows, np.uint64).reshape(-1, self.layout.words)

    @cached_property
    def _seen(self) -> Words:
        """The bits that each question sees of a column and of the wide words, for each value of a pod."""
        masks = [self.columns.mask(number + 1) for number in range(len(self.sights.all))]
        rows = [[masks[number] for number in of_kind] for of_kind in self.sights.of]
        return np.array(rows, np.uint64).reshape(len(rows), len(self.sights.values), len(self.columns.mask(0)))

    @property
    def _recounted(self) -> Sequence[PodDisruptionBudget]:
        return self.scenario.budgets if "disruption" in self.scenario.controllers else ()

    @cached_property
    def _kept(self) -> list[tuple[int, PodDisruptionBudget]]:
        """The budgets that must be kept, each with the number of the property that demands it."""
        named = {f"budget_kept({budget})": budget for budget in self.scenario.budgets}
        return [(number, named[each.name]) for number, each in enumerate(self.questions) if each.name in named]

    def _healthy(
        self, situations: Sequence[Situation], budgets: Sequence[PodDisruptionBudget]
    ) -> npt.NDArray[np.uint8]:
        kubelet, machine = "kubelet" in self.scenario.controllers, self.machine
        alone = [(pod, machine.view(self.slots.alone(slot, pod, node))) for slot, pod, node in situations]
        rows = [
            [pod is not None and pod in healthy(each, snapshot, kubelet) for pod, snapshot in alone] for each in budgets
        ]
        return np.array(rows, np.uint8).reshape(len(budgets), len(situations))

    def healthy_to_the_kept(self, state: State, pods: Iterable[Pod]) -> list[int]:
        """Return how many pods are healthy to each budget that must be kept; a single 0 if there is none."""
        kubelet, snapshot = "kubelet" in self.scenario.controllers, self.machine.view(state)
        return [len(healthy(budget, snapshot, kubelet) & frozenset(pods)) for _, budget in self._kept] or [0]

    def _spare(self, budgets: Sequence[PodDisruptionBudget]) -> Numbers:
        pods = len(self.slots.pods)
        rows = [[spare_of(budget, number) for number in range(pods + 1)] for budget in budgets]
        return np.array(rows, np.int64).reshape(-1, pods + 1)


def _numbers(values: Iterable[int]) -> Numbers:
    return np.array(list(values), np.int64)


def _words(values: Iterable[int]) -> Words:
    return np.array(list(values), np.uint64)


def _starts(lengths: Iterable[int]) -> Numbers:
    """Return the start of each of several runs of these lengths, and the end of the last."""
    return np.concatenate(([0], np.cumsum(list(lengths), dtype=np.int64))).astype(np.int64)
