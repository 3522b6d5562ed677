"""CheckVolumeBinding of 1.17, its predecessor NoVolumeNodeConflict, and CheckNodeUnschedulable: one test for each
clause
"""

from dataclasses import replace

import pytest

from schedcheck.spec.classic.decision import decision, message
from schedcheck.spec.classic.failures import UNSCHEDULABLE, VOLUME_BIND_CONFLICT, VOLUME_NODE_CONFLICT, Failure, error
from schedcheck.spec.classic.filtering import failures_of
from schedcheck.spec.classic.policy import DEFAULT, Classic
from schedcheck.spec.classic.predicates.no_volume_zone_conflict import ZONE
from schedcheck.spec.classic.preemption import potential_nodes
from schedcheck.spec.decisions import Bind, Wait
from schedcheck.spec.objects import Node, Pod, Snapshot, Toleration
from schedcheck.spec.storage import (
    ClaimReference,
    CSIDriver,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
)
from schedcheck.spec.terms import Requirement
from tests.support.building import Stored, claiming, node, node_term, pod, snapshot, stored

LOCAL = StorageClass("local", "kubernetes.io/no-provisioner", "WaitForFirstConsumer")
MADE = StorageClass("made", "csi.example.com", "WaitForFirstConsumer")
NOW = StorageClass("now", "csi.example.com", "Immediate")
ON_A = (node_term(Requirement("zone", "In", ("a",))),)
A, B = node("a", 4, labels={"zone": "a"}), node("b", 4, labels={"zone": "b"})
BINDING = Classic(predicates=(*DEFAULT.predicates, "CheckVolumeBinding"), by_allocatable=True)


def known(*things: Stored) -> Snapshot:
    return replace(snapshot(A, B), storage=stored(*things))


def found(predicate: str, there: Snapshot, *claims: str) -> list[tuple[Failure, ...]]:
    """The failures on a and on b of a pod with these claims."""
    wanted = claiming(*claims)
    return [failures_of(predicate, wanted, each, there, DEFAULT) for each in (A, B)]


def bound(name: str, **fields: object) -> tuple[Stored, Stored]:
    claimed = {"claim": ClaimReference("default", name), **fields}
    volume = PersistentVolume(f"v-{name}", storage_class="local", capacity=5, **claimed)  # type: ignore[arg-type]
    return PersistentVolumeClaim(name, volume_name=volume.name, bind_completed=True, phase="Bound"), volume


def waiting(storage_class: str = "local", **fields: object) -> PersistentVolumeClaim:
    return PersistentVolumeClaim("c", storage_class=storage_class, request=5, **fields)  # type: ignore[arg-type]


def free(**fields: object) -> PersistentVolume:
    return PersistentVolume("free", storage_class="local", capacity=5, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("predicate", ["CheckVolumeBinding", "NoVolumeNodeConflict"])
def test_a_bound_volume_that_the_node_cannot_reach_is_a_node_conflict(predicate: str) -> None:
    assert found(predicate, known(*bound("c", node_affinity=ON_A)), "c") == [(), (VOLUME_NODE_CONFLICT,)]
    assert found(predicate, known(*bound("c")), "c") == [(), ()]
    assert found(predicate, known()) == [(), ()]


def test_the_first_volume_that_conflicts_ends_no_volume_node_conflict() -> None:
    there = known(*bound("c", node_affinity=ON_A), *bound("d", node_affinity=ON_A))
    assert found("NoVolumeNodeConflict", there, "c", "d") == [(), (VOLUME_NODE_CONFLICT,)]


def test_an_unbound_wait_for_first_consumer_claim_needs_a_volume_the_node_can_reach() -> None:
    there = known(LOCAL, waiting(), free(node_affinity=ON_A))
    assert found("CheckVolumeBinding", there, "c") == [(), (VOLUME_BIND_CONFLICT,)]
    taken = known(LOCAL, waiting(), free(claim=ClaimReference("default", "other")))
    assert found("CheckVolumeBinding", taken, "c") == [(VOLUME_BIND_CONFLICT,)] * 2


def test_a_claim_without_a_matching_volume_is_provisioned_where_its_class_can() -> None:
    zones = replace(MADE, allowed_topologies=((Requirement("zone", "In", ("a",)),),))
    assert found("CheckVolumeBinding", known(MADE, waiting("made")), "c") == [(), ()]
    assert found("CheckVolumeBinding", known(zones, waiting("made")), "c") == [(), (VOLUME_BIND_CONFLICT,)]
    assert found("CheckVolumeBinding", known(LOCAL, waiting()), "c") == [(VOLUME_BIND_CONFLICT,)] * 2


def test_a_claim_being_provisioned_for_another_node_conflicts_elsewhere() -> None:
    there = known(MADE, waiting("made", selected_node="a"))
    assert found("CheckVolumeBinding", there, "c") == [(), (VOLUME_BIND_CONFLICT,)]


def test_storage_capacity_is_ignored_by_the_classic_scheduler() -> None:
    full = known(MADE, waiting("made"), CSIDriver("csi.example.com", storage_capacity=True))
    assert found("CheckVolumeBinding", full, "c") == [(), ()]
    some = CSIStorageCapacity("default", "s", "made", 1)
    assert found("CheckVolumeBinding", replace(full, storage=replace(full.storage, capacities=(some,))), "c") == [
        (),
        (),
    ]


def test_bound_and_unbound_claims_report_both_failures_bound_first() -> None:
    there = known(LOCAL, *bound("d", node_affinity=ON_A), waiting())
    assert found("CheckVolumeBinding", there, "c", "d") == [
        (VOLUME_BIND_CONFLICT,),
        (VOLUME_NODE_CONFLICT, VOLUME_BIND_CONFLICT),
    ]


@pytest.mark.parametrize(
    ("things", "why"),
    [
        ((), 'persistentvolumeclaim "c" not found'),
        ((NOW, waiting("now")), "pod has unbound immediate PersistentVolumeClaims"),
        (bound("c")[:1], "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"),
    ],
    ids=["no claim", "a claim that does not wait", "no volume"],
)
def test_an_unresolvable_claim_is_an_error_of_volume_binding(things: tuple[Stored, ...], why: str) -> None:
    assert found("CheckVolumeBinding", known(*things), "c") == [(error(why),)] * 2


@pytest.mark.parametrize(
    ("things", "why"),
    [
        ((), 'PersistentVolumeClaim was not found: "c"'),
        ((LOCAL, waiting()), 'PersistentVolumeClaim is not bound: "c"'),
        (bound("c")[:1], 'PersistentVolume not found: "v-c"'),
    ],
)
def test_no_volume_node_conflict_requires_every_claim_to_be_bound(things: tuple[Stored, ...], why: str) -> None:
    assert found("NoVolumeNodeConflict", known(*things), "c") == [(error(why),)] * 2


@pytest.mark.parametrize("predicate", ["NoVolumeZoneConflict", "MaxEBSVolumeCount", "MaxGCEPDVolumeCount"])
def test_zone_and_count_predicates_ignore_wait_for_first_consumer_claims(predicate: str) -> None:
    where = node("n", labels={ZONE: "a"})

    def fails(storage_class: StorageClass) -> tuple[Failure, ...]:
        there = replace(snapshot(where), storage=stored(storage_class, waiting(storage_class.name)))
        return failures_of(predicate, claiming("c"), where, there, DEFAULT)

    assert fails(LOCAL) == fails(MADE) == ()
    assert fails(NOW) == (error('PersistentVolumeClaim is not bound: "c"'),)


def occupied(*things: Stored) -> tuple[Pod, Snapshot]:
    """A pod with a claim, and nodes that are full of pods of lower priority."""
    wanted = replace(claiming("c", cpu=4), priority=9)
    low = [pod(f"low-{each}", 4, on=each) for each in "ab"]
    return wanted, replace(snapshot(A, B, *low, wanted), storage=stored(*things))


def test_no_eviction_resolves_a_volume_conflict() -> None:
    wanted, there = occupied(*bound("c", node_affinity=ON_A))
    assert potential_nodes(wanted, there, BINDING) == (A,)
    wanted, there = occupied(LOCAL, waiting(), free(node_affinity=ON_A))
    assert potential_nodes(wanted, there, BINDING) == (A,)


def test_the_message_of_a_pending_pod_names_the_volume_conflict() -> None:
    wanted = claiming("c")
    there = replace(snapshot(A, B, wanted), storage=stored(*bound("c", node_affinity=ON_A)))
    assert decision(wanted, there, BINDING) == {Bind(wanted, A)}
    away = replace(there, nodes=(B,))
    assert decision(wanted, away, BINDING) == {Wait(wanted)}
    assert message(wanted, away, BINDING) == "0/1 nodes are available: 1 node(s) had volume node affinity conflict."


def test_a_cordoned_node_rejects_pods_that_do_not_tolerate_the_cordon() -> None:
    def fails(where: Node, wanted: Pod) -> tuple[Failure, ...]:
        return failures_of("CheckNodeUnschedulable", wanted, where, snapshot(where), DEFAULT)

    tolerant = pod(tolerations=(Toleration("node.kubernetes.io/unschedulable", "Exists"),))
    assert fails(node("n", unschedulable=True), pod()) == (UNSCHEDULABLE,)
    assert fails(node("n", unschedulable=True), tolerant) == fails(node("n"), pod()) == ()
