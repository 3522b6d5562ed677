"""VolumeRestrictions of kube-scheduler 1.34: one test for each clause of volume_restrictions.go"""

import pytest

from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES, NO_DEPARTURES, Departures
from schedcheck.spec.kubernetes.filters.volume_restrictions import (
    clash,
    in_use,
    refusal,
    rejection,
    skipped,
    volume_restrictions,
)
from schedcheck.spec.kubernetes.node_info import NodeInfo, node_info
from schedcheck.spec.objects import Pod
from schedcheck.spec.refusal import Refusal, unresolvable, unschedulable
from schedcheck.spec.storage import (
    CSI,
    ISCSI,
    NO_STORAGE,
    RBD,
    AWSElasticBlockStore,
    AzureDisk,
    Cinder,
    Disk,
    GCEPersistentDisk,
    PersistentVolumeClaim,
    Storage,
    Volume,
)
from tests.support.building import claiming, node, pod, stored

NO_DISK = unschedulable("VolumeRestrictions", "node(s) had no available disk")
IN_USE = unschedulable(
    "VolumeRestrictions",
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
)

RWOP = PersistentVolumeClaim("c", access_modes=("ReadWriteOncePod",))
SHARED = PersistentVolumeClaim("c", access_modes=("ReadWriteOnce", "ReadWriteMany"))


def holding(disk: Disk, name: str = "p") -> Pod:
    return pod(name, volumes=(Volume("v", disk),))


def asked(
    wanting: Pod,
    info: NodeInfo,
    storage: Storage = NO_STORAGE,
    *elsewhere: NodeInfo,
    departures: Departures = ALL_DEPARTURES,
) -> Refusal | None:
    """The filter's verdict on a node; its predicate must agree."""
    before = in_use(wanting, (info, *elsewhere), storage)
    said = refusal(wanting, info, before, storage, departures)
    assert volume_restrictions(wanting, info, before, storage, departures) == (said is None)
    return said


@pytest.mark.parametrize(
    ("disk", "other", "conflict"),
    [
        (GCEPersistentDisk("d"), GCEPersistentDisk("d"), True),
        (GCEPersistentDisk("d", True), GCEPersistentDisk("d"), True),
        (GCEPersistentDisk("d"), GCEPersistentDisk("d", True), True),
        (GCEPersistentDisk("d", True), GCEPersistentDisk("d", True), False),
        (GCEPersistentDisk("d"), GCEPersistentDisk("e"), False),
        (AWSElasticBlockStore("d"), AWSElasticBlockStore("d"), True),
        (AWSElasticBlockStore("d", True), AWSElasticBlockStore("d", True), True),
        (AWSElasticBlockStore("d"), AWSElasticBlockStore("e"), False),
        (ISCSI("portal", "iqn", 0), ISCSI("portal", "iqn", 0), True),
        (ISCSI("portal", "iqn", 0), ISCSI("other", "iqn", 1), True),
        (ISCSI("portal", "iqn", 0, True), ISCSI("portal", "iqn", 0), True),
        (ISCSI("portal", "iqn", 0, True), ISCSI("portal", "iqn", 0, True), False),
        (ISCSI("portal", "iqn", 0), ISCSI("portal", "nqi", 0), False),
        (RBD(("a", "b"), "i"), RBD(("b", "c"), "i"), True),
        (RBD(("a", "b"), "i"), RBD(("c",), "i"), False),
        (RBD(("a",), "i"), RBD(("a",), "j"), False),
        (RBD(("a",), "i", "rbd"), RBD(("a",), "i", "pool"), False),
        (RBD(("a",), "i", read_only=True), RBD(("a",), "i"), True),
        (RBD(("a",), "i", read_only=True), RBD(("a",), "i", read_only=True), False),
        (GCEPersistentDisk("d"), AWSElasticBlockStore("d"), False),
        (Cinder("d"), Cinder("d"), False),
        (AzureDisk("d", "u"), AzureDisk("d", "u"), False),
        (CSI("driver"), CSI("driver"), False),
    ],
)
def test_a_disk_in_use_on_the_node_conflicts_unless_both_pods_only_read(
    disk: Disk, other: Disk, conflict: bool
) -> None:
    info = node_info(node(), [holding(other, "there")])
    assert asked(holding(disk), info) == (NO_DISK if conflict else None)
    assert clash(Volume("v", disk), Volume("w", other)) == clash(Volume("w", other), Volume("v", disk)) == conflict


def test_disk_conflicts_concern_only_pods_on_the_node() -> None:
    there = node_info(node("m"), [holding(GCEPersistentDisk("d"), "there")])
    assert asked(holding(GCEPersistentDisk("d")), node_info(node(), []), NO_STORAGE, there) is None


def test_a_read_write_once_pod_claim_is_in_use_on_any_node() -> None:
    busy = node_info(node("m"), [claiming("c", name="there")])
    free = node_info(node(), [])
    assert asked(claiming("c"), free, stored(RWOP), busy) == IN_USE
    assert asked(claiming("c"), free, stored(SHARED), busy) is None
    assert asked(claiming("c"), free, stored(RWOP)) is None


def test_a_claim_of_the_same_name_in_another_namespace_is_a_different_claim() -> None:
    elsewhere = node_info(node("m"), [claiming("c", name="there", namespace="other")])
    assert asked(claiming("c"), node_info(node(), []), stored(RWOP), elsewhere) is None


def test_a_disk_conflict_is_reported_before_a_claim_conflict() -> None:
    there = pod("there", volumes=(*holding(GCEPersistentDisk("d")).volumes, *claiming("c").volumes))
    assert asked(there, node_info(node(), [there]), stored(RWOP)) == NO_DISK


def test_removing_the_pod_that_uses_the_claim_frees_it() -> None:
    there = claiming("c", name="there")
    busy = node_info(node(), [there])
    before = in_use(claiming("c"), [busy], stored(RWOP))
    assert refusal(claiming("c"), busy, before, stored(RWOP), ALL_DEPARTURES) == IN_USE
    freed = busy.removed(there, ALL_DEPARTURES)
    assert refusal(claiming("c"), freed, before, stored(RWOP), ALL_DEPARTURES) is None


def test_a_nominated_pod_that_uses_the_claim_counts_on_its_node() -> None:
    crowded = node_info(node(), []).added(claiming("c", name="nominated"))
    other = pod("p", volumes=(*holding(GCEPersistentDisk("d")).volumes, *claiming("c").volumes))
    assert refusal(other, crowded, 0, stored(RWOP), ALL_DEPARTURES) == IN_USE


def test_adding_and_removing_pods_compares_claim_names_without_namespaces() -> None:
    """As in kube-scheduler's updateWithPod; its first count does compare namespaces."""
    stranger = claiming("c", name="stranger", namespace="other")
    crowded = node_info(node(), []).added(stranger)
    for departures, said in ((ALL_DEPARTURES, IN_USE), (NO_DEPARTURES, None)):
        assert refusal(claiming("c"), crowded, 0, stored(RWOP), departures) == said
    held = node_info(node(), [claiming("c", name="there"), stranger])
    left = held.removed(stranger, ALL_DEPARTURES)
    assert in_use(claiming("c"), [held], stored(RWOP)) == 1
    for departures, said in ((ALL_DEPARTURES, None), (NO_DEPARTURES, IN_USE)):
        assert refusal(claiming("c"), left, 1, stored(RWOP), departures) == said


def test_a_missing_claim_rejects_the_pod_for_every_node() -> None:
    said = unresolvable("VolumeRestrictions", 'persistentvolumeclaim "d" not found')
    assert rejection(claiming("c", "d"), stored(RWOP)) == said
    assert rejection(claiming("c"), stored(RWOP)) is None
    assert rejection(claiming("c", namespace="other"), stored(RWOP)) is not None


def test_volume_restrictions_is_skipped_without_such_a_disk_or_a_claim_in_use() -> None:
    assert skipped(claiming("c"), 0)
    assert not skipped(claiming("c"), 1)
    assert skipped(holding(Cinder("d")), 0)
    for disk in (GCEPersistentDisk("d"), AWSElasticBlockStore("d"), ISCSI("p", "i"), RBD(("m",), "i")):
        assert not skipped(holding(disk), 0)


@pytest.mark.parametrize(("pool", "image"), [("a", "m"), ("z", "m"), ("m", "a"), ("m", "z")])
def test_another_ceph_pool_or_image_is_a_different_disk(pool: str, image: str) -> None:
    mine, theirs = RBD(("host",), "m", "m"), RBD(("host",), image, pool)
    assert clash(Volume("v", mine), Volume("w", mine))
    assert not clash(Volume("v", mine), Volume("w", theirs))
