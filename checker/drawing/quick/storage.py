"""Random volumes of pods, and storage objects that fit them now and then: `mounts`, `storage`, `stored_object`"""

from collections.abc import Sequence
from dataclasses import replace

from frozendict import frozendict

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.storage import Stored
from schedcheck.spec.storage import (
    CSI,
    IMMEDIATE,
    ISCSI,
    RBD,
    WAIT_FOR_FIRST_CONSUMER,
    AWSElasticBlockStore,
    AzureDisk,
    AzureFile,
    Cinder,
    ClaimReference,
    ClaimSource,
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    Disk,
    Ephemeral,
    GCEPersistentDisk,
    PersistentVolume,
    PersistentVolumeClaim,
    PortworxVolume,
    Storage,
    StorageClass,
    Volume,
    VolumeAttachment,
    VsphereVolume,
)
from schedcheck.spec.terms import LabelSelector, NodeSelectorTerm, Requirement

ZONE = "zone"
"""A label that nodes have, and a label of volumes that VolumeZone reads."""
OFFICIAL_ZONE = "topology.kubernetes.io/zone"
DRIVERS = ("csi.example.com", "ebs.csi.aws.com")
BY_NONE = "kubernetes.io/no-provisioner"
CLAIMS = ("c", "d", "e")
VOLUMES = ("v", "w", "x")
MODES = ("ReadWriteOnce", "ReadWriteOnce", "ReadOnlyMany", "ReadWriteOncePod")
NAMESPACES = ("default", "other")


def disk(chance: Chance) -> Disk:
    """Return a disk of a kind that plugins read, of few names."""
    read_only = chance.often(0.4)
    match chance.randrange(6):
        case 0:
            return GCEPersistentDisk(chance.one("d", "d", "f"), read_only)
        case 1:
            return AWSElasticBlockStore(chance.one("vol-1", "vol-1", "aws://a/vol-1", "vol-2"), read_only)
        case 2:
            return ISCSI("portal", chance.one("i", "j"), chance.one(0, 0, 1), read_only)
        case 3:
            return RBD(chance.one(("a",), ("b",), ("a", "b")), "image", chance.one("rbd", "rbd", "other"), read_only)
        case 4:
            return AzureDisk("d", "uri", read_only, chance.one("Managed", "Shared"))
    return CSI(chance.choice(DRIVERS), "", read_only)


def disk_or_other(chance: Chance) -> Disk:
    """Return a source of a persistent volume, now and then one that only the migration to CSI reads."""
    others: tuple[Disk, ...] = (
        Cinder(chance.one("vol", "vol-2"), chance.often(0.4)),
        VsphereVolume(chance.one("path", "path-2")),
        PortworxVolume(chance.one("vol", "vol-2"), chance.often(0.4)),
        AzureFile(chance.one("share", "share-2"), chance.often(0.4)),
    )
    return chance.choice(others) if chance.often(0.4) else disk(chance)


def mounts(chance: Chance) -> tuple[Volume, ...]:
    """Return the volumes of a pod: claims, disks, an ephemeral volume."""
    made: list[Volume] = []
    if chance.has("volumes", 0.7):
        claims = chance.some(CLAIMS, 1, 2)
        made += [Volume(f"of-{name}", ClaimSource(name, chance.often(0.1))) for name in claims]
    if chance.has("disks", 0.6):
        made += [Volume(f"disk-{place}", disk(chance)) for place in range(chance.randint(1, 2))]
    if chance.has("volumes", 0.05):
        made.append(Volume("own", Ephemeral("1")))
    return tuple(made)


def drawn(features: frozenset[str]) -> bool:
    """Whether clusters with these features have storage objects."""
    return bool(features & {"volumes", "disks", "provisioning", "attachments"})


def reach(chance: Chance) -> tuple[NodeSelectorTerm, ...] | None:
    """Return the nodes that a volume reaches: usually all, else a zone, or one node."""
    match chance.randrange(5):
        case 0:
            return (NodeSelectorTerm((Requirement(ZONE, "In", chance.some(("a", "b", "c"), 1, 2)),)),)
        case 1:
            hosts = chance.some(("n1", "n2", "n3", "gone"), 1, 2)
            return (NodeSelectorTerm((Requirement("kubernetes.io/hostname", "In", hosts),)),)
    return None


def volume(chance: Chance, name: str) -> PersistentVolume:
    """Return a persistent volume of this name."""
    claimed = chance.one(None, None, None, *(ClaimReference("default", each) for each in CLAIMS))
    labels = {OFFICIAL_ZONE: chance.one("a", "b", "a__b")} if chance.often(0.2) else {}
    if chance.often(0.2):
        labels["tier"] = "a"
    source = CSI(chance.choice(DRIVERS), chance.one(f"h-{name}", "h")) if chance.often(0.7) else disk_or_other(chance)
    return PersistentVolume(
        name,
        frozendict(labels),
        capacity=chance.one(1, 2, 2, 3, 5),
        access_modes=chance.some(("ReadWriteOnce", "ReadOnlyMany", "ReadWriteOncePod"), 1, 3),
        volume_mode=chance.one("Filesystem", "Filesystem", "Filesystem", "Block"),
        storage_class=chance.one("local", "local", "made", ""),
        claim=claimed,
        phase=chance.one("Available", "Available", "Bound", "Released"),
        node_affinity=reach(chance),
        source=source,
        terminating=chance.often(0.05),
        attributes_class=chance.one("", "", "", "gold"),
    )


def claim(chance: Chance, name: str, namespace: str = "default") -> PersistentVolumeClaim:
    """Return a claim of this name: bound, or waiting."""
    made = PersistentVolumeClaim(
        name,
        namespace,
        uid=chance.one("", "", "u"),
        access_modes=(chance.choice(MODES),),
        request=chance.one(0, 1, 1, 2, 3, 5),
        selector=chance.one(None, None, None, LabelSelector(frozendict(tier="a")), LabelSelector()),
        storage_class=chance.one("local", "local", "made", "made", "now", None, "unknown"),
        volume_mode=chance.one("Filesystem", "Filesystem", "Filesystem", "Block"),
        terminating=chance.often(0.04),
        owner_uid=chance.one(None, "1"),
        attributes_class=chance.one("", "", "", "gold"),
    )
    if chance.often(0.5):
        there = chance.one(*VOLUMES, *VOLUMES, "gone")
        whole = chance.often(0.9)
        return replace(made, volume_name=there, bind_completed=whole, phase=chance.one(*["Bound"] * 9, "Lost"))
    selected = chance.one("n1", "n2", "gone") if chance.often(0.12) else None
    return replace(made, selected_node=selected)


def csi_node(chance: Chance, name: str) -> CSINode:
    """Return the CSINode of a node, with small limits."""
    limits = {driver: chance.one(0, 1, 1, 2, 3) for driver in DRIVERS if chance.often(0.7)}
    migrated = chance.some(("kubernetes.io/aws-ebs", "kubernetes.io/azure-disk", "kubernetes.io/gce-pd"), 0, 3)
    drivers = frozenset(DRIVERS) if chance.often(0.8) else frozenset(chance.some(DRIVERS, 0, 1))
    return CSINode(name, drivers, frozendict(limits), frozenset(migrated))


def stored_object(chance: Chance, kind: type, name: str) -> Stored:
    """Return a storage object of this kind and name."""
    if kind is PersistentVolume:
        return volume(chance, name)
    if kind is PersistentVolumeClaim:
        return claim(chance, name)
    if kind is CSINode:
        return csi_node(chance, name)
    if kind is CSIDriver:
        return CSIDriver(name, chance.often(0.6), chance.often(0.3))
    if kind is CSIStorageCapacity:
        return _capacity(chance, name)
    if kind is VolumeAttachment:
        return VolumeAttachment(name, chance.choice(DRIVERS), chance.one("n1", "n2"), chance.one(*VOLUMES))
    return storage_class(chance, name)


def _capacity(chance: Chance, name: str) -> CSIStorageCapacity:
    """Return the capacity of a class on all nodes, on those of a zone, or on none."""
    zones = LabelSelector(frozendict({ZONE: chance.one("a", "b")}))
    topology = chance.one(LabelSelector(), LabelSelector(), zones, None)
    most = chance.one(None, None, 1, 3)
    return CSIStorageCapacity(
        name, "default", chance.one("made", "made", "now"), topology, chance.one(None, 1, 2, 5), most
    )


def storage_class(chance: Chance, name: str) -> StorageClass:
    """Return a storage class: local ones wait and are provisioned by none, others by a driver."""
    mode = IMMEDIATE if name == "now" or chance.often(0.1) else WAIT_FOR_FIRST_CONSUMER
    zones = chance.one((), (), ((Requirement(ZONE, "In", chance.some(("a", "b"), 1, 2)),),))
    return StorageClass(
        name, BY_NONE if name == "local" else chance.choice(DRIVERS), mode, zones if name == "made" else ()
    )


def storage(chance: Chance, nodes: Sequence[str]) -> Storage:
    """Return storage objects, most of which refer to each other."""
    if not drawn(chance.features):
        return Storage()

    def there(often: float = 0.9) -> bool:
        return chance.often(often)

    claims = [claim(chance, name) for name in CLAIMS if there()]
    claims += [claim(chance, name, "other") for name in CLAIMS[:2] if chance.has("namespaces", 0.5)]
    taken = {each.volume_name: each for each in claims if each.volume_name}
    volumes = [matching(chance, volume(chance, name), taken.get(name)) for name in VOLUMES if there()]
    provisioning = "provisioning" in chance.features
    return Storage(
        volumes=tuple(volumes),
        claims=tuple(sorted(claims, key=lambda each: each.key)),
        classes=tuple(storage_class(chance, name) for name in ("local", "made", "now") if there(0.93)),
        nodes=tuple(csi_node(chance, name) for name in sorted(nodes) if there(0.8)),
        drivers=tuple(CSIDriver(name, there(0.6), there(0.25)) for name in DRIVERS if provisioning and there(0.8)),
        capacities=tuple(
            sorted(
                (_capacity(chance, f"k{place}") for place in range(chance.randint(0, 2))),
                key=lambda each: each.name,
            )
        )
        if provisioning
        else (),
        attachments=tuple(
            VolumeAttachment(
                f"a{place}", chance.choice(DRIVERS), chance.choice(tuple(nodes) or ("n1",)), chance.choice(VOLUMES)
            )
            for place in range(chance.randint(0, 2))
        )
        if "attachments" in chance.features
        else (),
    )


def matching(chance: Chance, made: PersistentVolume, taken: PersistentVolumeClaim | None) -> PersistentVolume:
    """Return the volume, usually as its claim needs it."""
    if taken is None or chance.often(0.1):
        return made
    return replace(
        made,
        phase="Bound",
        claim=ClaimReference(taken.namespace, taken.name, taken.uid),
        access_modes=taken.access_modes,
    )
