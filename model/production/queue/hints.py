"""Queueing hints: whether an event may make an unschedulable pod schedulable: `Hints`, `Strategy`.

Kubernetes 1.34: isPodWorthRequeuing in pkg/scheduler/backend/queue/scheduling_queue.go, buildQueueingHintMap in
pkg/scheduler/scheduler.go.
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.extender import BY_EXTENDER
from schedcheck.model.production.framework.framework import Framework
from schedcheck.model.production.framework.plugin import EventsPlugin, implements
from schedcheck.model.production.queue.queued_pod import QueuedPod
from schedcheck.spec.objects import Pod

EVERYTHING = (EventOfInterest(ClusterEvent(Resource.WILDCARD, Action.ALL)),)
"""The events of interest of a plugin that does not register any: all."""


class Strategy(IntEnum):
    """The ways in which an event requeues a pod."""

    SKIP = 0
    """The pod stays where it is."""
    AFTER_BACKOFF = 1
    """The pod is tried again after its backoff."""
    IMMEDIATELY = 2
    """The pod is tried again at once."""


class Hints:
    """The events of interest of each plugin of each profile."""

    def __init__(self, frameworks: Mapping[str, Framework]) -> None:
        self._extended = any(framework.handle.extenders for framework in frameworks.values())
        self._events = {
            name: {plugin.name: _asked(plugin) for plugin in framework.plugins()}
            for name, framework in frameworks.items()
        }

    def of(self, profile: str, plugin: str) -> Sequence[EventOfInterest]:
        """Return a plugin's events of interest; an extender cannot register any, so every event concerns it."""
        return EVERYTHING if plugin == BY_EXTENDER else self._events.get(profile, {}).get(plugin, ())

    def interesting(self, event: ClusterEvent) -> bool:
        """Whether any plugin is interested in the event."""
        return (
            event.wildcard
            or self._extended
            or any(
                each.event.covers(event)
                for plugins in self._events.values()
                for events in plugins.values()
                for each in events
            )
        )

    def gate_opens(self, queued: QueuedPod, event: ClusterEvent) -> bool:
        """Whether the plugin whose PreEnqueue rejected the pod is interested in the event."""
        events = self.of(queued.pod.scheduler_name, queued.gate)
        return event.wildcard or any(each.event.covers(event) for each in events)

    def worth(self, queued: QueuedPod, event: ClusterEvent, before: Any, after: Any) -> Strategy:
        """Return how the event requeues the pod. Only the plugins that rejected the pod are asked.

        The pod skips its backoff if the hint of a plugin that returned Pending says yes.
        """
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
    """Whether the hint says yes; so does a missing or failing hint, so that no pod stays stranded."""
    if interest.hint is None:
        return True
    try:
        return interest.hint(pod, before, after)
    except Exception:
        return True
