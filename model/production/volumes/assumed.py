"""The volumes and claims that are assumed for pods being bound: `AssumedVolumes`.

The assumed object replaces the delivered one: a volume that names its claim, or a claim with a selected node.

Kubernetes 1.34: pkg/scheduler/util/assumecache, AssumePodVolumes and RevertAssumedPodVolumes in
pkg/scheduler/framework/plugins/volumebinding/binder.go. Differs: if two pods assume the same form of an object, only
the first forgets it, so that assuming and forgetting leave no trace. In kube-scheduler the second forgets it too.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from schedcheck.spec.storage import PersistentVolume, PersistentVolumeClaim, Storage

Key = tuple[str, str]


@dataclass(frozen=True)
class Reserved:
    """The objects assumed for one pod: volumes by name, and claims by namespace and name."""

    volumes: tuple[str, ...] = ()
    claims: tuple[Key, ...] = ()


@dataclass
class AssumedVolumes:
    """The assumed form of volumes, by name, and of claims, by namespace and name."""

    volumes: dict[str, PersistentVolume] = field(default_factory=dict)
    claims: dict[Key, PersistentVolumeClaim] = field(default_factory=dict)
    _over: tuple[Storage, Storage] | None = field(default=None, repr=False, compare=False)
    """The last storage and the answer to it, until something is assumed or forgotten."""

    def over(self, storage: Storage) -> Storage:
        """Return the storage with the assumed objects in place of the delivered ones."""
        if self._over is None or self._over[0] is not storage:
            self._over = storage, assuming(storage, self.volumes.values(), self.claims.values())
        return self._over[1]

    def assume(
        self, volumes: Iterable[PersistentVolume], claims: Iterable[PersistentVolumeClaim]
    ) -> Reserved:  # fmt: skip
        """Assume these objects, and return their keys."""
        self._over = None
        new = {each.name: each for each in volumes}, {each.key: each for each in claims}
        self.volumes |= new[0]
        self.claims |= new[1]
        return Reserved(tuple(new[0]), tuple(new[1]))

    def forget(self, reserved: Reserved) -> tuple[list[PersistentVolume], list[PersistentVolumeClaim]]:
        """Forget these assumed objects, and return those that were still assumed."""
        self._over = None
        volumes = [self.volumes.pop(name) for name in reserved.volumes if name in self.volumes]
        return volumes, [self.claims.pop(key) for key in reserved.claims if key in self.claims]


def assuming(
    storage: Storage, volumes: Iterable[PersistentVolume], claims: Iterable[PersistentVolumeClaim]
) -> Storage:  # fmt: skip
    """Return the storage with these objects in place of those of the same names; no object is added."""
    by_name, by_key = {each.name: each for each in volumes}, {each.key: each for each in claims}
    if not by_name and not by_key:
        return storage
    return replace(
        storage,
        volumes=tuple(by_name.get(each.name, each) for each in storage.volumes),
        claims=tuple(by_key.get(each.key, each) for each in storage.claims),
    )
