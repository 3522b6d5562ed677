"""The smallest case of a divergence as manifests: `text` writes it, `stored` reads it from examples/divergences.

Only the storage objects that the domains have are written. A test reads every case back and compares.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from schedcheck.checker.divergences.case import Case
from schedcheck.checker.divergences.nominations import scenario
from schedcheck.checker.divergences.row import Row
from schedcheck.manifests import manifest, read, yaml_text
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

EXAMPLES = Path(__file__).parent.parent / "examples" / "divergences"
PENDING = "pending"

Manifest = dict[str, Any]


def stored(row: Row) -> Case:
    """Return the stored smallest case of a row."""
    cluster = read([EXAMPLES / row.name])
    assert not cluster.notes, cluster.notes
    pod = next(pod for pod in cluster.pods if pod.name == PENDING)
    return Case(pod, cluster.snapshot(pod))


def text(row: Row, case: Case) -> str:
    """Return the manifests of a case and, if the row asks properties, the scenario in which it shows."""
    return yaml_text([*manifests(case.snapshot), *(_scenario(row, case) if row.asks else ())])


def manifests(snapshot: Snapshot) -> Iterator[Manifest]:
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


def _scenario(row: Row, case: Case) -> Iterator[Manifest]:
    made = scenario(case, row.name, row.asks)
    absent = [name for _, name in sorted(made.absent)]
    yield {
        "apiVersion": "schedcheck/v1alpha1",
        "kind": "Scenario",
        "metadata": {"name": row.name},
        "spec": {
            "profile": made.profile,
            **({"absent": absent} if absent else {}),
            "events": [
                {"event": rule.event, "pods": [name for _, name in rule.pods], "bound": rule.bound}
                for rule in made.rules
            ],
            "properties": [*made.properties],
        },
    }
