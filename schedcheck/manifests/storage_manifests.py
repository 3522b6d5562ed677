"""Storage objects to manifests, which read back as equal objects: `storage_manifests`"""

from collections.abc import Iterator

from schedcheck.manifests.manifests import Manifest, given, node_term_manifest, selector_manifest
from schedcheck.manifests.storage import BIND_COMPLETED, DEFAULT_CLASS, MIGRATED_PLUGINS, SELECTED_NODE
from schedcheck.manifests.volumes import volume_manifest
from schedcheck.spec.quantities import quantity_text
from schedcheck.spec.storage import (
    IMMEDIATE,
    ClaimReference,
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    StorageClass,
    Volume,
    VolumeAttachment,
)

GROUP = "storage.k8s.io/v1"
DELETED = "1970-01-01T00:00:00Z"
"""The deletion time written for a terminating object; the real time is not kept."""


def storage_manifests(storage: Storage) -> Iterator[Manifest]:
    """Yield the storage objects, kind by kind."""
    yield from map(_class, storage.classes)
    yield from map(_volume, storage.volumes)
    yield from map(_claim, storage.claims)
    yield from map(_driver, storage.drivers)
    yield from map(_csi_node, storage.nodes)
    yield from map(_capacity, storage.capacities)
    yield from map(_attachment, storage.attachments)


def _class(each: StorageClass) -> Manifest:
    terms = [
        {"matchLabelExpressions": [{"key": one.key, "values": [*one.values]} for one in term]}
        for term in each.allowed_topologies
    ]
    annotations = {DEFAULT_CLASS[0]: "true"} if each.default else {}
    return {
        "apiVersion": GROUP,
        "kind": "StorageClass",
        "metadata": {"name": each.name, **given({"annotations": annotations})},
        "provisioner": each.provisioner,
        "volumeBindingMode": each.binding_mode or IMMEDIATE,
        **given({"allowedTopologies": terms}),
    }


def _volume(volume: PersistentVolume) -> Manifest:
    source = volume_manifest(Volume(volume.name, volume.source)) if volume.source is not None else {}
    source.pop("name", None)
    affinity = volume.node_affinity
    required = None if affinity is None else {"nodeSelectorTerms": [node_term_manifest(term) for term in affinity]}
    spec: Manifest = {
        "capacity": _size(volume.capacity),
        "claimRef": volume.claim and _reference(volume.claim),
        "nodeAffinity": required and {"required": required},
        "volumeMode": _mode(volume.volume_mode),
        "volumeAttributesClassName": volume.attributes_class,
    }
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": volume.name, **_metadata(volume)},
        "spec": {
            "accessModes": [*volume.access_modes],
            "storageClassName": volume.storage_class,
            **source,
            **given(spec),
        },
        "status": {"phase": volume.phase},
    }


def _claim(claim: PersistentVolumeClaim) -> Manifest:
    annotations = {
        **({BIND_COMPLETED: "yes"} if claim.bind_completed else {}),
        **({} if claim.selected_node is None else {SELECTED_NODE: claim.selected_node}),
    }
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "owner", "uid": claim.owner_uid, "controller": True}
    spec: Manifest = {
        "volumeName": claim.volume_name,
        "resources": given({"requests": _size(claim.request)}),
        "volumeMode": _mode(claim.volume_mode),
        "volumeAttributesClassName": claim.attributes_class,
    }
    metadata = {
        "uid": claim.uid,
        "annotations": annotations,
        "ownerReferences": [] if claim.owner_uid is None else [owner],
        "deletionTimestamp": DELETED if claim.terminating else "",
    }
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": claim.name, "namespace": claim.namespace, **given(metadata)},
        "spec": {
            "accessModes": [*claim.access_modes],
            **({} if claim.storage_class is None else {"storageClassName": claim.storage_class}),
            **({} if claim.selector is None else {"selector": selector_manifest(claim.selector)}),
            **given(spec),
        },
        "status": {"phase": claim.phase},
    }


def _metadata(volume: PersistentVolume) -> Manifest:
    return given({"labels": dict(volume.labels), "deletionTimestamp": DELETED if volume.terminating else ""})


def _reference(claim: ClaimReference) -> Manifest:
    named = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": claim.namespace, "name": claim.name}
    return {**named, **given({"uid": claim.uid})}


def _mode(mode: str) -> str:
    return mode if mode != "Filesystem" else ""


def _size(size: int) -> Manifest:
    return {"storage": quantity_text("storage", size)} if size else {}


def _driver(driver: CSIDriver) -> Manifest:
    return {
        "apiVersion": GROUP,
        "kind": "CSIDriver",
        "metadata": {"name": driver.name},
        "spec": {
            "storageCapacity": driver.storage_capacity,
            **given({"preventPodSchedulingIfMissing": driver.required_on_nodes}),
        },
    }


def _csi_node(node: CSINode) -> Manifest:
    limited = [*node.allocatable, *sorted(node.drivers - node.allocatable.keys())]
    drivers = [{"name": name, "nodeID": node.name, **_limit(node, name)} for name in limited]
    migrated = {MIGRATED_PLUGINS: ",".join(sorted(node.migrated))} if node.migrated else {}
    return {
        "apiVersion": GROUP,
        "kind": "CSINode",
        "metadata": {"name": node.name, **given({"annotations": migrated})},
        "spec": {"drivers": drivers},
    }


def _limit(node: CSINode, driver: str) -> Manifest:
    return {"allocatable": {"count": node.allocatable[driver]}} if driver in node.allocatable else {}


def _capacity(capacity: CSIStorageCapacity) -> Manifest:
    sizes = {"capacity": capacity.capacity, "maximumVolumeSize": capacity.maximum_volume_size}
    topology = capacity.node_topology
    return {
        "apiVersion": GROUP,
        "kind": "CSIStorageCapacity",
        "metadata": {"name": capacity.name, "namespace": capacity.namespace},
        "storageClassName": capacity.storage_class,
        **({} if topology is None else {"nodeTopology": selector_manifest(topology)}),
        **{key: quantity_text("storage", size) for key, size in sizes.items() if size is not None},
    }


def _attachment(each: VolumeAttachment) -> Manifest:
    source = {"persistentVolumeName": each.volume_name} if each.volume_name else {}
    return {
        "apiVersion": GROUP,
        "kind": "VolumeAttachment",
        "metadata": {"name": each.name},
        "spec": {"attacher": each.attacher, "nodeName": each.node_name, "source": source},
    }
