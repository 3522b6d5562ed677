"""Whether an event is worth trying a pod again: `Hints`, `Strategy`.

Kubernetes 1.34: isPodWorthRequeuing in pkg/scheduler/backend/queue/scheduling_queue.go, buildQueueingHintMap in
pkg/scheduler/scheduler.go.
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.framework import Framework
from schedcheck.model.production.framework.plugin import EventsPlugin, implements
from schedcheck.model.production.queue.queued_pod import QueuedPod
from schedcheck.spec.objects import Pod

EVERYTHING = (EventOfInterest(ClusterEvent(Resource.WILDCARD, Action.ALL)),)
"""What a plugin is told of that does not say what it wants to be told of."""


class Strategy(IntEnum):
    """What becomes of a pod after an event."""

    SKIP = 0
    """It stays where it is."""
    AFTER_BACKOFF = 1
    """It is tried again once it has backed off."""
    IMMEDIATELY = 2
    """It is tried again at once."""


class Hints:
    """What each plugin of each profile wants to be told of."""

    def __init__(self, frameworks: Mapping[str, Framework]) -> None:
        self._events = {
            name: {plugin.name: _asked(plugin) for plugin in framework.plugins()}
            for name, framework in frameworks.items()
        }

    def of(self, profile: str, plugin: str) -> Sequence[EventOfInterest]:
        """What a plugin wants to be told of."""
        return self._events.get(profile, {}).get(plugin, ())

    def interesting(self, event: ClusterEvent) -> bool:
        """Whether any plugin wants to be told of an event."""
        return event.wildcard or any(
            each.event.covers(event)
            for plugins in self._events.values()
            for events in plugins.values()
            for each in events
        )

    def gate_opens(self, queued: QueuedPod, event: ClusterEvent) -> bool:
        """Whether the plugin that keeps the pod from being tried wants to be told of the event."""
        events = self.of(queued.pod.scheduler_name, queued.gate)
        return event.wildcard or any(each.event.covers(event) for each in events)

    def worth(self, queued: QueuedPod, event: ClusterEvent, before: Any, after: Any) -> Strategy:
        """What becomes of the pod: only the plugins that refused it are asked, those that wait for something first of all."""
        if not queued.rejectors:
            return Strategy.AFTER_BACKOFF
        if event.wildcard:
            for_another = after is not None and not (isinstance(after, Pod) and after.key == queued.key)
            return Strategy.SKIP if for_another else Strategy.AFTER_BACKOFF
        found = Strategy.SKIP
        for plugin in sorted(queued.rejectors):
            for each in self.of(queued.pod.scheduler_name, plugin):
                if each.event.covers(event) and _says_yes(each, queued.pod, before, after):
                    found = max(found, Strategy.IMMEDIATELY if plugin in queued.pending else Strategy.AFTER_BACKOFF)
        return found


def _asked(plugin: Any) -> tuple[EventOfInterest, ...]:
    return tuple(plugin.events()) if implements(plugin, EventsPlugin) else EVERYTHING


def _says_yes(interest: EventOfInterest, pod: Pod, before: Any, after: Any) -> bool:
    """What the hint says; without one, or if it fails, yes: a pod must not be stranded."""
    if interest.hint is None:
        return True
    try:
        return interest.hint(pod, before, after)
    except Exception:
        return True
