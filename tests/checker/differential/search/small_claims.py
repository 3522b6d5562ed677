"""Random small clusters in which few devices are held in every way: alone, by several claims, or with admin access: `small_claim`

The devices of one pool take of the same counters, some may be allocated several times, and bound pods hold most of them.
So each way of holding decides whether the asked pod gets another one. In `rated_claim` a pod has several claims with alternatives, of which some are
allocated, so that the alternatives that it gets decide the scores.
"""

from collections.abc import Sequence
from dataclasses import replace

from frozendict import frozendict

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.volumes import Question
from schedcheck.spec.device_objects import (
    ALL,
    EXACT_COUNT,
    Allocation,
    Consumer,
    Device,
    Devices,
    Place,
    Policy,
    Request,
    ResourceClaim,
    ResourceSlice,
    Result,
)
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.values import NO_AMOUNTS, Amounts
from tests.checker.differential.enumeration.spaces import BASES, NODES
from tests.checker.differential.search import singles
from tests.support.building import node
from tests.support.claiming import DRIVER, GPU, POLICIES, using

UNIT = 10**9
"""A unit of memory and of each counter."""


def _device(chance: Chance, name: str) -> Device:
    """Return a device, which may be allocated several times, and takes of the counters of its pool."""
    multiple = chance.often(0.5)
    policies = {"memory": chance.choice(POLICIES)} if multiple and chance.often(0.3) else {}
    return Device(
        name,
        capacity=frozendict(memory=chance.one(1, 2, 2, 3) * UNIT),
        consumes=(("set", frozendict(units=chance.one(1, 1, 2) * UNIT)),) if chance.often(0.7) else (),
        multiple=multiple,
        policies=frozendict(policies),
    )


def slices_of(chance: Chance, place: Place, driver: str = DRIVER) -> tuple[ResourceSlice, ...]:
    """Return the slices of one pool: one of devices, and usually one of counters."""
    devices = tuple(_device(chance, f"d{number}") for number in range(chance.one(1, 2, 2, 3)))
    one = ResourceSlice("s", driver, "p", place=place, devices=devices)
    counted = any(each.consumes for each in devices)
    amounts = frozendict(units=chance.one(1, 2, 2, 3, 4) * UNIT)
    more = replace(one, name="t", devices=(), counters=(("set", amounts),))
    return (replace(one, slices=2), replace(more, slices=2)) if counted else (one,)


def _amount(chance: Chance) -> Amounts:
    return frozendict(memory=chance.one(1, 1, 2) * UNIT)


def held(chance: Chance, number: int, device: Device, by: Pod, driver: str = DRIVER) -> ResourceClaim:
    """Return a claim that is allocated this device, and reserved for a bound pod."""
    admin, shared = chance.often(0.25), device.multiple and chance.often(0.85)
    consumed = _amount(chance) if shared else NO_AMOUNTS
    request = Request("r", GPU.name, admin=admin)
    return ResourceClaim(
        f"held-{number}",
        uid=f"uid-held-{number}",
        requests=(request,),
        allocation=Allocation((Result("r", driver, "p", device.name, admin, shared, consumed),)),
        reserved_for=(Consumer(by.name, by.name),),
    )


def wanted(chance: Chance, number: int) -> ResourceClaim:
    """Return a claim of the asked pod."""

    def one(name: str) -> Request:
        return Request(
            name,
            GPU.name,
            ALL if chance.often(0.1) else EXACT_COUNT,
            chance.one(1, 1, 1, 2),
            admin=chance.often(0.1),
            capacity=_amount(chance) if chance.often(0.5) else None,
        )

    requests = tuple(one(f"r{place}") for place in range(chance.one(1, 1, 2)))
    return ResourceClaim(f"c{number}", uid=f"uid-c{number}", requests=requests)


def places(chance: Chance, names: Sequence[str]) -> Place:
    return Place(names[0]) if chance.often(0.7) else Place(all_nodes=True)


def question(chance: Chance) -> Question:
    """Return a question about a pod that claims devices, of which others hold most."""
    names = NODES[: chance.one(1, 1, 2)]
    slices = slices_of(chance, places(chance, names))
    devices = slices[0].devices
    others: list[Pod] = []
    claims: list[ResourceClaim] = []
    alone: set[str] = set()
    for number in range(chance.one(0, 1, 1, 2, 3)):
        by = replace(BASES["others"], name=f"p{number}", node_name=chance.choice(names), start_time=1)
        device = chance.choice(devices)
        made = held(chance, number, device, by)
        (result,) = made.allocation.results if made.allocation is not None else ()
        if not (result.admin or result.shared):
            if device.name in alone:
                continue
            alone.add(device.name)
        claims.append(made)
        others.append(replace(by, resource_claims=using(made.name, uid=by.name)))
    mine = [wanted(chance, number) for number in range(chance.one(1, 1, 2))]
    asked = replace(BASES["asked"], resource_claims=using(*(each.name for each in mine), uid=BASES["asked"].name))
    listed = tuple(sorted((*claims, *mine), key=lambda each: each.key))
    there = Snapshot.of(others, [node(name, 8) for name in names], BASES["beside"].namespaces)
    return asked, replace(there, devices=Devices(slices, (GPU,), listed)), DEFAULT_PLUGINS


def _policy(chance: Chance) -> Policy:
    """Return a policy by which requests are rounded up: to values, or within a range; its default is allowed."""
    if chance.often(0.4):
        values = tuple(sorted(each * UNIT for each in chance.some((1, 2, 3, 4, 5), 1, 3)))
        return Policy(chance.one(None, *values), values)
    least, step = chance.one(1, 1, 2) * UNIT, chance.one(None, 1, 1, 2)
    more = (step or 1) * UNIT * chance.one(0, 1, 2)
    return Policy(
        chance.one(None, least, least + more),
        minimum=least,
        maximum=chance.one(None, least + more, least + more + (step or 1) * UNIT),
        step=None if step is None else step * UNIT,
    )


def policed_claim(start: str) -> None:
    """Judge a pod that requests more or less of a capacity than the device has, or its policy allows."""
    chance = Chance(f"policed claims {start}")
    asked, there, plugins = question(chance)

    def device(one: Device) -> Device:
        if not one.multiple:
            return one
        policies = frozendict(memory=_policy(chance)) if chance.often(0.85) else one.policies
        return replace(one, capacity=frozendict(memory=chance.one(2, 3, 4, 6) * UNIT), policies=policies)

    def request(one: Request) -> Request:
        amount = chance.one(1, 2, 2, 3, 4, 5, 6, 7, 10, 14) * UNIT // 2
        return replace(one, capacity=frozendict(memory=amount) if chance.often(0.8) else None)

    slices = tuple(replace(each, devices=tuple(map(device, each.devices))) for each in there.devices.slices)
    claims = tuple(
        replace(each, requests=tuple(map(request, each.requests))) if each.allocation is None else each
        for each in there.devices.claims
    )
    singles.shown((asked, replace(there, devices=replace(there.devices, slices=slices, claims=claims)), plugins))


def small_claim(start: str) -> None:
    """Judge a pod that claims devices of which others hold some in every way."""
    singles.shown(question(Chance(f"small claims {start}")))


PARTS = (Request("three", GPU.name, count=3), Request("two", GPU.name, count=2), Request("one", GPU.name))


def _alternatives(chance: Chance, number: int) -> ResourceClaim:
    """Return a claim that asks for one of several numbers of devices, or for one device alone."""
    several = chance.sample(PARTS, chance.one(1, 2, 2, 3))
    request = Request("r", alternatives=tuple(several)) if chance.often(0.85) else Request("r", GPU.name)
    return ResourceClaim(f"c{number}", uid=f"uid-c{number}", requests=(request,))


def _allocated(chance: Chance, claim: ResourceClaim, free: list[tuple[str, str]]) -> ResourceClaim:
    """Return the claim, perhaps with as many of the free devices as one of its alternatives asks for."""
    name, part = chance.choice(claim.requests[0].parts)
    if len(free) < part.count or chance.often(0.5):
        return claim
    results = tuple(Result(name, DRIVER, *free.pop()) for _ in range(part.count))
    return replace(claim, allocation=Allocation(results))


def rated_question(chance: Chance) -> Question:
    """Return a question about a pod with two or three claims, whose nodes have different numbers of devices."""
    names = NODES[: chance.one(2, 2, 3)]
    slices = [
        ResourceSlice(
            name,
            DRIVER,
            name,
            place=Place(name),
            devices=tuple(Device(f"{name}-{place}") for place in range(chance.randint(1, 5))),
        )
        for name in names
    ]
    free = [("everywhere", f"d{number}") for number in range(chance.randint(0, 4))]
    made = tuple(Device(name) for _, name in free)
    slices.append(ResourceSlice("t", DRIVER, "everywhere", place=Place(all_nodes=True), devices=made))
    claims = [_allocated(chance, _alternatives(chance, number), free) for number in range(chance.one(2, 2, 3))]
    mine = chance.sample(claims, len(claims))
    asked = replace(BASES["asked"], resource_claims=using(*(each.name for each in mine), uid=BASES["asked"].name))
    there = Snapshot.of((), [node(name, 8) for name in names], BASES["beside"].namespaces)
    return asked, replace(there, devices=Devices(tuple(slices), (GPU,), tuple(claims))), DEFAULT_PLUGINS


def rated_claim(start: str) -> None:
    """Judge a pod whose claims have alternatives, and are allocated in part."""
    singles.shown(rated_question(Chance(f"rated claims {start}")))
