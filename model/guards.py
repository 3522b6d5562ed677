"""The guard of an event: a condition on the state in which it happens and on the object that it happens to."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from schedcheck.spec.objects import Node, Pod, Snapshot

Condition = Callable[[Pod | Node, Snapshot], bool]
"""A predicate of the object that an event happens to, and of the state before the event.

An absent object, which arrives or returns, is the object of the scenario.
"""


def unread(this: Pod | Node, snapshot: Snapshot) -> bool:
    """Raise: a guard without its meaning is an error, and never true."""
    raise AssertionError("a guard in TLA+ was not read")


@dataclass(frozen=True)
class Guard:
    """One condition of a rule, as it is written and as it is evaluated."""

    text: str
    name: str = ""
    """The name of the predicate; empty for a formula of TLA+."""
    arguments: tuple[str, ...] = ()
    negated: bool = False
    mentions: frozenset[str] | None = frozenset()
    """The names that tell objects apart in the condition; None if it may tell any objects apart."""
    holds: Condition = field(default=unread, compare=False)


def permitted(guards: Collection[Guard], this: Pod | Node, snapshot: Snapshot) -> bool:
    r"""Whether every guard of a rule is true of this object in this state.

    TLA+: Befalls(Rule, Event, Object) ==
            /\ Rule.Event = Event
            /\ IF Object.Kind = "Pod" THEN Identity(Object) \in Rule.Pods ELSE Object.Name \in Rule.Nodes
            /\ GuardHolds(Rule, Object, Objects) = TRUE
    """
    return all(guard.holds(this, snapshot) for guard in guards)
