"""The predicates Max*VolumeCount for EBS, GCE PD, Azure Disk and Cinder: how many such disks a node may have attached.

Both inline disks of pods and those behind their claims count, each once, however many pods share it.
Kubernetes 1.6: MaxPDVolumeCountChecker in plugin/pkg/scheduler/algorithm/predicates/predicates.go, getMaxVols in
plugin/pkg/scheduler/algorithmprovider/defaults/defaults.go; for Cinder 1.17: pkg/scheduler/algorithm/predicates.
Differs: 1.17 skips claims that it cannot look up, and goes on after them.
"""

import re
from collections.abc import Hashable
from typing import Final

from schedcheck.spec.binding import occupants
from schedcheck.spec.classic.failures import MAX_VOLUME_COUNT_EXCEEDED, Failure, error
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.storage import (
    AWSElasticBlockStore,
    AzureDisk,
    Cinder,
    ClaimSource,
    Disk,
    Ephemeral,
    GCEPersistentDisk,
    ImageSource,
    Volume,
)
from schedcheck.spec.volumes.binding import waits

MOST_EBS_VOLUMES: Final = 39
"""The default limit of EBS volumes: Amazon recommends at most 40, and one of them is the root volume."""

MOST_GCE_VOLUMES: Final = 16

MOST_AZURE_VOLUMES: Final = 16

MOST_CINDER_VOLUMES: Final = 256

MOST: Final = {
    "MaxEBSVolumeCount": MOST_EBS_VOLUMES,
    "MaxGCEPDVolumeCount": MOST_GCE_VOLUMES,
    "MaxAzureDiskVolumeCount": MOST_AZURE_VOLUMES,
    "MaxCinderVolumeCount": MOST_CINDER_VOLUMES,
}
NUMBER: Final = re.compile(r"[+-]?[0-9]+", re.ASCII)


def most_volumes(predicate: str, text: str) -> int:
    """Return the limit of the predicate: KUBE_MAX_PD_VOLS, given as `text`, if it is positive, else the default."""
    number = int(text) if NUMBER.fullmatch(text) and len(text) <= 20 else 0
    return number if 0 < number < 2**63 else MOST[predicate]


def identity(source: Disk | ClaimSource | Ephemeral | ImageSource | None, predicate: str) -> Hashable | None:
    """Return the identity of a disk of the kind that the predicate counts; None for any other volume."""
    match source:
        case AWSElasticBlockStore(volume_id) if predicate == "MaxEBSVolumeCount":
            return volume_id
        case GCEPersistentDisk(pd_name) if predicate == "MaxGCEPDVolumeCount":
            return pd_name
        case AzureDisk(disk_name) if predicate == "MaxAzureDiskVolumeCount":
            return disk_name
        case Cinder(volume_id) if predicate == "MaxCinderVolumeCount":
            return volume_id
        case _:
            return None


def lost(pod: Pod, volume: Volume, snapshot: Snapshot) -> bool:
    """Whether the volume names a claim, and the claim or the volume to which it is bound does not exist."""
    if not isinstance(volume.source, ClaimSource):
        return False
    claim = snapshot.storage.claim(pod.namespace, volume.source.claim_name)
    return claim is None or (claim.volume_name != "" and snapshot.storage.volume(claim.volume_name) is None)


def looked_at(pod: Pod, snapshot: Snapshot) -> tuple[Volume, ...]:
    """Return the volumes of `pod` up to and including the first lost one; later ones are not considered."""
    first = next((place for place, each in enumerate(pod.volumes) if lost(pod, each, snapshot)), len(pod.volumes))
    return pod.volumes[: first + 1]


def counted(pod: Pod, volume: Volume, predicate: str, snapshot: Snapshot) -> Hashable | None:
    """Return the identity under which a volume counts, or None; a lost one counts by itself, whatever its kind."""
    if lost(pod, volume, snapshot):
        return pod.key, volume
    if not isinstance(volume.source, ClaimSource):
        return identity(volume.source, predicate)
    claim = snapshot.storage.claim(pod.namespace, volume.source.claim_name)
    behind = None if claim is None else snapshot.storage.volume(claim.volume_name)
    return None if behind is None else identity(behind.source, predicate)


def attached(pod: Pod, predicate: str, snapshot: Snapshot) -> frozenset[Hashable]:
    """Return the disks of the kind that the predicate counts and `pod` attaches to its node."""
    each_as = (counted(pod, volume, predicate, snapshot) for volume in looked_at(pod, snapshot))
    return frozenset(disk for disk in each_as if disk is not None)


def unbound(pod: Pod, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Return the error for the first claim of `pod` that is unbound and may not wait; empty if there is none."""
    sources = (each.source for each in looked_at(pod, snapshot) if isinstance(each.source, ClaimSource))
    claims = ((source, snapshot.storage.claim(pod.namespace, source.claim_name)) for source in sources)
    return tuple(
        error(f'PersistentVolumeClaim is not bound: "{source.claim_name}"')
        for source, claim in claims
        if claim is not None and claim.volume_name == "" and not waits(claim, snapshot.storage)
    )[:1]


def max_volume_count(pod: Pod, node: Node, snapshot: Snapshot, predicate: str, most: int) -> bool:
    """Whether `node` has at most `most` disks attached once `pod` is there; a pod without such disks always passes."""
    new = attached(pod, predicate, snapshot)
    there = (attached(other, predicate, snapshot) for other in occupants(node, snapshot, NO_FAULTS))
    return not new or len(new.union(*there)) <= most


@looks_at("occupants.volumes", "storage.claims", "storage.volumes", "storage.classes")
def failures(pod: Pod, node: Node, snapshot: Snapshot, predicate: str, most: int) -> tuple[Failure, ...]:
    """Return the failure of the predicate of this name on `node`; empty if it passes."""
    own = unbound(pod, snapshot)
    if own or not attached(pod, predicate, snapshot):
        return own
    others = sorted(occupants(node, snapshot, NO_FAULTS), key=lambda other: other.key)
    theirs = tuple(failure for other in others for failure in unbound(other, snapshot))[:1]
    if theirs:
        return theirs
    return () if max_volume_count(pod, node, snapshot, predicate, most) else (MAX_VOLUME_COUNT_EXCEEDED,)
