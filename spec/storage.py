"""The storage objects that a scheduler reads: pod volumes, persistent volumes, claims, classes and CSI objects.

A persistent volume is a piece of storage, a claim requests one, a storage class says how one is provisioned, and a CSI
driver attaches it to nodes. `Storage` holds all objects of these kinds. Sizes are in bytes.

Kubernetes 1.34: k8s.io/api/core/v1, k8s.io/api/storage/v1.
"""

from dataclasses import dataclass
from functools import cached_property

from frozendict import frozendict

from schedcheck.spec.terms import LabelSelector, NodeSelectorTerm, Requirement
from schedcheck.spec.values import NO_AMOUNTS, NO_LABELS, Amounts, HashedOnce, Labels, Namespaced

IMMEDIATE = "Immediate"
WAIT_FOR_FIRST_CONSUMER = "WaitForFirstConsumer"


@dataclass(frozen=True)
class GCEPersistentDisk:
    """A persistent disk of Google Compute Engine."""

    pd_name: str
    read_only: bool = False


@dataclass(frozen=True)
class AWSElasticBlockStore:
    """A volume of Amazon Elastic Block Store."""

    volume_id: str
    read_only: bool = False


@dataclass(frozen=True)
class ISCSI:
    """A logical unit of an iSCSI target; the qualified name `iqn` identifies the target."""

    target_portal: str
    iqn: str
    lun: int = 0
    read_only: bool = False


@dataclass(frozen=True)
class RBD:
    """An image in a pool of a Ceph cluster, which is identified by its monitors."""

    monitors: tuple[str, ...]
    image: str
    pool: str = "rbd"
    read_only: bool = False


@dataclass(frozen=True)
class AzureDisk:
    """A data disk of Azure, identified by its URI. `kind` is Shared, Dedicated or Managed."""

    disk_name: str
    disk_uri: str
    read_only: bool = False
    kind: str = "Shared"


@dataclass(frozen=True)
class AzureFile:
    """A file share of Azure."""

    share_name: str
    read_only: bool = False


@dataclass(frozen=True)
class Cinder:
    """A block storage volume of OpenStack."""

    volume_id: str
    read_only: bool = False


@dataclass(frozen=True)
class VsphereVolume:
    """A disk file of vSphere."""

    volume_path: str


@dataclass(frozen=True)
class PortworxVolume:
    """A volume of Portworx."""

    volume_id: str
    read_only: bool = False


@dataclass(frozen=True)
class CSI:
    """A volume of a CSI driver. An inline ephemeral volume of a pod has no `handle`."""

    driver: str
    handle: str = ""
    read_only: bool = False


@dataclass(frozen=True)
class ImageSource:
    """A pod volume that mounts the files of a container image."""

    reference: str


@dataclass(frozen=True)
class ClaimSource:
    """A pod volume that names a claim in the pod's namespace."""

    claim_name: str
    read_only: bool = False


@dataclass(frozen=True)
class Ephemeral:
    """A generic ephemeral volume: a claim is created for the pod, named after the pod and the volume.

    `pod_uid` is the uid of the pod, by which the claim is recognised as the pod's own.
    """

    pod_uid: str = ""


Disk = (
    GCEPersistentDisk
    | AWSElasticBlockStore
    | ISCSI
    | RBD
    | AzureDisk
    | AzureFile
    | Cinder
    | VsphereVolume
    | PortworxVolume
    | CSI
)
"""The sources of a persistent volume that some definition reads."""


@dataclass(frozen=True)
class Volume:
    """A volume of a pod; `source` is None if the scheduler does not read volumes of its kind."""

    name: str
    source: Disk | ClaimSource | Ephemeral | ImageSource | None = None


@dataclass(frozen=True)
class ClaimReference:
    """The claim to which a persistent volume is, or will be, bound; an empty uid matches any claim of this name."""

    namespace: str
    name: str
    uid: str = ""


@dataclass(frozen=True)
class PersistentVolume:
    """A persistent volume, reduced to the fields that some definition reads."""

    name: str
    labels: Labels = NO_LABELS
    capacity: int = 0
    access_modes: tuple[str, ...] = ()
    volume_mode: str = "Filesystem"
    storage_class: str = ""  # empty without a class
    claim: ClaimReference | None = None
    phase: str = "Available"
    node_affinity: tuple[NodeSelectorTerm, ...] | None = None  # a node must match one term; None: any node will do
    source: Disk | None = None  # None if no definition reads sources of its kind
    terminating: bool = False  # has a deletionTimestamp
    attributes_class: str = ""  # its VolumeAttributesClass; empty without one

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class PersistentVolumeClaim(Namespaced):
    """A persistent volume claim, reduced to the fields that some definition reads."""

    name: str
    namespace: str = "default"
    uid: str = ""
    volume_name: str = ""  # the volume to which the claim is, or will be, bound
    phase: str = "Pending"
    access_modes: tuple[str, ...] = ()
    request: int = 0  # the requested size; 0 without one
    selector: LabelSelector | None = None
    storage_class: str | None = None  # None if the claim does not set it; empty if it asks for no class
    volume_mode: str = "Filesystem"
    bind_completed: bool = False  # the annotation pv.kubernetes.io/bind-completed: the claim is bound
    selected_node: str | None = None  # annotation volume.kubernetes.io/selected-node: where to provision the volume
    owner_uid: str | None = None  # the uid of its controller; None without one
    terminating: bool = False
    attributes_class: str = ""


@dataclass(frozen=True)
class StorageClass:
    """A storage class. A node must match one of the terms in `allowed_topologies`; without terms any node will do."""

    name: str
    provisioner: str
    binding_mode: str = IMMEDIATE
    allowed_topologies: tuple[tuple[Requirement, ...], ...] = ()
    default: bool = False


@dataclass(frozen=True)
class CSINode:
    """The CSI drivers on the node of this name, and the in-tree plugins that are migrated to CSI there.

    `allocatable` is how many volumes each driver can attach to the node; a driver without a limit is not listed.
    """

    name: str
    drivers: frozenset[str] = frozenset()
    allocatable: Amounts = NO_AMOUNTS
    migrated: frozenset[str] = frozenset()


@dataclass(frozen=True)
class CSIDriver:
    """A CSI driver; `storage_capacity`: it publishes CSIStorageCapacity objects.

    `required_on_nodes`: pods that need its volumes are not placed where it is missing (preventPodSchedulingIfMissing).
    """

    name: str
    storage_capacity: bool = False
    required_on_nodes: bool = False


@dataclass(frozen=True)
class CSIStorageCapacity(Namespaced):
    """The capacity left for a storage class on the nodes that `node_topology` selects (None: on no node).

    `capacity` and `maximum_volume_size` are None if they are not known.
    """

    name: str
    namespace: str = "default"
    storage_class: str = ""
    node_topology: LabelSelector | None = None
    capacity: int | None = None
    maximum_volume_size: int | None = None


@dataclass(frozen=True)
class VolumeAttachment:
    """A persistent volume that is, or will be, attached to a node by the driver `attacher`; its name may be empty."""

    name: str
    attacher: str
    node_name: str
    volume_name: str = ""


@dataclass(frozen=True, eq=True)
class Storage(HashedOnce):
    """All storage objects of a cluster: claims and capacities by namespace and name, the others by name."""

    volumes: tuple[PersistentVolume, ...] = ()
    claims: tuple[PersistentVolumeClaim, ...] = ()
    classes: tuple[StorageClass, ...] = ()
    nodes: tuple[CSINode, ...] = ()
    drivers: tuple[CSIDriver, ...] = ()
    capacities: tuple[CSIStorageCapacity, ...] = ()
    attachments: tuple[VolumeAttachment, ...] = ()

    __hash__ = HashedOnce.__hash__

    def volume(self, name: str) -> PersistentVolume | None:
        """Return the persistent volume of this name, or None."""
        return self._volumes.get(name)

    def claim(self, namespace: str, name: str) -> PersistentVolumeClaim | None:
        """Return the claim of this namespace and name, or None."""
        return self._claims.get((namespace, name))

    def storage_class(self, name: str) -> StorageClass | None:
        """Return the storage class of this name, or None."""
        return next((each for each in self.classes if each.name == name), None)

    def node(self, name: str) -> CSINode | None:
        """Return the CSINode of the node of this name, or None."""
        return self._nodes.get(name)

    def driver(self, name: str) -> CSIDriver | None:
        """Return the CSI driver of this name, or None if it is not registered."""
        return next((each for each in self.drivers if each.name == name), None)

    def attached(self, node_name: str) -> tuple[VolumeAttachment, ...]:
        """Return the VolumeAttachments of the node of this name."""
        return self._attached.get(node_name, ())

    @cached_property
    def _attached(self) -> frozendict[str, tuple[VolumeAttachment, ...]]:
        index: dict[str, list[VolumeAttachment]] = {}
        for each in self.attachments:
            index.setdefault(each.node_name, []).append(each)
        return frozendict({name: tuple(attachments) for name, attachments in index.items()})

    @cached_property
    def _volumes(self) -> frozendict[str, PersistentVolume]:
        return frozendict({each.name: each for each in self.volumes})

    @cached_property
    def _claims(self) -> frozendict[tuple[str, str], PersistentVolumeClaim]:
        return frozendict({each.key: each for each in self.claims})

    @cached_property
    def _nodes(self) -> frozendict[str, CSINode]:
        return frozendict({each.name: each for each in self.nodes})


NO_STORAGE = Storage()
