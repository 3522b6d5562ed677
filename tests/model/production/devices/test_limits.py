"""The limits of the production allocator: 32 results of a claim, and the capacity that shares of a device take.

Kubernetes 1.37: Allocate, allocateOne and CmpRequestOverCapacity in
k8s.io/dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go; in 1.34 the sum of a claim alone
is compared with its limit.
"""

import pytest
from frozendict import frozendict

from schedcheck.model.production.devices.features import Features, features
from schedcheck.spec.device_objects import (
    ALL,
    Allocation,
    Attribute,
    Device,
    Devices,
    Place,
    Request,
    ResourceClaim,
    ResourceSlice,
    Result,
)
from schedcheck.spec.kubernetes.versions import VERSIONS
from tests.model.production.devices.test_allocator import produced
from tests.support.building import node
from tests.support.claiming import DRIVER, GPU, gpus

THERE = node("n")
OLDEST, NEWEST = features(VERSIONS["1.34"].departures), features(VERSIONS["1.37"].departures)


def asking(*requests: Request) -> tuple[ResourceClaim, ...]:
    return (ResourceClaim("c", requests=requests),)


def wanting(count: int, name: str, kind: str = "", **fields: object) -> Request:
    """Return a request for devices, of one kind if it is given."""
    selectors = (f'device.attributes["{DRIVER}"].kind == "{kind}"',) if kind else ()
    return Request(name, "gpu", count=count, selectors=selectors, **fields)  # type: ignore[arg-type]


def served(outcome: tuple[str, object]) -> list[str]:
    """Return which request each device of the only claim is for."""
    kind, found = outcome
    assert kind == "some" and isinstance(found, tuple)
    (allocation,) = found
    return [result.request for result in allocation.results]


def of_kind(kind: str) -> ResourceSlice:
    """Return a pool of 20 devices of this kind."""
    having = frozendict(kind=Attribute("string", kind))
    return ResourceSlice(
        kind, DRIVER, kind, place=Place("n"), devices=tuple(Device(f"{kind}{i}", having) for i in range(20))
    )


@pytest.mark.parametrize("having", [OLDEST, NEWEST])
def test_a_claim_for_32_devices_in_all_gets_them(having: Features) -> None:
    claims = asking(wanting(16, "r"), wanting(16, "s"))
    assert served(produced(THERE, Devices((gpus(32),), (GPU,)), claims, having)) == ["r"] * 16 + ["s"] * 16


@pytest.mark.parametrize(
    ("having", "said"),
    [
        (OLDEST, "claim default/c: number of requested devices 33 exceeds the claim limit of 32"),
        (
            NEWEST,
            "claim default/c, request s: adding 17 devices exceeds the claim limit of 32, with 16 already accounted for",
        ),
    ],
)
def test_a_claim_for_33_devices_in_all_is_an_error(having: Features, said: str) -> None:
    few = Devices((gpus(16),), (GPU,))  # without the error there is but one choice to search
    assert produced(THERE, few, asking(wanting(16, "r"), wanting(17, "s")), having) == ("error", said)


@pytest.mark.parametrize("large", [wanting(20, "large", "b"), wanting(1, "large", "b", mode=ALL)])
def test_an_alternative_with_more_devices_than_are_left_gives_way_to_the_next(large: Request) -> None:
    devices = Devices((of_kind("a"), of_kind("b")), (GPU,))
    claims = asking(wanting(20, "r", "a"), Request("s", alternatives=(large, wanting(12, "small", "b"))))
    assert served(produced(THERE, devices, claims, NEWEST)) == ["r"] * 20 + ["s/small"] * 12


@pytest.mark.parametrize(("wanted", "kind"), [(4, "some"), (5, "none")])
@pytest.mark.parametrize("multiple", [True, False])
def test_shares_count_even_if_the_device_is_no_longer_allocated_several_times(
    wanted: int, kind: str, multiple: bool
) -> None:
    of_ten = gpus(1, capacity=frozendict(memory=10 * 10**9), multiple=multiple)
    taken = Result("r", DRIVER, of_ten.pool, "gpu-0", shared=True, consumed=frozendict(memory=6 * 10**9))
    held = ResourceClaim("held", allocation=Allocation((taken,)))
    claims = asking(wanting(1, "r", capacity=frozendict(memory=wanted * 10**9)))
    assert produced(THERE, Devices((of_ten,), (GPU,), (held,)), claims, NEWEST)[0] == kind
