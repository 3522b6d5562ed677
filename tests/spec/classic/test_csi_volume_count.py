"""MaxCSIVolumeCountPred, as in Kubernetes 1.17, and the counts of Azure and Cinder disks"""

from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.spec.classic.filtering import failures
from schedcheck.spec.classic.policy import DEFAULT
from schedcheck.spec.classic.predicates.max_csi_volume_count import limit_key, max_csi_volume_count
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.storage import (
    CSI,
    AzureDisk,
    Cinder,
    ClaimSource,
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    StorageClass,
    Volume,
)
from tests.support.building import node, pod, snapshot

DRIVER = "csi.example.com"
N = node("n", 9)
COUNTING = replace(DEFAULT, predicates=("MaxCSIVolumeCountPred", "MaxAzureDiskVolumeCount", "MaxCinderVolumeCount"))


def claiming(name: str, *claims: str, on: str = "") -> Pod:
    return pod(name, on=on, volumes=tuple(Volume(each, ClaimSource(each)) for each in claims))


def stored(there: Snapshot, most: int | None = 1, **handles: str) -> Snapshot:
    """The snapshot with a bound claim for each handle of the driver, and the limit of the CSINode; None for no limit."""
    claims = [PersistentVolumeClaim(name, volume_name=f"pv-{name}") for name in handles]
    volumes = [PersistentVolume(f"pv-{name}", source=CSI(DRIVER, handle)) for name, handle in handles.items()]
    nodes = (CSINode("n", allocatable=frozendict({} if most is None else {DRIVER: most})),)
    return replace(there, storage=Storage(claims=tuple(claims), volumes=tuple(volumes), nodes=nodes))


def passes(one: Pod, there: Snapshot, where: Node = N) -> bool:
    return max_csi_volume_count(one, where, there)


@pytest.mark.parametrize(("most", "fits"), [(1, False), (2, True), (None, True)])
def test_a_driver_attaches_at_most_as_many_volumes_as_the_node_allows(most: int | None, fits: bool) -> None:
    one = claiming("p", "a")
    there = stored(snapshot(one, N, claiming("q", "b", on="n")), most, a="1", b="2")
    assert passes(one, there) is fits
    reasons = [each.words for each in failures(one, N, there, COUNTING)]
    assert reasons == ([] if fits else ["node(s) exceed max volume count"])


def test_a_volume_counts_once_however_many_pods_share_it() -> None:
    one = claiming("p", "a")
    assert passes(one, stored(snapshot(one, N, claiming("q", "b", on="n")), 1, a="1", b="1"))
    twice = claiming("p", "a", "b")
    assert passes(twice, stored(snapshot(twice, N), 1, a="1", b="1"))
    assert not passes(twice, stored(snapshot(twice, N), 1, a="1", b="2"))


def test_a_pod_without_new_volumes_passes_even_on_a_node_over_its_limit() -> None:
    there = snapshot(claiming("p", "a"), N, claiming("q", "a", "b", on="n"))
    assert passes(claiming("p", "a"), stored(there, 1, a="1", b="2"))
    assert passes(pod("p"), stored(there, 0, a="1", b="2"))


def test_inline_volumes_and_missing_claims_do_not_count() -> None:
    inline = pod("p", volumes=(Volume("v", CSI(DRIVER)),))
    assert passes(inline, stored(snapshot(inline, N), 0))
    assert passes(claiming("p", "none"), stored(snapshot(N), 0))


def test_a_volume_to_be_provisioned_counts_once_for_each_claim() -> None:
    """The class names the driver; a claim without a class does not count."""
    one = claiming("p", "a", "b")
    claims = tuple(PersistentVolumeClaim(name, storage_class="fast") for name in ("a", "b"))
    there = stored(snapshot(one, N), 1)
    made = replace(there.storage, claims=claims, classes=(StorageClass("fast", provisioner=DRIVER),))
    assert not passes(one, replace(there, storage=made))
    assert passes(claiming("p", "a"), replace(there, storage=made))
    unclassed = replace(made, claims=tuple(replace(each, storage_class=None) for each in claims))
    assert passes(one, replace(there, storage=unclassed))


def test_the_node_may_give_the_limit_and_the_csi_node_goes_before_it() -> None:
    limited = node("n", 9)
    limited = replace(limited, allocatable=limited.allocatable.set(limit_key(DRIVER), 0))
    one = claiming("p", "a")
    assert not passes(one, stored(snapshot(one, limited), None, a="1"), limited)
    assert passes(one, stored(snapshot(one, limited), 1, a="1"), limited)


def test_a_long_driver_name_is_shortened_by_its_hash() -> None:
    """The prefix has 23 letters, and a name of 63 is too long; the hash is that of `sha1sum`."""
    assert limit_key("d" * 39) == "attachable-volumes-csi-" + "d" * 39
    assert limit_key("d" * 40) == "attachable-volumes-csi-" + "d" * 23 + HASH


HASH = "4e99f0e6374ba7bf"


@pytest.mark.parametrize(
    ("predicate", "disks", "most"),
    [
        ("MaxAzureDiskVolumeCount", [AzureDisk(f"d{number}", f"uri{number}") for number in range(17)], 16),
        ("MaxCinderVolumeCount", [Cinder(f"v{number}") for number in range(257)], 256),
    ],
)
def test_azure_and_cinder_disks_have_limits_of_their_own(
    predicate: str, disks: list[AzureDisk | Cinder], most: int
) -> None:
    def holding(name: str, some: list[AzureDisk | Cinder], on: str = "") -> Pod:
        return pod(name, on=on, volumes=tuple(Volume(f"v{number}", each) for number, each in enumerate(some)))

    classic = replace(DEFAULT, predicates=(predicate,))
    there = snapshot(N, holding("q", disks[: most - 1], on="n"))
    assert failures(holding("p", disks[most - 1 : most]), N, there, classic) == ()
    over = failures(holding("p", disks[most - 1 :]), N, there, classic)
    assert [each.words for each in over] == ["node(s) exceed max volume count"]
    assert failures(holding("p", disks[: most - 1]), N, there, classic) == ()
    assert failures(holding("p", disks), N, there, replace(classic, most_volumes="1000")) == ()
    others = {"MaxAzureDiskVolumeCount", "MaxCinderVolumeCount"} - {predicate}
    assert failures(holding("p", disks), N, there, replace(classic, predicates=tuple(others))) == ()
