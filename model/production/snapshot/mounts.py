"""Inline disks that cannot be mounted twice on a node: `Mount`, `mounts`, `VolumeUsers`.

Kubernetes 1.34: isVolumeConflict in pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import ISCSI, RBD, AWSElasticBlockStore, GCEPersistentDisk

if TYPE_CHECKING:
    from schedcheck.model.production.snapshot.pod_info import PodInfo

Key = tuple[str, str]


class Mount(NamedTuple):
    """A mount of a disk. Two mounts of one disk clash if one of them writes.

    A disk that cannot be shared at all counts as written.
    """

    disk: tuple[str, ...]
    writes: bool


def mounts(pod: Pod) -> tuple[Mount, ...]:
    """Return the mounts of the pod's inline disks; a Ceph image has one for each of its monitors."""
    return tuple(mount for volume in pod.volumes for mount in _mounts(volume.source))


def _mounts(source: object) -> Iterator[Mount]:
    match source:
        case GCEPersistentDisk(name, read_only):
            yield Mount(("gce", name), not read_only)
        case AWSElasticBlockStore(name):
            yield Mount(("ebs", name), True)
        case ISCSI(iqn=name, read_only=read_only):
            yield Mount(("iscsi", name), not read_only)
        case RBD(monitors, image, pool, read_only):
            for monitor in monitors:
                yield Mount(("rbd", monitor, pool, image), not read_only)


def restricted(source: object) -> bool:
    """Whether a volume is of a kind that may clash with another pod's."""
    return isinstance(source, (GCEPersistentDisk, AWSElasticBlockStore, ISCSI, RBD))


def clashing(wanted: Iterable[Mount], held: Iterable[Mount]) -> bool:
    """Whether a wanted mount clashes with one in use."""
    there = set(held)
    return any(other in there for mount in wanted for other in rivals(mount))


def rivals(wanted: Mount) -> tuple[Mount, ...]:
    """Return the mounts that clash with this one."""
    return (Mount(wanted.disk, True), Mount(wanted.disk, False)) if wanted.writes else (Mount(wanted.disk, True),)


class VolumeUsers:
    """The pods with volumes on each row, the rows of each mount, and the number of users of each claim."""

    def __init__(self) -> None:
        self.claims: Counter[tuple[str, str]] = Counter()
        self._on: dict[int, tuple[PodInfo, ...]] = {}
        self._rows: dict[Mount, set[int]] = {}

    def on(self, row: int) -> Sequence["PodInfo"]:
        """Return the pods with volumes on a row, in the order of their keys."""
        return self._on.get(row, ())

    def put(self, row: int, infos: Iterable["PodInfo"]) -> None:
        """Set the pods on a row; only those with volumes are kept."""
        after = tuple(sorted((info for info in infos if info.pod.volumes), key=lambda info: info.key))
        before = self._on.get(row, ())
        if not before and not after:
            return
        self.claims.subtract(_used(before))
        self.claims.update(_used(after))
        for mount in _mounted(before):
            self._rows[mount].discard(row)
        for mount in _mounted(after):
            self._rows.setdefault(mount, set()).add(row)
        self._on[row] = after

    def keeping_out(self, wanted: Iterable[Mount]) -> set[int]:
        """Return the rows on which one of these mounts clashes."""
        return set().union(*(self._rows.get(rival, set()) for mount in wanted for rival in rivals(mount)))


def _used(infos: Iterable["PodInfo"]) -> Iterator[Key]:
    return ((info.pod.namespace, name) for info in infos for name in info.claims)


def _mounted(infos: Iterable["PodInfo"]) -> set[Mount]:
    return {mount for info in infos for mount in info.mounts}
