"""The vocabulary of each feature of volumes and storage objects: `STORAGE`"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from frozendict import frozendict

from schedcheck.checker.drawing.objects import HOSTNAME
from schedcheck.spec.storage import (
    CSI,
    ISCSI,
    RBD,
    WAIT_FOR_FIRST_CONSUMER,
    AWSElasticBlockStore,
    ClaimReference,
    ClaimSource,
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    GCEPersistentDisk,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    Volume,
    VolumeAttachment,
)
from schedcheck.spec.terms import LabelSelector, NodeSelectorTerm, Requirement
from tests.checker.differential.enumeration.spaces import Change, Feature, same

DRIVER = "csi.example.com"
OFFICIAL_ZONE = "topology.kubernetes.io/zone"
ONCE = ("ReadWriteOnce",)


def mounting(*claims: str, **fields: Any) -> Change:
    """Mount these claims."""
    return _with(Volume(f"of-{name}", ClaimSource(name, **fields)) for name in claims)


def using(*disks: Any) -> Change:
    """Use these disks directly."""
    return _with([Volume(f"x{place}", disk) for place, disk in enumerate(disks)])


def _with(volumes: Iterable[Volume]) -> Change:
    listed = tuple(volumes)
    return lambda pod: replace(pod, volumes=(*pod.volumes, *listed))


def stored(**lists: Any) -> Change:
    """Add these storage objects."""

    def made(there: Any) -> Any:
        joined = {name: _merged((*getattr(there.storage, name), *more)) for name, more in lists.items()}
        return replace(there, storage=replace(there.storage, **joined))

    return made


def _merged(listed: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the objects in order, the last of those with one name."""
    return tuple(sorted({_key(each): each for each in listed}.values(), key=_key))


def _key(thing: Any) -> Any:
    return getattr(thing, "key", (thing.name,))


def volume(name: str, **fields: Any) -> PersistentVolume:
    """Return a volume of one size unit, without a class of its own."""
    fields = {
        "capacity": 1,
        "access_modes": ONCE,
        "storage_class": "local",
        "source": CSI(DRIVER, f"of-{name}"),
        **fields,
    }
    return PersistentVolume(name, **fields)


def waiting(name: str, **fields: Any) -> PersistentVolumeClaim:
    """Return a claim that waits for a volume."""
    return PersistentVolumeClaim(name, **{"access_modes": ONCE, "request": 1, "storage_class": "local", **fields})


def bound(name: str, to: str, **fields: Any) -> PersistentVolumeClaim:
    """Return a claim that is bound."""
    return waiting(name, **{"volume_name": to, "bind_completed": True, "phase": "Bound", **fields})


def of(name: str, uid: str = "", namespace: str = "default") -> dict[str, Any]:
    """Return the fields of a volume that is reserved for a claim."""
    return {"claim": ClaimReference(namespace, name, uid)}


def whole(name: str, claim: str, **fields: Any) -> PersistentVolume:
    """Return a volume that is bound to a claim."""
    return volume(name, **{**of(claim), "phase": "Bound", **fields})


def at(key: str, *values: str) -> dict[str, Any]:
    """Return the fields of a volume that is reached from some nodes."""
    return {"node_affinity": (NodeSelectorTerm((Requirement(key, "In", values),)),)}


def driving(**drivers: Any) -> CSIDriver:
    return CSIDriver(DRIVER, **drivers)


def node(name: str, most: int | None, **fields: Any) -> CSINode:
    """Return the CSINode of a node, with this limit."""
    return CSINode(name, frozenset({DRIVER}), frozendict({} if most is None else {DRIVER: most}), **fields)


def capacity(amount: int | None, most: int | None = None, zone: str = "", name: str = "k") -> CSIStorageCapacity:
    """Return a capacity, everywhere or in a zone."""
    labels = LabelSelector(frozendict({"zone": zone} if zone else {}))
    return CSIStorageCapacity(name, "default", "made", labels, amount, most)


LOCAL = StorageClass("local", "kubernetes.io/no-provisioner", WAIT_FOR_FIRST_CONSUMER)
MADE = StorageClass("made", DRIVER, WAIT_FOR_FIRST_CONSUMER)
C, V = waiting("c"), volume("v")
BOTH = (node("n1", None), node("n2", None))
ZONE_A, ZONE_B = (lambda one, zone=zone: replace(one, labels=one.labels | {"zone": zone}) for zone in "ab")
ZONAL = tuple((lambda one, zone=zone: replace(one, labels=one.labels.set(OFFICIAL_ZONE, zone))) for zone in "ab")


def _bound(*volumes: PersistentVolume, claim: PersistentVolumeClaim = bound("c", "v")) -> Change:  # noqa: B008
    return stored(claims=(claim,), volumes=volumes, classes=(LOCAL, MADE), nodes=BOTH)


def free(*volumes: PersistentVolume, claims: tuple[PersistentVolumeClaim, ...] = (C,)) -> Change:
    """Let there be these volumes, and claims that wait for one."""
    return stored(claims=claims, volumes=volumes, classes=(LOCAL, MADE), nodes=BOTH)


def _made(*capacities: CSIStorageCapacity, by: StorageClass = MADE, **claim: Any) -> Change:
    return stored(
        claims=(waiting("c", storage_class="made", **{"request": 2, **claim}),), classes=(by, LOCAL), nodes=BOTH,
        drivers=(driving(storage_capacity=True),), capacities=capacities,
    )  # fmt: skip


def _limited(one: int | None, two: int | None, **more: Any) -> Change:
    claims = (bound("c", "v"), bound("d", "w"))
    return stored(
        claims=claims, volumes=(whole("v", "c"), whole("w", "d")), classes=(LOCAL,), nodes=(node("n1", one), node("n2", two)), **more,
    )  # fmt: skip


SHARED = {"access_modes": ("ReadOnlyMany",)}
STORAGE: tuple[Feature, ...] = (
    Feature("bound claims", (mounting("c"), mounting("gone"), mounting("c", read_only=True)), (same, mounting("c")), (ZONE_A, ZONE_B, same), (
        _bound(whole("v", "c")), _bound(whole("v", "c", **at("zone", "a"))), _bound(whole("v", "c", **at(HOSTNAME, "n1"))),
        _bound(whole("v", "c", **at(HOSTNAME, "n2"))), _bound(), _bound(whole("v", "c"), claim=bound("c", "v", terminating=True)),
        _bound(whole("v", "c"), claim=bound("c", "v", phase="Lost")), _bound(whole("v", "c"), claim=bound("c", "v", bind_completed=False)),
        _bound(whole("v", "c"), claim=bound("c", "v", access_modes=("ReadWriteOncePod",))))),
    Feature("zones of volumes", (mounting("c"), same), nodes=(*ZONAL, same), beside=tuple(
        _bound(whole("v", "c", labels=frozendict(labels))) for labels in ({OFFICIAL_ZONE: "a"}, {OFFICIAL_ZONE: "a__b"}, {}, {OFFICIAL_ZONE: "c"}))),
    Feature("waiting claims", (mounting("c"), mounting("c", "d")), (same, mounting("d")), (ZONE_A, ZONE_B), (
        free(V), free(V, volume("w", capacity=3), claims=(C, waiting("d"))), free(volume("v", **at("zone", "a"))),
        free(volume("v", capacity=3), volume("w", capacity=2)),
        free(volume("v", capacity=2, **at("zone", "a")), volume("w", capacity=1, **at("zone", "b"))),
        free(volume("v", **of("c")), claims=(waiting("c", uid="u"),)), free(volume("v", **of("c", "u")), claims=(waiting("c", uid="u"),)),
        free(volume("v", **of("c", "old")), claims=(waiting("c", uid="u"),)), free(volume("v", **of("d")), claims=(C, waiting("d"))),
        free(volume("v", **SHARED)), free(volume("v", volume_mode="Block")), free(volume("v", phase="Released")),
        free(V, claims=(waiting("c", request=2),)), free(volume("v", labels=frozendict(tier="a")), claims=(waiting("c", selector=LabelSelector(frozendict(tier="a"))),)),
        free(V, claims=(waiting("c", selector=LabelSelector(frozendict(tier="a"))),)), free(volume("v", terminating=True)),
        free(volume("v", attributes_class="gold")), free(V, claims=(waiting("c", storage_class="unknown"),)),
        free(V, claims=(waiting("c", storage_class=None),)), free(V, volume("w", storage_class="", capacity=2), claims=(C, waiting("d", request=2))))),
    Feature("provisioning", (mounting("c"), mounting("c", "d")), nodes=(ZONE_A, ZONE_B, same), beside=(
        _made(capacity(2)), _made(), _made(capacity(1)), _made(capacity(5, 1)), _made(capacity(2, zone="a")), _made(capacity(None)), _made(capacity(5, 2)),
        _made(capacity(5, zone="a"), capacity(2, zone="b", name="l")), _made(selected_node="n1"), _made(selected_node="n2"), _made(capacity(1, 3)),
        _made(capacity(2), by=replace(MADE, allowed_topologies=((Requirement("zone", "In", ("a",)),),))),
        _made(capacity(2), by=replace(MADE, binding_mode="Immediate")),
        lambda there: stored(drivers=(driving(storage_capacity=False),))(_made(capacity(1))(there)),
        lambda there: stored(drivers=(driving(required_on_nodes=True),))(_made(capacity(1))(there)))),
    Feature("limits of volumes", (mounting("c"), mounting("c", "d"), mounting("d")), (mounting("c"), mounting("d"), same), beside=(
        _limited(1, 1), _limited(1, None), _limited(None, 1), _limited(2, 1), _limited(1, 2), _limited(0, 1), _limited(1, 0),
        _limited(1, 1, attachments=(VolumeAttachment("a", DRIVER, "n1", "w"),)), _limited(1, 1, attachments=(VolumeAttachment("a", DRIVER, "n2", "w"),)))),
    Feature("disks", (using(GCEPersistentDisk("d")), using(AWSElasticBlockStore("vol")), using(ISCSI("p", "i")), using(RBD(("a",), "image")),
                      using(GCEPersistentDisk("d", True)), using(ISCSI("p", "i", 0, True)), using(RBD(("a", "b"), "image", read_only=True)),
                      using(AWSElasticBlockStore("vol", True))),
            (using(GCEPersistentDisk("d", True)), using(AWSElasticBlockStore("vol")), using(ISCSI("p", "i", 0, True)), using(RBD(("a",), "image", read_only=True)),
             using(GCEPersistentDisk("d")), using(ISCSI("p", "i")), using(RBD(("b",), "image")), using(GCEPersistentDisk("e")))),
    Feature("claims of one pod", (mounting("c"), mounting("d")), (mounting("c"), same, lambda pod: replace(mounting("c")(pod), namespace="other")),
            beside=(stored(claims=(bound("c", "v", access_modes=("ReadWriteOncePod",)), bound("d", "w"), bound("c", "x", namespace="other", access_modes=("ReadWriteOncePod",))),
                           volumes=(whole("v", "c", access_modes=("ReadWriteOncePod",)), whole("w", "d"), volume("x", phase="Bound", access_modes=("ReadWriteOncePod",), **of("c", namespace="other"))),
                           classes=(LOCAL,), nodes=BOTH),)),
)  # fmt: skip
