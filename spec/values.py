"""Building blocks of the objects: labels, amounts, a hash that is computed once, and the key of an object."""

from dataclasses import fields
from functools import cached_property
from typing import Any

from frozendict import frozendict

Labels = frozendict[str, str]
Amounts = frozendict[str, int]

NO_LABELS: Labels = frozendict()
NO_AMOUNTS: Amounts = frozendict()


class HashedOnce:
    """A frozen dataclass that caches its hash on first use: states are hashed millions of times."""

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(getattr(self, field.name) for field in fields(self)))  # type: ignore[arg-type]

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
