"""The interface of a state machine that the explorer can drive: initial states, and steps from a state."""

from collections.abc import Hashable, Iterable
from typing import Any, Protocol, TypeVar, runtime_checkable

State = TypeVar("State", bound=Hashable)


class Machine(Protocol[State]):
    """A state machine.

    `steps` yields pairs (action, state) in an order that depends on the state alone. The type of an action is its kind,
    and its text is shown in traces.
    """

    def initial_states(self) -> Iterable[State]:
        """Return the states in which a behaviour may begin."""
        ...

    def steps(self, state: State) -> Iterable[tuple[Any, State]]:
        """Return every action that is enabled in `state`, with the state that it leads to."""
        ...

    def view(self, state: State) -> Any:
        """Return the value on which the properties are evaluated."""
        ...

    def unfinished(self, state: State) -> bool:
        """Whether something in `state` still waits to be done."""
        ...

    def kinds(self) -> tuple[type, ...]:
        """Return the types of all actions that `steps` may ever yield."""
        ...


@runtime_checkable
class ByKind(Protocol[State]):
    """A state machine that can take the steps of one kind without making all others."""

    def steps_of_kind(self, state: State, kind: type) -> Iterable[tuple[Any, State]]:
        """Return the steps of `kind`, and maybe others, in their order."""
        ...
