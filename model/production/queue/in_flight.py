"""The pods being scheduled, and the events since their scheduling began: `InFlight`.

An event during a scheduling cycle may be the one that the pod needs, so its hint is asked after the rejection.

Kubernetes 1.34: inFlightPods and inFlightEvents in pkg/scheduler/backend/queue/active_queue.go.
"""

from dataclasses import dataclass
from typing import Any

from schedcheck.model.production.framework.events import ClusterEvent

Identity = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Happening:
    """An event with the object before and after it, None while the object does not exist."""

    event: ClusterEvent
    before: Any
    after: Any


class InFlight:
    """In-flight pods and events in one list, in their order of arrival."""

    def __init__(self) -> None:
        self.entries: list[Identity | Happening] = []
        self._pods: set[Identity] = set()

    def __len__(self) -> int:
        return len(self._pods)

    def __contains__(self, identity: Identity) -> bool:
        return identity in self._pods

    def begin(self, identity: Identity) -> bool:
        """Record that scheduling of a pod begins. Return false, and record nothing, if the pod is in flight already."""
        if identity in self._pods:
            return False
        self._pods.add(identity)
        self.entries.append(identity)
        return True

    def happen(self, event: ClusterEvent, before: Any, after: Any) -> None:
        """Keep an event if any pod is in flight."""
        if self._pods:
            self.entries.append(Happening(event, before, after))

    def since(self, identity: Identity) -> list[Happening]:
        """Return the events since scheduling of the pod began."""
        start = self.entries.index(identity) + 1
        return [entry for entry in self.entries[start:] if isinstance(entry, Happening)]

    def done(self, identity: Identity) -> None:
        """Record that scheduling of the pod has ended; drop the events that no remaining in-flight pod needs."""
        if identity not in self._pods:
            return
        self._pods.discard(identity)
        self.entries.remove(identity)
        while self.entries and isinstance(self.entries[0], Happening):
            self.entries.pop(0)
