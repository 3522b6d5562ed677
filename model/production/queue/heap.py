"""A heap of pods in the order of a QueueSort plugin, from which any pod can be removed: `Heap`.

Kubernetes 1.34: pkg/scheduler/backend/heap/heap.go.
"""

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from schedcheck.model.production.queue.queued_pod import QueuedPod

Less = Callable[[QueuedPod, QueuedPod], bool]
Key = tuple[str, str]


@dataclass(slots=True, eq=False)
class Entry:
    """A pod as it was when it was put into a heap as the pod of this number."""

    less: Less
    queued: QueuedPod
    count: int
    key: Key

    def __lt__(self, other: "Entry") -> bool:
        """Whether this pod comes first. A heap asks nothing else, and each question asks QueueSort at most twice."""
        if self.less(self.queued, other.queued):
            return True
        return self.count < other.count and not self.less(other.queued, self.queued)


class Heap:
    """Pods by key; pods that the order does not distinguish are first in, first out."""

    def __init__(self, less: Less) -> None:
        self._less = less
        self._pods: dict[Key, tuple[int, QueuedPod]] = {}
        self._heap: list[Entry] = []
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
        heapq.heappush(self._heap, Entry(self._less, replace(queued), self._count, queued.key))

    def remove(self, key: Key) -> QueuedPod | None:
        """Remove and return a pod, None if it is not in the heap."""
        return self._pods.pop(key, (0, None))[1]

    def first(self) -> QueuedPod | None:
        """Return the first pod, None if the heap is empty."""
        while self._heap:
            entry = self._heap[0]
            if self._pods.get(entry.key, (0,))[0] == entry.count:
                return self._pods[entry.key][1]
            heapq.heappop(self._heap)
        return None

    def pop(self) -> QueuedPod | None:
        """Remove and return the first pod, None if the heap is empty."""
        first = self.first()
        return None if first is None else self.remove(first.key)
