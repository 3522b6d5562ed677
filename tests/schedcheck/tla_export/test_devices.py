"""Resource claims in exported scenarios: the records, and what is refused by name"""

from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.model.scenario import Scenario
from schedcheck.spec.device_objects import (
    ALL,
    Allocation,
    Attribute,
    Constraint,
    Devices,
    DeviceTaint,
    Place,
    PodClaim,
    Policy,
    Request,
    ResourceClaim,
    ResourceSlice,
    Result,
)
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES, Departure
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.tla_export.devices import claim_record, claiming, device_constants, numbered, slice_record
from schedcheck.tla_export.devices_refused import refuse_devices
from schedcheck.tla_export.module import model_module
from schedcheck.tla_export.text import NotExportable, Set, layout
from tests.support.building import node, pod
from tests.support.claiming import DRIVER, GPU, claim, gpus, using
from tests.support.gangs import GANGS, member, policy

CLAIM = claim("c")
SLICE = gpus(2, "n")


def scenario(
    *slices: ResourceSlice, claims: tuple[ResourceClaim, ...] = (CLAIM,), profile: str = "kubernetes", **fields: object
) -> Scenario:
    asking = pod("p", resource_claims=using("c"))
    devices = Devices(slices or (SLICE,), (GPU,), claims)
    return replace(
        Scenario("devices", (asking,), (node("n", 1),), profile=profile, devices=devices),
        **fields,  # type: ignore[arg-type]
    )


def of_device(**fields: object) -> Scenario:
    first, *rest = SLICE.devices
    return scenario(replace(SLICE, devices=(replace(first, **fields), *rest)))  # type: ignore[arg-type]


def of_claim(**fields: object) -> Scenario:
    return scenario(claims=(replace(CLAIM, **fields),))  # type: ignore[arg-type]


def of_request(**fields: object) -> Scenario:
    return of_claim(requests=(replace(CLAIM.requests[0], **fields),))  # type: ignore[arg-type]


AMOUNTS = frozendict({"memory": 10**9})
SET = ("set", AMOUNTS)
LARGE = frozendict({"memory": 3 * 10**9, "cores": 2**32 + 1})
REFUSED = {
    "a counter set that occurs twice in the slice s": scenario(replace(SLICE, counters=(SET, SET))),
    "a counter set that occurs twice in consumesCounters of the device gpu-0": of_device(consumes=(SET, SET)),
    "validValues out of order of the device gpu-0": of_device(
        policies=frozendict({"memory": Policy(values=(2 * 10**9, 10**9))})
    ),
    "the amounts of the capacity cores would reach": of_device(
        capacity=LARGE, multiple=True, policies=frozendict({"cores": Policy(default=1)})
    ),
    "the amounts of the counter cores would reach": of_device(
        consumes=(("set", LARGE), ("other", frozendict({"cores": 2})))
    ),
    "shared counters in the slice s, which may end a search in an error": replace(
        scenario(replace(SLICE, place=Place(all_nodes=True), counters=(SET,)), profile="kubernetes-1.34"),
        plugins=(replace(DEFAULT_PLUGINS, gates_on=frozenset({Departure.PARTITIONABLE_DEVICES_UNUSED})),),
    ),
    "bindingConditions of the device gpu-0": of_device(conditional=True),
    "allocationMode All beside constraints of the claim": of_claim(
        requests=(Request("r", "gpu", ALL),), constraints=(Constraint("rack"),)
    ),
    "an expression of the request r of the claim .* fails on the device gpu-0": of_request(
        selectors=(f'device.attributes["{DRIVER}"].model == "a"',)
    ),
    "has a resource claim twice": replace(
        scenario(),
        pods=(pod("p", resource_claims=(PodClaim("a", "c", pod_uid="p"), PodClaim("b", "c", pod_uid="p"))),),
    ),
    "resource claims beside gangs": scenario(
        profile="kubernetes-1.35",
        plugins=(GANGS,),
        workloads=(policy("red", 2),),
        pods=(pod("p", resource_claims=using("c")), member("red", 1)),
    ),
    "occurs twice, which ends a search in an error": scenario(
        replace(SLICE, devices=(SLICE.devices[0], SLICE.devices[0])), profile="kubernetes-1.34"
    ),
    "depends on what is not modelled: no ResourceSlices are given": replace(
        scenario(), devices=Devices((), (GPU,), (CLAIM,), lacking=("ResourceSlice",))
    ),
    "tla/ knows only in modules of kube-scheduler": replace(scenario(), devices=Scenario("none", (), ()).devices),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_the_modules_do_not_know_is_refused_by_name(what: str) -> None:
    with pytest.raises(NotExportable, match=what):
        model_module(REFUSED[what], "MC_devices")


def test_a_claim_is_exported_with_the_devices_that_it_selects() -> None:
    first = f'device.attributes["{DRIVER}"].?model.orValue("b") == "a"'
    there = replace(SLICE.devices[1], attributes=frozendict({"model": Attribute("string", "a")}))
    devices = Devices((replace(SLICE, devices=(SLICE.devices[0], there)),), (GPU,), ())
    asked = replace(CLAIM, requests=(replace(CLAIM.requests[0], selectors=(first,)),))
    text = layout(claim_record(asked, devices, numbered(devices)), 0)
    assert "Selected |-> {2}" in text and "Allocation |-> Null" in text


def test_devices_are_numbered_by_pool_slice_and_place() -> None:
    later, sooner = replace(SLICE, name="a", pool="q"), replace(gpus(1, "n", "b"), pool="p")
    devices = Devices((later, sooner), (GPU,), ())
    assert [numbered(devices)[each] for each in ((sooner, 0), (later, 0), (later, 1))] == [1, 2, 3]


def test_a_slice_is_exported_with_taints_and_the_attributes_that_constraints_name() -> None:
    device = replace(
        SLICE.devices[0],
        attributes=frozendict({"rack": Attribute("int", 1), "model": Attribute("string", "a")}),
        taints=(DeviceTaint("broken", "NoSchedule"),),
    )
    given = replace(SLICE, devices=(device,))
    devices = Devices((given,), (GPU,), (replace(CLAIM, constraints=(Constraint(f"{DRIVER}/rack"),)),))
    text = layout(slice_record(given, devices, numbered(devices)), 0)
    assert f'"{DRIVER}/rack" :> "int:1"' in text and "model" not in text
    assert '[Key |-> "broken", Value |-> "", Effect |-> "NoSchedule"]' in text


def test_amounts_are_divided_and_capacities_that_decide_nothing_are_left_out() -> None:
    device = replace(SLICE.devices[0], capacity=LARGE, consumes=(("set", frozendict(slots=6)),))
    given = replace(SLICE, devices=(device,), counters=(("set", frozendict(slots=9)),))
    held = Allocation((Result("r", DRIVER, "n", "gpu-0", shared=True, consumed=frozendict(memory=10**9)),))
    claims = (replace(CLAIM, requests=(replace(CLAIM.requests[0], capacity=frozendict(memory=2 * 10**9)),)),)
    devices = Devices((given,), (GPU,), (*claims, replace(CLAIM, name="d", allocation=held)))
    numbers = numbered(devices)
    text = layout(slice_record(given, devices, numbers), 0)
    assert '"memory" :> 3' in text and "cores" not in text
    assert '"slots" :> 2' in text and '"slots" :> 3' in text
    asked, allocated = (layout(claim_record(each, devices, numbers), 0) for each in devices.claims)
    assert 'Capacity |-> ("memory" :> 2)' in asked
    assert 'Consumed |-> ("memory" :> 1)' in allocated and "Shared |-> TRUE" in allocated


def test_a_scenario_without_claims_keeps_the_plain_system() -> None:
    plain = replace(scenario(), pods=(pod("p"),))
    assert not claiming(plain) and device_constants(plain) == {}
    assert "EXTENDS KubeCluster, KubeDeciding" in model_module(plain, "MC_plain")[0]
    assert "EXTENDS KubeDeviceCluster" in model_module(scenario(), "MC_devices")[0]
    claims = device_constants(scenario())["GivenClaims"]
    assert isinstance(claims, Set) and len(claims.elements) == 1
    refuse_devices(scenario(), NO_DEPARTURES)
