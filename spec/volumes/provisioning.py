"""Dynamic provisioning: whether a volume can be provisioned for a claim on a node: `why_not_made`.

Kubernetes 1.34: checkVolumeProvisions and hasEnoughCapacity in pkg/scheduler/framework/plugins/volumebinding/binder.go.
"""

from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node
from schedcheck.spec.selectors import match_ns, selects
from schedcheck.spec.storage import CSIStorageCapacity, PersistentVolumeClaim, Storage, StorageClass

NONE_TO_BIND = "node(s) didn't find available persistent volumes to bind"
NO_SPACE = "node(s) did not have enough free storage"
NO_PROVISIONER = ("", "kubernetes.io/no-provisioner")


def in_topologies(storage_class: StorageClass, node: Node) -> bool:
    """Whether the node matches the allowedTopologies of the class; a term without requirements matches no node."""
    return storage_class.allowed_topologies == () or any(
        term != () and all(match_ns(requirement, node.labels, NO_FAULTS) for requirement in term)
        for term in storage_class.allowed_topologies
    )


def can_make(storage_class: StorageClass, node: Node) -> bool:
    """Whether the class has a provisioner that provisions volumes for the node."""
    return storage_class.provisioner not in NO_PROVISIONER and in_topologies(storage_class, node)


def room(capacity: CSIStorageCapacity) -> int | None:
    """Return the size of the largest volume that can be provisioned, in bytes; None if unknown."""
    return capacity.capacity if capacity.maximum_volume_size is None else capacity.maximum_volume_size


def limited(claim: PersistentVolumeClaim, storage_class: StorageClass, storage: Storage) -> bool:
    """Whether the driver of the class publishes its capacity, so that a claim needs enough of it."""
    driver = storage.driver(storage_class.provisioner)
    return claim.request != 0 and driver is not None and driver.storage_capacity


def spaces(
    claim: PersistentVolumeClaim, storage_class: StorageClass, node: Node, storage: Storage
) -> tuple[CSIStorageCapacity, ...]:
    """Return the capacities that are enough for the claim on the node."""
    return tuple(
        capacity
        for capacity in storage.capacities
        if capacity.storage_class == storage_class.name
        and (size := room(capacity)) is not None
        and size >= claim.request
        and selects(capacity.node_topology, node.labels, NO_FAULTS)
    )


def has_space(claim: PersistentVolumeClaim, storage_class: StorageClass, node: Node, storage: Storage) -> bool:
    """Whether the driver has enough capacity for the claim on the node; yes if it publishes no capacity."""
    return not limited(claim, storage_class, storage) or spaces(claim, storage_class, node, storage) != ()


def why_not_made(claim: PersistentVolumeClaim, node: Node, storage: Storage) -> str | None:
    """Return why no volume can be provisioned for the claim on the node; None if one can."""
    storage_class = storage.storage_class(claim.storage_class or "")
    if storage_class is None or not can_make(storage_class, node):
        return NONE_TO_BIND
    return None if has_space(claim, storage_class, node, storage) else NO_SPACE
