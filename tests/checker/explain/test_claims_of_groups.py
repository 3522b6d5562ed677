"""The explanation of a gang whose pods have claims: its ends are those of the specification, with every order and allocation

The witness is `known_endings` of the definition. Some clusters are small enough for the ends to be told by hand.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from frozendict import frozendict

from schedcheck.checker.explain import group_likeness, group_ways, groups
from schedcheck.checker.explain.groups import group_explanation, member_explanation, untried
from schedcheck.spec.device_objects import NO_DEVICES, Attribute, Device, Devices, Request
from schedcheck.spec.kubernetes import group_decisions, pod_groups
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.storage import Ephemeral, Storage, Volume
from tests.checker.explain.test_groups import APART, differs
from tests.live.allocating import allocating
from tests.live.grouping import OF_VERSIONS, read, unalike
from tests.live.storing import storing
from tests.spec.kubernetes.test_group_claims import CLAIMS, LOCAL, NO_STORAGE, NODES, claim, devices, gpu, one, volume
from tests.support.building import node, pod
from tests.support.claiming import DRIVER, GPU, gpus
from tests.support.claiming import claim as claim_of
from tests.support.pod_groups import GROUPED, group, one_of

Drawn = Callable[[Random, int], dict[str, Any]]


@pytest.fixture(autouse=True)
def _nothing_known() -> None:
    groups._followed.cache_clear()


def differing(drawn: Drawn, version: str, numbers: range) -> tuple[list[int], Counter[str]]:
    """Which of these random clusters are explained otherwise than specified, and how often each verdict is given."""
    wrong, said = [], Counter[str]()
    for number in numbers:
        chance = Random(f"explain/{number}")
        asked = drawn(chance, number)
        snapshot = read(asked if version == "1.37.2" else unalike(asked, chance))
        members = [each for each in snapshot.pods if each.scheduling_group == "g" and not each.node_name]
        if not members or members[0].terminating or members[0].scheduler_name != "default-scheduler":
            continue
        made = group_explanation(members[0], snapshot, OF_VERSIONS[version])
        claiming = any(each.volumes or each.resource_claims for each in members)
        said[made.verdict if claiming else "without"] += 1
        if differs(made, members[0], snapshot, OF_VERSIONS[version]):
            wrong.append(number)
    return wrong, said


@pytest.mark.parametrize("version", sorted(OF_VERSIONS))
@pytest.mark.parametrize("drawn", [storing, allocating])
def test_the_ends_are_those_of_every_order_and_allocation(
    drawn: Drawn, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "likeness", lambda *_: APART)
    wrong, said = differing(drawn, version, range(20))
    assert wrong == []
    assert {"placed", "waits", "kept"} <= set(said), said


@pytest.mark.slow
@pytest.mark.parametrize("version", sorted(OF_VERSIONS))
@pytest.mark.parametrize("drawn", [storing, allocating])
def test_they_are_so_in_many_clusters(drawn: Drawn, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "likeness", lambda *_: APART)
    assert differing(drawn, version, range(20, 250))[0] == []


def together(*pods: Pod, storage: Storage = NO_STORAGE, given: Devices = NO_DEVICES, high: bool = False) -> Snapshot:
    """The group red of these pods, all of which are needed, and two nodes of two cpus each."""
    snapshot = Snapshot.of(pods if not high else (*pods, pod("v", 1, "n1", priority=-1)), NODES)
    return replace(snapshot, pod_groups=(group("red", len(pods)),), storage=storage, devices=given)


def chosen_device() -> Snapshot:
    """One device of each model: the first pod may take any, the second needs one of the model b."""
    models = tuple(Device(each, frozendict(model=Attribute("string", each))) for each in "ab")
    certain = Request("r", "gpu", selectors=(f'device.attributes["{DRIVER}"].model == "b"',))
    claims = claim_of("c1"), replace(claim_of("c2"), requests=(certain,))
    given = Devices((replace(gpus(1, "n1"), devices=models),), (GPU,), claims)
    return together(gpu(1, "c1"), gpu(2, "c2"), given=given)


def chosen_volume(uid: str = "") -> Snapshot:
    """A claim that is made for each pod: a small one, which may take the large volume, and a large one."""
    own = tuple(one_of("red", number, volumes=(Volume("v", Ephemeral(uid)),)) for number in (1, 2))
    claims = replace(claim("red-1-v"), owner_uid=uid), replace(claim("red-2-v"), request=5, owner_uid=uid)
    return together(*own, storage=Storage((volume("v1", "n1", 5), volume("v2", "n2", 1)), claims, (LOCAL,)))


def one_volume() -> Snapshot:
    """Two claims, and a volume for one of them."""
    return together(one(1, "c1"), one(2, "c2"), storage=Storage((volume("v1", "n1"),), CLAIMS, (LOCAL,)))


def near_its_volume() -> Snapshot:
    """One pod may be on any of two equal nodes, which it fills, and the other only where its volume is."""
    storage = Storage((volume("v1", "n2"),), CLAIMS, (LOCAL,))
    small = tuple(node(each.name, 1, labels=each.labels) for each in NODES)
    return replace(together(one_of("red", 1), one(2, "c2"), storage=storage), nodes=small)


def preempting() -> Snapshot:
    """A claim for which there is no device, and a pod of lower priority."""
    return together(gpu(1, "c1"), gpu(2, "c2"), given=devices("c1", "c2", free=(1, 0)), high=True)


CASES: dict[str, tuple[Callable[[], Snapshot], set[str]]] = {
    "a device may be chosen that a later pod needs": (chosen_device, {"placed", "waits"}),
    "a volume may be chosen that a later pod needs": (chosen_volume, {"placed", "waits"}),
    "two pods do not take one volume": (one_volume, {"waits"}),
    "a node is full that a later pod needs": (near_its_volume, {"placed", "waits"}),
    "the group may preempt": (preempting, {"waits"}),
}


@pytest.mark.parametrize("case", sorted(CASES))
def test_the_ends_are_told(case: str) -> None:
    made, kinds = CASES[case]
    snapshot = made()
    found = group_explanation(snapshot.pods[0], snapshot, GROUPED)
    assert {each.kind for each in found.ends} == kinds
    assert not differs(found, snapshot.pods[0], snapshot, GROUPED)
    assert (found.unknown != "") == (case == "the group may preempt")


def plain(one_: Pod) -> Pod:
    return replace(one_, name="", uid="")


def only_placed(states: Any, like: Any) -> list[Any]:
    """A broken notion of what tells states apart: where the pods are, and not what they take."""
    found: dict[object, Any] = {}
    for each in states:
        found.setdefault(like.arranged(each.placed), each)
    return list(found.values())


def first(pod_: Pod, node_: Any, snapshot: Snapshot, plugins: Any) -> list[Snapshot]:
    """One of the allocations."""
    return sorted(pod_groups.assumptions(pod_, node_, snapshot, plugins), key=repr)[:1]


BROKEN: dict[str, tuple[Callable[[], Snapshot], Any, str, Any]] = {
    "one allocation alone": (chosen_device, group_ways, "assumptions", first),
    "what is taken does not count": (chosen_device, group_ways, "distinct", only_placed),
    "pods with claims that are made for them are alike": (chosen_volume, group_likeness, "kind", plain),
    "nothing is taken": (one_volume, pod_groups, "assumed_storage", lambda pod_, node_, storage: storage),
    "nodes are alike": (near_its_volume, group_likeness, "_by_name_alone", lambda *_: True),
    "preemption is known": (preempting, group_decisions, "unmodelled_preemption", lambda *_: ""),
}


@pytest.mark.parametrize("way", sorted(BROKEN))
def test_a_broken_explanation_is_noticed(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made, where, name, broken = BROKEN[way]
    snapshot = made()
    monkeypatch.setattr(where, name, broken)
    found = group_explanation(snapshot.pods[0], snapshot, GROUPED)
    monkeypatch.undo()
    assert differs(found, snapshot.pods[0], snapshot, GROUPED)


def test_a_pod_sees_what_those_before_it_took_whether_or_not_the_cycle_tries_it() -> None:
    storage = Storage((volume("v1", "n1"),), (*CLAIMS, claim("c3")), (LOCAL,))
    pods = tuple(one(number, f"c{number}") for number in (1, 2, 3))
    snapshot = together(*pods, storage=storage)
    about = group_explanation(pods[0], snapshot, GROUPED)
    assert about.shown is not None
    assert [each.node.name if each.node else "" for each in about.shown.way.tried] == ["n1", ""]
    for last in (about.shown.way.tried[1], untried(pods[2], about, snapshot, GROUPED)):
        told = member_explanation(last, GROUPED)
        assert {each.plugin for some in told.refusals.values() for each in some} == {"VolumeBinding"}
    begun = replace(about, ends=(replace(about.shown, way=replace(about.shown.way, left_with=snapshot)),))
    assert member_explanation(untried(pods[2], begun, snapshot, GROUPED), GROUPED).feasible == ("n1",)
