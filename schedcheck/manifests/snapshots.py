"""A snapshot as manifests, with the storage objects that the domains of divergences have: `snapshot_manifests`."""

from collections.abc import Iterator
from typing import Any

from schedcheck.manifests.manifests import manifest
from schedcheck.manifests.volumes import volume_manifest
from schedcheck.spec.objects import Namespace, Snapshot
from schedcheck.spec.storage import (
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    Volume,
    VolumeAttachment,
)

Manifest = dict[str, Any]


def snapshot_manifests(snapshot: Snapshot) -> Iterator[Manifest]:
    """Yield the objects of a snapshot, kind by kind."""
    yield from map(_namespace, snapshot.namespaces)
    yield from map(manifest, snapshot.nodes)
    store = snapshot.storage
    yield from map(_class, store.classes)
    yield from map(_volume, store.volumes)
    yield from map(_claim, store.claims)
    yield from map(_csi_node, store.nodes)
    yield from map(_attachment, store.attachments)
    yield from map(manifest, snapshot.budgets)
    yield from (manifest(pod, f"{pod.namespace}-{pod.name}") for pod in snapshot.pods)


def _namespace(namespace: Namespace) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": namespace.name, "labels": dict(namespace.labels)},
    }


def _class(each: StorageClass) -> Manifest:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": each.name},
        "provisioner": each.provisioner,
        "volumeBindingMode": each.binding_mode,
    }


def _volume(volume: PersistentVolume) -> Manifest:
    source = volume_manifest(Volume(volume.name, volume.source))
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": source.pop("name")},
        "spec": {"accessModes": [*volume.access_modes], "storageClassName": volume.storage_class, **source},
        "status": {"phase": volume.phase},
    }


def _claim(claim: PersistentVolumeClaim) -> Manifest:
    bound = {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}} if claim.bind_completed else {}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": claim.name, "namespace": claim.namespace, **bound},
        "spec": {
            "accessModes": [*claim.access_modes],
            "storageClassName": claim.storage_class,
            **({"volumeName": claim.volume_name} if claim.volume_name else {}),
        },
        "status": {"phase": claim.phase},
    }


def _csi_node(node: CSINode) -> Manifest:
    drivers = [{"name": name, "nodeID": node.name, "allocatable": {"count": n}} for name, n in node.allocatable.items()]
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSINode",
        "metadata": {"name": node.name},
        "spec": {"drivers": drivers},
    }


def _attachment(each: VolumeAttachment) -> Manifest:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "VolumeAttachment",
        "metadata": {"name": each.name},
        "spec": {
            "attacher": each.attacher,
            "nodeName": each.node_name,
            "source": {"persistentVolumeName": each.volume_name},
        },
    }
