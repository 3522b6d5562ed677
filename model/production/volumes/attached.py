"""The volumes that drivers attach to a node for a pod: `attached`; errors: `UncountableError`,
`NoClaimError`.

Kubernetes 1.34: filterAttachableVolumes, getCSIDriverInfo and getNodeVolumeAttachmentInfo in
pkg/scheduler/framework/plugins/nodevolumelimits/csi.go.
"""

from schedcheck.model.production.snapshot.claims import claim_name, not_found, not_made_for
from schedcheck.model.production.volumes.migration import BY_NAME, UntranslatableError, handle, plugin_of
from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import CSI, CSINode, PersistentVolume, PersistentVolumeClaim, Storage, Volume

Attached = tuple[str, ...]
"""The driver and its volume handle; or, before provisioning, the driver and the claim's namespace and name."""


class UncountableError(ValueError):
    """Volumes that cannot be counted, and why."""


class NoClaimError(LookupError):
    """A claim that does not exist, and its message."""


def attached(pod: Pod, node: CSINode | None, storage: Storage, *, new: bool = False) -> set[Attached]:
    """Return the volumes that drivers attach to the node for the pod, each once.

    If the pod is `new`, every claim must exist; for other pods a missing claim counts nothing.
    Raises: NoClaimError, UncountableError.
    """
    found = (_of_volume(volume, pod, node, storage, new) for volume in pod.volumes)
    return {each for each in found if each is not None}


def _of_volume(volume: Volume, pod: Pod, node: CSINode | None, storage: Storage, new: bool) -> Attached | None:
    name = claim_name(volume, pod)
    if name is None:
        return _of_disk(volume, node)
    claim = storage.claim(pod.namespace, name)
    if claim is None:
        if new:
            raise NoClaimError(f"looking up PVC {pod.namespace}/{name}: {not_found('persistentvolumeclaim', name)}")
        return None
    wrong = not_made_for(pod, volume, claim)
    if wrong:
        raise UncountableError(wrong)
    there = storage.volume(claim.volume_name)
    return _to_be_made(claim, node, storage) if there is None else of_persistent_volume(there, node)


def _of_disk(volume: Volume, node: CSINode | None) -> Attached | None:
    """Return what is attached for an inline disk; an inline CSI volume is never counted."""
    plugin = plugin_of(volume.source)
    if plugin is None or not plugin.counts_as_drivers(node):
        return None
    try:
        return plugin.driver, handle(volume.source)
    except UntranslatableError as error:
        raise UncountableError(f"converting volume({volume.name}) from inline to csi: {error}") from error


def of_persistent_volume(volume: PersistentVolume, node: CSINode | None) -> Attached | None:
    """Return what is attached for a claimed volume, None if no driver attaches it or it cannot be translated."""
    if isinstance(volume.source, CSI):
        return (volume.source.driver, volume.source.handle) if volume.source.handle else None
    plugin = plugin_of(volume.source)
    if plugin is None or not plugin.counts_as_drivers(node):
        return None
    try:
        name = handle(volume.source, volume.labels)
    except UntranslatableError:
        return None
    return (plugin.driver, name) if name else None


def _to_be_made(claim: PersistentVolumeClaim, node: CSINode | None, storage: Storage) -> Attached | None:
    """Return what will be attached for a claim without a volume, None if no driver provisions one."""
    made_by = storage.storage_class(claim.storage_class or "")
    if made_by is None or not made_by.provisioner:
        return None
    plugin = BY_NAME.get(made_by.provisioner)
    if plugin is None:
        return made_by.provisioner, *claim.key
    return (plugin.driver, *claim.key) if plugin.counts_as_drivers(node) else None


def by_attachments(node: str, storage: Storage) -> set[Attached]:
    """Return the CSI volumes that the node's VolumeAttachments attach."""
    found = ((each.attacher, storage.volume(each.volume_name)) for each in storage.attached(node))
    return {
        (attacher, volume.source.handle)
        for attacher, volume in found
        if attacher and volume is not None and isinstance(volume.source, CSI)
    }
