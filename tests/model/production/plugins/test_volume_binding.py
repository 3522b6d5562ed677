"""VolumeBinding in the production scheduler: unreachable claims, and what is assumed on the chosen node"""

from dataclasses import replace

import pytest

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.status import Code
from schedcheck.model.production.framework.verdicts import CODES
from schedcheck.model.production.plugins.volume_binding import KEY, Claims, is_bound, rated
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.storage import (
    WAIT_FOR_FIRST_CONSUMER,
    AWSElasticBlockStore,
    AzureDisk,
    ClaimReference,
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
)
from schedcheck.spec.terms import Requirement
from tests.model.production.cluster import Cluster, cluster
from tests.support.building import Stored, claiming, node, node_term, selector, snapshot, stored

ASKED = PodInfo(claiming("c"))
LATE = StorageClass("late", "made", WAIT_FOR_FIRST_CONSUMER)
WAITS = PersistentVolumeClaim("c", uid="1", storage_class="late", request=1)
BOUND = PersistentVolumeClaim("c", volume_name="v", bind_completed=True)
OFFERED = PersistentVolume("v", capacity=1, storage_class="late")
Said = dict[str, tuple[Code, tuple[str, ...]]]


def begun(*things: Stored, asked: PodInfo = ASKED) -> tuple[Cluster, CycleState]:
    """The nodes n1, labelled disk=ssd, and n2, and the state of the plugin after PreFilter."""
    nodes = snapshot(node("n1", labels={"disk": "ssd"}), node("n2"))
    there, state = cluster(replace(nodes, storage=stored(*things))), CycleState()
    status, _ = there.framework.plugin("VolumeBinding").pre_filter(state, asked, there.handle.snapshot)
    assert status.success
    return there, state


def said(*things: Stored) -> Said:
    """The filter's verdict on each node."""
    there, state = begun(*things)
    nodes = there.handle.snapshot.all()
    found = there.framework.plugin("VolumeBinding").filter(state, ASKED, nodes)
    return {
        name: (CODES[code], found.texts(int(reason)) if code else ())
        for name, code, reason in zip(nodes.names(), found.codes, found.reasons, strict=True)
    }


def test_a_volume_being_provisioned_is_expected_only_on_its_selected_node() -> None:
    none = (Code.UNRESOLVABLE, ("node(s) didn't find available persistent volumes to bind",))
    assert said(LATE, replace(WAITS, selected_node="n1")) == {"n1": (Code.SUCCESS, ()), "n2": none}
    assert said(LATE, replace(WAITS, selected_node="n2")) == {"n1": none, "n2": (Code.SUCCESS, ())}
    assert said(LATE, replace(WAITS, selected_node="gone")) == {"n1": none, "n2": none}


def test_an_untranslatable_disk_fails_on_a_migrated_node() -> None:
    disk = PersistentVolume("v", source=AWSElasticBlockStore("aws://eu/x"))
    found = said(BOUND, disk, CSINode("n1", migrated=frozenset({"kubernetes.io/aws-ebs"})), CSINode("n2"))
    code, reasons = found["n1"]
    assert code is Code.ERROR
    assert len(reasons) == 1 and reasons[0].startswith("could not translate pv: ")
    assert found["n2"] == (Code.SUCCESS, ())


def test_only_nodes_that_match_a_term_of_the_volume_can_reach_it() -> None:
    near = replace(OFFERED, node_affinity=(node_term(Requirement("disk", "In", ("ssd",))),))
    beyond = (Code.UNRESOLVABLE, ("node(s) didn't match PersistentVolume's node affinity",))
    assert said(BOUND, near) == {"n1": (Code.SUCCESS, ()), "n2": beyond}


@pytest.mark.parametrize(
    ("claim", "assumed"),
    [
        (None, True),
        (ClaimReference("default", "c"), True),
        # The reference already has the value that would be written.
        (ClaimReference("default", "c", "1"), False),
    ],
)
def test_a_volume_taken_by_a_claim_is_assumed_to_reference_it(claim: ClaimReference | None, assumed: bool) -> None:
    offered = replace(OFFERED, claim=claim)
    there, state = begun(LATE, WAITS, offered)
    assert there.framework.plugin("VolumeBinding").reserve(state, ASKED.pod, "n1").success
    taken = replace(offered, claim=ClaimReference("default", "c", "1"))
    assert there.handle.assumed.volumes == ({"v": taken} if assumed else {})
    assert there.handle.assumed.claims == {}


def test_a_claim_to_be_provisioned_is_assumed_with_the_selected_node() -> None:
    there, state = begun(LATE, WAITS, replace(OFFERED, capacity=0))
    assert there.framework.plugin("VolumeBinding").reserve(state, ASKED.pod, "n1").success
    assert there.handle.assumed.claims == {("default", "c"): replace(WAITS, selected_node="n1")}
    assert there.handle.assumed.volumes == {}


@pytest.mark.parametrize(("named", "completed", "bound"), [
    ("", False, False), ("", True, False), ("v", False, False), ("v", True, True),
])  # fmt: skip
def test_a_claim_is_bound_once_it_names_a_volume_and_its_binding_is_completed(
    named: str, completed: bool, bound: bool
) -> None:
    """Kubernetes 1.34: isPVCBound in binder.go."""
    assert is_bound(PersistentVolumeClaim("c", volume_name=named, bind_completed=completed)) is bound


def test_each_node_tells_the_disk_that_cannot_be_translated_there() -> None:
    disks = {"c": AWSElasticBlockStore("aws://eu/x"), "d": AzureDisk("disk", "uri", kind="Dedicated")}
    bound = [PersistentVolumeClaim(name, volume_name=name, bind_completed=True) for name in disks]
    volumes = [PersistentVolume(name, source=each) for name, each in disks.items()]
    on = {"n1": "kubernetes.io/aws-ebs", "n2": "kubernetes.io/azure-disk"}
    drivers = [CSINode(name, migrated=frozenset({plugin})) for name, plugin in on.items()]
    asked = PodInfo(claiming(*disks))
    there, state = begun(*bound, *volumes, *drivers, asked=asked)
    nodes = there.handle.snapshot.all()
    found = there.framework.plugin("VolumeBinding").filter(state, asked, nodes)
    texts = {name: found.texts(int(reason))[0] for name, reason in zip(nodes.names(), found.reasons, strict=True)}
    assert "aws://eu/x" in texts["n1"] and "kind(Dedicated) is not supported" in texts["n2"]


@pytest.mark.parametrize(("request_of", "volume", "room", "scores"), [
    (2, 8, 4, [75, 50]), (2, 2, 8, [0, 75]), (2, 1, 4, [50, 50]), (2, 8, 1, [75, 0]), (0, 8, 4, [100, 0]),
])  # fmt: skip
def test_a_node_is_rated_by_the_volume_taken_there_and_else_by_the_room_to_make_one(
    request_of: int, volume: int, room: int, scores: list[int]
) -> None:
    """The volume lies on n1 alone, the room everywhere: 100 less the share in percent that is asked of either."""
    near = replace(OFFERED, capacity=volume, node_affinity=(node_term(Requirement("disk", "In", ("ssd",))),))
    made_of = CSIStorageCapacity("k", storage_class="late", node_topology=selector(), capacity=room)
    there, state = begun(LATE, replace(WAITS, request=request_of), near, made_of, CSIDriver("made", True))
    shape = ((0, 10), (100, 0))
    nodes, storage = there.handle.snapshot.all(), there.handle.listers.storage
    assert rated(state.read(KEY, Claims), shape, nodes, storage).tolist() == scores
