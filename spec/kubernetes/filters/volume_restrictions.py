"""The plugin VolumeRestrictions: disks that cannot be mounted twice on a node, and ReadWriteOncePod claims.

Kubernetes 1.34: pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go. Uses are counted as there: a
claim in use counts once, however many pods use it, but each of these pods that is removed subtracts one.
"""

from collections.abc import Iterable

from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.objects import Pod
from schedcheck.spec.refusal import Refusal, unresolvable, unschedulable
from schedcheck.spec.storage import ISCSI, RBD, AWSElasticBlockStore, GCEPersistentDisk, Storage, Volume
from schedcheck.spec.volumes.claims import claimed, not_found

NAME = "VolumeRestrictions"
NO_DISK = "node(s) had no available disk"
IN_USE = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod"
)

ONCE_A_NODE = GCEPersistentDisk | AWSElasticBlockStore | ISCSI | RBD
"""The disks that two pods on one node cannot both mount, unless both are read-only and the kind allows that."""


def clash(volume: Volume, other: Volume) -> bool:
    """Whether two pods on one node cannot mount both volumes: they are the same disk, and not both may be read-only."""
    match volume.source, other.source:
        case GCEPersistentDisk(disk, read_only), GCEPersistentDisk(other_disk, other_read_only):
            return disk == other_disk and not (read_only and other_read_only)
        case AWSElasticBlockStore(disk), AWSElasticBlockStore(other_disk):
            return disk == other_disk
        case ISCSI(iqn=iqn, read_only=read_only), ISCSI(iqn=other_iqn, read_only=other_read_only):
            return iqn == other_iqn and not (read_only and other_read_only)
        case RBD() as image, RBD() as other_image:
            return (
                not set(image.monitors).isdisjoint(other_image.monitors)
                and image.pool == other_image.pool
                and image.image == other_image.image
                and not (image.read_only and other_image.read_only)
            )
    return False


def for_one_pod(pod: Pod, storage: Storage) -> frozenset[str]:
    """Return the names of the ReadWriteOncePod claims of `pod`."""
    return frozenset(
        name
        for name in claimed(pod)
        if (claim := storage.claim(pod.namespace, name)) is not None and "ReadWriteOncePod" in claim.access_modes
    )


@looks_at("nodes.name", "pods.volumes", "storage.claims")
def in_use(pod: Pod, infos: Iterable[NodeInfo], storage: Storage) -> int:
    """Return how many of the ReadWriteOncePod claims of `pod` are in use by a pod on some node."""
    wanted = for_one_pod(pod, storage)
    if not wanted:
        return 0
    used = {
        name for info in infos for other in info.pods if other.namespace == pod.namespace for name in claimed(other)
    }
    return len(wanted & used)


def in_use_after(pod: Pod, info: NodeInfo, before: int, storage: Storage, departures: Departures) -> int:
    """Return that number after the pods added or removed for a trial; it may fall below 0."""
    wanted = for_one_pod(pod, storage)
    everywhere = Departure.CLAIMS_BY_NAME_ALONE in departures
    changes = [(other, sign) for other, sign in info.changes if everywhere or other.namespace == pod.namespace]
    return before + sum(sign * (name in wanted) for other, sign in changes for name in claimed(other))


def mounted(pod: Pod, info: NodeInfo) -> bool:
    """Whether a pod on the node has a disk mounted that `pod` could then not mount."""
    return any(clash(volume, held) for volume in pod.volumes for other in info.pods for held in other.volumes)


def volume_restrictions(pod: Pod, info: NodeInfo, before: int, storage: Storage, departures: Departures) -> bool:
    """Whether no disk of `pod` conflicts on the node, and none of its ReadWriteOncePod claims is in use anywhere."""
    return (
        not mounted(pod, info)
        and in_use_after(pod, info, before, storage, departures) <= 0
    )  # fmt: skip


@looks_at("nodes.name", "pods.volumes", "storage.claims")
def refusal(pod: Pod, info: NodeInfo, before: int, storage: Storage, departures: Departures) -> Refusal | None:
    """Return the refusal of the node by VolumeRestrictions; None if it passes. `before` is the result of `in_use`."""
    if mounted(pod, info):
        return unschedulable(NAME, NO_DISK)
    return unschedulable(NAME, IN_USE) if in_use_after(pod, info, before, storage, departures) > 0 else None


@looks_at("storage.claims")
def rejection(pod: Pod, storage: Storage) -> Refusal | None:
    """Return the rejection of `pod` for every node: a claim that it names does not exist."""
    missing = (name for name in claimed(pod) if storage.claim(pod.namespace, name) is None)
    return next((unresolvable(NAME, not_found("persistentvolumeclaim", name)) for name in missing), None)


def skipped(pod: Pod, before: int) -> bool:
    """Whether `pod` has no disk of a restricted kind, and none of its ReadWriteOncePod claims is in use."""
    return before == 0 and not any(isinstance(volume.source, ONCE_A_NODE) for volume in pod.volumes)
