"""The canonical form of a packed state, up to swaps of interchangeable objects: `Orbits`, `canonicalise`.

It is computed as `checker.exploring.symmetry.Canonical` does, but on packed words. The signature of a node in a class
is its value and, for each class and shape, the number of pods that point at it. The nodes of a class are sorted by
their signatures. Then the pods of a class are sorted by the node they point at and by their shape.
"""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Numbers, Words
from schedcheck.checker.tabulated.loops.compiled import bare, inlined
from schedcheck.checker.tabulated.loops.program import Program
from schedcheck.checker.tabulated.loops.sources import unchanged

if TYPE_CHECKING:
    from schedcheck.checker.tabulated.search.plan import Plan
    from schedcheck.spec.objects import Pod

MOST_WORDS = 2
"""The most words that may tell a node, with its pods, from another."""


@unchanged
class Orbits(NamedTuple):
    """The arrays of the symmetries of a plan."""

    node_class: Numbers  # slots of the nodes in classes of several, class by class
    node_class_ends: Numbers
    pod_class: Numbers
    pod_class_ends: Numbers
    alone: Numbers  # slots of the pods that are alone in their class
    signature: Words  # by pod value, what it adds to the signature of the node it points at
    node_signature: Words  # by node value
    shape: Numbers  # by pod value, a number for the pod without its name and place, 0 for no pod
    node_shape: Numbers
    pod_value: Numbers  # by pod, place and shape, the number of the value; place 0 is no node
    node_value: Numbers


def orbits(plan: "Plan", pods: Sequence[Sequence[int]], nodes: Sequence[Sequence[int]]) -> Orbits:
    """Return the symmetries that exchange the pods, or the nodes, of each class. Raises TooWide."""
    from schedcheck.checker.exploring.symmetry import nameless
    from schedcheck.checker.tabulated.layout.columns import Key, TooWide
    from schedcheck.checker.tabulated.layout.movement import there

    slots, base = plan.slots, plan.program.pod_base
    values = [(slot, pod) for slot in range(len(slots.pods)) for pod, _ in there(slots, slot)]
    shapes, node_shapes = _Numbered(), _Numbered()
    shape = [0 if pod is None else 1 + shapes(_shape(plan, pod)) for _, pod in values]
    node_shape = [node_shapes(None if node is None else nameless(node)) for each in slots.nodes for node in each]
    of_class = {slot: number for number, members in enumerate(pods) for slot in members}
    key = Key()
    node_field = key.field(max(node_shapes.count, 1))
    fields: dict[Hashable, tuple[int, int]] = {}
    signature = []
    for number, (slot, pod) in enumerate(values):
        kind = of_class[slot], shape[number]
        points = slots.pointed_at(pod) >= 0
        if points and kind not in fields:
            fields[kind] = key.field(len(pods[of_class[slot]]))
        signature.append(fields[kind] if points else None)
    words = len(key.used)
    if words > MOST_WORDS and any(len(each) > 1 for each in nodes):
        raise TooWide(f"{words} words distinguish interchangeable nodes")
    adds, node_adds = np.zeros((len(values), words), np.uint64), np.zeros((len(node_shape), words), np.uint64)
    for number, field in enumerate(signature):
        if field is not None:
            adds[number, field[0]] = 1 << field[1]
    node_adds[:, node_field[0]] = np.array([each << node_field[1] for each in node_shape], np.uint64)
    pod_value = np.full((len(slots.pods), len(slots.nodes) + 1, shapes.count + 1), -1, np.int64)
    for number, (slot, pod) in enumerate(values):
        pod_value[slot, slots.pointed_at(pod) + 1, shape[number]] = number - base[slot]
    node_value = np.full((len(slots.nodes), node_shapes.count), -1, np.int64)
    for number, (slot, value) in enumerate(
        (slot, value) for slot, each in enumerate(slots.nodes) for value in range(len(each))
    ):
        node_value[slot, node_shape[number]] = value
    several, several_nodes = [each for each in pods if len(each) > 1], [each for each in nodes if len(each) > 1]
    return Orbits(
        *_classes(several_nodes),
        *_classes(several),
        np.array([slots_[0] for slots_ in pods if len(slots_) == 1], np.int64),
        adds,
        node_adds,
        np.array(shape, np.int64),
        np.array(node_shape, np.int64),
        pod_value,
        node_value,
    )


def _shape(plan: "Plan", pod: "Pod") -> Hashable:
    """Return the pod without its name, and without the node it points at if the scenario has that node."""
    from schedcheck.checker.exploring.symmetry import nameless

    return nameless(replace(pod, node_name="") if plan.slots.pointed_at(pod) >= 0 else pod)


def _classes(classes: Sequence[Sequence[int]]) -> tuple[Numbers, Numbers]:
    slots = np.array([slot for each in classes for slot in each], np.int64)
    return slots, np.concatenate(([0], np.cumsum([len(each) for each in classes], dtype=np.int64))).astype(np.int64)


class _Numbered:
    """Consecutive numbers for things, in the order in which they first come."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def __call__(self, thing: Hashable) -> int:
        return self._numbers.setdefault(thing, len(self._numbers))

    @property
    def count(self) -> int:
        """The number of different things so far."""
        return len(self._numbers)


class Spare(NamedTuple):
    """Scratch space for one state."""

    value: Numbers
    new: Numbers
    place: Numbers
    shape: Numbers
    moved: Numbers
    order: Numbers
    signature: Words


def spare_for(program: Program, orbits: Orbits) -> Spare:
    """Return empty scratch space."""
    pods, fields = int(program.ends[0]), int(program.ends[1])
    nodes = fields - pods
    return Spare(
        np.empty(fields, np.int64),
        np.empty(fields, np.int64),
        np.empty(pods, np.int64),
        np.empty(pods, np.int64),
        np.empty(nodes, np.int64),
        np.empty(max(pods, nodes), np.int64),
        np.empty((nodes, orbits.signature.shape[1]), np.uint64),
    )


def canonicalise(program: Program, orbits: Orbits, states: Words, count: int) -> None:
    """Replace each of the first `count` states by its canonical form."""
    canonicalise_in(program, orbits, states, count, spare_for(program, orbits))


@bare
def canonicalise_in(program: Program, orbits: Orbits, states: Words, count: int, spare: Spare) -> None:
    """Replace each of the first `count` states by its canonical form, with this scratch space."""
    pods, nodes_end = program.ends[0], program.ends[1]
    nodes = nodes_end - pods
    words = orbits.signature.shape[1]
    value, new, place, shape = spare.value, spare.new, spare.place, spare.shape
    moved, order, signature = spare.moved, spare.order, spare.signature
    for number in range(count):
        for field in range(nodes_end):
            packed = states[number, program.word[field]]
            value[field] = np.int64((packed >> program.shift[field]) & program.mask[field])
            new[field] = value[field]
        for node in range(nodes):
            moved[node] = node
        for pod in range(pods):
            own = program.pod_base[pod] + value[pod]
            place[pod] = program.points_at[own]
            shape[pod] = orbits.shape[own]
        if orbits.node_class.shape[0]:
            for node in range(nodes):
                for word in range(words):
                    signature[node, word] = orbits.node_signature[program.node_base[node] + value[pods + node], word]
            for pod in range(pods):
                if place[pod] >= 0:
                    for word in range(words):
                        signature[place[pod], word] += orbits.signature[program.pod_base[pod] + value[pod], word]
            for members in range(orbits.node_class_ends.shape[0] - 1):
                first, end = orbits.node_class_ends[members], orbits.node_class_ends[members + 1]
                for each in range(first, end):
                    slot = orbits.node_class[each]
                    at = each - first
                    while at > 0 and _before(signature, slot, order[at - 1], words):
                        order[at] = order[at - 1]
                        at -= 1
                    order[at] = slot
                for each in range(first, end):
                    slot, target = order[each - first], orbits.node_class[each]
                    moved[slot] = target
                    looks = orbits.node_shape[program.node_base[slot] + value[pods + slot]]
                    new[pods + target] = orbits.node_value[target, looks]
            for pod in range(pods):
                if place[pod] >= 0:
                    place[pod] = moved[place[pod]]
        for each in range(orbits.alone.shape[0]):
            pod = orbits.alone[each]
            new[pod] = orbits.pod_value[pod, place[pod] + 1, shape[pod]]
        for members in range(orbits.pod_class_ends.shape[0] - 1):
            first, end = orbits.pod_class_ends[members], orbits.pod_class_ends[members + 1]
            for each in range(first, end):
                slot = orbits.pod_class[each]
                at = each - first
                while at > 0 and (
                    place[slot] < place[order[at - 1]]
                    or (place[slot] == place[order[at - 1]] and shape[slot] < shape[order[at - 1]])
                ):
                    order[at] = order[at - 1]
                    at -= 1
                order[at] = slot
            for each in range(first, end):
                slot, target = order[each - first], orbits.pod_class[each]
                new[target] = orbits.pod_value[target, place[slot] + 1, shape[slot]]
        for field in range(nodes_end):
            if new[field] != value[field]:
                states[number, program.word[field]] += np.uint64(new[field] - value[field]) << program.shift[field]


@inlined
def _before(signature: Words, slot: int, other: int, words: int) -> bool:
    for word in range(words):
        if signature[slot, word] != signature[other, word]:
            return signature[slot, word] < signature[other, word]
    return False
