"""Small scenarios with shared counters and devices that are allocated several times: `CASES`

Each shows a part of the definitions that random scenarios hardly ever show.
"""

from dataclasses import replace

from frozendict import frozendict

from schedcheck.model.scenario import Scenario
from schedcheck.spec.device_objects import (
    Allocation,
    Device,
    Devices,
    Place,
    Policy,
    ResourceClaim,
    ResourceSlice,
    Result,
)
from schedcheck.spec.values import Amounts
from tests.support.building import node, pod
from tests.support.claiming import DRIVER, GPU, claim, using

ONE: Amounts = frozendict(units=10**9)
GIB = 10**9


def listing(name: str, where: str, *devices: Device, counters: tuple[tuple[str, Amounts], ...] = ()) -> ResourceSlice:
    """A slice of the pool p, which has two slices, for a node or, without a name, for all nodes."""
    place = Place(where) if where else Place(all_nodes=True)
    return ResourceSlice(name, DRIVER, "p", slices=2, place=place, devices=devices, counters=counters)


def drawing(name: str, **fields: object) -> Device:
    """A device that consumes one unit of the counter set `set`."""
    return Device(name, consumes=(("set", ONE),), **fields)  # type: ignore[arg-type]


def held(*names: str, **fields: object) -> tuple[ResourceClaim, ...]:
    """A claim to which these devices are allocated, for use on every node."""
    results = tuple(Result("r", DRIVER, "p", name, **fields) for name in names)  # type: ignore[arg-type]
    return (replace(claim("held"), allocation=Allocation(results)),)


def asking(*slices: ResourceSlice, held: tuple[ResourceClaim, ...] = (), **fields: object) -> Scenario:
    """A scenario of one pod that claims a device, and two nodes."""
    return Scenario(
        name="devices",
        pods=(pod("p", resource_claims=using("c")),),
        nodes=(node("n0", 1), node("n1", 1)),
        profile="kubernetes",
        devices=Devices(slices, (GPU,), (claim("c", **fields), *held)),  # type: ignore[arg-type]
    )


def sized(policy: Policy) -> Device:
    """A device with three gibibytes that is allocated several times."""
    return Device("d", capacity=frozendict(memory=3 * GIB), multiple=True, policies=frozendict(memory=policy))


SET = (("set", ONE),)
OTHER = listing("t", "", counters=SET)
CASES = {
    "a counter set is missing": asking(listing("s", "", drawing("d")), listing("t", "")),
    "a counter set occurs twice": asking(listing("s", "", drawing("d"), counters=SET), OTHER),
    "a device on the other node draws on the counter": asking(
        listing("s", "n0", drawing("d"), counters=SET), listing("t", "n1", drawing("e")), held=held("d")
    ),
    "the counter is declared on the other node": asking(
        listing("s", "n0", counters=SET), listing("t", "n1", drawing("d"), drawing("e")), held=held("d")
    ),
    "less than the minimum is requested": asking(
        listing("s", "", sized(Policy(minimum=2 * GIB))), OTHER, capacity=frozendict(memory=GIB)
    ),
    "more than any valid value is requested": asking(
        listing("s", "", sized(Policy(values=(GIB, 2 * GIB)))), OTHER, capacity=frozendict(memory=3 * GIB)
    ),
    "a shared device draws on the counter once": asking(
        listing("s", "", drawing("d", multiple=True)), OTHER, held=held("d", shared=True)
    ),
    "the counter is overdrawn, and the device draws on none": asking(
        listing("s", "", drawing("d"), drawing("e"), Device("f")), OTHER, held=held("d", "e")
    ),
}
