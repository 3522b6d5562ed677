"""VolumeZone of kube-scheduler 1.34: one test for each clause of volume_zone.go"""

import pytest
from frozendict import frozendict

from schedcheck.spec.kubernetes.filters.volume_zone import refusal, rejection, skipped, topologies, volume_zone
from schedcheck.spec.refusal import unresolvable
from schedcheck.spec.storage import (
    Ephemeral,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    StorageClass,
    Volume,
)
from tests.support.building import claiming, node, pod, stored

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
BETA_ZONE, BETA_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
WAITING = StorageClass("waiting", "p", "WaitForFirstConsumer")
NOW = StorageClass("now", "p")


def placed(**labels: str) -> Storage:
    """A claim c that is bound to a volume with these labels."""
    names = {"zone": ZONE, "region": REGION, "beta_zone": BETA_ZONE, "beta_region": BETA_REGION}
    volume = PersistentVolume("v", frozendict({names.get(key, key): value for key, value in labels.items()}))
    return stored(volume, PersistentVolumeClaim("c", volume_name="v", bind_completed=True))


@pytest.mark.parametrize(
    ("volume", "labels", "fits"),
    [
        ({"zone": "a"}, {ZONE: "a"}, True),
        ({"zone": "a"}, {ZONE: "b"}, False),
        ({"zone": "a__b"}, {ZONE: "b"}, True),
        ({"zone": "a__b"}, {ZONE: "a__b"}, False),
        ({"zone": " a __b"}, {ZONE: "a"}, True),
        ({"zone": "a__"}, {ZONE: "b"}, True),
        ({"zone": ""}, {ZONE: "b"}, True),
        ({"zone": "a", "region": "r"}, {ZONE: "a", REGION: "r"}, True),
        ({"zone": "a", "region": "r"}, {ZONE: "a", REGION: "s"}, False),
        ({"zone": "a", "region": "r"}, {ZONE: "a"}, False),
        ({"region": "r"}, {ZONE: "a"}, False),
        ({"zone": "a"}, {ZONE: "a", REGION: "r"}, True),
        ({"zone": "a"}, {}, True),
        ({"zone": "a"}, {"other": "b"}, True),
        ({"beta_zone": "a"}, {ZONE: "a"}, True),
        ({"beta_zone": "a"}, {ZONE: "b"}, False),
        ({"beta_zone": "a"}, {BETA_ZONE: "a", ZONE: "b"}, True),
        ({"beta_zone": "a"}, {BETA_ZONE: "b", ZONE: "a"}, False),
        ({"beta_region": "r"}, {REGION: "r"}, True),
        ({"zone": "a"}, {BETA_ZONE: "a"}, False),
        ({"other": "a"}, {ZONE: "b"}, True),
    ],
)
def test_the_node_must_match_each_volume_label_or_have_no_zone_labels(
    volume: dict[str, str], labels: dict[str, str], fits: bool
) -> None:
    where = topologies(claiming("c"), placed(**volume))
    said = None if fits else unresolvable("VolumeZone", "node(s) had no available volume zone")
    assert refusal(node(labels=labels), where) == said
    assert volume_zone(node(labels=labels), where) == fits


def test_volume_zone_is_skipped_if_no_volume_has_a_topology_label() -> None:
    assert skipped(topologies(pod(), placed(zone="a")))
    assert skipped(topologies(claiming("c"), placed(other="a")))
    assert skipped(topologies(claiming("c"), placed(zone="a__")))
    assert not skipped(topologies(claiming("c"), placed(zone="a")))


def test_an_ephemeral_claim_is_ignored_by_volume_zone() -> None:
    ephemeral = pod(volumes=(Volume("c", Ephemeral()),))
    claim = PersistentVolumeClaim("p-c", volume_name="v")
    assert topologies(ephemeral, stored(claim, PersistentVolume("v", frozendict({ZONE: "a"})))) == ()
    assert rejection(ephemeral, stored()) is None


@pytest.mark.parametrize(
    ("storage", "reason"),
    [
        (stored(), 'persistentvolumeclaim "c" not found'),
        (stored(PersistentVolumeClaim("c", volume_name="v")), 'persistentvolume "v" not found'),
        (stored(PersistentVolumeClaim("c")), "PersistentVolumeClaim had no pv name and storageClass name"),
        (stored(PersistentVolumeClaim("c", storage_class="")), "PersistentVolumeClaim had no pv name and storageClass name"),
        (stored(PersistentVolumeClaim("c", storage_class="s")), 'storageclass.storage.k8s.io "s" not found'),
        (stored(PersistentVolumeClaim("c", storage_class="now"), NOW), "PersistentVolume had no name"),
        (stored(PersistentVolumeClaim("c", storage_class="waiting"), WAITING), None),
        (placed(zone="a"), None),
    ],
)  # fmt: skip
def test_a_claim_must_have_a_volume_or_wait_for_the_pod(storage: Storage, reason: str | None) -> None:
    said = rejection(claiming("c"), storage)
    assert said == (None if reason is None else unresolvable("VolumeZone", reason))


def test_the_first_invalid_claim_is_reported() -> None:
    storage = stored(*placed(zone="a").volumes, *placed(zone="a").claims, PersistentVolumeClaim("e"))
    said = rejection(claiming("c", "d", "e"), storage)
    assert said == unresolvable("VolumeZone", 'persistentvolumeclaim "d" not found')
