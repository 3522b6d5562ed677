"""A heap of pods in the order of a QueueSort plugin, from which any pod can be removed: `Heap`.

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
    """Pods by key; pods that the order does not distinguish are first in, first out."""

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
        """Return the pod with this key, None if it is not in the heap."""
        return self._pods.get(key, (0, None))[1]

    def put(self, queued: QueuedPod) -> None:
        """Add a pod, or move it to its present place in the order."""
        self._count += 1
        self._pods[queued.key] = self._count, queued
        # Order by a copy: a pod that was removed and then changed must not disturb the order of the heap.
        heapq.heappush(self._heap, (self._order(replace(queued)), self._count, queued.key))

    def remove(self, key: Key) -> QueuedPod | None:
        """Remove and return a pod, None if it is not in the heap."""
        return self._pods.pop(key, (0, None))[1]

    def first(self) -> QueuedPod | None:
        """Return the first pod, None if the heap is empty."""
        while self._heap:
            _, count, key = self._heap[0]
            if self._pods.get(key, (0,))[0] == count:
                return self._pods[key][1]
            heapq.heappop(self._heap)
        return None

    def pop(self) -> QueuedPod | None:
        """Remove and return the first pod, None if the heap is empty."""
        first = self.first()
        return None if first is None else self.remove(first.key)
