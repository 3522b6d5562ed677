"""The data that the plugins of one scheduling cycle share: `CycleState`.

Kubernetes 1.34: pkg/scheduler/framework/cycle_state.go.
"""

from functools import cache
from typing import Any, Protocol, Self, TypeVar, runtime_checkable


class NotFoundError(LookupError):
    """No data was written under the key in this cycle."""


@runtime_checkable
class Clonable(Protocol):
    """Data that a trial changes, and that is therefore copied with the cycle state."""

    def clone(self) -> Self:
        """Return a copy that can be changed independently; parts that never change are shared."""
        ...


@cache
def _clonable(kind: type[object]) -> bool:
    """Whether data of this type is copied."""
    return issubclass(kind, Clonable)


Kind = TypeVar("Kind")


class CycleState:
    """Data by key, and the plugins that skip Filter or Score in this cycle.

    Each cycle has its own. A clone shares the data that is not `Clonable`.
    """

    def __init__(self) -> None:
        self._data: dict[str, Any] = {}
        self.skip_filter: frozenset[str] = frozenset()
        self.skip_score: frozenset[str] = frozenset()
        self.nominated: Any = None
        """The nominated pods that count in this cycle, once they are known."""

    def read(self, key: str, kind: type[Kind]) -> Kind:
        """Return the data under `key`.

        Raises: NotFoundError if there is none, TypeError if it is of another type.
        """
        try:
            data = self._data[key]
        except KeyError:
            raise NotFoundError(f"not found: {key}") from None
        if not isinstance(data, kind):
            raise TypeError(f"{key}: expected {kind.__name__}, found {type(data).__name__}")
        return data

    def write(self, key: str, data: object) -> None:
        """Write `data` under `key`, replacing older data."""
        self._data[key] = data

    def delete(self, key: str) -> None:
        """Delete the data under `key`, if there is any."""
        self._data.pop(key, None)

    def clone(self) -> "CycleState":
        """Return a copy that can be changed independently."""
        copy = CycleState()
        copy._data = {key: data.clone() if _clonable(data.__class__) else data for key, data in self._data.items()}
        copy.skip_filter, copy.skip_score, copy.nominated = self.skip_filter, self.skip_score, self.nominated
        return copy
