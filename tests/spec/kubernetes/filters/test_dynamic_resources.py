"""DynamicResources: what keeps a pod out of the queue, rejects it at PreFilter, refuses a node, and is deallocated"""

from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.spec.device_objects import (
    MOST_CONSUMERS,
    NO_DEVICES,
    Allocation,
    Consumer,
    Device,
    DeviceClass,
    Devices,
    PodClaim,
    Request,
    ResourceClaim,
    Result,
)
from schedcheck.spec.devices.gates import NEWEST
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES
from schedcheck.spec.kubernetes.filters import dynamic_resources
from schedcheck.spec.kubernetes.filters.dynamic_resources import (
    NO_DEVICES_LEFT,
    UNAVAILABLE,
    may_be_deallocated,
    refusal,
    rejection,
    skipped,
    unmodelled,
    waits_for_claims,
)
from schedcheck.spec.objects import Container, Pod
from schedcheck.spec.refusal import Code
from schedcheck.spec.terms import NodeSelectorTerm, Requirement
from tests.support.building import node, pod
from tests.support.claiming import DRIVER, GPU, claim, gpus, using


@pytest.fixture(autouse=True)
def newest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask with the features of the newest version."""
    monkeypatch.setattr(dynamic_resources, "gates", lambda _: NEWEST)


def known(*claims: ResourceClaim, devices: int = 1, classes: tuple[DeviceClass, ...] = (GPU,)) -> Devices:
    return Devices((gpus(devices),), classes, claims)


def asking(*claims: PodClaim) -> Pod:
    return pod(resource_claims=claims)


MADE = PodClaim("gpu", "c", "t", True, "p")


@pytest.mark.parametrize(
    ("of_pod", "there", "message"),
    [
        (PodClaim("gpu", "c"), (), 'could not find ResourceClaim "default/c"'),
        (PodClaim("gpu", "c"), (replace(claim(), terminating=True),), 'resourceclaim "c" is being deleted'),
        (PodClaim("gpu", template="t"), (claim(),), 'pod "default/p": ResourceClaim not created yet'),
        (
            PodClaim("gpu"), (claim(),),
            'pod "default/p", spec.resourceClaim "gpu": none of the supported fields are set',
        ),
        (MADE, (claim(),), "ResourceClaim default/c was not created for Pod default/p (Pod is not owner)"),
    ],
)  # fmt: skip
def test_an_unusable_claim_keeps_the_pod_out_of_the_queue(
    of_pod: PodClaim, there: tuple[ResourceClaim, ...], message: str
) -> None:
    devices = known(*there)
    assert waits_for_claims(asking(of_pod), devices, NO_DEPARTURES)
    said = rejection(asking(of_pod), devices, NO_DEPARTURES)
    assert said is not None and (said.code, said.reasons) == (Code.UNRESOLVABLE, (message,))


def test_a_claim_made_for_the_pod_and_one_that_was_not_needed_are_no_obstacle() -> None:
    devices = known(replace(claim(), owner_uid="p"))
    assert not waits_for_claims(asking(MADE), devices, NO_DEPARTURES)
    unneeded = asking(PodClaim("gpu", "", "t", True, "p"))
    assert not waits_for_claims(unneeded, devices, NO_DEPARTURES) and skipped(unneeded, devices, NO_DEPARTURES)
    assert not skipped(asking(MADE), devices, NO_DEPARTURES)


@pytest.mark.parametrize(
    ("requests", "message"),
    [
        ((Request("r", "none"),), "request r: device class none does not exist"),
        (
            (Request("r", alternatives=(Request("a", "gpu"), Request("b", "none"))),),
            "request r/b: device class none does not exist",
        ),
    ],
)
def test_a_missing_class_rejects_the_pod(requests: tuple[Request, ...], message: str) -> None:
    said = rejection(asking(*using("c")), known(ResourceClaim("c", requests=requests)), NO_DEPARTURES)
    assert said is not None and said.reasons == (message,)
    allocated = ResourceClaim("c", requests=requests, allocation=Allocation())
    assert rejection(asking(*using("c")), known(allocated), NO_DEPARTURES) is None


def on(name: str) -> tuple[NodeSelectorTerm, ...]:
    return (NodeSelectorTerm((), (Requirement("metadata.name", "In", (name,)),)),)


@pytest.mark.parametrize(
    ("there", "reasons"),
    [
        (claim(), None),
        (claim(count=2), NO_DEVICES_LEFT),
        (replace(claim(), allocation=Allocation((), on("n"))), None),
        (replace(claim(), allocation=Allocation()), None),
        (replace(claim(), allocation=Allocation((), on("m"))), UNAVAILABLE),
    ],
)
def test_a_node_is_refused_without_devices_or_out_of_reach_of_an_allocation(
    there: ResourceClaim, reasons: str | None
) -> None:
    said = refusal(asking(*using("c")), node("n"), known(there), NO_DEPARTURES)
    assert (None if said is None else said.reasons) == (None if reasons is None else (reasons,))
    assert said is None or said.code is Code.UNRESOLVABLE
    met = dynamic_resources.dynamic_resources(asking(*using("c")), node("n"), known(there), NO_DEPARTURES)
    assert met is (reasons is None)


def test_an_expression_that_fails_fails_the_filter() -> None:
    broken = claim(selectors=(f'device.attributes["{DRIVER}"].absent == 1',))
    said = refusal(asking(*using("c")), node("n"), known(broken), NO_DEPARTURES)
    assert said is not None and said.code is Code.ERROR
    assert said.reasons[0].startswith(
        "claim default/c: selector #0 on device gpu.example.com/n/gpu-0: CEL runtime error: no such key: absent. consider"
    )


def test_the_devices_of_other_claims_are_taken() -> None:
    held = replace(claim("held"), allocation=Allocation((Result("r", DRIVER, "n", "gpu-0"),), on("n")))
    devices = known(claim(), held)
    assert refusal(asking(*using("c")), node("n"), devices, NO_DEPARTURES) is not None
    watched = replace(held, allocation=Allocation((Result("r", DRIVER, "n", "gpu-0", admin=True),), on("n")))
    assert refusal(asking(*using("c")), node("n"), known(claim(), watched), NO_DEPARTURES) is None


@pytest.mark.parametrize(("uids", "may"), [((), True), (("p",), True), (("q",), False), (("p", "q"), False)])
def test_a_claim_of_no_other_pod_may_be_deallocated(uids: tuple[str, ...], may: bool) -> None:
    reserved = replace(claim(), reserved_for=tuple(Consumer(uid, uid) for uid in uids))
    assert may_be_deallocated(asking(*using("c")), reserved) == may


def test_what_is_not_modelled_is_named() -> None:
    full = replace(claim(), reserved_for=tuple(Consumer(f"q{i}", f"q{i}") for i in range(MOST_CONSUMERS)))
    assert "which is reserved for 256 pods" in unmodelled(asking(*using("c")), known(full), NO_DEPARTURES)
    bound = replace(gpus(1), devices=(Device("gpu-0", conditional=True),))
    found = unmodelled(asking(*using("c")), Devices((bound,), (GPU,), (claim(),)), NO_DEPARTURES)
    assert found == "bindingConditions of the device gpu-0 in the slice s"
    regular = claim(selectors=("device.driver.reverse() == 'x'",))
    assert unmodelled(asking(*using("c")), known(regular), NO_DEPARTURES) == "CEL function reverse"
    assert unmodelled(asking(*using("c")), known(claim()), NO_DEPARTURES) == ""
    assert unmodelled(asking(*using("c")), NO_DEVICES, NO_DEPARTURES) == "resource claims"


CPU = frozendict(cpu=2)
BACKED = DeviceClass("gpu", extended_resource="example.com/gpu")


@pytest.mark.parametrize("name", ["example.com/gpu", "deviceclass.resource.kubernetes.io/gpu"])
def test_a_pod_that_requests_what_a_device_class_backs_needs_devices(name: str) -> None:
    both = frozendict({name: 1, "cpu": 2})
    asked = pod(containers=(Container(both),), init_containers=(Container(both),))
    there = known(classes=(BACKED,))
    assert dynamic_resources.claiming(asked, there, NO_DEPARTURES)
    assert unmodelled(asked, there, NO_DEPARTURES).startswith(f"the extended resource {name}, ")
    met = dynamic_resources.claims_met(asked, there, NO_DEPARTURES)
    assert met == replace(asked, containers=(Container(CPU),), init_containers=(Container(CPU),))
    assert not dynamic_resources.claiming(met, there, NO_DEPARTURES)
    assert not dynamic_resources.claiming(asked, known(classes=(DeviceClass("other"),)), NO_DEPARTURES)


def test_without_the_feature_no_device_class_backs_a_resource(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dynamic_resources, "gates", lambda _: replace(NEWEST, extended_resources=False))
    asked = pod(containers=(Container(frozendict({"example.com/gpu": 1})),))
    there = known(classes=(BACKED,))
    assert not dynamic_resources.claiming(asked, there, NO_DEPARTURES)
    assert dynamic_resources.claims_met(asked, there, NO_DEPARTURES) == asked
    assert unmodelled(asked, there, NO_DEPARTURES) == ""
