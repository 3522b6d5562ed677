"""The plugin VolumeZone: the zone and region in the labels of a volume are those of its node.

Kubernetes 1.34: pkg/scheduler/framework/plugins/volumezone/volume_zone.go, LabelZonesToSet in
k8s.io/cloud-provider/volume/helpers. Only claims that the pod names itself are looked at. A node without any of the
labels is in every zone.
"""

from dataclasses import dataclass

from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.refusal import Refusal, unresolvable
from schedcheck.spec.kubernetes.volumes.claims import claimed, not_found
from schedcheck.spec.kubernetes.volumes.csi_migration import BETA_REGION, BETA_ZONE, REGION, ZONE, ZONES
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.storage import WAIT_FOR_FIRST_CONSUMER, PersistentVolume, PersistentVolumeClaim, Storage

NAME = "VolumeZone"
NO_ZONE = "node(s) had no available volume zone"

TODAY = {BETA_ZONE: ZONE, BETA_REGION: REGION}
"""What the labels of old are called today."""

KEYS = (BETA_ZONE, BETA_REGION, ZONE, REGION)


@dataclass(frozen=True)
class Topology:
    """A label of a volume, and the values one of which its node must have."""

    key: str
    values: frozenset[str]


def topologies_of(volume: PersistentVolume) -> tuple[Topology, ...]:
    """What the labels of a volume say of where it is; one that names a zone without letters says nothing."""
    parted = ((key, [zone.strip() for zone in volume.labels[key].split(ZONES)]) for key in KEYS if key in volume.labels)
    return tuple(Topology(key, frozenset(zones)) for key, zones in parted if all(zones))


@looks_at("storage.claims", "storage.volumes")
def topologies(pod: Pod, storage: Storage) -> tuple[Topology, ...]:
    """What the labels of the volumes that `pod` has claimed say of where they are."""
    claims = (storage.claim(pod.namespace, name) for name in claimed(pod))
    volumes = (storage.volume(claim.volume_name) for claim in claims if claim is not None)
    return tuple(topology for volume in volumes if volume is not None for topology in topologies_of(volume))


def in_topology(topology: Topology, node: Node) -> bool:
    """Whether the node has one of the values, under the key itself or, if it lacks that, under what it is called today."""
    key = topology.key if topology.key in node.labels else TODAY.get(topology.key, topology.key)
    return key in node.labels and node.labels[key] in topology.values


def volume_zone(node: Node, where: tuple[Topology, ...]) -> bool:
    """Whether the node has none of the labels, or is where the volumes are."""
    return not any(key in node.labels for key in KEYS) or all(in_topology(each, node) for each in where)


@looks_at("node.labels", "storage.claims", "storage.volumes")
def refusal(node: Node, where: tuple[Topology, ...]) -> Refusal | None:
    """Why VolumeZone refuses the node, None where it does not; `where` is what `topologies` says."""
    return None if volume_zone(node, where) else unresolvable(NAME, NO_ZONE)


def unplaced(claim: PersistentVolumeClaim, storage: Storage) -> str | None:
    """Why it is not known where the volume of a claim is, None where it is, or will be where the pod is."""
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
    """The rejection of `pod` for every node, where a claim or its volume is not there."""
    for name in claimed(pod):
        claim = storage.claim(pod.namespace, name)
        reason = not_found("persistentvolumeclaim", name) if claim is None else unplaced(claim, storage)
        if reason is not None:
            return unresolvable(NAME, reason)
    return None


def skipped(where: tuple[Topology, ...]) -> bool:
    """Whether no label of a volume says where it is."""
    return where == ()
