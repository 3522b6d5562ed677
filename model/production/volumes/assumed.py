"""The volumes and claims that are set aside for pods on their way to a node: `AssumedVolumes`.

In place of the object that was delivered stands the one that is to be written: a volume that names its claim, a claim for
which a volume is made on a node.

Kubernetes 1.34: pkg/scheduler/util/assumecache, AssumePodVolumes and RevertAssumedPodVolumes in
pkg/scheduler/framework/plugins/volumebinding/binder.go. Differs: who assumes what another has assumed already in the same
form does not take it back, so that to assume and to forget leave no trace; kube-scheduler takes it from the other as well.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from schedcheck.spec.storage import PersistentVolume, PersistentVolumeClaim, Storage

Key = tuple[str, str]


@dataclass(frozen=True)
class Reserved:
    """What was assumed for one pod: volumes by name, and claims by namespace and name."""

    volumes: tuple[str, ...] = ()
    claims: tuple[Key, ...] = ()


@dataclass
class AssumedVolumes:
    """The assumed form of volumes, by name, and of claims, by namespace and name."""

    volumes: dict[str, PersistentVolume] = field(default_factory=dict)
    claims: dict[Key, PersistentVolumeClaim] = field(default_factory=dict)

    def over(self, storage: Storage) -> Storage:
        """The storage with what is assumed in it."""
        return assuming(storage, self.volumes.values(), self.claims.values())

    def assume(
        self, volumes: Iterable[PersistentVolume], claims: Iterable[PersistentVolumeClaim]
    ) -> Reserved:  # fmt: skip
        """Assume these, and what can be forgotten again."""
        new = {each.name: each for each in volumes}, {each.key: each for each in claims}
        self.volumes |= new[0]
        self.claims |= new[1]
        return Reserved(tuple(new[0]), tuple(new[1]))

    def forget(self, reserved: Reserved) -> tuple[list[PersistentVolume], list[PersistentVolumeClaim]]:
        """Assume these no more, and what was assumed; some of them may have gone already."""
        volumes = [self.volumes.pop(name) for name in reserved.volumes if name in self.volumes]
        return volumes, [self.claims.pop(key) for key in reserved.claims if key in self.claims]


def assuming(
    storage: Storage, volumes: Iterable[PersistentVolume], claims: Iterable[PersistentVolumeClaim]
) -> Storage:  # fmt: skip
    """The storage in which these stand in the place of those of the same names; who is not there does not come."""
    by_name, by_key = {each.name: each for each in volumes}, {each.key: each for each in claims}
    if not by_name and not by_key:
        return storage
    return replace(
        storage,
        volumes=tuple(by_name.get(each.name, each) for each in storage.volumes),
        claims=tuple(by_key.get(each.key, each) for each in storage.claims),
    )
