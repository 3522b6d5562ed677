"""NoDiskConflict, NoVolumeZoneConflict and the two volume counts, a sentence for each clause of upstream's rules."""

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


def test_one_gce_disk_is_shared_only_if_both_read() -> None:
    disk = GCEPersistentDisk("d")
    reading = replace(disk, read_only=True)
    assert conflict(disk, disk)
    assert conflict(reading, disk)
    assert conflict(disk, reading)
    assert not conflict(reading, reading)
    assert not conflict(disk, GCEPersistentDisk("e"))


def test_one_ebs_volume_is_never_shared() -> None:
    disk = AWSElasticBlockStore("d")
    assert conflict(disk, disk)
    assert conflict(replace(disk, read_only=True), replace(disk, read_only=True))
    assert not conflict(disk, AWSElasticBlockStore("e"))


def test_one_image_of_a_ceph_cluster_is_shared_only_if_both_read() -> None:
    disk = RBD(("m1", "m2"), "i")
    assert conflict(disk, RBD(("m2", "m3"), "i"))
    assert not conflict(disk, RBD(("m3",), "i"))
    assert not conflict(disk, RBD(("m1",), "j"))
    assert not conflict(disk, RBD(("m1",), "i", "other"))
    assert conflict(disk, replace(disk, read_only=True))
    assert not conflict(replace(disk, read_only=True), replace(disk, read_only=True))


def test_one_unit_of_an_iscsi_target_is_shared_only_if_both_read() -> None:
    disk = ISCSI("10.0.0.1", "iqn", 1)
    assert conflict(disk, disk)
    assert conflict(disk, ISCSI("10.0.0.1:3260", "iqn", 1))
    assert not conflict(disk, ISCSI("10.0.0.1:3261", "iqn", 1))
    assert not conflict(disk, ISCSI("10.0.0.2", "iqn", 1))
    assert not conflict(disk, ISCSI("10.0.0.1", "iqn", 2))
    assert not conflict(disk, ISCSI("10.0.0.1", "other", 1))
    assert conflict(replace(disk, read_only=True), disk)
    assert not conflict(replace(disk, read_only=True), replace(disk, read_only=True))


def test_disks_of_different_kinds_are_different_and_other_kinds_are_not_looked_at() -> None:
    assert not conflict(GCEPersistentDisk("d"), AWSElasticBlockStore("d"))
    assert not conflict(AzureDisk("d", "u"), AzureDisk("d", "u"))


def test_only_pods_on_that_node_are_looked_at_and_only_as_long_as_they_run() -> None:
    disk = AWSElasticBlockStore("d")
    elsewhere = snapshot(N, node("m"), with_disks("there", disk, on="m"))
    ended = snapshot(N, with_disks("there", disk, on="n", phase="Succeeded"))
    assert no_disk_conflict.failures(with_disks("new", disk), N, elsewhere) == ()
    assert no_disk_conflict.failures(with_disks("new", disk), N, ended) == ()
    assert no_disk_conflict.failures(with_disks("new", disk, disk), N, snapshot(N)) == ()


def claimed(*volumes: PersistentVolume, more: tuple[PersistentVolumeClaim, ...] = ()) -> Storage:
    """Each of these volumes, bound to a claim that is named after it."""
    claims = (PersistentVolumeClaim(each.name, volume_name=each.name) for each in volumes)
    return Storage(volumes=volumes, claims=(*claims, *more))


def with_storage(there: Snapshot, storage: Storage) -> Snapshot:
    return replace(there, storage=storage)


def test_the_source_is_wrong_claims_are_not_checked_and_disks_in_pods_are() -> None:
    """Source 000: only claims are checked, and volumes that stand in pods are not. The code does the reverse."""
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


def test_a_node_that_says_where_it_is_must_say_all_that_the_volume_says() -> None:
    assert zoned({ZONE: "a"}, in_zone(zone="a", region="r")) == (VOLUME_ZONE_CONFLICT,)
    assert zoned({ZONE: "a", REGION: "r"}, in_zone(zone="a")) == ()
    assert zoned({REGION: "r"}, in_zone()) == ()


def test_a_node_that_does_not_say_where_it_is_takes_any_volume_though_it_may_be_elsewhere() -> None:
    assert zoned({}, in_zone(zone="a")) == ()


def test_a_zone_counts_under_the_name_that_it_has_today_on_either_side() -> None:
    """The older label comes first where both are there."""
    today = PersistentVolume("v", frozendict({STABLE[ZONE]: "a"}))
    for volume in (in_zone(zone="a"), today):
        assert zoned({STABLE[ZONE]: "a"}, volume) == ()
        assert zoned({STABLE[ZONE]: "b"}, volume) == (VOLUME_ZONE_CONFLICT,)
        assert zoned({ZONE: "a", STABLE[ZONE]: "b"}, volume) == ()
        assert zoned({ZONE: "b", STABLE[ZONE]: "a"}, volume) == (VOLUME_ZONE_CONFLICT,)
    assert zoned({STABLE[ZONE]: "a", STABLE[REGION]: "s"}, in_zone(zone="a", region="r")) == (VOLUME_ZONE_CONFLICT,)


def test_a_volume_whose_claim_leads_nowhere_is_an_error_on_a_node_with_a_zone() -> None:
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


def test_disks_that_stand_in_a_pod_have_no_zone() -> None:
    where = node("n", labels={ZONE: "a"})
    assert no_volume_zone_conflict.failures(with_disks("new", GCEPersistentDisk("d")), where, snapshot(where)) == ()


def counted(new: Pod, there: Snapshot, most: int, predicate: str = EBS) -> tuple[object, ...]:
    return max_volume_count.failures(new, N, there, predicate, most)


def disks(count: int, first: int = 0) -> tuple[AWSElasticBlockStore, ...]:
    return tuple(AWSElasticBlockStore(f"d{number}") for number in range(first, first + count))


def test_the_most_that_are_attached_is_reached_and_not_exceeded() -> None:
    there = snapshot(N, with_disks("there", *disks(38), on="n"))
    assert counted(with_disks("new", *disks(1, 38)), there, 39) == ()
    assert counted(with_disks("new", *disks(2, 38)), there, 39) == (MAX_VOLUME_COUNT_EXCEEDED,)


def test_a_disk_that_is_attached_already_counts_once() -> None:
    there = snapshot(N, with_disks("there", *disks(2), on="n"), with_disks("other", *disks(2), on="n"))
    assert counted(with_disks("new", *disks(2)), there, 2) == ()
    assert counted(with_disks("new", *disks(1, 2)), there, 2) == (MAX_VOLUME_COUNT_EXCEEDED,)


def test_a_pod_that_brings_none_of_the_kind_may_join_a_node_that_has_too_many() -> None:
    there = snapshot(N, with_disks("there", *disks(3), on="n"))
    assert counted(with_disks("new", GCEPersistentDisk("g")), there, 2) == ()
    assert counted(with_disks("new", *disks(1)), there, 2) == (MAX_VOLUME_COUNT_EXCEEDED,)


def test_each_predicate_counts_its_own_kind() -> None:
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


def test_what_is_lost_counts_against_every_kind_and_once_for_each_pod() -> None:
    storage = Storage(claims=(PersistentVolumeClaim("dangling", volume_name="gone"),))
    there = with_storage(snapshot(N, with_disks("there", ClaimSource("missing"), on="n")), storage)
    for predicate in (EBS, GCE):
        for name in ("missing", "dangling"):
            assert counted(with_disks("new", ClaimSource(name)), there, 2, predicate) == ()
            assert counted(with_disks("new", ClaimSource(name)), there, 1, predicate) == (MAX_VOLUME_COUNT_EXCEEDED,)


def test_nothing_behind_what_is_lost_is_counted() -> None:
    new = with_disks("new", ClaimSource("missing"), *disks(5))
    assert counted(new, snapshot(N), 1) == ()
    assert counted(with_disks("new", *disks(5), ClaimSource("missing")), snapshot(N), 5) == (MAX_VOLUME_COUNT_EXCEEDED,)


def test_a_claim_that_is_not_bound_is_an_error_whosever_it_is() -> None:
    storage = Storage(claims=(PersistentVolumeClaim("unbound"),))
    expected = (error('PersistentVolumeClaim is not bound: "unbound"'),)
    alone = with_storage(snapshot(N), storage)
    beside = with_storage(snapshot(N, with_disks("there", ClaimSource("unbound"), on="n")), storage)
    assert counted(with_disks("new", ClaimSource("unbound")), alone, 39) == expected
    assert counted(with_disks("new", *disks(1)), beside, 39) == expected
    assert counted(with_disks("new"), beside, 39) == ()


@pytest.mark.parametrize(("predicate", "usual"), [(EBS, 39), (GCE, 16)])
def test_the_variable_overrides_both_limits_if_it_is_a_positive_number(predicate: str, usual: int) -> None:
    assert most_volumes(predicate, "") == usual
    assert most_volumes(predicate, "5") == most_volumes(predicate, "+5") == most_volumes(predicate, "005") == 5
    for text in ("0", "-5", "five", "5.0", "5 ", "1_0", "٥", "0x10", str(2**63)):
        assert most_volumes(predicate, text) == usual
    assert most_volumes(predicate, str(2**63 - 1)) == most_volumes(predicate, f"+{2**63 - 1}") == 2**63 - 1
