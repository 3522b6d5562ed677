"""Informer events, applied to the scheduler: `Delivery`; and to the objects of volumes: `stored`.

The watcher of the API server delivers changes one by one, in order. Completed pods are not seen at all.

Kubernetes 1.34: pkg/scheduler/eventhandlers.go.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from schedcheck.model.production.cycle.pod_groups import GANGS
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.framework.events import (
    ASSIGNED_POD_ADDED,
    ASSIGNED_POD_DELETED,
    NODE_ADDED,
    NODE_DELETED,
    UNSCHEDULED_POD_ADDED,
    Action,
    ClusterEvent,
    Resource,
    node_changes,
    pod_changes,
)
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.volumes.assumed import Reserved
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.storage import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    StorageClass,
    VolumeAttachment,
)

Stored = (
    PersistentVolume
    | PersistentVolumeClaim
    | StorageClass
    | CSINode
    | CSIDriver
    | CSIStorageCapacity
    | VolumeAttachment
)
"""An object that volume plugins read."""

STORED: dict[type, tuple[str, Resource]] = {
    PersistentVolume: ("volumes", Resource.PERSISTENT_VOLUME),
    PersistentVolumeClaim: ("claims", Resource.PERSISTENT_VOLUME_CLAIM),
    StorageClass: ("classes", Resource.STORAGE_CLASS),
    CSINode: ("nodes", Resource.CSI_NODE),
    CSIDriver: ("drivers", Resource.CSI_DRIVER),
    CSIStorageCapacity: ("capacities", Resource.CSI_STORAGE_CAPACITY),
    VolumeAttachment: ("attachments", Resource.VOLUME_ATTACHMENT),
}
"""The field of `Storage` that holds the objects of each kind, and the kind's resource in events."""

ENDED = frozenset({"Succeeded", "Failed"})


def seen(pod: Pod | None) -> Pod | None:
    """Return the pod, None if it has completed."""
    return None if pod is None or pod.phase in ENDED else pod


def stored(storage: Storage, before: Stored | None, after: Stored | None) -> Storage:
    """Return the storage after an object was added (`before` is None), updated, or deleted (`after` is None)."""
    changed = after if after is not None else before
    name, _ = STORED[type(changed)]
    others = [each for each in getattr(storage, name) if _key(each) != _key(changed)]
    there = others if after is None else [*others, after]
    return replace(storage, **{name: tuple(sorted(there, key=_key))})


def _key(thing: Any) -> tuple[str, ...]:
    """Return namespace and name, or the name alone."""
    key: tuple[str, ...] = getattr(thing, "key", (thing.name,))
    return key


class Delivery:
    """The event handlers: they pass changes of nodes, pods and volume objects to a scheduler's cache and queue."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._cache = scheduler.cache
        self._queue = scheduler.queue
        self._pods = scheduler.handle.listers.pods
        permitting = (each for framework in scheduler.frameworks.values() for each in framework.at("permit"))
        self._gangs = any(each.name == GANGS for each in permitting)

    def listed(self, things: Iterable[Pod | Node]) -> None:
        """Announce the objects that exist at the start: no pod is scheduled before each of them was delivered."""
        self._scheduler.awaited |= {each.name if isinstance(each, Node) else each.key for each in things}

    def node(self, before: Node | None, after: Node | None) -> None:
        """Handle a node that was added (`before` is None), updated, or deleted (`after` is None)."""
        if after is None:
            assert before is not None
            self._cache.remove_node(before.name)
            self._queue.move_all(NODE_DELETED, before, None)
        elif before is None:
            self._scheduler.awaited.discard(after.name)
            self._cache.add_node(after)
            self._queue.move_all(NODE_ADDED, None, after)
        else:
            self._cache.update_node(after)
            for event in node_changes(before, after):
                self._queue.move_all(event, before, after)

    def pod(self, before: Pod | None, after: Pod | None) -> None:
        """Handle a pod that was added (`before` is None), updated, or deleted (`after` is None).

        If changes were missed, `before` is the last form delivered, and `after` may be another pod of the same name.
        When a pod is deleted, `before` may lack its node.
        """
        self._scheduler.awaited -= {each.key for each in (before, after) if each is not None}
        before, after = seen(before), seen(after)
        if after is not None:
            self._pods[after.key] = after
        elif before is not None:
            self._pods.pop(before.key, None)
        if after is None:
            if before is not None:
                self._gone(before)
        elif before is None:
            self._come(after)
        elif before.uid != after.uid:
            self._gone(before)
            self._come(after)
        elif before != after:
            self._changed(before, after)

    def stored(self, before: Stored | None, after: Stored | None) -> None:
        """Handle a volume object that was added (`before` is None), updated, or deleted (`after` is None).

        A delivered volume or claim replaces what was assumed of it.
        """
        changed = after if after is not None else before
        handle = self._scheduler.handle
        handle.listers.storage = stored(handle.listers.storage, before, after)
        if isinstance(changed, PersistentVolume):
            handle.assumed.forget(Reserved((changed.name,)))
        if isinstance(changed, PersistentVolumeClaim):
            handle.assumed.forget(Reserved((), (changed.key,)))
        action = Action.ADD if before is None else Action.DELETE if after is None else Action.UPDATE
        self._queue.move_all(ClusterEvent(STORED[type(changed)][1], action), before, after)

    def _ours(self, pod: Pod) -> bool:
        return pod.scheduler_name in self._scheduler.frameworks

    def _come(self, pod: Pod) -> None:
        if pod.node_name:
            self._assigned(pod)
        elif self._ours(pod):
            self._queue.add(pod)
            if self._gangs:
                self._queue.move_all(UNSCHEDULED_POD_ADDED, None, pod)

    def _changed(self, before: Pod, after: Pod) -> None:
        if before.node_name:
            self._cache.update_pod(PodInfo(after))
            for event in pod_changes(before, after, self._cache.departures):
                self._queue.move_all(event, before, after)
            self._tell_background(after)
        elif after.node_name:
            self._assigned(after)
            if self._ours(before):
                self._queue.delete(before)
        elif self._ours(before) and self._cache.is_assumed(after.identity):
            if after.terminating and not before.terminating:
                self._released(after)
        elif self._ours(before):
            self._queue.update(before, after)
            if before.nominated_node_name and before.nominated_node_name != after.nominated_node_name:
                # Other pods were filtered with this pod counted on that node.
                self._queue.move_all(ASSIGNED_POD_DELETED, before, None, no_more_important_than(before))

    def _assigned(self, pod: Pod) -> None:
        """Add a bound pod to the cache, which confirms it if it was assumed."""
        self._cache.add_pod(PodInfo(pod))
        self._queue.move_all(ASSIGNED_POD_ADDED, None, pod)

    def _tell_background(self, pod: Pod) -> None:
        for background in self._scheduler.handle.background:
            background.told(pod)

    def _gone(self, pod: Pod) -> None:
        """Remove a pod from queue and cache, whether or not its last known form names a node."""
        if self._ours(pod):
            self._queue.delete(pod)
        if self._cache.is_assumed(pod.identity):
            self._released(pod)
        elif pod.node_name or pod.identity in self._cache.pods:
            self._cache.remove_pod(pod.identity)
            self._queue.move_all(ASSIGNED_POD_DELETED, pod, None)
            self._tell_background(pod)
        elif pod.nominated_node_name:
            self._queue.move_all(ASSIGNED_POD_DELETED, pod, None, no_more_important_than(pod))

    def _released(self, pod: Pod) -> None:
        """Free the node of an assumed pod that is being deleted; its binding cycle goes on until it fails.

        A pod that waits on Permit is rejected instead, and its binding cycle forgets it.
        """
        assumed = self._cache.pods[pod.identity]
        if not self._scheduler.handle.waiting.reject(pod):
            self._cache.forget(assumed)
        self._queue.move_all(ASSIGNED_POD_DELETED, assumed.pod, None)


def no_more_important_than(pod: Pod) -> Callable[[Pod], bool]:
    """Return whether a pod's priority is at most that of `pod`, so that the nomination of `pod` counted against it."""
    return lambda other: other.priority <= pod.priority
