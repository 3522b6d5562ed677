"""Pods of a PodGroup with volume claims or resource claims: what an earlier pod of the cycle takes, a later one cannot take

The expectations are worked out by hand. `make live-groups` asks kube-scheduler.
"""

from dataclasses import replace

import pytest

from schedcheck.spec.decisions import Bind, Unknown, Wait
from schedcheck.spec.device_objects import NO_DEVICES, Allocation, Devices
from schedcheck.spec.kubernetes import pod_groups
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.storage import (
    WAIT_FOR_FIRST_CONSUMER,
    ClaimSource,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    StorageClass,
    Volume,
)
from schedcheck.spec.terms import NodeSelectorTerm, Requirement
from tests.support.building import node, pod
from tests.support.claiming import GPU, gpus, using
from tests.support.claiming import claim as claim_of
from tests.support.pod_groups import GROUPED, IN_1_36, group, one_of

HOST = "kubernetes.io/hostname"
LOCAL = StorageClass("local", "kubernetes.io/no-provisioner", WAIT_FOR_FIRST_CONSUMER)
MADE = StorageClass("made", "made.example", WAIT_FOR_FIRST_CONSUMER)
NO_STORAGE = Storage()
NODES = tuple(node(name, 2, labels={HOST: name}) for name in ("n1", "n2"))


def claim(name: str, storage_class: str = "local", **fields: object) -> PersistentVolumeClaim:
    """A claim that waits for its first consumer."""
    return PersistentVolumeClaim(name, uid=name, storage_class=storage_class, request=1, **fields)  # type: ignore[arg-type]


def volume(name: str, on: str, capacity: int = 1) -> PersistentVolume:
    """A local volume of a node."""
    there = NodeSelectorTerm((Requirement(HOST, "In", (on,)),))
    return PersistentVolume(name, capacity=capacity, storage_class="local", node_affinity=(there,))


def one(number: int, *claims: str) -> Pod:
    """A pod of the group red with these claims."""
    return one_of("red", number, volumes=tuple(Volume(name, ClaimSource(name)) for name in claims))


def ends(
    pods: tuple[Pod, ...],
    storage: Storage,
    plugins: Plugins = GROUPED,
    nodes: tuple[Node, ...] = NODES,
    given: Devices = NO_DEVICES,
) -> set[str]:
    """Where the pods may be bound together, as "n1 n2"; "waits" if the group may wait."""
    there = replace(Snapshot.of(pods, nodes), pod_groups=(group("red", len(pods)),), storage=storage, devices=given)
    found = decision(pods[0], there, plugins)
    assert not any(isinstance(each, Unknown) for each in found), found
    placed = set()
    for each in found:
        if isinstance(each, Wait):
            placed.add("waits")
        else:
            assert isinstance(each, Bind)
            places = {pods[0]: each.node, **dict(each.together)}
            placed.add(" ".join(places[pod].name for pod in pods))
    return placed


BOTH = pytest.mark.parametrize("plugins", [GROUPED, IN_1_36])
OWN = (one(1, "c1"), one(2, "c2"))
SHARED = (one(1, "c1"), one(2, "c1"))
CLAIMS = (claim("c1"), claim("c2"))


@BOTH
def test_two_pods_do_not_take_one_volume(plugins: Plugins) -> None:
    storage = Storage((volume("v1", "n1"), volume("v2", "n2")), CLAIMS, (LOCAL,))
    assert ends(OWN, storage, plugins) == {"n1 n2", "n2 n1"}
    assert ends(OWN, replace(storage, volumes=storage.volumes[:1]), plugins) == {"waits"}
    assert ends(OWN, replace(storage, volumes=(volume("v1", "n1"), volume("v3", "n1"))), plugins) == {"n1 n1"}


@BOTH
def test_pods_that_share_a_claim_are_bound_where_its_volume_is(plugins: Plugins) -> None:
    storage = Storage((volume("v1", "n1"), volume("v2", "n2")), CLAIMS, (LOCAL,))
    assert ends(SHARED, storage, plugins) == {"n1 n1", "n2 n2"}
    small = (node("n1", 1, labels={HOST: "n1"}), *NODES[1:])
    # Where the first pod is put on n1, there is no room for the second one.
    assert ends(SHARED, storage, plugins, small) <= {"n2 n2", "waits"}


@BOTH
def test_a_volume_is_made_where_the_first_of_the_pods_is(plugins: Plugins) -> None:
    storage = Storage((), (claim("c1", "made"), claim("c2", "made")), (MADE,))
    assert ends(SHARED, storage, plugins) == {"n1 n1", "n2 n2"}
    assert ends(OWN, storage, plugins) >= {"n1 n2", "n2 n1"}


@BOTH
def test_a_claim_is_bound_to_the_smallest_volume_that_is_left(plugins: Plugins) -> None:
    large = replace(claim("c3"), request=5)
    storage = Storage((volume("v1", "n1", 5), volume("v2", "n2", 1)), (claim("c1"), large), (LOCAL,))
    pods = (one(1, "c1"), one(2, "c3"))
    # The small claim may take the large volume, and then the large one has none.
    assert ends(pods, storage, plugins) == {"n2 n1", "waits"}


def gpu(number: int, *claims: str) -> Pod:
    """A pod of the group red with these resource claims."""
    return one_of("red", number, resource_claims=using(*claims, uid=f"red-{number}"), uid=f"red-{number}")


def devices(*claims: str, free: tuple[int, ...] = (1, 1)) -> Devices:
    """Claims of one device each, and so many devices on each node; those of a claim may be on any node."""
    slices = tuple(gpus(number, f"n{at}", f"s{at}") for at, number in enumerate(free, 1) if number)
    return Devices(slices, (GPU,), tuple(claim_of(name) for name in claims))


@BOTH
def test_two_pods_do_not_take_one_device(plugins: Plugins) -> None:
    pods = (gpu(1, "c1"), gpu(2, "c2"))
    assert ends(pods, NO_STORAGE, plugins, given=devices("c1", "c2")) == {"n1 n2", "n2 n1"}
    assert ends(pods, NO_STORAGE, plugins, given=devices("c1", "c2", free=(1, 0))) == {"waits"}
    assert ends(pods, NO_STORAGE, plugins, given=devices("c1", "c2", free=(2, 0))) == {"n1 n1"}


def test_pods_that_share_a_resource_claim_take_its_devices_once_and_in_1_36_that_is_unknown() -> None:
    pods = (gpu(1, "c1"), gpu(2, "c1"))
    assert ends(pods, NO_STORAGE, given=devices("c1")) == {"n1 n1", "n2 n2"}
    assert ends(pods, NO_STORAGE, given=devices("c1", free=(1, 0))) == {"n1 n1"}
    there = replace(Snapshot.of(pods, NODES), pod_groups=(group("red"),), devices=devices("c1"))
    (only,) = decision(pods[0], there, IN_1_36)
    assert isinstance(only, Unknown)
    assert only.why == "not modelled: a resource claim, not allocated yet, of several pods of a pod group"


@pytest.mark.parametrize(
    ("first", "second", "unknown"),
    [
        (("c1",), ("c1", "c2"), True),
        (("c1",), ("c2", "c1"), False),
        (("c1", "c2"), ("c1", "c2"), False),
        (("c1", "c2"), ("c2", "c1"), False),
        (("c2", "c1"), ("c1", "c3"), True),
        (("c1",), ("c2", "c3"), False),
    ],
)
def test_a_shared_claim_before_one_that_is_not_allocated_with_it_is_unknown(
    first: tuple[str, ...], second: tuple[str, ...], unknown: bool
) -> None:
    given = devices("c1", "c2", "c3", free=(3, 3))
    pods = (gpu(1, *first), gpu(2, *second))
    there = replace(Snapshot.of(pods, NODES), pod_groups=(group("red"),), devices=given)
    found = [each.why for each in decision(pods[0], there, GROUPED) if isinstance(each, Unknown)]
    assert bool(found) == unknown
    assert not found or found[0].startswith("not modelled: a resource claim, not allocated yet, of several pods of a pod group, of which")  # fmt: skip


def test_a_claim_that_may_be_deallocated_and_preemption_beside_claims_are_unknown() -> None:
    pods = (gpu(1, "c1"), gpu(2, "c1"))
    terms = (NodeSelectorTerm(match_fields=(Requirement("metadata.name", "In", ("n1",)),)),)
    given = devices("c1")
    held = replace(given.claims[0], allocation=Allocation((), terms))
    there = replace(Snapshot.of(pods, NODES), pod_groups=(group("red"),), devices=replace(given, claims=(held,)))
    (only,) = decision(pods[0], there, GROUPED)
    assert isinstance(only, Unknown) and only.why.endswith("an allocated resource claim that may be deallocated of a pod of a pod group")  # fmt: skip
    low = replace(
        Snapshot.of((*pods, pod("v", 4, "n1", priority=-1)), NODES[:1]), pod_groups=(group("red"),), devices=given
    )
    (only,) = decision(pods[0], low, GROUPED)
    assert isinstance(only, Unknown) and only.why.endswith("preemption for a pod group with resource claims")


def test_without_what_is_allocated_two_pods_take_one_device(monkeypatch: pytest.MonkeyPatch) -> None:
    pods, given = (gpu(1, "c1"), gpu(2, "c2")), devices("c1", "c2", free=(1, 0))
    assert ends(pods, NO_STORAGE, given=given) == {"waits"}
    monkeypatch.setattr(pod_groups, "changed", lambda devices, claims: devices)
    assert ends(pods, NO_STORAGE, given=given) == {"n1 n1"}


def test_a_claim_for_one_pod_is_not_shared_and_in_1_36_that_is_unknown() -> None:
    storage = Storage((), (claim("c1", "made", access_modes=("ReadWriteOncePod",)),), (MADE,))
    assert ends(SHARED, storage) == {"waits"}
    there = replace(Snapshot.of(SHARED, NODES), pod_groups=(group("red"),), storage=storage)
    (only,) = decision(SHARED[0], there, IN_1_36)
    assert isinstance(only, Unknown)
    assert only.why == "not modelled: a ReadWriteOncePod claim of several pods of a pod group"


def test_without_what_is_assumed_two_pods_take_one_volume(monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Storage((volume("v1", "n1"),), CLAIMS, (LOCAL,))
    assert ends(OWN, storage) == {"waits"}
    monkeypatch.setattr(pod_groups, "assumed_storage", lambda pod, node, storage: storage)
    assert ends(OWN, storage) == {"n1 n1"}
