"""The predicate NoDiskConflict: no disk that a pod names is mounted on the node in a way that excludes it.

Only inline disks of pods are compared; those behind claims are not considered.
Kubernetes 1.6: NoDiskConflict and isVolumeConflict in plugin/pkg/scheduler/algorithm/predicates/predicates.go.
Differs: 1.4 does not know iSCSI, and 1.17 compares only its qualified name.
"""

from schedcheck.spec.binding import occupants
from schedcheck.spec.classic.failures import DISK_CONFLICT, Failure
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.storage import ISCSI, RBD, AWSElasticBlockStore, GCEPersistentDisk, Volume

ISCSI_PORT = "3260"


def portal(disk: ISCSI) -> str:
    """Return the portal of an iSCSI target, with the default port if none is given."""
    return disk.target_portal if ":" in disk.target_portal else f"{disk.target_portal}:{ISCSI_PORT}"


def conflict(volume: Volume, other: Volume) -> bool:
    """Whether pods with these volumes cannot share a node: they are the same disk, and not both read-only.

    Two pods can never share an EBS volume, read-only or not.
    """
    match volume.source, other.source:
        case GCEPersistentDisk() as disk, GCEPersistentDisk() as mounted:
            return disk.pd_name == mounted.pd_name and not (disk.read_only and mounted.read_only)
        case AWSElasticBlockStore() as disk, AWSElasticBlockStore() as mounted:
            return disk.volume_id == mounted.volume_id
        case ISCSI() as disk, ISCSI() as mounted:
            same = (disk.iqn, disk.lun, portal(disk)) == (mounted.iqn, mounted.lun, portal(mounted))
            return same and not (disk.read_only and mounted.read_only)
        case RBD() as disk, RBD() as mounted:
            same = (disk.pool, disk.image) == (mounted.pool, mounted.image)
            monitored = not frozenset(disk.monitors).isdisjoint(mounted.monitors)
            return same and monitored and not (disk.read_only and mounted.read_only)
        case _:
            return False


def no_disk_conflict(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    """Whether no volume of `pod` conflicts with one of a pod on `node`."""
    return not any(
        conflict(volume, mounted)
        for volume in pod.volumes
        for other in occupants(node, snapshot, NO_FAULTS)
        for mounted in other.volumes
    )


@looks_at("occupants.volumes")
def failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Return the failure of NoDiskConflict on `node`; empty if it passes."""
    return () if no_disk_conflict(pod, node, snapshot) else (DISK_CONFLICT,)
