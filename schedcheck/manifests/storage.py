"""The objects that decide about volumes, from their manifests: `storage`.

Kubernetes 1.34: pkg/apis/core/validation, pkg/apis/storage/validation.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final, Protocol, TypeVar

from frozendict import frozendict

from schedcheck.manifests.affinity import label_selector, node_selector
from schedcheck.manifests.fields import INT32, Field
from schedcheck.manifests.times import instant
from schedcheck.manifests.volumes import disk
from schedcheck.spec.quantities import amount
from schedcheck.spec.storage import (
    CSI,
    IMMEDIATE,
    WAIT_FOR_FIRST_CONSUMER,
    ClaimReference,
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    StorageClass,
    VolumeAttachment,
)
from schedcheck.spec.terms import Requirement

KINDS: Final = frozendict(
    {
        "PersistentVolume": "persistentVolumes",
        "PersistentVolumeClaim": "persistentVolumeClaims",
        "StorageClass": "storageClasses",
        "CSINode": "csiNodes",
        "CSIDriver": "csiDrivers",
        "CSIStorageCapacity": "csiStorageCapacities",
        "VolumeAttachment": "volumeAttachments",
    }
)
"""The kinds of storage object, each with the name of the `Storage` field that lists it."""

ACCESS_MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
VOLUME_MODES = ("Filesystem", "Block")
VOLUME_PHASES = ("Pending", "Available", "Bound", "Released", "Failed")
CLAIM_PHASES = ("Pending", "Bound", "Lost")
BINDING_MODES = (IMMEDIATE, WAIT_FOR_FIRST_CONSUMER)

BETA_CLASS = "volume.beta.kubernetes.io/storage-class"
DEFAULT_CLASS = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
BIND_COMPLETED = "pv.kubernetes.io/bind-completed"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins"


class _Named(Protocol):
    @property
    def name(self) -> str: ...


class _Keyed(Protocol):
    @property
    def key(self) -> tuple[str, str]: ...


Named = TypeVar("Named", bound=_Named)
Keyed = TypeVar("Keyed", bound=_Keyed)


def storage(fields: Mapping[str, Iterable[Field]]) -> Storage:
    """Return the storage objects of the manifests; the keys of `fields` are the kinds of `KINDS`."""

    def named(kind: str, made: Callable[[Field], Named]) -> tuple[Named, ...]:
        return tuple(sorted(map(made, fields[kind]), key=lambda each: each.name))

    def keyed(kind: str, made: Callable[[Field], Keyed]) -> tuple[Keyed, ...]:
        return tuple(sorted(map(made, fields[kind]), key=lambda each: each.key))

    return Storage(
        volumes=named("PersistentVolume", persistent_volume),
        claims=keyed("PersistentVolumeClaim", claim),
        classes=_with_one_default(fields["StorageClass"]),
        nodes=named("CSINode", csi_node),
        drivers=named("CSIDriver", csi_driver),
        capacities=keyed("CSIStorageCapacity", storage_capacity),
        attachments=named("VolumeAttachment", attachment),
    )


def persistent_volume(field: Field) -> PersistentVolume:
    """Return the persistent volume of a manifest."""
    metadata, spec = field["metadata"], field["spec"]
    reference, affinity = spec["claimRef"], spec["nodeAffinity"]["required"]
    source = disk(spec)
    if isinstance(source, CSI) and not source.handle:
        raise spec["csi"]["volumeHandle"].error("expected the handle of a volume")
    return PersistentVolume(
        name=metadata["name"].text(),
        labels=metadata["labels"].labels(),
        capacity=_bytes(spec["capacity"]["storage"]),
        access_modes=_access_modes(spec),
        volume_mode=spec["volumeMode"].one_of(VOLUME_MODES, "Filesystem"),
        storage_class=_class(field) or "",
        claim=_reference(reference) if reference else None,
        phase=field["status"]["phase"].one_of(VOLUME_PHASES, "Pending" if metadata["uid"].text() else "Available"),
        node_affinity=node_selector(affinity) if affinity else None,
        source=source,
        terminating=bool(metadata["deletionTimestamp"].text()),
        attributes_class=spec["volumeAttributesClassName"].text(),
    )


def claim(field: Field) -> PersistentVolumeClaim:
    """Return the claim of a manifest."""
    metadata, spec = field["metadata"], field["spec"]
    annotations = metadata["annotations"]
    return PersistentVolumeClaim(
        name=metadata["name"].text(),
        namespace=metadata["namespace"].text() or "default",
        uid=metadata["uid"].text(),
        volume_name=spec["volumeName"].text(),
        phase=field["status"]["phase"].one_of(CLAIM_PHASES, "Pending"),
        access_modes=_access_modes(spec),
        request=_bytes(spec["resources"]["requests"]["storage"]),
        selector=label_selector(spec["selector"]),
        storage_class=_class(field),
        volume_mode=spec["volumeMode"].one_of(VOLUME_MODES, "Filesystem"),
        bind_completed=bool(annotations[BIND_COMPLETED]),
        selected_node=annotations[SELECTED_NODE].text() if annotations[SELECTED_NODE] else None,
        owner_uid=_owner_uid(metadata),
        terminating=bool(metadata["deletionTimestamp"].text()),
        attributes_class=spec["volumeAttributesClassName"].text(),
    )


def storage_class(field: Field) -> StorageClass:
    """Return the storage class of a manifest."""
    annotations = field["metadata"]["annotations"]
    return StorageClass(
        name=field["metadata"]["name"].text(),
        provisioner=field["provisioner"].required("a provisioner"),
        binding_mode=field["volumeBindingMode"].one_of(BINDING_MODES, IMMEDIATE),
        allowed_topologies=tuple(
            tuple(_topology(each) for each in item["matchLabelExpressions"].items())
            for item in field["allowedTopologies"].items()
        ),
        default=any(annotations[key].text() == "true" for key in DEFAULT_CLASS),
    )


def _with_one_default(fields: Iterable[Field]) -> tuple[StorageClass, ...]:
    """Return the classes by name. Of several default ones the API server takes the newest, then the first by name.

    Kubernetes 1.37: GetDefaultClass in pkg/volume/util/storageclass.go.
    """
    given = [(storage_class(each), each["metadata"]["creationTimestamp"]) for each in fields]
    defaults = [(-(instant(made) or 0), each.name) for each, made in given if each.default]
    default = min(defaults, default=(0, ""))[1]
    classes = (replace(each, default=each.default and each.name == default) for each, _ in given)
    return tuple(sorted(classes, key=lambda each: each.name))


def csi_node(field: Field) -> CSINode:
    """Return the CSINode of a manifest."""
    metadata, drivers = field["metadata"], field["spec"]["drivers"].items()
    plugins = metadata["annotations"][MIGRATED_PLUGINS].text()
    counts = {item["name"].required("the name of a driver"): item["allocatable"]["count"] for item in drivers}
    return CSINode(
        name=metadata["name"].text(),
        drivers=frozenset(counts),
        allocatable=frozendict({name: count.integer(0, INT32 - 1) for name, count in counts.items() if count}),
        migrated=frozenset(plugins.split(",")) if plugins else frozenset(),
    )


def csi_driver(field: Field) -> CSIDriver:
    """Return the CSI driver of a manifest."""
    spec = field["spec"]
    return CSIDriver(
        field["metadata"]["name"].text(),
        spec["storageCapacity"].boolean(),
        spec["preventPodSchedulingIfMissing"].boolean(),
    )


def storage_capacity(field: Field) -> CSIStorageCapacity:
    """Return the CSIStorageCapacity of a manifest."""
    metadata, capacity, largest = field["metadata"], field["capacity"], field["maximumVolumeSize"]
    return CSIStorageCapacity(
        name=metadata["name"].text(),
        namespace=metadata["namespace"].text() or "default",
        storage_class=field["storageClassName"].required("the name of a storage class"),
        node_topology=label_selector(field["nodeTopology"]),
        capacity=_bytes(capacity) if capacity else None,
        maximum_volume_size=_bytes(largest) if largest else None,
    )


def attachment(field: Field) -> VolumeAttachment:
    """Return the VolumeAttachment of a manifest."""
    spec = field["spec"]
    return VolumeAttachment(
        name=field["metadata"]["name"].text(),
        attacher=spec["attacher"].required("the name of a driver"),
        node_name=spec["nodeName"].required("the name of a node"),
        volume_name=spec["source"]["persistentVolumeName"].text(),
    )


def _class(field: Field) -> str | None:
    """Return the storage class that a claim or volume names; the old annotation overrides the field."""
    annotation, name = field["metadata"]["annotations"][BETA_CLASS], field["spec"]["storageClassName"]
    if annotation:
        return annotation.text()
    return name.text() if name else None


def _access_modes(spec: Field) -> tuple[str, ...]:
    items = spec["accessModes"].items()
    for item in items:
        if item.text() not in ACCESS_MODES:
            raise item.error(f"expected one of {', '.join(ACCESS_MODES)}")
    return tuple(item.text() for item in items)


def _bytes(field: Field) -> int:
    return amount("storage", field.quantity())


def _reference(field: Field) -> ClaimReference:
    return ClaimReference(field["namespace"].text(), field["name"].text(), field["uid"].text())


def _owner_uid(metadata: Field) -> str | None:
    """Return the uid of the object's controller, None if it has none."""
    owners = (item for item in metadata["ownerReferences"].items() if item["controller"].boolean())
    return next((owner["uid"].text() for owner in owners), None)


def _topology(field: Field) -> Requirement:
    values = field["values"].texts()
    if not values:
        raise field["values"].error("expected at least one value")
    return Requirement(field["key"].required("a label key"), "In", values)
