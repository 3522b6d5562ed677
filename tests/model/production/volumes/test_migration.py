"""CSI migration in the production scheduler: handles, topology and drivers as in the definitions"""

from typing import Any

import pytest
from frozendict import frozendict
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.checker.drawing.objects import tuples
from schedcheck.model.production.volumes.migration import (
    BETA_REGION,
    BETA_ZONE,
    REGION,
    ZONE,
    UntranslatableError,
    handle,
    plugin_of,
    translated,
)
from schedcheck.spec.storage import (
    AWSElasticBlockStore,
    AzureDisk,
    AzureFile,
    Cinder,
    CSINode,
    GCEPersistentDisk,
    PersistentVolume,
    PortworxVolume,
    VsphereVolume,
)
from schedcheck.spec.terms import NodeSelectorTerm, Requirement
from schedcheck.spec.volumes import csi_migration

KEYS = (ZONE, REGION, BETA_ZONE, BETA_REGION, "other")
VALUES = (
    "",
    "eu-west-a",
    "eu-west-b",
    "us-east-a",
    "eu-west-a__eu-west-b",
    "eu-west-a__us-east-a",
    "a__b",
    "__",
    " x ",
)
DISKS = st.one_of(
    st.just(GCEPersistentDisk("d")),
    st.sampled_from(("vol-1", "aws://eu/vol-1", "aws:///vol-1", "aws://eu/x", "aws://vol-1")).map(AWSElasticBlockStore),
    st.sampled_from(("Managed", "Shared")).map(lambda kind: AzureDisk("d", "uri", kind=kind)),
    st.sampled_from((Cinder("c"), PortworxVolume("p"), AzureFile("f"), VsphereVolume("v"))),
)
LABELS = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES)).map(frozendict)
TERMS = tuples(
    st.builds(
        NodeSelectorTerm,
        tuples(st.builds(Requirement, st.sampled_from(KEYS), st.just("In"), tuples(st.sampled_from(VALUES)))),
    )
)


@given(st.builds(PersistentVolume, st.just("v"), LABELS, node_affinity=st.none() | TERMS, source=DISKS))
def test_a_migrated_volume_has_the_handle_and_topology_of_the_definitions(volume: PersistentVolume) -> None:
    plugin = plugin_of(volume.source)
    assert plugin is not None
    assert plugin.name == csi_migration.plugin_of(volume.source)
    assert plugin.driver == csi_migration.DRIVERS[plugin.name]
    assert plugin.replaced == (plugin.name in csi_migration.MOVED_EVERYWHERE | csi_migration.MOVED_BY_NODE)
    expected: Any = csi_migration.handle(volume.source, volume.labels)
    try:
        found: Any = handle(volume.source, volume.labels)
    except UntranslatableError as error:
        assert expected is None
        assert not plugin.replaced or str(error) == csi_migration.why_no_handle(volume.source, volume.labels)
        return
    assert found == expected
    assert translated(volume, plugin) == csi_migration.affinity(volume, plugin.name)


def test_volumes_of_migrated_plugins_count_for_their_drivers() -> None:
    some = CSINode("n", migrated=frozenset({"kubernetes.io/portworx-volume", "kubernetes.io/vsphere-volume"}))
    for source in (GCEPersistentDisk("d"), PortworxVolume("p"), VsphereVolume("v"), AzureFile("f")):
        plugin = plugin_of(source)
        assert plugin is not None
        for node in (None, CSINode("n"), some):
            assert plugin.counts_as_drivers(node) == csi_migration.moved(plugin.name, node)


@pytest.mark.parametrize(("zone", "region"), [(BETA_ZONE, BETA_REGION), (ZONE, REGION)])
def test_terms_of_a_migrated_volume_name_the_zone_of_the_driver_and_the_newer_region(zone: str, region: str) -> None:
    """k8s.io/csi-translation-lib/plugins/in_tree_volume.go, translateTopologyFromInTreeToCSI."""

    def within(zone: str, region: str) -> tuple[NodeSelectorTerm, ...]:
        return (NodeSelectorTerm((Requirement(zone, "In", ("a",)), Requirement(region, "In", ("r",)))),)

    volume = PersistentVolume("v", node_affinity=within(zone, region), source=GCEPersistentDisk("d"))
    plugin = plugin_of(volume.source)
    assert plugin is not None
    assert translated(volume, plugin) == within("topology.gke.io/zone", "topology.kubernetes.io/region")
