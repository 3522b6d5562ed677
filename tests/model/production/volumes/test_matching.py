"""Volumes that claims take on each node, room for new ones, and assumed objects, by hand from kube-scheduler's code

Kubernetes 1.37: FindMatchingVolume in k8s.io/component-helpers/storage/volume/pv_helpers.go, hasEnoughCapacity in
pkg/scheduler/framework/plugins/volumebinding/binder.go.
"""

from dataclasses import replace

from frozendict import frozendict

from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.model.production.volumes.assumed import AssumedVolumes
from schedcheck.model.production.volumes.attachments import csi_node
from schedcheck.model.production.volumes.matching import NO_VOLUME, matched, room_for, waiting
from schedcheck.spec.kubernetes.versions import VERSIONS
from schedcheck.spec.storage import (
    ClaimReference,
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    StorageClass,
)
from schedcheck.spec.terms import LabelSelector, NodeSelectorTerm, Requirement
from tests.model.production.cluster import cluster
from tests.support.building import node, snapshot

CLAIM = PersistentVolumeClaim("c", uid="1", request=10, access_modes=("ReadWriteOnce",))
VOLUME = PersistentVolume("v", capacity=10, access_modes=("ReadWriteOnce",))
ON_A = (NodeSelectorTerm((Requirement("zone", "In", ("a",)),)),)


def zones(*names: str) -> Nodes:
    """Return a node in each of these zones."""
    there = (node(f"n-{name}", labels={"zone": name}) for name in names)
    return cluster(snapshot(*there)).handle.snapshot.all().tried()


def places(claims: tuple[PersistentVolumeClaim, ...], storage: Storage, nodes: Nodes) -> list[list[int]]:
    """Return for each claim, the smallest first, the place of the volume that it takes on each node."""
    return [there.tolist() for _, there in matched([waiting(each, storage) for each in claims], nodes)]


def test_a_claim_takes_no_other_volume_where_its_own_is_out_of_reach() -> None:
    """FindMatchingVolume returns no volume where the node affinity of the volume bound to the claim is not satisfied."""
    own = replace(VOLUME, name="own", claim=ClaimReference("default", "c"), node_affinity=ON_A)
    assert places((CLAIM,), Storage(volumes=(own, VOLUME)), zones("a", "b")) == [[0, NO_VOLUME]]


def test_a_claim_takes_a_volume_within_reach_on_each_node() -> None:
    assert places((CLAIM,), Storage(volumes=(replace(VOLUME, node_affinity=ON_A), replace(VOLUME, name="w"))),
                  zones("a", "b")) == [[0, 1]]  # fmt: skip


def test_volume_modes_are_compared_by_their_text() -> None:
    """Two manifests hold two objects of one text."""
    one, other = ("".join(("Bl", end)) for end in ("ock", "ock"))
    assert one is not other
    claim = replace(CLAIM, volume_mode=one)
    assert waiting(claim, Storage(volumes=(replace(VOLUME, volume_mode=other),))).volumes != ()
    assert waiting(claim, Storage(volumes=(VOLUME,))).volumes == ()


def test_room_is_that_of_the_first_large_enough_capacity_of_each_node() -> None:
    made = StorageClass("fast", "driver")

    def capacity(name: str, size: int, zone: str, most: int | None = None, of: str = "fast") -> CSIStorageCapacity:
        return CSIStorageCapacity(name, "default", of, LabelSelector(frozendict(zone=zone)), size, most)

    storage = Storage(
        classes=(made,),
        drivers=(CSIDriver("driver", storage_capacity=True),),
        capacities=(
            capacity("1", 9, "a"),
            capacity("2", 99, "a", 9),
            capacity("3", 40, "a", of="slow"),
            capacity("4", 20, "a"),
            capacity("5", 30, "a"),
            capacity("6", 10, "b"),
        ),
    )
    claim = replace(CLAIM, storage_class="fast")
    found = [(size, there.tolist()) for size, there in room_for(claim, zones("a", "b"), storage) if there.any()]
    assert found == [(20, [True, False]), (10, [False, True])]
    assert room_for(replace(claim, request=0), zones("a"), storage) == []
    assert room_for(claim, zones("a"), replace(storage, drivers=())) == []
    assert room_for(claim, zones("a"), replace(storage, classes=())) == []
    assert room_for(claim, zones("a"), replace(storage, drivers=(CSIDriver("driver"),))) == []


def test_assumed_objects_replace_those_of_each_delivery() -> None:
    """The same objects are assumed while deliveries change the others."""
    assumed, bound = AssumedVolumes(), replace(VOLUME, claim=ClaimReference("default", "c"))
    assumed.assume([bound], [])
    first, other = Storage(volumes=(VOLUME,)), replace(VOLUME, name="w")
    assert assumed.over(first).volumes == (bound,)
    assert assumed.over(first).volumes == (bound,)
    assert assumed.over(Storage(volumes=(VOLUME, other))).volumes == (bound, other)


def test_portworx_counts_as_migrated_besides_the_plugins_of_the_annotation_from_1_36_on() -> None:
    """Kubernetes 1.36: isCSIMigrationOn in pkg/scheduler/framework/plugins/nodevolumelimits/utils.go."""
    there, plugin = CSINode("n", migrated=frozenset({"kubernetes.io/gce-pd"})), "kubernetes.io/portworx-volume"
    for version, more in (("1.35", frozenset[str]()), ("1.36", frozenset({plugin})), ("1.37", frozenset({plugin}))):
        found = csi_node("n", Storage(nodes=(there,)), VERSIONS[version].departures)
        assert found is not None and found.migrated == there.migrated | more
