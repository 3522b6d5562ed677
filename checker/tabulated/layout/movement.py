"""The steps of the environment and the controllers, as tables: `Move`, `moves_of_pod`, `moves_of_node`.

An event looks at one pod, the node of that pod, a counter and a budget. So the machine itself is asked once for each
value of a pod and of its node, in a state that holds nothing else.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from schedcheck.checker.tabulated.layout.slots import Slots
from schedcheck.model.controllers import Act
from schedcheck.model.environment import Event
from schedcheck.model.nominations import EvictVictim
from schedcheck.model.reference import State
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.properties.kinds import Step


class Move(NamedTuple):
    """A step that changes one object: the action, its kind, the number of the object's new value, and its conditions.

    The step uses `counter` once and takes one from what `budget` allows; -1 for none. `victim`: the pod must be one of
    the pods to evict. `breaks` has a bit for each property of steps that the step breaks.
    """

    action: Event | Act
    kind: int
    value: int
    counter: int = -1
    budget: int = -1
    victim: bool = False
    breaks: int = 0


def moves_of_pod(
    slots: Slots, slot: int, pod: Pod | None, node: Node | None, questions: Sequence[Step]
) -> tuple[Move, ...]:
    """Return the moves of the pod in this slot while its value is `pod` and the value of its node is `node`."""
    before = slots.alone(slot, pod, node)
    return tuple(
        _move(slots, before, action, after, slots.pod_numbers[slot][after.pods[slot]], questions)
        for action, after in slots.machine.events(before)
        if after.pods[slot] != before.pods[slot]
    )


def moves_of_node(slots: Slots, slot: int, node: Node | None, questions: Sequence[Step]) -> tuple[Move, ...]:
    """Return the moves of the node in this slot while its value is `node`."""
    before = slots.alone(-1, None, None)
    before = before._replace(nodes=(*before.nodes[:slot], node, *before.nodes[slot + 1 :]))
    return tuple(
        _move(slots, before, action, after, slots.node_numbers[slot][after.nodes[slot]], questions)
        for action, after in slots.machine.events(before)
        if after.nodes[slot] != node
    )


def _move(
    slots: Slots, before: State, action: Event | Act, after: State, value: int, questions: Sequence[Step]
) -> Move:
    machine = slots.machine
    seen = machine.view(before), machine.view(after)
    broken = [
        number
        for number, question in enumerate(questions)
        if type(action) in question.kinds and _of_the_pod(question) and not question.holds(seen[0], action, seen[1])
    ]
    return Move(
        action,
        machine.kinds().index(type(action)),
        value,
        _used(before.left, after.left),
        _used(before.allowed, after.allowed),
        isinstance(action, EvictVictim),
        sum(1 << number for number in broken),
    )


def _of_the_pod(question: Step) -> bool:
    """Whether the property, asked of an event, depends on the affected pod alone."""
    return question.name.startswith("never_evicted(")


def _used(before: Sequence[int], after: Sequence[int]) -> int:
    """Return the first place whose number has become smaller, -1 if there is none."""
    return next((place for place, (old, new) in enumerate(zip(before, after, strict=True)) if new < old), -1)


def there(slots: Slots, slot: int) -> Iterator[tuple[Pod | None, tuple[Node | None, ...]]]:
    """Yield each value of the pod in this slot, with the values of the node it points at (None if it has none)."""
    for pod in slots.pods[slot]:
        where = slots.pointed_at(pod)
        yield pod, slots.nodes[where] if where >= 0 else (None,)
