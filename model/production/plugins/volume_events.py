"""The events that VolumeBinding is interested in: `EVENTS`.

Kubernetes 1.34: EventsToRegister in pkg/scheduler/framework/plugins/volumebinding/volume_binding.go.
"""

from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.plugins.node_volume_limits import has_claim
from schedcheck.model.production.volumes.matching import largest
from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import CSI, CSIDriver, CSINode, CSIStorageCapacity, StorageClass


def makes_elsewhere(pod: Pod, before: StorageClass | None, after: StorageClass) -> bool:
    """Whether the storage class is new, or its allowed topologies changed."""
    return before is None or before.allowed_topologies != after.allowed_topologies


def moves_plugins(pod: Pod, before: CSINode | None, after: CSINode) -> bool:
    """Whether the CSINode is new, or its migrated plugins changed."""
    return before is None or before.migrated != after.migrated


def asks_no_more_of_room(pod: Pod, before: CSIDriver, after: CSIDriver) -> bool:
    """Whether the driver of an inline volume of the pod stopped reporting its storage capacity."""
    drivers = {volume.source.driver for volume in pod.volumes if isinstance(volume.source, CSI)}
    return after.name in drivers and before.storage_capacity and not after.storage_capacity


def has_more_room(pod: Pod, before: CSIStorageCapacity | None, after: CSIStorageCapacity) -> bool:
    """Whether the capacity is new, or larger than before."""
    if before is None:
        return True
    was, now = largest(before), largest(after)
    return now is not None and (was is None or now > was)


COMES_OR_CHANGES = Action.ADD | Action.UPDATE
EVENTS = (
    EventOfInterest(ClusterEvent(Resource.STORAGE_CLASS, COMES_OR_CHANGES), makes_elsewhere),
    EventOfInterest(ClusterEvent(Resource.PERSISTENT_VOLUME_CLAIM, COMES_OR_CHANGES), has_claim),
    EventOfInterest(ClusterEvent(Resource.PERSISTENT_VOLUME, COMES_OR_CHANGES)),
    EventOfInterest(ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL)),
    EventOfInterest(ClusterEvent(Resource.CSI_NODE, COMES_OR_CHANGES), moves_plugins),
    EventOfInterest(ClusterEvent(Resource.CSI_DRIVER, Action.UPDATE), asks_no_more_of_room),
    EventOfInterest(ClusterEvent(Resource.CSI_STORAGE_CAPACITY, COMES_OR_CHANGES), has_more_room),
)
