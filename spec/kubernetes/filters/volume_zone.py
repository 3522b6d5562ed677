"""The plugin VolumeZone: a node must have the zone and region that the labels of the pod's volumes name.

Kubernetes 1.34: pkg/scheduler/framework/plugins/volumezone/volume_zone.go, LabelZonesToSet in
k8s.io/cloud-provider/volume/helpers. Only claims that the pod itself names are considered. A node without any zone or
region label passes.
"""

from dataclasses import dataclass

from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.refusal import Refusal, unresolvable
from schedcheck.spec.storage import WAIT_FOR_FIRST_CONSUMER, PersistentVolume, PersistentVolumeClaim, Storage
from schedcheck.spec.volumes.claims import claimed, not_found
from schedcheck.spec.volumes.csi_migration import BETA_REGION, BETA_ZONE, REGION, ZONE, ZONES

NAME = "VolumeZone"
NO_ZONE = "node(s) had no available volume zone"

TODAY = {BETA_ZONE: ZONE, BETA_REGION: REGION}
"""The current names of the deprecated labels."""

KEYS = (BETA_ZONE, BETA_REGION, ZONE, REGION)


@dataclass(frozen=True)
class Topology:
    """A zone or region label of a volume, and the values of which a node must have one."""

    key: str
    values: frozenset[str]


def topologies_of(volume: PersistentVolume) -> tuple[Topology, ...]:
    """Return the zones and regions that the labels of a volume name; a label with an empty zone name is ignored."""
    parted = ((key, [zone.strip() for zone in volume.labels[key].split(ZONES)]) for key in KEYS if key in volume.labels)
    return tuple(Topology(key, frozenset(zones)) for key, zones in parted if all(zones))


@looks_at("storage.claims", "storage.volumes")
def topologies(pod: Pod, storage: Storage) -> tuple[Topology, ...]:
    """Return the zones and regions that the labels of the volumes of `pod` name."""
    claims = (storage.claim(pod.namespace, name) for name in claimed(pod))
    volumes = (storage.volume(claim.volume_name) for claim in claims if claim is not None)
    return tuple(topology for volume in volumes if volume is not None for topology in topologies_of(volume))


def in_topology(topology: Topology, node: Node) -> bool:
    """Whether the node has one of the values, under the key or, if it lacks that, under the key's current name."""
    key = topology.key if topology.key in node.labels else TODAY.get(topology.key, topology.key)
    return key in node.labels and node.labels[key] in topology.values


def volume_zone(node: Node, where: tuple[Topology, ...]) -> bool:
    """Whether the node has no zone or region label, or is in every zone and region that the volumes name."""
    return not any(key in node.labels for key in KEYS) or all(in_topology(each, node) for each in where)


@looks_at("node.labels", "storage.claims", "storage.volumes")
def refusal(node: Node, where: tuple[Topology, ...]) -> Refusal | None:
    """Return the refusal of the node by VolumeZone; None if it passes. `where` is the result of `topologies`."""
    return None if volume_zone(node, where) else unresolvable(NAME, NO_ZONE)


def unplaced(claim: PersistentVolumeClaim, storage: Storage) -> str | None:
    """Return why the place of a claim's volume is unknown; None if it is known, or follows the pod."""
    if claim.volume_name:
        absent = storage.volume(claim.volume_name) is None
        return not_found("persistentvolume", claim.volume_name) if absent else None
    if not claim.storage_class:
        return "PersistentVolumeClaim had no pv name and storageClass name"
    storage_class = storage.storage_class(claim.storage_class)
    if storage_class is None:
        return not_found("storageclass.storage.k8s.io", claim.storage_class)
    return None if storage_class.binding_mode == WAIT_FOR_FIRST_CONSUMER else "PersistentVolume had no name"


@looks_at("storage.claims", "storage.volumes", "storage.classes")
def rejection(pod: Pod, storage: Storage) -> Refusal | None:
    """Return the rejection of `pod` for every node: a claim does not exist, or the place of its volume is unknown."""
    for name in claimed(pod):
        claim = storage.claim(pod.namespace, name)
        reason = not_found("persistentvolumeclaim", name) if claim is None else unplaced(claim, storage)
        if reason is not None:
            return unresolvable(NAME, reason)
    return None


@looks_at("node.labels", "storage.claims", "storage.volumes", "storage.classes")
def unprepared(pod: Pod, node: Node, storage: Storage) -> Refusal | None:
    """Return the refusal of the node if VolumeZone did not run at PreFilter; what rejects there then refuses a node."""
    return rejection(pod, storage) or refusal(node, topologies(pod, storage))


def skipped(where: tuple[Topology, ...]) -> bool:
    """Whether no volume has a zone or region label."""
    return where == ()
