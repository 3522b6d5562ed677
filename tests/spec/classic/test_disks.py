"""NoDiskConflict, NoVolumeZoneConflict and the two volume counts: one test for each clause of upstream's rules"""

from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.spec.classic.failures import (
    DISK_CONFLICT,
    MAX_VOLUME_COUNT_EXCEEDED,
    VOLUME_ZONE_CONFLICT,
    error,
)
from schedcheck.spec.classic.predicates import max_volume_count, no_disk_conflict, no_volume_zone_conflict
from schedcheck.spec.classic.predicates.max_volume_count import most_volumes
from schedcheck.spec.classic.predicates.no_volume_zone_conflict import REGION, STABLE, ZONE
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.storage import (
    ISCSI,
    RBD,
    AWSElasticBlockStore,
    AzureDisk,
    ClaimSource,
    Disk,
    GCEPersistentDisk,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    Volume,
)
from tests.support.building import node, pod, snapshot

N = node("n")
EBS, GCE = "MaxEBSVolumeCount", "MaxGCEPDVolumeCount"


def with_disks(name: str, *sources: Disk | ClaimSource, on: str = "", **fields: object) -> Pod:
    volumes = tuple(Volume(f"v{number}", source) for number, source in enumerate(sources))
    return pod(name, on=on, volumes=volumes, **fields)


def conflict(wanted: Disk, mounted: Disk) -> bool:
    there = snapshot(N, with_disks("there", mounted, on="n"))
    found = no_disk_conflict.failures(with_disks("new", wanted), N, there)
    assert found in ((), (DISK_CONFLICT,))
    assert no_disk_conflict.no_disk_conflict(with_disks("new", wanted), N, there) is (found == ())
    return found != ()


def test_pods_share_a_gce_disk_only_if_both_mount_it_read_only() -> None:
    disk = GCEPersistentDisk("d")
    reading = replace(disk, read_only=True)
    assert conflict(disk, disk)
    assert conflict(reading, disk)
    assert conflict(disk, reading)
    assert not conflict(reading, reading)
    assert not conflict(disk, GCEPersistentDisk("e"))


def test_pods_never_share_an_ebs_volume() -> None:
    disk = AWSElasticBlockStore("d")
    assert conflict(disk, disk)
    assert conflict(replace(disk, read_only=True), replace(disk, read_only=True))
    assert not conflict(disk, AWSElasticBlockStore("e"))


def test_pods_share_a_ceph_image_only_if_both_mount_it_read_only() -> None:
    disk = RBD(("m1", "m2"), "i")
    assert conflict(disk, RBD(("m2", "m3"), "i"))
    assert not conflict(disk, RBD(("m3",), "i"))
    assert not conflict(disk, RBD(("m1",), "j"))
    assert not conflict(disk, RBD(("m1",), "i", "other"))
    assert conflict(disk, replace(disk, read_only=True))
    assert not conflict(replace(disk, read_only=True), replace(disk, read_only=True))


def test_pods_share_an_iscsi_unit_only_if_both_mount_it_read_only() -> None:
    disk = ISCSI("10.0.0.1", "iqn", 1)
    assert conflict(disk, disk)
    assert conflict(disk, ISCSI("10.0.0.1:3260", "iqn", 1))
    assert not conflict(disk, ISCSI("10.0.0.1:3261", "iqn", 1))
    assert not conflict(disk, ISCSI("10.0.0.2", "iqn", 1))
    assert not conflict(disk, ISCSI("10.0.0.1", "iqn", 2))
    assert not conflict(disk, ISCSI("10.0.0.1", "other", 1))
    assert conflict(replace(disk, read_only=True), disk)
    assert not conflict(replace(disk, read_only=True), replace(disk, read_only=True))


def test_disks_of_different_kinds_do_not_conflict_and_other_kinds_are_ignored() -> None:
    assert not conflict(GCEPersistentDisk("d"), AWSElasticBlockStore("d"))
    assert not conflict(AzureDisk("d", "u"), AzureDisk("d", "u"))


def test_disk_conflicts_concern_only_running_pods_on_the_same_node() -> None:
    disk = AWSElasticBlockStore("d")
    elsewhere = snapshot(N, node("m"), with_disks("there", disk, on="m"))
    ended = snapshot(N, with_disks("there", disk, on="n", phase="Succeeded"))
    assert no_disk_conflict.failures(with_disks("new", disk), N, elsewhere) == ()
    assert no_disk_conflict.failures(with_disks("new", disk), N, ended) == ()
    assert no_disk_conflict.failures(with_disks("new", disk, disk), N, snapshot(N)) == ()


def claimed(*volumes: PersistentVolume, more: tuple[PersistentVolumeClaim, ...] = ()) -> Storage:
    """These volumes, each bound to a claim with the same name."""
    claims = (PersistentVolumeClaim(each.name, volume_name=each.name) for each in volumes)
    return Storage(volumes=volumes, claims=(*claims, *more))


def with_storage(there: Snapshot, storage: Storage) -> Snapshot:
    return replace(there, storage=storage)


def test_disk_conflicts_are_checked_for_inline_disks_and_not_for_claims() -> None:
    """Source 000 says the reverse: that only claims are checked, and not volumes written in the pod."""
    disk = AWSElasticBlockStore("d")
    storage = claimed(PersistentVolume("a", source=disk), PersistentVolume("b", source=disk))
    through_claims = with_storage(snapshot(N, with_disks("there", ClaimSource("a"), on="n")), storage)
    assert no_disk_conflict.failures(with_disks("new", ClaimSource("b")), N, through_claims) == ()
    in_pods = snapshot(N, with_disks("there", disk, on="n"))
    assert no_disk_conflict.failures(with_disks("new", disk), N, in_pods) == (DISK_CONFLICT,)


def zoned(labels: dict[str, str], volume: PersistentVolume, *, claim: str = "v") -> tuple[object, ...]:
    where = node("n", labels=labels)
    there = with_storage(snapshot(where), claimed(volume))
    wanted = with_disks("new", ClaimSource(claim))
    found = no_volume_zone_conflict.failures(wanted, where, there)
    assert no_volume_zone_conflict.no_volume_zone_conflict(wanted, where, there) is (found == ())
    return found


def in_zone(**labels: str) -> PersistentVolume:
    return PersistentVolume(
        "v", frozendict({{"zone": ZONE, "region": REGION}[key]: value for key, value in labels.items()})
    )


def test_a_claimed_volume_must_be_in_the_zone_and_region_of_the_node() -> None:
    assert zoned({ZONE: "a"}, in_zone(zone="a")) == ()
    assert zoned({ZONE: "a"}, in_zone(zone="b")) == (VOLUME_ZONE_CONFLICT,)
    assert zoned({ZONE: "a", REGION: "r"}, in_zone(zone="a", region="r")) == ()
    assert zoned({ZONE: "a", REGION: "r"}, in_zone(zone="a", region="s")) == (VOLUME_ZONE_CONFLICT,)


def test_a_node_with_zone_labels_needs_every_zone_label_of_the_volume() -> None:
    assert zoned({ZONE: "a"}, in_zone(zone="a", region="r")) == (VOLUME_ZONE_CONFLICT,)
    assert zoned({ZONE: "a", REGION: "r"}, in_zone(zone="a")) == ()
    assert zoned({REGION: "r"}, in_zone()) == ()


def test_a_node_without_zone_labels_accepts_a_volume_of_any_zone() -> None:
    assert zoned({}, in_zone(zone="a")) == ()


def test_stable_and_beta_zone_labels_are_equivalent_on_node_and_volume() -> None:
    """The beta label takes precedence where both are set."""
    today = PersistentVolume("v", frozendict({STABLE[ZONE]: "a"}))
    for volume in (in_zone(zone="a"), today):
        assert zoned({STABLE[ZONE]: "a"}, volume) == ()
        assert zoned({STABLE[ZONE]: "b"}, volume) == (VOLUME_ZONE_CONFLICT,)
        assert zoned({ZONE: "a", STABLE[ZONE]: "b"}, volume) == ()
        assert zoned({ZONE: "b", STABLE[ZONE]: "a"}, volume) == (VOLUME_ZONE_CONFLICT,)
    assert zoned({STABLE[ZONE]: "a", STABLE[REGION]: "s"}, in_zone(zone="a", region="r")) == (VOLUME_ZONE_CONFLICT,)


def test_an_unresolvable_claim_is_an_error_on_a_node_with_a_zone() -> None:
    where = node("n", labels={ZONE: "a"})
    storage = Storage(
        claims=(PersistentVolumeClaim("unbound"), PersistentVolumeClaim("dangling", volume_name="gone")),
    )
    there = with_storage(snapshot(where), storage)
    expected = {
        "missing": 'PersistentVolumeClaim was not found: "missing"',
        "unbound": 'PersistentVolumeClaim is not bound: "unbound"',
        "dangling": 'PersistentVolume not found: "gone"',
    }
    for name, text in expected.items():
        found = no_volume_zone_conflict.failures(with_disks("new", ClaimSource(name)), where, there)
        assert found == (error(text),)
        assert no_volume_zone_conflict.failures(with_disks("new", ClaimSource(name)), N, there) == ()


def test_inline_disks_have_no_zone() -> None:
    where = node("n", labels={ZONE: "a"})
    assert no_volume_zone_conflict.failures(with_disks("new", GCEPersistentDisk("d")), where, snapshot(where)) == ()


def counted(new: Pod, there: Snapshot, most: int, predicate: str = EBS) -> tuple[object, ...]:
    return max_volume_count.failures(new, N, there, predicate, most)


def disks(count: int, first: int = 0) -> tuple[AWSElasticBlockStore, ...]:
    return tuple(AWSElasticBlockStore(f"d{number}") for number in range(first, first + count))


def test_the_volume_limit_may_be_reached_but_not_exceeded() -> None:
    there = snapshot(N, with_disks("there", *disks(38), on="n"))
    assert counted(with_disks("new", *disks(1, 38)), there, 39) == ()
    assert counted(with_disks("new", *disks(2, 38)), there, 39) == (MAX_VOLUME_COUNT_EXCEEDED,)


def test_a_disk_that_is_already_attached_counts_once() -> None:
    there = snapshot(N, with_disks("there", *disks(2), on="n"), with_disks("other", *disks(2), on="n"))
    assert counted(with_disks("new", *disks(2)), there, 2) == ()
    assert counted(with_disks("new", *disks(1, 2)), there, 2) == (MAX_VOLUME_COUNT_EXCEEDED,)


def test_a_pod_without_such_disks_fits_on_a_node_over_the_volume_limit() -> None:
    there = snapshot(N, with_disks("there", *disks(3), on="n"))
    assert counted(with_disks("new", GCEPersistentDisk("g")), there, 2) == ()
    assert counted(with_disks("new", *disks(1)), there, 2) == (MAX_VOLUME_COUNT_EXCEEDED,)


def test_each_volume_count_counts_only_its_own_kind_of_disk() -> None:
    there = snapshot(N, with_disks("there", *disks(3), GCEPersistentDisk("g"), on="n"))
    new = with_disks("new", GCEPersistentDisk("h"))
    assert counted(new, there, 2, GCE) == ()
    assert counted(new, there, 1, GCE) == (MAX_VOLUME_COUNT_EXCEEDED,)


def test_a_disk_behind_a_claim_counts_as_the_same_disk() -> None:
    disk = AWSElasticBlockStore("d0")
    storage = claimed(PersistentVolume("a", source=disk), PersistentVolume("b", source=GCEPersistentDisk("g")))
    there = with_storage(snapshot(N, with_disks("there", *disks(1), on="n")), storage)
    assert counted(with_disks("new", ClaimSource("a")), there, 1) == ()
    assert counted(with_disks("new", ClaimSource("b")), there, 0) == ()
    assert counted(with_disks("new", ClaimSource("a")), there, 0) == (MAX_VOLUME_COUNT_EXCEEDED,)


def test_an_unresolvable_claim_counts_against_every_kind_once_per_pod() -> None:
    storage = Storage(claims=(PersistentVolumeClaim("dangling", volume_name="gone"),))
    there = with_storage(snapshot(N, with_disks("there", ClaimSource("missing"), on="n")), storage)
    for predicate in (EBS, GCE):
        for name in ("missing", "dangling"):
            assert counted(with_disks("new", ClaimSource(name)), there, 2, predicate) == ()
            assert counted(with_disks("new", ClaimSource(name)), there, 1, predicate) == (MAX_VOLUME_COUNT_EXCEEDED,)


def test_disks_after_an_unresolvable_claim_are_not_counted() -> None:
    new = with_disks("new", ClaimSource("missing"), *disks(5))
    assert counted(new, snapshot(N), 1) == ()
    assert counted(with_disks("new", *disks(5), ClaimSource("missing")), snapshot(N), 5) == (MAX_VOLUME_COUNT_EXCEEDED,)


def test_an_unbound_claim_of_any_pod_on_the_node_is_an_error() -> None:
    storage = Storage(claims=(PersistentVolumeClaim("unbound"),))
    expected = (error('PersistentVolumeClaim is not bound: "unbound"'),)
    alone = with_storage(snapshot(N), storage)
    beside = with_storage(snapshot(N, with_disks("there", ClaimSource("unbound"), on="n")), storage)
    assert counted(with_disks("new", ClaimSource("unbound")), alone, 39) == expected
    assert counted(with_disks("new", *disks(1)), beside, 39) == expected
    assert counted(with_disks("new"), beside, 39) == ()


@pytest.mark.parametrize(("predicate", "usual"), [(EBS, 39), (GCE, 16)])
def test_the_environment_variable_overrides_both_limits_if_it_is_a_positive_number(predicate: str, usual: int) -> None:
    assert most_volumes(predicate, "") == usual
    assert most_volumes(predicate, "5") == most_volumes(predicate, "+5") == most_volumes(predicate, "005") == 5
    for text in ("0", "-5", "five", "5.0", "5 ", "1_0", "٥", "0x10", str(2**63)):
        assert most_volumes(predicate, text) == usual
    assert most_volumes(predicate, str(2**63 - 1)) == most_volumes(predicate, f"+{2**63 - 1}") == 2**63 - 1
