"""Hypothesis strategies for pods with volumes and for storage objects, drawn from few values.

`test_volume_properties.py` measures that every filter gives each of its answers on them.
"""

from functools import cache
from typing import Any

from frozendict import frozendict
from hypothesis import strategies as st

from schedcheck.checker.drawing.objects import NAMESPACES, rarely, tuples
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.storage import (
    CSI,
    ISCSI,
    RBD,
    AWSElasticBlockStore,
    AzureDisk,
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
    Storage,
    StorageClass,
    Volume,
    VolumeAttachment,
)
from schedcheck.spec.terms import LabelSelector, NodeSelectorTerm, Requirement

ZONE = "topology.kubernetes.io/zone"
DRIVERS = ("csi.example.com", "ebs.csi.aws.com")
CLASSES = ("made", "local", "now")
CLAIMS = ("c", "d", "p-own")
VOLUMES = ("v", "w", "x")
ZONES = ("a", "b")
ACCESS_MODES = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteOncePod")
PROVISIONERS = ("kubernetes.io/no-provisioner", *DRIVERS)
WAITING = "WaitForFirstConsumer"


Stored = (
    PersistentVolume
    | PersistentVolumeClaim
    | StorageClass
    | CSINode
    | CSIDriver
    | CSIStorageCapacity
    | VolumeAttachment
)


def stored(*things: Stored) -> Storage:
    """The storage of these objects, each kind in the order of names."""

    def of(kind: type) -> tuple[Any, ...]:
        listed = (each for each in things if isinstance(each, kind))
        return tuple(sorted(listed, key=lambda each: getattr(each, "key", (each.name,))))

    return Storage(
        of(PersistentVolume),
        of(PersistentVolumeClaim),
        of(StorageClass),
        of(CSINode),
        of(CSIDriver),
        of(CSIStorageCapacity),
        of(VolumeAttachment),
    )


@cache
def disks() -> st.SearchStrategy[Disk]:
    """A disk of the kinds that plugins read."""
    return st.one_of(
        st.builds(GCEPersistentDisk, st.just("d"), st.booleans()),
        st.builds(AWSElasticBlockStore, st.sampled_from(("vol-1", "aws://a/vol-1", "vol-2"))),
        st.builds(ISCSI, st.just("portal"), st.sampled_from("ij"), st.just(0), st.booleans()),
        st.builds(RBD, st.sampled_from((("a",), ("a", "b"))), st.just("image"), st.just("rbd"), st.booleans()),
        st.builds(CSI, st.sampled_from(DRIVERS)),
        st.builds(AzureDisk, st.just("d"), st.just("uri"), st.just(False), st.sampled_from(("Managed", "Shared"))),
    )


@cache
def mounts() -> st.SearchStrategy[tuple[Volume, ...]]:
    """The volumes of a pod; an ephemeral one is named own."""
    claims = st.builds(ClaimSource, st.sampled_from(CLAIMS))
    others = st.builds(Volume, st.just("v"), claims | claims | disks())
    own = st.builds(Volume, st.just("own"), st.builds(Ephemeral, st.just("1")))
    return st.builds(lambda some, last: (*some, *last), tuples(others), rarely((), tuples(own, 1, 1)))


@cache
def users(name: str) -> st.SearchStrategy[Pod]:
    """A pod of this name with volumes."""
    return st.builds(Pod, st.just(name), namespace=rarely("default", st.sampled_from(NAMESPACES)), volumes=mounts())


@cache
def hosts(name: str) -> st.SearchStrategy[Node]:
    """A node of this name, with or without a zone label."""
    labels = st.dictionaries(st.just(ZONE), st.sampled_from(ZONES)).map(frozendict)
    return st.builds(Node, st.just(name), labels)


def _volumes(name: str) -> st.SearchStrategy[PersistentVolume]:
    handles = st.builds(CSI, st.sampled_from(DRIVERS), st.sampled_from(("h", "vol-1")))
    terms = st.sampled_from(ZONES).map(lambda zone: (NodeSelectorTerm((Requirement(ZONE, "In", (zone,)),)),))
    labels = st.dictionaries(st.sampled_from((ZONE, "tier")), st.sampled_from((*ZONES, "a__b"))).map(frozendict)
    return st.builds(
        PersistentVolume,
        st.just(name),
        labels,
        capacity=st.integers(1, 6),
        access_modes=st.just(ACCESS_MODES) | tuples(st.sampled_from(ACCESS_MODES)),
        storage_class=st.just("local") | st.sampled_from(CLASSES),
        claim=rarely(None, st.builds(ClaimReference, st.just("default"), st.sampled_from(CLAIMS))),
        node_affinity=st.none() | terms,
        source=handles | disks().filter(lambda disk: not isinstance(disk, CSI)),
    )


def _claims(name: str, namespace: str) -> st.SearchStrategy[PersistentVolumeClaim]:
    place = st.sampled_from((*VOLUMES, "gone"))
    fields: dict[str, st.SearchStrategy[Any]] = {
        "access_modes": tuples(st.sampled_from(ACCESS_MODES)),
        "request": st.integers(0, 5),
        "selector": rarely(None, st.just(LabelSelector(frozendict(tier="a"))) | st.just(LabelSelector())),
        "owner_uid": rarely("1", st.none()),
    }
    waiting = st.builds(
        PersistentVolumeClaim,
        st.just(name),
        st.just(namespace),
        storage_class=st.sampled_from(CLASSES[:2]) | st.sampled_from((*CLASSES, None, "unknown")),
        selected_node=rarely(None, st.sampled_from("mn")),
        **fields,
    )
    bound = st.builds(
        PersistentVolumeClaim,
        st.just(name),
        st.just(namespace),
        volume_name=st.just(VOLUMES[0]) | place,
        bind_completed=rarely(True, st.just(False)),
        phase=rarely("Bound", st.just("Lost")),
        terminating=rarely(False, st.booleans()),
        storage_class=st.sampled_from(CLASSES),
        **fields,
    )
    return waiting | bound


def _csi_nodes(name: str) -> st.SearchStrategy[CSINode]:
    limits = st.dictionaries(st.sampled_from(DRIVERS), st.integers(0, 3)).map(frozendict)
    migrated = st.frozensets(st.sampled_from(("kubernetes.io/aws-ebs", "kubernetes.io/azure-disk")))
    return st.builds(CSINode, st.just(name), st.just(frozenset(DRIVERS)), limits, migrated)


@cache
def _always() -> tuple[st.SearchStrategy[tuple[Stored, ...]], ...]:
    topologies = rarely((), tuples(tuples(st.just(Requirement(ZONE, "In", ("a",))), 1)))
    capacities = st.builds(
        CSIStorageCapacity,
        st.just("k"),
        storage_class=st.just("made"),
        node_topology=rarely(LabelSelector(), st.just(LabelSelector(frozendict({ZONE: "a"}))) | st.none()),
        capacity=st.none() | st.integers(1, 5),
        maximum_volume_size=rarely(None, st.integers(1, 5)),
    )
    attachments = st.builds(
        VolumeAttachment, st.just("a"), st.sampled_from(DRIVERS), st.sampled_from("mn"), st.sampled_from(VOLUMES)
    )
    made = st.builds(StorageClass, st.just("made"), st.sampled_from(PROVISIONERS), st.just(WAITING), topologies)
    others = (StorageClass("local", PROVISIONERS[0], WAITING), StorageClass("now", DRIVERS[0]))
    return tuples(made, 1, 1), st.just(others), tuples(capacities), tuples(attachments)


@cache
def _mostly() -> tuple[st.SearchStrategy[Stored], ...]:
    return (
        *(_volumes(name) for name in VOLUMES),
        *(_claims(name, "default") for name in CLAIMS),
        _claims("c", "other"),
        *(_csi_nodes(name) for name in "mn"),
        st.builds(CSIDriver, st.sampled_from(DRIVERS), st.booleans(), st.booleans()),
    )


@st.composite
def storages(draw: st.DrawFn) -> Storage:
    """Storage objects on two nodes m and n; most references lead to an object."""
    absent = draw(st.sets(st.integers(0, len(_mostly()) - 1), max_size=2))
    kept = [draw(thing) for number, thing in enumerate(_mostly()) if number not in absent]
    return stored(*kept, *(each for things in _always() for each in draw(things)))


@cache
def crowds(name: str) -> st.SearchStrategy[tuple[Pod, ...]]:
    """At most two pods with volumes, named after `name`."""
    return st.tuples(*(users(f"on-{name}-{number}") for number in range(2))) | rarely(
        (), tuples(users(f"on-{name}"), 1)
    )
