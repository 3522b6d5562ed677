"""What the plugins of one scheduling cycle remember for each other: `CycleState`.

Kubernetes 1.34: pkg/scheduler/framework/cycle_state.go.
"""

from typing import Any, Protocol, Self, TypeVar, runtime_checkable


class NotFoundError(LookupError):
    """Nothing was written under the key in this cycle."""


@runtime_checkable
class Clonable(Protocol):
    """Data that a trial changes, and that is therefore copied when the cycle's state is."""

    def clone(self) -> Self:
        """A copy that may be changed without changing this one; parts that nobody changes are shared."""
        ...


Kind = TypeVar("Kind")


class CycleState:
    """Keys with their data; and which plugins have nothing to do in this cycle.

    One is made for each cycle. Its clone shares the data that cannot clone itself.
    """

    def __init__(self) -> None:
        self._data: dict[str, Any] = {}
        self.skip_filter: frozenset[str] = frozenset()
        self.skip_score: frozenset[str] = frozenset()

    def read(self, key: str, kind: type[Kind]) -> Kind:
        """What was written under `key`.

        Raises: NotFoundError if nothing was, TypeError if it is of another kind.
        """
        try:
            data = self._data[key]
        except KeyError:
            raise NotFoundError(f"not found: {key}") from None
        if not isinstance(data, kind):
            raise TypeError(f"{key}: expected {kind.__name__}, found {type(data).__name__}")
        return data

    def write(self, key: str, data: object) -> None:
        """Put `data` under `key`, in place of what is there."""
        self._data[key] = data

    def delete(self, key: str) -> None:
        """Take away what is under `key`, if anything is."""
        self._data.pop(key, None)

    def clone(self) -> "CycleState":
        """A state that can be changed without changing this one."""
        copy = CycleState()
        copy._data = {key: data.clone() if isinstance(data, Clonable) else data for key, data in self._data.items()}
        copy.skip_filter, copy.skip_score = self.skip_filter, self.skip_score
        return copy
