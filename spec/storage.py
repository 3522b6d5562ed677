"""What a scheduler looks at where pods have volumes: the volumes, and the objects of the cluster behind them.

A persistent volume is a piece of storage, a claim asks for one, a storage class says how one is made, and a CSI driver
attaches it to nodes. `Storage` holds all objects of these kinds. Sizes are in bytes.

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
    """A persistent disk of Google's compute engine."""

    pd_name: str
    read_only: bool = False


@dataclass(frozen=True)
class AWSElasticBlockStore:
    """A volume of Amazon's elastic block store."""

    volume_id: str
    read_only: bool = False


@dataclass(frozen=True)
class ISCSI:
    """A logical unit of an iSCSI target, which its qualified name `iqn` tells from others."""

    target_portal: str
    iqn: str
    lun: int = 0
    read_only: bool = False


@dataclass(frozen=True)
class RBD:
    """An image in a pool of a Ceph cluster, which its monitors stand for."""

    monitors: tuple[str, ...]
    image: str
    pool: str = "rbd"
    read_only: bool = False


@dataclass(frozen=True)
class AzureDisk:
    """A data disk of Azure; its URI tells it from others. `kind` is Shared, Dedicated or Managed."""

    disk_name: str
    disk_uri: str
    read_only: bool = False
    kind: str = "Shared"


@dataclass(frozen=True)
class AzureFile:
    """A share of files of Azure."""

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
    """A volume of a CSI driver. One that stands in a pod, made for it alone, has no `handle`."""

    driver: str
    handle: str = ""
    read_only: bool = False


@dataclass(frozen=True)
class ClaimSource:
    """The volume that a claim in the namespace of the pod gets."""

    claim_name: str
    read_only: bool = False


@dataclass(frozen=True)
class Ephemeral:
    """The volume of a claim that is made for the pod, and is named after the pod and the volume.

    `pod_uid` is the uid of the pod, by which the claim is known for its own.
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
"""What a persistent volume may be made of, as far as a definition looks at it."""


@dataclass(frozen=True)
class Volume:
    """A volume of a pod; `source` is None where it is of no kind that a scheduler looks at."""

    name: str
    source: Disk | ClaimSource | Ephemeral | None = None


@dataclass(frozen=True)
class ClaimReference:
    """The claim that a persistent volume is, or is to be, bound to; an empty uid is any claim of the name."""

    namespace: str
    name: str
    uid: str = ""


@dataclass(frozen=True)
class PersistentVolume:
    """A piece of storage.

    `storage_class` is empty where it has none. `node_affinity` are the terms one of which a node must match, None where
    every node will do. `source` is None where it is made of nothing that a definition looks at. `terminating` says that
    it is deleted, and still there. `attributes_class` is its VolumeAttributesClass, empty where it has none.
    """

    name: str
    labels: Labels = NO_LABELS
    capacity: int = 0
    access_modes: tuple[str, ...] = ()
    volume_mode: str = "Filesystem"
    storage_class: str = ""
    claim: ClaimReference | None = None
    phase: str = "Available"
    node_affinity: tuple[NodeSelectorTerm, ...] | None = None
    source: Disk | None = None
    terminating: bool = False
    attributes_class: str = ""

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class PersistentVolumeClaim(Namespaced):
    """What asks for storage.

    `storage_class` is None where the claim says nothing of one, and empty where it wants none. `volume_name` is the
    volume that it is bound to, or is to be; it is bound once `bind_completed`, which is the annotation
    pv.kubernetes.io/bind-completed. `selected_node` is the annotation volume.kubernetes.io/selected-node: where its
    volume is being made, None where the annotation is not there. `owner_uid` is the uid of what controls it, None where
    nothing does. `request` is 0 where it asks for no size.
    """

    name: str
    namespace: str = "default"
    uid: str = ""
    volume_name: str = ""
    phase: str = "Pending"
    access_modes: tuple[str, ...] = ()
    request: int = 0
    selector: LabelSelector | None = None
    storage_class: str | None = None
    volume_mode: str = "Filesystem"
    bind_completed: bool = False
    selected_node: str | None = None
    owner_uid: str | None = None
    terminating: bool = False
    attributes_class: str = ""


@dataclass(frozen=True)
class StorageClass:
    """How volumes are made. `allowed_topologies` are terms of which a node must match one; none means any node."""

    name: str
    provisioner: str
    binding_mode: str = IMMEDIATE
    allowed_topologies: tuple[tuple[Requirement, ...], ...] = ()
    default: bool = False


@dataclass(frozen=True)
class CSINode:
    """The CSI drivers on the node of this name, and the plugins in the tree that it has moved to one.

    `allocatable` is how many volumes a driver attaches to the node; a driver without a limit is not there.
    """

    name: str
    drivers: frozenset[str] = frozenset()
    allocatable: Amounts = NO_AMOUNTS
    migrated: frozenset[str] = frozenset()


@dataclass(frozen=True)
class CSIDriver:
    """A CSI driver; `storage_capacity`: it says how much it can still make, and where."""

    name: str
    storage_capacity: bool = False


@dataclass(frozen=True)
class CSIStorageCapacity(Namespaced):
    """How much a storage class can still make on the nodes that `node_topology` selects (None: on none).

    `capacity` and `maximum_volume_size` are None where they are not known.
    """

    name: str
    namespace: str = "default"
    storage_class: str = ""
    node_topology: LabelSelector | None = None
    capacity: int | None = None
    maximum_volume_size: int | None = None


@dataclass(frozen=True)
class VolumeAttachment:
    """A persistent volume that is, or is to be, attached to a node by the driver `attacher`; the name may be empty."""

    name: str
    attacher: str
    node_name: str
    volume_name: str = ""


@dataclass(frozen=True, eq=True)
class Storage(HashedOnce):
    """The objects of a cluster that volumes go by: claims and capacities by namespace and name, the rest by name."""

    volumes: tuple[PersistentVolume, ...] = ()
    claims: tuple[PersistentVolumeClaim, ...] = ()
    classes: tuple[StorageClass, ...] = ()
    nodes: tuple[CSINode, ...] = ()
    drivers: tuple[CSIDriver, ...] = ()
    capacities: tuple[CSIStorageCapacity, ...] = ()
    attachments: tuple[VolumeAttachment, ...] = ()

    __hash__ = HashedOnce.__hash__

    def volume(self, name: str) -> PersistentVolume | None:
        """The persistent volume of this name, None where there is none."""
        return self._volumes.get(name)

    def claim(self, namespace: str, name: str) -> PersistentVolumeClaim | None:
        """The claim of this namespace and name, None where there is none."""
        return self._claims.get((namespace, name))

    def storage_class(self, name: str) -> StorageClass | None:
        """The storage class of this name, None where there is none."""
        return next((each for each in self.classes if each.name == name), None)

    def node(self, name: str) -> CSINode | None:
        """The CSINode of the node of this name, None where there is none."""
        return self._nodes.get(name)

    def driver(self, name: str) -> CSIDriver | None:
        """The CSI driver of this name, None where it is not registered."""
        return next((each for each in self.drivers if each.name == name), None)

    def attached(self, node_name: str) -> tuple[VolumeAttachment, ...]:
        """What is, or is to be, attached to the node of this name."""
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
