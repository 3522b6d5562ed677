"""What happens around the scheduler, as tables: `Move`, `moves_of_pod`, `moves_of_node`.

An event looks at one pod, the node that this is on, a counter and a budget. So the machine itself is asked, of the state
in which nothing else is there, once for each value of a pod and of the node.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from schedcheck.checker.tabulated.layout.slots import Slots
from schedcheck.model.controllers import Act
from schedcheck.model.environment import Event
from schedcheck.model.nominations import EvictVictim
from schedcheck.model.reference import State
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.properties import Step


class Move(NamedTuple):
    """A step that changes one object: the action, its kind, the number of the object's new value, and what it needs.

    `counter` is used up by one, and so is what `budget` allows; -1 for none. `victim`: the pod must be one that is to be
    evicted. `breaks` has a bit for each property of steps that it breaks.
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
    """What may happen to the pod of this slot while it is `pod`, and the node that it is on `node`."""
    before = slots.alone(slot, pod, node)
    return tuple(
        _move(slots, before, action, after, slots.pod_numbers[slot][after.pods[slot]], questions)
        for action, after in slots.machine.events(before)
        if after.pods[slot] != before.pods[slot]
    )


def moves_of_node(slots: Slots, slot: int, node: Node | None, questions: Sequence[Step]) -> tuple[Move, ...]:
    """What may happen to the node of this slot while it is `node`."""
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
    """Whether the question, asked of an event, looks at nothing but whom it befalls."""
    return question.name.startswith("never_evicted(")


def _used(before: Sequence[int], after: Sequence[int]) -> int:
    """The place at which there is less than before, -1 if there is none."""
    return next((place for place, (old, new) in enumerate(zip(before, after, strict=True)) if new < old), -1)


def there(slots: Slots, slot: int) -> Iterator[tuple[Pod | None, tuple[Node | None, ...]]]:
    """Each value of the pod of this slot, with the values of the node that it points at; None where it points at none."""
    for pod in slots.pods[slot]:
        where = slots.pointed_at(pod)
        yield pod, slots.nodes[where] if where >= 0 else (None,)
