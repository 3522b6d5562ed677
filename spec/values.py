"""Building blocks of the objects: labels, amounts, a hash that is computed once, and the key of an object."""

from dataclasses import fields
from functools import cached_property
from typing import Any, Self

from frozendict import frozendict

Labels = frozendict[str, str]
Amounts = frozendict[str, int]

NO_LABELS: Labels = frozendict()
NO_AMOUNTS: Amounts = frozendict()


class HashedOnce:
    """A frozen dataclass that caches its hash on first use: states are hashed millions of times."""

    __match_args__: tuple[str, ...]
    """The names of the fields."""

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(getattr(self, field.name) for field in fields(self)))  # type: ignore[arg-type]

    def but(self, **other: Any) -> Self:
        """Return a copy with other values of these fields: `dataclasses.replace` where time matters, without its checks."""
        copy, values = object.__new__(type(self)), vars(self)
        vars(copy).update({name: values[name] for name in self.__match_args__} | other)
        return copy

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields alone: another process hashes strings differently, so cached values are recomputed."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return self._hash


class Namespaced:
    """An object that has a namespace."""

    name: str
    namespace: str

    @property
    def key(self) -> tuple[str, str]:
        """Namespace and name, which identify the object among those of its kind."""
        return self.namespace, self.name

    def __str__(self) -> str:
        return self.name if self.namespace in ("default", "") else f"{self.namespace}/{self.name}"
