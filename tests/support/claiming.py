"""Devices and resource claims for tests."""

from dataclasses import replace
from random import Random

from frozendict import frozendict

from schedcheck.spec.device_objects import (
    ALL,
    Attribute,
    Constraint,
    Device,
    DeviceClass,
    Devices,
    DeviceTaint,
    DeviceToleration,
    Place,
    PodClaim,
    Policy,
    Request,
    ResourceClaim,
    ResourceSlice,
)
from schedcheck.spec.terms import NodeSelectorTerm, Requirement

DRIVER = "gpu.example.com"
GPU = DeviceClass("gpu", (f'device.driver == "{DRIVER}"',))


def gpus(number: int, node: str = "n", name: str = "s", **fields: object) -> ResourceSlice:
    """Return a slice of the node with this many equal devices."""
    made = tuple(Device(f"gpu-{i}", **fields) for i in range(number))  # type: ignore[arg-type]
    return ResourceSlice(name, DRIVER, node, place=Place(node), devices=made)


def claim(name: str = "c", count: int = 1, **fields: object) -> ResourceClaim:
    """Return a claim with one request for devices of the class gpu."""
    return ResourceClaim(name, uid=f"uid-{name}", requests=(Request("r", "gpu", count=count, **fields),))  # type: ignore[arg-type]


def using(*names: str, uid: str = "p") -> tuple[PodClaim, ...]:
    """Return the claims of a pod with this uid that names these claims."""
    return tuple(PodClaim(name, name, pod_uid=uid) for name in names)


MODELS = ("a", "b")
SELECTORS = (
    f'device.attributes["{DRIVER}"].model == "a"',
    f'device.attributes["{DRIVER}"].?model.orValue("b") == "b"',
    f'device.capacity["{DRIVER}"].memory.compareTo(quantity("2")) >= 0',
    f'has(device.attributes["{DRIVER}"].rack)',
    "true",
)


def random_devices(
    chance: Random, names: tuple[str, ...] = ("n0", "n1"), zones: str = "xy", *, newest: bool = False
) -> tuple[Devices, tuple[ResourceClaim, ...]]:
    """Return slices and a class, and one or two claims to be allocated; the features occur at random."""
    slices = tuple(_slice(chance, number, names, zones) for number in range(chance.randint(1, 3)))
    counts = {(each.driver, each.pool, each.generation): chance.choice((1, 1, 2)) for each in slices}
    slices = tuple(replace(each, slices=counts[each.driver, each.pool, each.generation]) for each in slices)
    claims = tuple(_claim(chance, f"c{number}") for number in range(chance.choice((1, 1, 2))))
    if newest:
        slices, claims = (
            tuple(_counting(each, chance) for each in slices),
            tuple(_asking(each, chance) for each in claims),
        )
        slices = _partitioned(slices, chance)
    return Devices(slices, (GPU,)), claims


def _slice(chance: Random, number: int, names: tuple[str, ...], zones: str) -> ResourceSlice:
    per_device = True if chance.random() < 0.2 else None
    place = Place() if per_device else _place(chance, names, zones)
    pool = chance.choice(("p", "q"))
    devices = tuple(
        _device(chance, f"d{number}-{i}", (names, zones) if per_device else None) for i in range(chance.randint(1, 3))
    )
    if chance.random() < 0.05:
        devices = (*devices, devices[0])
    return ResourceSlice(
        f"s{number}", DRIVER if chance.random() < 0.9 else "other", pool, chance.choice((1, 1, 1, 2)),
        1, place, per_device, devices,
    )  # fmt: skip


def _place(chance: Random, names: tuple[str, ...], zones: str) -> Place:
    drawn = chance.random()
    if drawn < 0.6:
        return Place(chance.choice(names))
    if drawn < 0.8:
        return Place(all_nodes=True)
    return Place(terms=(NodeSelectorTerm((Requirement("zone", "In", (chance.choice(zones),)),)),))


def _device(chance: Random, name: str, where: tuple[tuple[str, ...], str] | None) -> Device:
    attributes = {"rack": Attribute("int", chance.randint(0, 1))} if chance.random() < 0.8 else {}
    if chance.random() < 0.85:
        attributes["model"] = Attribute("string", chance.choice(MODELS))
    taints = (DeviceTaint("broken", chance.choice(("NoSchedule", "None"))),) if chance.random() < 0.15 else ()
    return Device(
        name,
        frozendict(attributes),
        frozendict({"memory": chance.randint(1, 3) * 10**9}),
        _place(chance, *where) if where else Place(),
        taints,
    )


def _request(chance: Random, name: str) -> Request:
    return Request(
        name, "gpu", ALL if chance.random() < 0.15 else "ExactCount", chance.choice((1, 1, 2)),
        tuple(chance.sample(SELECTORS, chance.choice((0, 0, 1)))), chance.random() < 0.1,
        (DeviceToleration("broken", "Exists"),) if chance.random() < 0.3 else (),
    )  # fmt: skip


def _claim(chance: Random, name: str) -> ResourceClaim:
    requests = tuple(_with_alternatives(chance, f"r{number}") for number in range(chance.choice((1, 1, 2))))
    constraints = tuple(
        Constraint(f"{DRIVER}/{chance.choice(('rack', 'model'))}", (), chance.random() < 0.3)
        for _ in range(chance.choice((0, 0, 1)))
    )
    return ResourceClaim(name, uid=f"uid-{name}", requests=requests, constraints=constraints)


def _with_alternatives(chance: Random, name: str) -> Request:
    if chance.random() < 0.75:
        return _request(chance, name)
    parts = tuple(_request(chance, f"a{number}") for number in range(2))
    return Request(name, alternatives=tuple(_plain(part) for part in parts))


def _plain(part: Request) -> Request:
    return Request(part.name, part.device_class, part.mode, part.count, part.selectors, False, part.tolerations)


POLICIES = (
    Policy(default=10**9, minimum=10**9, step=10**9, maximum=2 * 10**9),
    Policy(default=10**9, values=(10**9, 2 * 10**9)),
    Policy(minimum=5 * 10**8),
)
SIZES = (5 * 10**8, 10**9, 15 * 10**8, 3 * 10**9)


def _counting(each: ResourceSlice, chance: Random) -> ResourceSlice:
    """Return the slice with devices that are allocated several times."""
    return replace(each, devices=tuple(_perhaps_shared(device, chance) for device in each.devices))


def _perhaps_shared(device: Device, chance: Random) -> Device:
    if chance.random() < 0.5:
        return device
    policies = {"memory": chance.choice(POLICIES)} if chance.random() < 0.7 else {}
    return replace(device, multiple=True, policies=frozendict(policies))


def _asking(claim: ResourceClaim, chance: Random) -> ResourceClaim:
    """Return the claim with requests for capacity."""

    def sized(request: Request) -> Request:
        if request.alternatives:
            return replace(request, alternatives=tuple(map(sized, request.alternatives)))
        name = "memory" if chance.random() < 0.95 else "cores"
        return replace(request, capacity=frozendict({name: chance.choice(SIZES)})) if chance.random() < 0.6 else request

    return replace(claim, requests=tuple(map(sized, claim.requests)))


def _partitioned(slices: tuple[ResourceSlice, ...], chance: Random) -> tuple[ResourceSlice, ...]:
    """Return the slices with one more that has counters, of which devices of its pool consume some."""
    if chance.random() < 0.5:
        return slices
    pool = chance.choice(slices)
    alike = (pool.driver, pool.pool, pool.generation)
    amounts = frozendict(units=chance.choice((1, 2, 3)) * 10**9)
    there = tuple(
        replace(each, slices=each.slices + 1, devices=tuple(_consuming(device, chance) for device in each.devices))
        if (each.driver, each.pool, each.generation) == alike
        else each
        for each in slices
    )
    more = replace(
        pool, name="t", devices=(), counters=(("set", amounts),), slices=pool.slices + 1,
        place=pool.place if pool.place != Place() else Place(all_nodes=True), per_device=None,
    )  # fmt: skip
    return (*there, more)


def _consuming(device: Device, chance: Random) -> Device:
    if chance.random() < 0.3:
        return device
    return replace(device, consumes=(("set", frozendict(units=chance.choice((1, 1, 2)) * 10**9)),))
