"""Indexes over delivered objects: `Indexer`.

Kubernetes 1.34: Indexer in k8s.io/client-go/tools/cache/index.go.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

Thing = TypeVar("Thing")
Index = TypeVar("Index")


class Indexer(Generic[Thing, Index]):
    """An index over the objects of a kind, built again when they are replaced."""

    def __init__(self, build: Callable[[tuple[Thing, ...]], Index]) -> None:
        self._build = build
        self._things: tuple[Thing, ...] | None = None
        self._index: Index

    def over(self, things: tuple[Thing, ...]) -> Index:
        """Return the index over these objects."""
        if self._things is not things:
            self._things, self._index = things, self._build(things)
        return self._index
