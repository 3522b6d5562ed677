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
