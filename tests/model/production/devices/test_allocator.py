"""The production allocator against the specification: an allocation of the set, or none, or the same error"""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from frozendict import frozendict

from schedcheck.checker.differential.decisions import compared
from schedcheck.model.production.devices import allocator as production
from schedcheck.model.production.devices.allocator import AllocationError, Allocator, NodeError
from schedcheck.model.production.devices.features import Features, features
from schedcheck.model.production.devices.pools import Inventory
from schedcheck.spec.device_objects import Allocation, Consumer, Devices, ResourceClaim, Result
from schedcheck.spec.devices.allocations import Failure, NotOnNode, allocated_by, allocations, outcome, situation_of
from schedcheck.spec.devices.gates import Gates
from schedcheck.spec.kubernetes.filters.dynamic_resources import gates as gates_of
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.versions import VERSIONS
from schedcheck.spec.objects import Node, Snapshot
from tests.model.production.cluster import cluster
from tests.support.building import node, pod
from tests.support.claiming import random_devices, using

ASKED = [(features(each.departures), gates_of(each.departures)) for each in VERSIONS.values()]
OF_1_34, GATES_OF_1_34 = ASKED[list(VERSIONS).index("1.34")]
NODES = (node("n0", labels={"zone": "x"}), node("n1", labels={"zone": "y"}))


def specified(there: Node, devices: Devices, claims: tuple[ResourceClaim, ...], gates: Gates) -> tuple[str, object]:
    situation = situation_of(there, devices, claims, gates)
    try:
        first = outcome(situation)
    except Failure as error:
        return "error", str(error)
    except NotOnNode as error:
        return "node", str(error)
    if first is None:
        return "none", None
    return "some", {allocated_by(situation, each) for each in allocations(situation)} | {allocated_by(situation, first)}


def produced(
    there: Node, devices: Devices, claims: tuple[ResourceClaim, ...], features: Features
) -> tuple[str, object]:
    nodes = cluster(Snapshot.of(nodes=(there,))).handle.snapshot.some([there.name])
    held = (each.allocation for each in devices.claims if each.allocation is not None)
    results = [result for each in held for result in each.results if not result.admin]
    shares: dict[tuple[str, str, str], Counter[str]] = {}
    for each in results if features.consumable else ():
        if each.shared:
            shares.setdefault(each.id, Counter()).update(each.consumed)
    in_use = frozenset(each.id for each in results if not (each.shared and features.consumable))
    classes = {each.name: each for each in devices.classes}
    inventory = Inventory(devices.slices, nodes, features)
    try:
        found = Allocator(inventory, 0, there.name, classes, claims, in_use, features, shares).allocate()
    except AllocationError as error:
        return "error", str(error)
    except NodeError as error:
        return "node", str(error)
    return ("none", None) if found is None else ("some", tuple(found))


def holding(devices: Devices, chance: Random, *, shared: bool = False) -> Devices:
    """Return the devices with a claim that holds some of them."""
    ids = [(each.driver, each.pool, device.name) for each in devices.slices for device in each.devices]
    several = {
        (each.driver, each.pool, device.name): device.multiple for each in devices.slices for device in each.devices
    }
    results = tuple(
        Result("r", *each, admin=chance.random() < 0.2)
        if not (shared and several[each])
        else Result("r", *each, shared=True, consumed=frozendict(memory=chance.choice((5, 10, 20)) * 10**8))
        for each in chance.sample(ids, min(2, len(ids)))
    )
    held = ResourceClaim("held", allocation=Allocation(results), reserved_for=(Consumer("other", "other"),))
    return replace(devices, claims=(held,)) if chance.random() < 0.5 else devices


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("having", "gates"), ASKED, ids=list(VERSIONS))
@pytest.mark.parametrize("start", [0, 400, 800])
def test_the_allocator_finds_an_allocation_of_the_specified_set(start: int, having: Features, gates: Gates) -> None:
    seen = Counter[str]()
    for seed in range(start, start + 400):
        chance = Random(seed)
        devices, claims = random_devices(chance, newest=having.consumable)
        devices = holding(devices, chance, shared=having.consumable)
        for there in NODES:
            kind, expected = specified(there, devices, claims, gates)
            found, made = produced(there, devices, claims, having)
            assert found == kind, (seed, there.name, expected, made)
            assert made in expected if kind == "some" else made == expected, (seed, there.name)  # type: ignore[operator]
            seen[kind] += 1
    assert min(seen["some"], seen["none"], seen["error"]) > 20, seen


@pytest.mark.parametrize("broken", ["_used", "_constraints_hold", "_suits"])
def test_a_broken_allocator_differs(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Allocator, broken, lambda *_: broken != "_used")
    with pytest.raises((AssertionError, production.AllocationError)):
        test_the_allocator_finds_an_allocation_of_the_specified_set(0, OF_1_34, GATES_OF_1_34)


def claiming(seed: int) -> Snapshot:
    """A cluster with pods that claim devices; a claim may be allocated, and shared."""
    chance = Random(seed)
    devices, claims = random_devices(chance)
    devices = holding(devices, chance)
    there = list(devices.claims)
    pods = []
    for number, claim in enumerate(claims):
        wanted = claim
        if chance.random() < 0.3:
            place = situation_of(chance.choice(NODES), devices, (claim,), GATES_OF_1_34)
            found = sorted(map(str, allocations(place)))
            if found:
                first = next(each for each in allocations(place) if str(each) == found[0])
                by = (Consumer("p0", "p0"),) if chance.random() < 0.5 else ()
                wanted = replace(claim, allocation=allocated_by(place, first)[0], reserved_for=by)
        there.append(wanted)
        names = [claim.name, *(["missing"] if chance.random() < 0.05 else [])]
        pods.append(pod(f"p{number}", 1, resource_claims=using(*names, uid=f"p{number}")))
    if len(claims) > 1 and chance.random() < 0.5:
        pods.append(pod("both", 1, resource_claims=using(*(each.name for each in claims), uid="both")))
    slices = devices.slices
    known = Devices(slices, devices.classes, tuple(sorted(there, key=lambda each: each.key)))
    nodes = [replace(each, allocatable=node("x", chance.choice((0, 4))).allocatable) for each in NODES]
    return replace(Snapshot.of(pods, nodes), devices=known)


@pytest.mark.parametrize("start", range(0, 300, 100))
def test_the_production_scheduler_decides_about_claims_as_specified(start: int) -> None:
    agreed, seen = Counter[str](), Counter[str]()
    for seed in range(start, start + 100):
        found = compared(claiming(seed), DEFAULT_PLUGINS)
        assert found.differences == (), seed
        seen["unknown"] += len(found.unknown)
        agreed.update(type(each).__name__ for _, decisions in found.agreed for each in decisions)
    assert min(agreed["Bind"], agreed["Wait"]) > 20 and seen["unknown"] < 60, (agreed, seen)
