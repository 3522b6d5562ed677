"""What of resource claims is unknown in 1.36 and known in 1.37"""

from dataclasses import replace
from typing import Any

import pytest
from frozendict import frozendict

from schedcheck.spec.device_objects import ALL, Constraint, Devices, Place, Request, ResourceClaim, ResourceSlice
from schedcheck.spec.devices.claims import unmodelled
from schedcheck.spec.kubernetes.filters.dynamic_resources import gates
from schedcheck.spec.kubernetes.versions import VERSIONS
from tests.support.building import pod
from tests.support.claiming import DRIVER, GPU, claim, gpus, using


def unknown(asked: ResourceClaim, *slices: ResourceSlice, version: str = "1.36") -> str:
    """What a pod with the claim depends on and is not modelled."""
    devices = Devices(slices, (GPU,), (asked,))
    return unmodelled(pod(resource_claims=using("c")), devices, gates(VERSIONS[version].departures))


@pytest.mark.parametrize(
    ("fields", "requests", "known"),
    [
        ({"count": 1}, (), True),
        ({"count": 2}, (), False),
        ({"mode": ALL}, (), False),
        ({"count": 2}, ("r",), False),
        ({"count": 2}, ("other",), True),
        ({"alternatives": (Request("one", "gpu"), Request("two", "gpu", count=2))}, ("r/two",), False),
        ({"alternatives": (Request("one", "gpu"), Request("two", "gpu", count=2))}, ("r/one",), True),
    ],
)
def test_distinct_attributes_of_several_devices_of_a_request_are_unknown_in_1_36(
    fields: dict[str, Any], requests: tuple[str, ...], known: bool
) -> None:
    asked = replace(claim(**fields), constraints=(Constraint("model", requests, distinct=True),))
    said = "" if known else "distinctAttribute of the claim c, which 1.36 compares with the last device of each request"
    assert unknown(asked, gpus(3)) == said
    assert unknown(asked, gpus(3), version="1.37") == ""
    assert unknown(replace(asked, constraints=(Constraint("model", requests),)), gpus(3)) == ""


def test_shared_counters_of_one_node_are_unknown_in_1_36() -> None:
    counting = replace(gpus(1), devices=(), counters=(("set", frozendict(memory=1)),))
    assert unknown(claim(), counting) == f"shared counters of the pool {DRIVER}/n, as 1.36 takes them for all nodes"
    assert unknown(claim(), counting, version="1.37") == ""
    assert unknown(claim(), replace(counting, place=Place(all_nodes=True))) == ""


MODEL = f'device.attributes["{DRIVER}"].model == "a"'
"""An expression that fails on a device without the attribute."""


@pytest.mark.parametrize(
    ("mode", "version", "said"),
    [
        (ALL, "1.35", "allocationMode All in the alternatives of the request r of the claim c"),
        ("ExactCount", "1.35", ""),
        (ALL, "1.36", ""),
    ],
)
def test_all_devices_as_an_alternative_are_unknown_up_to_1_35(mode: str, version: str, said: str) -> None:
    asked = claim(alternatives=(Request("one", "gpu", mode), Request("two", "gpu")))
    assert unknown(asked, gpus(3), version=version) == said


@pytest.mark.parametrize(
    ("fields", "pools", "known"),
    [
        ({}, 2, True),
        ({"selectors": (MODEL,)}, 1, True),
        ({"selectors": (MODEL,)}, 2, False),
        ({"mode": ALL}, 1, True),
        ({"mode": ALL}, 2, False),
    ],
)
def test_an_error_in_one_of_several_pools_is_unknown_up_to_1_35(
    fields: dict[str, Any], pools: int, known: bool
) -> None:
    slices = [replace(gpus(1, name=f"s{number}"), pool=f"p{number}") for number in range(pools)]
    said = "" if known else "the random order in which kube-scheduler searches pools"
    assert unknown(claim(**fields), *slices, version="1.35") == said
    assert unknown(claim(**fields), *slices, version="1.36") == ""
