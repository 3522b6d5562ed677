"""VolumeBinding of kube-scheduler 1.34: one test for each clause of volume_binding.go, binder.go and FindMatchingVolume"""

from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.refusal import Refusal, failed, unresolvable
from schedcheck.spec.storage import (
    CSI,
    AWSElasticBlockStore,
    AzureDisk,
    ClaimReference,
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    Ephemeral,
    GCEPersistentDisk,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    StorageClass,
    Volume,
    VsphereVolume,
)
from schedcheck.spec.terms import LabelSelector, NodeSelectorTerm, Requirement
from schedcheck.spec.volumes.binding import claims_of, refusal, rejection, skipped, volume_binding
from tests.support.building import Stored, claiming, node, node_term, pod, selector, stored

NAME = "VolumeBinding"
OUT_OF_REACH = "node(s) didn't match PersistentVolume's node affinity"
NONE_TO_BIND = "node(s) didn't find available persistent volumes to bind"
NO_SPACE = "node(s) did not have enough free storage"
NO_VOLUME = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
UNBOUND = "pod has unbound immediate PersistentVolumeClaims"

LOCAL = StorageClass("local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer")
MADE = StorageClass("made", "csi.example.com", "WaitForFirstConsumer")
NOW = StorageClass("now", "csi.example.com", "Immediate")

ON_A = (node_term(Requirement("zone", "In", ("a",))),)
A, B = node(labels={"zone": "a"}), node(labels={"zone": "b"})


def waiting(name: str = "c", **fields: object) -> PersistentVolumeClaim:
    """A claim of the class local, which waits for its first consumer."""
    return PersistentVolumeClaim(name, **{"storage_class": "local", "request": 5, **fields})  # type: ignore[arg-type]


def volume(name: str = "v", capacity: int = 5, **fields: object) -> PersistentVolume:
    """An available volume of the class local."""
    given = {"storage_class": "local", "source": CSI("d", name), **fields}
    return PersistentVolume(name, capacity=capacity, **given)  # type: ignore[arg-type]


def bound(name: str, to: PersistentVolume) -> tuple[Stored, Stored]:
    """A claim that is bound to the volume, and the volume."""
    return PersistentVolumeClaim(name, volume_name=to.name, bind_completed=True, phase="Bound"), to


def asked(wanting: Pod, storage: Storage, on: Node = A) -> Refusal | None:
    """The filter's verdict on a node; its predicate must agree."""
    claims = claims_of(wanting, storage)
    said = refusal(on, claims, storage)
    assert volume_binding(on, claims, storage) == (said is None)
    return said


def refused(*reasons: str) -> Refusal:
    return unresolvable(NAME, *reasons)


# PreFilter


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (None, 'persistentvolumeclaim "c" not found'),
        (replace(waiting(), namespace="other"), 'persistentvolumeclaim "c" not found'),
        (
            replace(waiting(), phase="Lost", volume_name="v"),
            'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"',
        ),
        (replace(waiting(), terminating=True), 'persistentvolumeclaim "c" is being deleted'),
        (PersistentVolumeClaim("c"), UNBOUND),
        (PersistentVolumeClaim("c", storage_class=""), UNBOUND),
        (PersistentVolumeClaim("c", storage_class="now"), UNBOUND),
        (PersistentVolumeClaim("c", storage_class="unknown"), UNBOUND),
        (waiting(volume_name="v"), UNBOUND),
        (waiting(bind_completed=True), None),
        (PersistentVolumeClaim("c", volume_name="v", bind_completed=True), None),
        (waiting(), None),
    ],
)
def test_each_claim_must_exist_be_consistent_and_be_bound_unless_it_may_wait(
    claim: PersistentVolumeClaim | None, reason: str | None
) -> None:
    storage = stored(LOCAL, NOW, *([claim] if claim else []))
    assert rejection(claiming("c"), storage) == (None if reason is None else refused(reason))


def test_an_invalid_claim_is_reported_before_an_unbound_one() -> None:
    storage = stored(PersistentVolumeClaim("c"), NOW)
    assert rejection(claiming("c", "d"), storage) == refused('persistentvolumeclaim "d" not found')


def test_an_ephemeral_claim_must_exist_and_be_owned_by_the_pod() -> None:
    ephemeral = pod("web", volumes=(Volume("data", Ephemeral("1")),))
    made = waiting("web-data", owner_uid="1")
    awaited = 'waiting for ephemeral volume controller to create the persistentvolumeclaim "web-data"'
    assert rejection(ephemeral, stored(LOCAL)) == refused(awaited)
    assert rejection(ephemeral, stored(LOCAL, made)) is None
    foreign = "PVC default/web-data was not created for pod default/web (pod is not owner)"
    assert rejection(ephemeral, stored(LOCAL, replace(made, owner_uid=None))) == refused(foreign)
    assert rejection(ephemeral, stored(LOCAL, replace(made, owner_uid="2"))) == refused(foreign)


def test_volume_binding_is_skipped_without_claims() -> None:
    assert skipped(pod())
    assert skipped(pod(volumes=(Volume("v", None), Volume("w", CSI("driver")))))
    assert not skipped(claiming("c"))
    assert not skipped(pod(volumes=(Volume("v", Ephemeral()),)))


# Bound claims


@pytest.mark.parametrize(
    ("terms", "fits"),
    [
        (None, True),
        (ON_A, True),
        ((node_term(Requirement("zone", "In", ("b",))),), False),
        ((node_term(Requirement("zone", "In", ("b",))), *ON_A), True),
        ((node_term(Requirement("zone", "In", ("a",)), Requirement("disk", "Exists")),), False),
        ((NodeSelectorTerm(),), False),
        ((), False),
        ((node_term(fields=(Requirement("metadata.name", "In", ("other",)),)),), True),
        (
            (node_term(Requirement("zone", "In", ("b",)), fields=(Requirement("metadata.name", "In", ("n",)),)),),
            False,
        ),
    ],
)
def test_the_node_labels_must_match_a_term_of_the_volume(
    terms: tuple[NodeSelectorTerm, ...] | None, fits: bool
) -> None:
    """CheckNodeAffinity builds a nameless node from the labels only, so no field can match."""
    storage = stored(*bound("c", volume(node_affinity=terms)))
    assert asked(claiming("c"), storage) == (None if fits else refused(OUT_OF_REACH))


def test_a_missing_volume_is_out_of_reach_of_every_node() -> None:
    claim, _ = bound("c", volume())
    assert asked(claiming("c"), stored(claim)) == refused(NO_VOLUME)


def test_the_first_claim_with_an_unusable_volume_gives_the_reason() -> None:
    far = bound("c", volume("far", node_affinity=ON_A))
    lost, _ = bound("d", volume("lost"))
    assert asked(claiming("c", "d"), stored(*far, lost), B) == refused(OUT_OF_REACH)
    assert asked(claiming("d", "c"), stored(*far, lost), B) == refused(NO_VOLUME)


@pytest.mark.parametrize(
    ("migrated", "labels", "fits"),
    [
        ((), {"topology.kubernetes.io/zone": "a"}, True),
        ((), {"topology.ebs.csi.aws.com/zone": "a"}, False),
        (("kubernetes.io/aws-ebs",), {"topology.ebs.csi.aws.com/zone": "a"}, True),
        (("kubernetes.io/aws-ebs",), {"topology.kubernetes.io/zone": "a"}, False),
        (("kubernetes.io/gce-pd",), {"topology.kubernetes.io/zone": "a"}, True),
    ],
)
def test_on_a_migrated_node_the_zone_of_a_volume_comes_from_its_label(
    migrated: tuple[str, ...], labels: dict[str, str], fits: bool
) -> None:
    terms = (node_term(Requirement("topology.kubernetes.io/zone", "In", ("a",))),)
    to = volume(source=AWSElasticBlockStore("vol-1"), node_affinity=terms)
    storage = stored(*bound("c", to), CSINode("n", migrated=frozenset(migrated)))
    assert asked(claiming("c"), storage, node(labels=labels)) == (None if fits else refused(OUT_OF_REACH))


def test_an_untranslatable_volume_fails_the_filter() -> None:
    shared = volume(source=AzureDisk("d", "uri", kind="Shared"))
    moved = CSINode("n", migrated=frozenset({"kubernetes.io/azure-disk", "kubernetes.io/vsphere-volume"}))
    reason = "could not translate pv: kind(Shared) is not supported in csi migration"
    assert asked(claiming("c"), stored(*bound("c", shared), moved)) == failed(NAME, reason)
    assert asked(claiming("c"), stored(*bound("c", shared), CSINode("n"))) is None
    assert asked(claiming("c"), stored(*bound("c", shared))) is None
    assert asked(claiming("c"), stored(*bound("c", volume(source=VsphereVolume("d"))), moved)) is None
    regions = volume(
        source=GCEPersistentDisk("d"), labels=frozendict({"topology.kubernetes.io/zone": "us-east1-a__us-west1-a"})
    )
    moved = CSINode("n", migrated=frozenset({"kubernetes.io/gce-pd"}))
    reason = (
        "could not translate pv: failed to get region from zones: "
        "multiple or no regions gotten from zones, got: map[us-east1:{} us-west1:{}]"
    )
    assert asked(claiming("c"), stored(*bound("c", regions), moved)) == failed(NAME, reason)


# Unbound claims and existing volumes


@pytest.mark.parametrize(
    ("changed", "fits"),
    [
        ({}, True),
        ({"capacity": 6}, True),
        ({"capacity": 4}, False),
        ({"storage_class": "other"}, False),
        ({"storage_class": ""}, False),
        ({"volume_mode": "Block"}, False),
        ({"attributes_class": "gold"}, False),
        ({"terminating": True}, False),
        ({"phase": "Bound"}, False),
        ({"phase": "Released"}, False),
        ({"phase": "Pending"}, False),
        ({"claim": ClaimReference("default", "other")}, False),
        ({"claim": ClaimReference("other", "c")}, False),
        ({"claim": ClaimReference("default", "c")}, True),
        ({"claim": ClaimReference("default", "c", "1")}, True),
        ({"claim": ClaimReference("default", "c", "2")}, False),
        ({"claim": ClaimReference("default", "c"), "phase": "Bound"}, True),
        ({"claim": ClaimReference("default", "c"), "capacity": 4}, False),
        ({"claim": ClaimReference("default", "c"), "volume_mode": "Block"}, False),
        ({"claim": ClaimReference("default", "c"), "storage_class": "other"}, False),
        ({"claim": ClaimReference("default", "c"), "terminating": True}, False),
        ({"node_affinity": ON_A}, True),
    ],
)
def test_an_unbound_claim_takes_a_suitable_volume(changed: dict[str, object], fits: bool) -> None:
    storage = stored(LOCAL, waiting(uid="1"), replace(volume(), **changed))  # type: ignore[arg-type]
    assert asked(claiming("c"), storage) == (None if fits else refused(NONE_TO_BIND))


def test_the_node_must_reach_the_volume_that_is_taken() -> None:
    storage = stored(LOCAL, waiting(), volume(node_affinity=ON_A))
    assert asked(claiming("c"), storage, A) is None
    assert asked(claiming("c"), storage, B) == refused(NONE_TO_BIND)


@pytest.mark.parametrize(
    ("wanted", "offered", "fits"),
    [
        (("ReadWriteOnce",), ("ReadWriteOnce", "ReadOnlyMany"), True),
        (("ReadWriteOnce", "ReadWriteMany"), ("ReadWriteOnce",), False),
        ((), (), True),
        (("ReadWriteOncePod",), ("ReadWriteOnce",), False),
    ],
)
def test_the_volume_must_have_every_access_mode_of_the_claim(
    wanted: tuple[str, ...], offered: tuple[str, ...], fits: bool
) -> None:
    storage = stored(LOCAL, waiting(access_modes=wanted), volume(access_modes=offered))
    assert asked(claiming("c"), storage) == (None if fits else refused(NONE_TO_BIND))


@pytest.mark.parametrize(
    ("wanted", "fits"), [(None, True), (LabelSelector(), True), (selector(tier="a"), True), (selector(tier="b"), False)]
)
def test_the_selector_of_the_claim_must_select_the_volume(wanted: LabelSelector | None, fits: bool) -> None:
    storage = stored(LOCAL, waiting(selector=wanted), volume(labels=frozendict(tier="a")))
    assert asked(claiming("c"), storage) == (None if fits else refused(NONE_TO_BIND))


def test_a_prebound_volume_needs_neither_the_modes_nor_the_selector_of_its_claim() -> None:
    kept = volume(claim=ClaimReference("default", "c"), phase="Bound")
    storage = stored(LOCAL, waiting(access_modes=("ReadWriteMany",), selector=selector(tier="b")), kept)
    assert asked(claiming("c"), storage) is None


def test_an_unreachable_prebound_volume_excludes_every_other_volume() -> None:
    kept = volume("z", claim=ClaimReference("default", "c"), node_affinity=ON_A)
    storage = stored(LOCAL, waiting(), volume("v"), kept)
    assert asked(claiming("c"), storage, A) is None
    assert asked(claiming("c"), storage, B) == refused(NONE_TO_BIND)


def test_two_claims_never_take_the_same_volume() -> None:
    storage = stored(LOCAL, waiting("c"), waiting("d"), volume())
    assert asked(claiming("c"), storage) is None
    assert asked(claiming("d"), storage) is None
    assert asked(claiming("c", "d"), storage) == refused(NONE_TO_BIND)
    assert asked(claiming("c", "d"), stored(LOCAL, waiting("c"), waiting("d"), volume("v"), volume("w"))) is None


def test_the_smallest_claim_is_matched_first_to_the_smallest_volume() -> None:
    """In the pod's order the large claim would find no volume, or the small one would take the large volume."""
    storage = stored(LOCAL, waiting("large", request=9), waiting("small", request=2), volume("v", 10), volume("w", 5))
    for wanting in (claiming("large", "small"), claiming("small", "large")):
        assert asked(wanting, storage) is None
    assert asked(claiming("large", "small"), stored(*storage.claims, LOCAL, volume("v", 10))) == refused(NONE_TO_BIND)


def test_greedy_matching_of_claims_may_leave_none_for_the_next() -> None:
    """Each claim alone, or the reverse order, would find a volume."""
    picky = waiting("picky", request=6, selector=selector(tier="a"))
    storage = stored(
        LOCAL, waiting("any", request=5), picky, volume("v", 8, labels=frozendict(tier="a")), volume("w", 9)
    )
    assert asked(claiming("any"), storage) is None
    assert asked(claiming("picky"), storage) is None
    assert asked(claiming("any", "picky"), storage) == refused(NONE_TO_BIND)


# Unbound claims and volumes to be provisioned


def test_without_a_matching_volume_one_is_provisioned_if_the_class_can() -> None:
    assert asked(claiming("c"), stored(LOCAL, waiting())) == refused(NONE_TO_BIND)
    assert asked(claiming("c"), stored(MADE, waiting(storage_class="made"))) is None
    nobody = replace(MADE, provisioner="")
    assert asked(claiming("c"), stored(nobody, waiting(storage_class="made"))) == refused(NONE_TO_BIND)


@pytest.mark.parametrize(
    ("topologies", "fits"),
    [
        ((), True),
        (((Requirement("zone", "In", ("a", "c")),),), True),
        (((Requirement("zone", "In", ("b",)),),), False),
        (((Requirement("zone", "In", ("b",)),), (Requirement("zone", "In", ("a",)),)), True),
        (((Requirement("zone", "In", ("a",)), Requirement("rack", "In", ("1",))),), False),
        (((),), False),
    ],
)
def test_the_node_must_be_in_an_allowed_topology_of_the_class(
    topologies: tuple[tuple[Requirement, ...], ...], fits: bool
) -> None:
    storage = stored(replace(MADE, allowed_topologies=topologies), waiting(storage_class="made"))
    assert asked(claiming("c"), storage) == (None if fits else refused(NONE_TO_BIND))


def test_an_existing_volume_is_taken_whatever_the_allowed_topologies() -> None:
    nowhere = replace(MADE, allowed_topologies=((),))
    storage = stored(nowhere, waiting(storage_class="made"), volume(storage_class="made"))
    assert asked(claiming("c"), storage) is None


EVERYWHERE = LabelSelector()


@pytest.mark.parametrize(
    ("capacities", "fits"),
    [
        ((), False),
        ((CSIStorageCapacity("x", storage_class="made", node_topology=EVERYWHERE, capacity=5),), True),
        ((CSIStorageCapacity("x", storage_class="made", node_topology=EVERYWHERE, capacity=4),), False),
        ((CSIStorageCapacity("x", storage_class="made", node_topology=EVERYWHERE),), False),
        ((CSIStorageCapacity("x", storage_class="made", node_topology=None, capacity=5),), False),
        ((CSIStorageCapacity("x", storage_class="other", node_topology=EVERYWHERE, capacity=5),), False),
        ((CSIStorageCapacity("x", storage_class="made", node_topology=selector(zone="a"), capacity=5),), True),
        ((CSIStorageCapacity("x", storage_class="made", node_topology=selector(zone="b"), capacity=5),), False),
        (
            (CSIStorageCapacity("x", storage_class="made", node_topology=EVERYWHERE, capacity=9, maximum_volume_size=4),),
            False,
        ),
        (
            (CSIStorageCapacity("x", storage_class="made", node_topology=EVERYWHERE, capacity=4, maximum_volume_size=5),),
            True,
        ),
        (
            (
                CSIStorageCapacity("x", storage_class="made", node_topology=EVERYWHERE, capacity=3),
                CSIStorageCapacity("y", storage_class="made", node_topology=EVERYWHERE, capacity=3),
            ),
            False,
        ),
    ],
)  # fmt: skip
def test_a_driver_with_capacity_tracking_needs_enough_capacity_at_the_node(
    capacities: tuple[CSIStorageCapacity, ...], fits: bool
) -> None:
    told = stored(MADE, waiting(storage_class="made"), CSIDriver("csi.example.com", True), *capacities)
    assert asked(claiming("c"), told) == (None if fits else refused(NO_SPACE))
    for driver in (CSIDriver("csi.example.com"), CSIDriver("other", True)):
        assert asked(claiming("c"), stored(MADE, waiting(storage_class="made"), driver, *capacities)) is None


def test_a_claim_without_a_size_needs_no_capacity() -> None:
    storage = stored(MADE, waiting(storage_class="made", request=0), CSIDriver("csi.example.com", True))
    assert asked(claiming("c"), storage) is None


def test_capacity_is_checked_for_each_claim_separately() -> None:
    """Two claims of 5 fit into 5: kube-scheduler does not add them up."""
    room = CSIStorageCapacity("x", storage_class="made", node_topology=EVERYWHERE, capacity=5)
    both = (waiting("c", storage_class="made"), waiting("d", storage_class="made"))
    assert asked(claiming("c", "d"), stored(MADE, *both, CSIDriver("csi.example.com", True), room)) is None


def test_a_volume_being_provisioned_belongs_to_the_selected_node() -> None:
    begun = waiting(storage_class="made", selected_node="n")
    assert asked(claiming("c"), stored(MADE, begun), node("n")) is None
    assert asked(claiming("c"), stored(MADE, begun), node("m")) == refused(NONE_TO_BIND)
    there = volume(storage_class="local")
    assert asked(claiming("c"), stored(LOCAL, waiting(selected_node="n"), there), node("n")) == refused(NONE_TO_BIND)
    assert asked(claiming("c"), stored(LOCAL, waiting(selected_node=""), there), node("n")) == refused(NONE_TO_BIND)


def test_bound_and_unbound_claims_both_give_reasons() -> None:
    far, local = bound("c", volume("far", node_affinity=ON_A)), waiting("d")
    lost, _ = bound("e", volume("lost"))
    assert asked(claiming("c", "d"), stored(LOCAL, *far, local), B) == refused(OUT_OF_REACH, NONE_TO_BIND)
    assert asked(claiming("d", "e"), stored(LOCAL, lost, local), B) == refused(NONE_TO_BIND, NO_VOLUME)


def test_the_first_claim_that_cannot_be_provisioned_gives_the_reason() -> None:
    small = CSIDriver("csi.example.com", True)
    lacking, roomless = waiting("c", request=1), waiting("d", storage_class="made", request=2)
    assert asked(claiming("c", "d"), stored(LOCAL, MADE, small, lacking, roomless)) == refused(NONE_TO_BIND)
    larger = replace(lacking, request=3)
    assert asked(claiming("c", "d"), stored(LOCAL, MADE, small, larger, roomless)) == refused(NO_SPACE)
