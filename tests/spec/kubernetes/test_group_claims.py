"""Pods of a PodGroup with volume claims: what an earlier pod of the cycle takes, a later one cannot take

The expectations are worked out by hand. `make live-groups` asks kube-scheduler.
"""

from dataclasses import replace

import pytest

from schedcheck.spec.decisions import Bind, Unknown, Wait
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
from tests.support.building import node
from tests.support.pod_groups import GROUPED, IN_1_36, group, one_of

HOST = "kubernetes.io/hostname"
LOCAL = StorageClass("local", "kubernetes.io/no-provisioner", WAIT_FOR_FIRST_CONSUMER)
MADE = StorageClass("made", "made.example", WAIT_FOR_FIRST_CONSUMER)
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
    pods: tuple[Pod, ...], storage: Storage, plugins: Plugins = GROUPED, nodes: tuple[Node, ...] = NODES
) -> set[str]:
    """Where the pods may be bound together, as "n1 n2"; "waits" if the group may wait."""
    there = replace(Snapshot.of(pods, nodes), pod_groups=(group("red", len(pods)),), storage=storage)
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
