"""Random small clusters with devices of two drivers, and claims whose constraints name requests: `two_drivers`, `constrained`

In `two_drivers` the pools of both have one name, each with counters of its own, and there is a class for each driver and one for both. In
`constrained` a constraint is for some requests, or for an alternative of one, and the devices differ in what it compares.
"""

from dataclasses import replace

from frozendict import frozendict

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.volumes import Question
from schedcheck.spec.device_objects import (
    ALL,
    EXACT_COUNT,
    Attribute,
    Constraint,
    Device,
    DeviceClass,
    Devices,
    Place,
    Request,
    ResourceClaim,
    ResourceSlice,
)
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod, Snapshot
from tests.checker.differential.enumeration.spaces import BASES, NODES
from tests.checker.differential.search import singles, small_claims
from tests.support.building import node
from tests.support.claiming import DRIVER, GPU, using

OTHER = "nic.example.com"
CLASSES = (DeviceClass("any"), GPU, DeviceClass("nic", (f'device.driver == "{OTHER}"',)))


def _asking(
    names: tuple[str, ...], slices: tuple[ResourceSlice, ...], mine: tuple[ResourceClaim, ...],
    others: tuple[tuple[Pod, ResourceClaim], ...] = (),
) -> Question:  # fmt: skip
    """Return a question about a pod with these claims."""
    asked = replace(BASES["asked"], resource_claims=using(*(each.name for each in mine), uid=BASES["asked"].name))
    claims = tuple(sorted((*mine, *(each for _, each in others)), key=lambda each: each.key))
    there = Snapshot.of([each for each, _ in others], [node(name, 8) for name in names], BASES["beside"].namespaces)
    return asked, replace(there, devices=Devices(slices, CLASSES, claims)), DEFAULT_PLUGINS


def drivers_question(chance: Chance) -> Question:
    """Return a question about a pod that claims devices of two drivers, whose pools have one name."""
    names = NODES[: chance.one(1, 1, 2)]
    of = {
        driver: small_claims.slices_of(chance, small_claims.places(chance, names), driver) for driver in (DRIVER, OTHER)
    }
    others, alone = [], set[tuple[str, str]]()
    for number in range(chance.one(0, 1, 1, 2, 3)):
        driver = chance.choice(sorted(of))
        device = chance.choice(of[driver][0].devices)
        by = replace(BASES["others"], name=f"p{number}", node_name=chance.choice(names), start_time=1)
        made = small_claims.held(chance, number, device, by, driver)
        free = made.allocation is not None and all(each.admin or each.shared for each in made.allocation.results)
        if free or (driver, device.name) not in alone:
            alone |= set() if free else {(driver, device.name)}
            others.append((replace(by, resource_claims=using(made.name, uid=by.name)), made))
    slices = tuple(replace(each, name=f"{place}-{each.name}") for place, some in of.items() for each in some)

    def classed(claim: ResourceClaim) -> ResourceClaim:
        requests = (replace(each, device_class=chance.choice(CLASSES).name) for each in claim.requests)
        return replace(claim, requests=tuple(requests))

    mine = tuple(classed(small_claims.wanted(chance, number)) for number in range(chance.one(1, 1, 2)))
    return _asking(names, slices, mine, tuple(others))


def two_drivers(start: str) -> None:
    """Judge a pod that claims devices of two drivers."""
    singles.shown(drivers_question(Chance(f"two drivers {start}")))


SHARED = "example.com/rack"
"""An attribute in a domain of its own, which the devices of both drivers have."""


def _marked(chance: Chance, name: str) -> Device:
    """Return a device that differs from others in two attributes, or lacks them."""
    attributes = {
        key: Attribute(kind, chance.choice(values))
        for key, kind, values in ((SHARED, "int", (0, 1)), ("model", "string", ("a", "b")))
        if chance.often(0.9)
    }
    return Device(name, frozendict(attributes))


def _requests(chance: Chance) -> tuple[Request, ...]:
    def one(name: str) -> Request:
        mode = ALL if chance.often(0.05) else EXACT_COUNT
        return Request(name, chance.choice(("any", "any", "gpu", "nic")), mode, chance.one(1, 1, 1, 2))

    def either(name: str) -> Request:
        return Request(name, alternatives=tuple(one(f"{part}") for part in ("a", "b")[: chance.one(1, 2, 2)]))

    return tuple(chance.choice((one, either))(f"r{number}") for number in range(chance.one(1, 2, 2, 3)))


def _constraint(chance: Chance, requests: tuple[Request, ...]) -> Constraint:
    """Return a constraint that names requests or alternatives, or is for all."""
    names = [each.name for each in requests]
    parts = [name for each in requests if each.alternatives for name, _ in each.parts]
    some = chance.some([*names, *parts], 1, 3) if chance.often(0.85) else ()
    attribute = chance.choice((SHARED, SHARED, f"{DRIVER}/model"))
    return Constraint(attribute, tuple(some), distinct=chance.often(0.35))


def constrained_question(chance: Chance) -> Question:
    """Return a question about a pod whose claims have constraints for some of their requests."""
    names = NODES[: chance.one(1, 1, 2)]
    slices = tuple(
        ResourceSlice(
            f"{driver}-s",
            driver,
            "p",
            place=small_claims.places(chance, names) if chance.often(0.8) else Place(names[-1]),
            devices=tuple(_marked(chance, f"d{number}") for number in range(chance.one(1, 2, 3))),
        )
        for driver in (DRIVER, OTHER)[: chance.one(1, 2, 2)]
    )

    def claim(number: int) -> ResourceClaim:
        requests = _requests(chance)
        constraints = tuple(_constraint(chance, requests) for _ in range(chance.one(0, 1, 1, 1, 2)))
        return ResourceClaim(f"c{number}", uid=f"uid-c{number}", requests=requests, constraints=constraints)

    return _asking(names, slices, tuple(claim(number) for number in range(chance.one(1, 1, 1, 2))))


def constrained(start: str) -> None:
    """Judge a pod whose claims have constraints that name requests and alternatives."""
    singles.shown(constrained_question(Chance(f"constrained {start}")))
