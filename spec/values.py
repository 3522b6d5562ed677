"""What the objects are made of: labels, amounts, and a hash that is computed once."""

from dataclasses import fields
from functools import cached_property
from typing import Any

from frozendict import frozendict

Labels = frozendict[str, str]
Amounts = frozendict[str, int]

NO_LABELS: Labels = frozendict()
NO_AMOUNTS: Amounts = frozendict()


class HashedOnce:
    """A frozen dataclass whose hash is computed at its first use and kept: states are hashed millions of times."""

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(getattr(self, field.name) for field in fields(self)))  # type: ignore[arg-type]

    def __getstate__(self) -> dict[str, Any]:
        """The fields alone: another process hashes text differently, and what is derived is derived again."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return self._hash
