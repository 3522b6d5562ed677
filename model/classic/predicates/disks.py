"""The predicates about disks: NoDiskConflict, and Max*VolumeCount for EBS, GCE PD, Azure Disk and Cinder.

Kubernetes 1.6: isVolumeConflict, NoDiskConflict and MaxPDVolumeCountChecker in
plugin/pkg/scheduler/algorithm/predicates/predicates.go, getMaxVols in
plugin/pkg/scheduler/algorithmprovider/defaults/defaults.go; for Azure Disk and Cinder 1.17: AzureDiskVolumeFilter and
CinderVolumeFilter in pkg/scheduler/algorithm/predicates/predicates.go. Differs: an unbound claim that waits for its first consumer
is passed over, as since 1.9; the pods of a node are gone through in the order of their names.
"""

from collections.abc import Callable, Hashable
from typing import Final

from schedcheck.model.classic.listers import Listers
from schedcheck.model.classic.metadata import Metadata
from schedcheck.model.classic.nodes.node_info import NodeInfo
from schedcheck.model.classic.predicates.arguments import Arguments, Predicate
from schedcheck.model.classic.reasons import DISK_CONFLICT, PASSED, TOO_MANY_VOLUMES, PredicateError, Reasons
from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import (
    ISCSI,
    RBD,
    AWSElasticBlockStore,
    AzureDisk,
    Cinder,
    ClaimSource,
    GCEPersistentDisk,
)

ISCSI_PORT: Final = "3260"


def no_disk_conflict(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
    """Reject a node on which a pod has mounted one of the pod's disks in a way that excludes it."""
    for volume in meta.info.pod.volumes:
        for other in node.pods.values():
            if any(_conflict(volume.source, mounted.source) for mounted in other.pod.volumes):
                return (DISK_CONFLICT,)
    return PASSED


def _conflict(new: object, old: object) -> bool:
    """Whether two sources are one disk that two pods cannot share; an EBS volume is never shared."""
    if isinstance(new, GCEPersistentDisk) and isinstance(old, GCEPersistentDisk):
        return new.pd_name == old.pd_name and not (new.read_only and old.read_only)
    if isinstance(new, AWSElasticBlockStore) and isinstance(old, AWSElasticBlockStore):
        return new.volume_id == old.volume_id
    if isinstance(new, ISCSI) and isinstance(old, ISCSI):
        unit = (new.iqn, new.lun) == (old.iqn, old.lun) and _portal(new) == _portal(old)
        return unit and not (new.read_only and old.read_only)
    if isinstance(new, RBD) and isinstance(old, RBD):
        image = new.pool == old.pool and new.image == old.image and bool(set(new.monitors) & set(old.monitors))
        return image and not (new.read_only and old.read_only)
    return False


def _portal(disk: ISCSI) -> str:
    """Return the target portal with its port."""
    return disk.target_portal if ":" in disk.target_portal else disk.target_portal + ":" + ISCSI_PORT


def ebs_volume(source: object) -> str | None:
    """Return the id of an EBS volume, None for another source."""
    return source.volume_id if isinstance(source, AWSElasticBlockStore) else None


def gce_disk(source: object) -> str | None:
    """Return the name of a GCE persistent disk, None for another source."""
    return source.pd_name if isinstance(source, GCEPersistentDisk) else None


def azure_disk(source: object) -> str | None:
    """Return the name of an Azure disk, None for another source."""
    return source.disk_name if isinstance(source, AzureDisk) else None


def cinder_volume(source: object) -> str | None:
    """Return the id of a Cinder volume, None for another source."""
    return source.volume_id if isinstance(source, Cinder) else None


def limit(text: str, default: int) -> int:
    """Return the limit that KUBE_MAX_PD_VOLS gives as a positive 64-bit integer, else the default."""
    digits = text.removeprefix("+")
    if len(text) > 20 or not (digits.isascii() and digits.isdigit()):
        return default
    return int(digits) if 0 < int(digits) < 2**63 else default


def max_volume_count(identity: Callable[[object], str | None], default: int) -> Predicate:
    """Return the predicate that rejects a node once more of these disks were attached than it takes."""

    def predicate(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
        new: set[Hashable] = set()
        _filter(meta.info.pod, identity, arguments.listers, new)
        if not new:
            return PASSED
        existing: set[Hashable] = set()
        for _, other in sorted(node.pods.items()):
            _filter(other.pod, identity, arguments.listers, existing)
        most = limit(arguments.most_volumes, default)
        return (TOO_MANY_VOLUMES,) if len(existing) + len(new - existing) > most else PASSED

    return predicate


def _filter(pod: Pod, identity: Callable[[object], str | None], listers: Listers, found: set[Hashable]) -> None:
    """Add the identities of the pod's disks; one behind a lost claim or volume counts, and ends the search.

    Raises: PredicateError.
    """
    for place, volume in enumerate(pod.volumes):
        name = identity(volume.source)
        if name is not None:
            found.add(name)
        elif isinstance(volume.source, ClaimSource):
            claim = listers.storage.claim(pod.namespace, volume.source.claim_name)
            if claim is not None and not claim.volume_name:
                if listers.waits(claim):
                    continue
                raise PredicateError(f'PersistentVolumeClaim is not bound: "{volume.source.claim_name}"')
            behind = None if claim is None else listers.storage.volume(claim.volume_name)
            if behind is None:
                found.add(("missing", *pod.key, place, volume))
                return
            name = identity(behind.source)
            if name is not None:
                found.add(name)
