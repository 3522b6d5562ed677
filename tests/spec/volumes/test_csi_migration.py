"""Disks of in-tree plugins as their CSI drivers see them, following k8s.io/csi-translation-lib 0.34"""

import pytest
from frozendict import frozendict

from schedcheck.spec.storage import (
    CSI,
    AWSElasticBlockStore,
    AzureDisk,
    Cinder,
    Disk,
    GCEPersistentDisk,
    PersistentVolume,
    PortworxVolume,
)
from schedcheck.spec.terms import NodeSelectorTerm, Requirement
from schedcheck.spec.volumes.csi_migration import DRIVERS, PLUGINS, affinity, handle, why_no_handle
from tests.support.building import node_term

ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
BETA_ZONE, BETA_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
EBS, EBS_ZONE = "kubernetes.io/aws-ebs", "topology.ebs.csi.aws.com/zone"


@pytest.mark.parametrize(
    ("disk", "labels", "name"),
    [
        (GCEPersistentDisk("d"), {}, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"),
        (GCEPersistentDisk("d"), {ZONE: "us-east1-a"}, "projects/UNSPECIFIED/zones/us-east1-a/disks/d"),
        (GCEPersistentDisk("d"), {BETA_ZONE: "b", ZONE: "a"}, "projects/UNSPECIFIED/zones/b/disks/d"),
        (GCEPersistentDisk("d"), {ZONE: "us-east1-a__us-east1-b"}, "projects/UNSPECIFIED/regions/us-east1/disks/d"),
        (GCEPersistentDisk("d"), {ZONE: "us-east1-a__us-west1-b"}, None),
        (GCEPersistentDisk("d"), {ZONE: "a__b"}, None),
        (AWSElasticBlockStore("anything"), {}, "anything"),
        (AWSElasticBlockStore("aws://us-east-1a/vol-1"), {}, "vol-1"),
        (AWSElasticBlockStore("aws:///vol-1"), {}, "vol-1"),
        (AWSElasticBlockStore("aws://us-east-1a/disk-1"), {}, None),
        (AWSElasticBlockStore("aws://us-east-1a/a/vol-1"), {}, None),
        (AzureDisk("d", "uri", kind="Managed"), {}, "uri"),
        (AzureDisk("d", "uri", kind="Dedicated"), {}, None),
        (Cinder("d"), {}, "d"),
        (PortworxVolume("d"), {}, "d"),
        (CSI("driver", "d"), {}, None),
    ],
)
def test_the_driver_identifies_a_disk_by_its_volume_handle(
    disk: Disk, labels: dict[str, str], name: str | None
) -> None:
    assert handle(disk, frozendict(labels)) == name


@pytest.mark.parametrize(
    ("label", "reason"),
    [
        ("us-west1-b__us-east1-a", "multiple or no regions gotten from zones, got: map[us-east1:{} us-west1:{}]"),
        ("us-east1-a__b", "zone in unexpected format, expected: {locale}-{region}-{zone}, got: b"),
        ("a__b", "zone in unexpected format, expected: {locale}-{region}-{zone}, got: a"),
    ],
)
def test_zones_without_a_common_region_give_the_errors_of_the_library(label: str, reason: str) -> None:
    said = why_no_handle(GCEPersistentDisk("d"), frozendict({BETA_ZONE: label}))
    assert said == f"failed to get region from zones: {reason}"


@pytest.mark.parametrize(
    ("terms", "labels", "expected"),
    [
        (None, {}, None),
        (None, {"other": "a"}, None),
        (None, {ZONE: "b__a"}, (node_term(Requirement(EBS_ZONE, "In", ("a", "b"))),)),
        (None, {BETA_ZONE: "a"}, (node_term(Requirement(EBS_ZONE, "In", ("a",))),)),
        (None, {ZONE: ""}, None),
        (
            (node_term(Requirement(ZONE, "In", ("a",))),),
            {ZONE: "b"},
            (node_term(Requirement(EBS_ZONE, "In", ("a",))),),
        ),
        (
            (node_term(Requirement("disk", "Exists")), node_term(Requirement("disk", "DoesNotExist"))),
            {ZONE: "a"},
            (
                node_term(Requirement("disk", "Exists"), Requirement(EBS_ZONE, "In", ("a",))),
                node_term(Requirement("disk", "DoesNotExist"), Requirement(EBS_ZONE, "In", ("a",))),
            ),
        ),
        (
            (node_term(Requirement(BETA_ZONE, "In", ("a",)), Requirement(BETA_REGION, "In", ("r",))),),
            {},
            (node_term(Requirement(EBS_ZONE, "In", ("a",)), Requirement(REGION, "In", ("r",))),),
        ),
        (
            (node_term(Requirement(ZONE, "In", ("a",)), Requirement(BETA_REGION, "In", ("r",))),),
            {},
            (node_term(Requirement(EBS_ZONE, "In", ("a",)), Requirement(BETA_REGION, "In", ("r",))),),
        ),
        (
            (node_term(Requirement(ZONE, "Exists")),),
            {},
            (node_term(Requirement(ZONE, "Exists")),),
        ),
        (
            (node_term(Requirement("a-disk", "In", ("ssd",)), Requirement("z-disk", "In", ("ssd",))),),
            {ZONE: "a"},
            (
                node_term(
                    Requirement("a-disk", "In", ("ssd",)),
                    Requirement("z-disk", "In", ("ssd",)),
                    Requirement(EBS_ZONE, "In", ("a",)),
                ),
            ),
        ),
    ],
)
def test_the_zone_of_the_volume_is_expressed_in_the_label_of_the_driver(
    terms: tuple[NodeSelectorTerm, ...] | None,
    labels: dict[str, str],
    expected: tuple[NodeSelectorTerm, ...] | None,
) -> None:
    assert affinity(PersistentVolume("v", frozendict(labels), node_affinity=terms), EBS) == expected


def test_a_driver_without_zones_keeps_the_node_affinity_unchanged() -> None:
    terms = (node_term(Requirement(ZONE, "In", ("a",))),)
    for plugin in ("kubernetes.io/azure-disk", "kubernetes.io/portworx-volume"):
        assert affinity(PersistentVolume("v", frozendict({ZONE: "b"}), node_affinity=terms), plugin) == terms


def test_each_in_tree_plugin_has_one_driver() -> None:
    assert set(PLUGINS.values()) == set(DRIVERS)
    assert len(set(DRIVERS.values())) == len(DRIVERS) == 7


@pytest.mark.parametrize("other", ["aaa", "zzz"])
def test_only_the_zone_label_is_renamed(other: str) -> None:
    zone, kept = Requirement(ZONE, "In", ("a",)), Requirement(other, "In", ("a",))
    volume = PersistentVolume("v", node_affinity=(node_term(kept, zone),))
    assert affinity(volume, EBS) == (node_term(kept, Requirement(EBS_ZONE, "In", ("a",))),)
