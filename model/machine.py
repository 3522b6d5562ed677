"""The protocol of everything that the explorer can drive: initial states, and steps from a state."""

from collections.abc import Hashable, Iterable
from typing import Any, Protocol, TypeVar

State = TypeVar("State", bound=Hashable)


class Machine(Protocol[State]):
    """A system that moves one step at a time.

    `steps` yields (action, state) pairs in an order that depends on the state alone. An action is a value whose type
    names its kind and whose text reads as a story. `view` is what properties look at. `unfinished` tells a state in
    which something still waits from one that is done.
    """

    def initial_states(self) -> Iterable[State]:
        """The states that a behaviour may begin in."""
        ...

    def steps(self, state: State) -> Iterable[tuple[Any, State]]:
        """Every action that may be taken in `state`, with the state that it leads to."""
        ...

    def view(self, state: State) -> Any:
        """What the properties are stated over."""
        ...

    def unfinished(self, state: State) -> bool:
        """Whether something in `state` waits to be done."""
        ...

    def kinds(self) -> tuple[type, ...]:
        """The types of every action that `steps` may ever yield."""
        ...
