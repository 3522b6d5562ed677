"""The volumes of a Pod manifest and their sources: `volumes`, `resource_claims`, `disk`; back: `volume_manifest`.

Kubernetes 1.34: pkg/apis/core/types.go, pkg/apis/core/v1/defaults.go.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Final

from frozendict import frozendict

from schedcheck.manifests.fields import Field
from schedcheck.spec.device_objects import PodClaim
from schedcheck.spec.storage import (
    CSI,
    ISCSI,
    RBD,
    AWSElasticBlockStore,
    AzureDisk,
    AzureFile,
    Cinder,
    ClaimSource,
    Disk,
    Ephemeral,
    GCEPersistentDisk,
    ImageSource,
    PortworxVolume,
    Volume,
    VsphereVolume,
)

AZURE_KINDS = ("Shared", "Dedicated", "Managed")


def volumes(spec: Field, uid: str) -> tuple[Volume, ...]:
    """Return the volumes of a pod with this uid."""
    return tuple(_volume(item, uid) for item in spec["volumes"].items())


def resource_claims(metadata: Field, spec: Field, status: Field) -> tuple[PodClaim, ...]:
    """Return the resource claims of a pod. A pod without a uid is known to claims by its namespace and name."""
    namespace = metadata["namespace"].text() or "default"
    uid = metadata["uid"].text() or f"{namespace}/{metadata['name'].text()}"
    made = {item["name"].text(): item["resourceClaimName"].text() for item in status["resourceClaimStatuses"].items()}
    return tuple(_resource_claim(item, uid, made) for item in spec["resourceClaims"].items())


def _resource_claim(field: Field, uid: str, made: Mapping[str, str]) -> PodClaim:
    name, template = field["name"].required("a name"), field["resourceClaimTemplateName"].text()
    if not template:
        return PodClaim(name, field["resourceClaimName"].text(), pod_uid=uid)
    return PodClaim(name, made.get(name, ""), template, name in made, uid)


def disk(field: Field) -> Disk | None:
    """Return the disk behind a pod's volume or a persistent volume; None if no definition reads it."""
    for key, made in DISKS.items():
        if field[key]:
            return made(field[key])
    return None


def volume_manifest(volume: Volume) -> dict[str, Any]:
    """Return a volume of a pod as a manifest has it; a volume whose source no definition reads becomes an emptyDir."""
    source = volume.source
    if source is None:
        return {"name": volume.name, "emptyDir": {}}
    if isinstance(source, Ephemeral):
        return {"name": volume.name, "ephemeral": {"volumeClaimTemplate": {"spec": {}}}}
    values = {field.name: getattr(source, field.name) for field in fields(source)}
    written = {
        WRITTEN.get(name, name): [*value] if isinstance(value, tuple) else value
        for name, value in values.items()
        if value not in (False, "")
    }
    return {"name": volume.name, SOURCES[type(source)]: written}


def _volume(field: Field, uid: str) -> Volume:
    name = field["name"].text()
    if field["persistentVolumeClaim"]:
        return Volume(name, _claim(field["persistentVolumeClaim"]))
    if field["image"]:
        return Volume(name, ImageSource(field["image"]["reference"].text()))
    return Volume(name, Ephemeral(uid) if field["ephemeral"] else disk(field))


def _claim(field: Field) -> ClaimSource:
    return ClaimSource(field["claimName"].required("the name of a claim"), field["readOnly"].boolean())


def _gce(field: Field) -> GCEPersistentDisk:
    return GCEPersistentDisk(field["pdName"].required("the name of a disk"), field["readOnly"].boolean())


def _ebs(field: Field) -> AWSElasticBlockStore:
    return AWSElasticBlockStore(field["volumeID"].required("the id of a volume"), field["readOnly"].boolean())


def _iscsi(field: Field) -> ISCSI:
    return ISCSI(
        field["targetPortal"].required("a target portal"),
        field["iqn"].required("a qualified name"),
        field["lun"].integer(0, 255) if field["lun"] else 0,
        field["readOnly"].boolean(),
    )


def _rbd(field: Field) -> RBD:
    monitors = field["monitors"].texts()
    if not monitors:
        raise field["monitors"].error("expected at least one monitor")
    return RBD(
        monitors,
        field["image"].required("the name of an image"),
        field["pool"].text() or "rbd",
        field["readOnly"].boolean(),
    )


def _azure(field: Field) -> AzureDisk:
    return AzureDisk(
        field["diskName"].required("the name of a disk"),
        field["diskURI"].required("the URI of a disk"),
        field["readOnly"].boolean(),
        field["kind"].one_of(AZURE_KINDS, "Shared"),
    )


def _azure_file(field: Field) -> AzureFile:
    return AzureFile(field["shareName"].required("the name of a share"), field["readOnly"].boolean())


def _cinder(field: Field) -> Cinder:
    return Cinder(field["volumeID"].required("the id of a volume"), field["readOnly"].boolean())


def _vsphere(field: Field) -> VsphereVolume:
    return VsphereVolume(field["volumePath"].required("the path of a volume"))


def _portworx(field: Field) -> PortworxVolume:
    return PortworxVolume(field["volumeID"].required("the id of a volume"), field["readOnly"].boolean())


def _csi(field: Field) -> CSI:
    return CSI(field["driver"].required("a driver"), field["volumeHandle"].text(), field["readOnly"].boolean())


DISKS: Final[frozendict[str, Callable[[Field], Disk]]] = frozendict(
    {
        "gcePersistentDisk": _gce,
        "awsElasticBlockStore": _ebs,
        "iscsi": _iscsi,
        "rbd": _rbd,
        "azureDisk": _azure,
        "azureFile": _azure_file,
        "cinder": _cinder,
        "vsphereVolume": _vsphere,
        "portworxVolume": _portworx,
        "csi": _csi,
    }
)
"""The keys of a volume that name a disk."""

SOURCES: Final[frozendict[type, str]] = frozendict(
    {
        GCEPersistentDisk: "gcePersistentDisk",
        AWSElasticBlockStore: "awsElasticBlockStore",
        ISCSI: "iscsi",
        RBD: "rbd",
        AzureDisk: "azureDisk",
        AzureFile: "azureFile",
        Cinder: "cinder",
        VsphereVolume: "vsphereVolume",
        PortworxVolume: "portworxVolume",
        CSI: "csi",
        ClaimSource: "persistentVolumeClaim",
        ImageSource: "image",
    }
)
"""The manifest key of each kind of source."""

WRITTEN: Final = frozendict(
    {
        "pd_name": "pdName",
        "volume_id": "volumeID",
        "target_portal": "targetPortal",
        "disk_name": "diskName",
        "disk_uri": "diskURI",
        "share_name": "shareName",
        "volume_path": "volumePath",
        "handle": "volumeHandle",
        "claim_name": "claimName",
        "read_only": "readOnly",
    }
)
"""The manifest keys of fields that have another name here."""
