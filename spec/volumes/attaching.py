"""The volumes that CSI drivers attach to nodes for the claims of pods: `Attached`, `of_claim`.

Kubernetes 1.34: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go; 1.17: getCSIDriverInfo in
pkg/scheduler/algorithm/predicates/csi_volume_predicate.go.
"""

from schedcheck.spec.storage import CSI, CSINode, PersistentVolume, PersistentVolumeClaim, Storage
from schedcheck.spec.volumes.csi_migration import DRIVERS, handle, moved, plugin_of

Attached = tuple[str, ...]
"""A volume that a driver attaches: driver and handle, or driver, namespace and claim if not yet provisioned."""


def of_volume(volume: PersistentVolume, node: CSINode | None) -> Attached | None:
    """Return the attachment of a persistent volume; None if no CSI driver attaches it."""
    if isinstance(volume.source, CSI):
        return (volume.source.driver, volume.source.handle) if volume.source.handle else None
    plugin = plugin_of(volume.source)
    name = handle(volume.source, volume.labels)
    return (DRIVERS[plugin], name) if plugin is not None and moved(plugin, node) and name else None


def to_be_made(claim: PersistentVolumeClaim, node: CSINode | None, storage: Storage) -> Attached | None:
    """Return the attachment of the volume to be provisioned for a claim; None if no CSI driver provisions it."""
    storage_class = storage.storage_class(claim.storage_class or "")
    if storage_class is None:
        return None
    plugin = storage_class.provisioner
    if plugin in DRIVERS:
        return (DRIVERS[plugin], *claim.key) if moved(plugin, node) else None
    return (plugin, *claim.key) if plugin else None


def of_claim(claim: PersistentVolumeClaim, node: CSINode | None, storage: Storage) -> Attached | None:
    """Return the attachment of the claim's volume, provisioned or not; None if no CSI driver attaches it."""
    volume = storage.volume(claim.volume_name)
    return to_be_made(claim, node, storage) if volume is None else of_volume(volume, node)
