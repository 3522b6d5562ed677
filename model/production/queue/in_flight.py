"""The pods that are being tried, and the events since then: `InFlight`.

An event may be what a pod needs that is just being refused, so that it must be asked about after the refusal.

Kubernetes 1.34: inFlightPods and inFlightEvents in pkg/scheduler/backend/queue/active_queue.go.
"""

from dataclasses import dataclass
from typing import Any

from schedcheck.model.production.framework.events import ClusterEvent

Identity = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Happening:
    """An event with the object before and after it, None where there is none."""

    event: ClusterEvent
    before: Any
    after: Any


class InFlight:
    """Pods and happenings in one list, in the order in which they came."""

    def __init__(self) -> None:
        self.entries: list[Identity | Happening] = []
        self._pods: set[Identity] = set()

    def __len__(self) -> int:
        return len(self._pods)

    def __contains__(self, identity: Identity) -> bool:
        return identity in self._pods

    def begin(self, identity: Identity) -> bool:
        """A pod is tried; false if it is being tried already, which must not be."""
        if identity in self._pods:
            return False
        self._pods.add(identity)
        self.entries.append(identity)
        return True

    def happen(self, event: ClusterEvent, before: Any, after: Any) -> None:
        """Keep an event, if anybody is being tried."""
        if self._pods:
            self.entries.append(Happening(event, before, after))

    def since(self, identity: Identity) -> list[Happening]:
        """What has happened since the pod was taken up."""
        start = self.entries.index(identity) + 1
        return [entry for entry in self.entries[start:] if isinstance(entry, Happening)]

    def done(self, identity: Identity) -> None:
        """The pod is tried no more; what happened before all others were taken up is forgotten."""
        if identity not in self._pods:
            return
        self._pods.discard(identity)
        self.entries.remove(identity)
        while self.entries and isinstance(self.entries[0], Happening):
            self.entries.pop(0)
