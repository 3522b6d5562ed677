"""Events that may make a pending pod schedulable: `ClusterEvent`; and the queueing hints of plugins.

Kubernetes 1.34: pkg/scheduler/framework/events.go, ClusterEvent in k8s.io/kube-scheduler/framework/types.go.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, StrEnum, auto
from typing import Any

from schedcheck.model.production.snapshot.requests import occupied
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.objects import Node, Pod


class Action(Flag):
    """The kinds of changes."""

    ADD = auto()
    DELETE = auto()
    UPDATE_NODE_ALLOCATABLE = auto()
    UPDATE_NODE_LABEL = auto()
    UPDATE_NODE_TAINT = auto()
    UPDATE_NODE_DECLARED_FEATURE = auto()
    UPDATE_POD_LABEL = auto()
    UPDATE_POD_SCALE_DOWN = auto()
    UPDATE_POD_TOLERATIONS = auto()
    UPDATE_POD_GATES_ELIMINATED = auto()
    UPDATE_OTHER = auto()
    UPDATE = (
        UPDATE_NODE_ALLOCATABLE
        | UPDATE_NODE_LABEL
        | UPDATE_NODE_TAINT
        | UPDATE_NODE_DECLARED_FEATURE
        | UPDATE_POD_LABEL
        | UPDATE_POD_SCALE_DOWN
        | UPDATE_POD_TOLERATIONS
        | UPDATE_POD_GATES_ELIMINATED
        | UPDATE_OTHER
    )
    ALL = ADD | DELETE | UPDATE


class Resource(StrEnum):
    """The kinds of objects."""

    POD = "Pod"
    """Assigned or unscheduled."""
    ASSIGNED_POD = "AssignedPod"
    UNSCHEDULED_POD = "UnschedulablePod"
    NODE = "Node"
    PERSISTENT_VOLUME = "PersistentVolume"
    PERSISTENT_VOLUME_CLAIM = "PersistentVolumeClaim"
    STORAGE_CLASS = "StorageClass"
    CSI_NODE = "CSINode"
    CSI_DRIVER = "CSIDriver"
    CSI_STORAGE_CAPACITY = "CSIStorageCapacity"
    VOLUME_ATTACHMENT = "VolumeAttachment"
    OTHER = "Other"
    WILDCARD = "*"


@dataclass(frozen=True)
class ClusterEvent:
    """A change of objects of a kind; `label` names an event that is not an object's change."""

    resource: Resource
    action: Action
    label: str = ""

    @property
    def wildcard(self) -> bool:
        """Whether the event concerns every pending pod, whichever plugin rejected it."""
        return self.resource is Resource.WILDCARD and self.action == Action.ALL

    def covers(self, other: "ClusterEvent") -> bool:
        """Whether a plugin interested in this event is interested in `other`."""
        same = self.resource is other.resource or (
            self.resource is Resource.POD and other.resource in (Resource.ASSIGNED_POD, Resource.UNSCHEDULED_POD)
        )
        return self.wildcard or (same and bool(self.action & other.action))

    def __str__(self) -> str:
        return self.label or f"{self.resource}{self.action.name}"


NODE_ADDED = ClusterEvent(Resource.NODE, Action.ADD)
NODE_DELETED = ClusterEvent(Resource.NODE, Action.DELETE)
UNSCHEDULED_POD_ADDED = ClusterEvent(Resource.UNSCHEDULED_POD, Action.ADD)
ASSIGNED_POD_ADDED = ClusterEvent(Resource.ASSIGNED_POD, Action.ADD)
ASSIGNED_POD_DELETED = ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE)
TIMED_OUT = ClusterEvent(Resource.WILDCARD, Action.ALL, "UnschedulableTimeout")
FORCED = ClusterEvent(Resource.WILDCARD, Action.ALL, "ForceActivate")

Hint = Callable[[Pod, Any, Any], bool]
"""Whether the event may make the pod schedulable: a function of the pod and of the object before and after (or None).

A hint that raises counts as yes, so that no pod stays stranded.
"""


@dataclass(frozen=True)
class EventOfInterest:
    """An event that a plugin is interested in, and its queueing hint; without a hint every such event counts."""

    event: ClusterEvent
    hint: Hint | None = None


def node_changes(before: Node, after: Node) -> list[ClusterEvent]:
    """Return the events of an updated node; lifting a cordon counts as a change of taints too.

    Kubernetes 1.34: NodeSchedulingPropertiesChange.
    """
    changed = (
        (before.unschedulable and not after.unschedulable, Action.UPDATE_NODE_TAINT),
        (before.allocatable != after.allocatable, Action.UPDATE_NODE_ALLOCATABLE),
        (before.labels != after.labels, Action.UPDATE_NODE_LABEL),
        (before.taints != after.taints, Action.UPDATE_NODE_TAINT),
        (before.declared_features != after.declared_features, Action.UPDATE_NODE_DECLARED_FEATURE),
    )
    actions = dict.fromkeys(action for differs, action in changed if differs)
    return [ClusterEvent(Resource.NODE, action) for action in actions]


def pod_changes(before: Pod, after: Pod, departures: Departures) -> list[ClusterEvent]:
    """Return the events of an updated pod; a change that matches none of them is UPDATE_OTHER.

    Kubernetes 1.34: PodSchedulingPropertiesChange.
    """
    resource = Resource.ASSIGNED_POD if after.node_name else Resource.UNSCHEDULED_POD
    changed = (
        (before.labels != after.labels, Action.UPDATE_POD_LABEL),
        (_scaled_down(before, after, departures), Action.UPDATE_POD_SCALE_DOWN),
        (bool(before.scheduling_gates) and not after.scheduling_gates, Action.UPDATE_POD_GATES_ELIMINATED),
        (before.tolerations != after.tolerations, Action.UPDATE_POD_TOLERATIONS),
    )
    found = [ClusterEvent(resource, action) for differs, action in changed if differs]
    return found or [ClusterEvent(resource, Action.UPDATE_OTHER)]


def _scaled_down(before: Pod, after: Pod, departures: Departures) -> bool:
    """Whether the pod requests less of some resource than before."""
    now = occupied(after, departures)
    return any(now.get(resource, 0) < size for resource, size in occupied(before, departures).items())
