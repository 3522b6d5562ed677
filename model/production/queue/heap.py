"""A heap of pods by an order that a plugin gives, from which any can be taken: `Heap`.

Kubernetes 1.34: pkg/scheduler/backend/heap/heap.go.
"""

import heapq
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cmp_to_key
from typing import Any

from schedcheck.model.production.queue.queued_pod import QueuedPod

Less = Callable[[QueuedPod, QueuedPod], bool]
Key = tuple[str, str]


class Heap:
    """Pods by key; among those that the order does not tell apart the first that came is the first."""

    def __init__(self, less: Less) -> None:
        def compare(left: QueuedPod, right: QueuedPod) -> int:
            return -1 if less(left, right) else int(less(right, left))

        self._order = cmp_to_key(compare)
        self._pods: dict[Key, tuple[int, QueuedPod]] = {}
        self._heap: list[tuple[Any, int, Key]] = []
        self._count = 0

    def __len__(self) -> int:
        return len(self._pods)

    def __contains__(self, key: Key) -> bool:
        return key in self._pods

    def __iter__(self) -> Iterator[QueuedPod]:
        return (queued for _, queued in sorted(self._pods.values(), key=lambda each: each[0]))

    def get(self, key: Key) -> QueuedPod | None:
        """The pod of this key, None if it is not there."""
        return self._pods.get(key, (0, None))[1]

    def put(self, queued: QueuedPod) -> None:
        """Add a pod, or put it where it belongs by now."""
        self._count += 1
        self._pods[queued.key] = self._count, queued
        # Compared as it is now: what is left of it when it is taken out and changed must not upset the order.
        heapq.heappush(self._heap, (self._order(replace(queued)), self._count, queued.key))

    def remove(self, key: Key) -> QueuedPod | None:
        """Take a pod out, None if it is not there."""
        return self._pods.pop(key, (0, None))[1]

    def first(self) -> QueuedPod | None:
        """The first pod, None if there is none."""
        while self._heap:
            _, count, key = self._heap[0]
            if self._pods.get(key, (0,))[0] == count:
                return self._pods[key][1]
            heapq.heappop(self._heap)
        return None

    def pop(self) -> QueuedPod | None:
        """Take the first pod out, None if there is none."""
        first = self.first()
        return None if first is None else self.remove(first.key)
