"""Small random scenarios with resource claims that tla/ can express: `drawn`, `exportable`

Two nodes, up to three pods that share claims or have their own, some allocated or reserved, and a few events.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random

from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.device_objects import (
    ALL,
    Allocation,
    Consumer,
    Device,
    Devices,
    PodClaim,
    Request,
    ResourceClaim,
    ResourceSlice,
    Result,
)
from schedcheck.spec.devices.capacities import consumption
from schedcheck.spec.objects import Pod
from schedcheck.spec.terms import NodeSelectorTerm, Requirement
from schedcheck.tla_export.module import NotExportable, model_module
from tests.support.building import node, pod
from tests.support.claiming import GPU, claim, gpus, random_devices, using

PROFILES = ("kubernetes", "kubernetes", "kubernetes", "kubernetes-1.36", "kubernetes-1.35", "kubernetes-1.34")
ASKED = ("type_correct", "no_overcommit", "bind_feasible", "no_wait_while_feasible", "no_eviction_while_feasible")
PER_DEVICE = 5000
"""From this seed on slices may give each device its nodes."""
SHARING = 10000
"""From this seed on devices may draw on shared counters, and be allocated several times."""
EVENTS = ("delete", "complete", "arrive", "fail", "delete")


def drawn(seed: int) -> Scenario:
    random = Random(seed)
    sharing = seed >= SHARING
    given, first = random_devices(random, newest=sharing)
    _, second = random_devices(random, newest=sharing)
    asked = (*first, *(replace(each, name=f"d{each.name}", uid=f"uid-d{each.name}") for each in second))
    slices = tuple(_plain(each, random, seed >= PER_DEVICE, sharing) for each in given.slices)
    claims = tuple(_changed(each, slices, random) for each in asked)
    pods = tuple(_pod(number, claims, random) for number in range(random.randint(2, 3)))
    claims = tuple(_reserved(each, pods, random) for each in claims)
    classes = given.classes if random.random() < 0.95 else ()
    return Scenario(
        name="devices",
        pods=pods,
        nodes=(node("n0", 1, labels={"zone": "x"}), node("n1", random.randint(1, 2), labels={"zone": "y"})),
        profile=random.choice(PROFILES),
        rules=tuple(_rules(pods, random)),
        absent=frozenset(each.key for each in pods if not each.node_name and random.random() < 0.2),
        devices=Devices(slices, classes, claims),
        properties=ASKED,
    )


def exportable(seeds: Iterable[int]) -> Iterator[Scenario]:
    """Yield the scenarios of these seeds in which a pod has claims, and which the export does not refuse."""
    for seed in seeds:
        scenario = drawn(seed)
        try:
            model_module(scenario, "MC_devices")
        except NotExportable:
            continue
        if any(each.resource_claims for each in scenario.pods):
            yield scenario


def _plain(each: ResourceSlice, random: Random, per_device: bool, sharing: bool) -> ResourceSlice:
    """Return the slice, in a few cases with a device that binds to its node; without `per_device` for nodes as a whole."""
    devices = tuple(replace(device, binds_to_node=random.random() < 0.1) for device in each.devices)
    slices = 1 if not sharing and random.random() < 0.8 else each.slices
    if each.per_device and not per_device:
        each = replace(each, place=replace(each.place, all_nodes=True), per_device=None)
    return replace(each, slices=slices, devices=devices)


def _changed(claim: ResourceClaim, slices: tuple[ResourceSlice, ...], random: Random) -> ResourceClaim:
    """Return the claim, sometimes allocated, being deleted, or another pod's."""
    requests = tuple(_safe(each) for each in claim.requests)
    claim = replace(claim, requests=requests, terminating=random.random() < 0.03)
    if any(part.mode == ALL for each in requests for _, part in each.parts):
        claim = replace(claim, constraints=())
    if random.random() < 0.3:
        part, request = random.choice(requests[0].parts)
        each = random.choice([each for each in slices if each.devices])
        result = _result(part, request, each, random.choice(each.devices))
        where = NodeSelectorTerm(match_fields=(Requirement("metadata.name", "In", (random.choice(("n0", "n1")),)),))
        claim = replace(claim, allocation=Allocation((result,), (where,) if random.random() < 0.8 else None))
    return claim


def _result(part: str, request: Request, each: ResourceSlice, device: Device) -> Result:
    if not device.multiple:
        return Result(part, each.driver, each.pool, device.name, request.admin)
    consumed = consumption(request, device)
    return Result(part, each.driver, each.pool, device.name, request.admin, shared=True, consumed=consumed)


def _safe(request: Request) -> Request:
    """Return the request without expressions that fail on a device without a model."""
    alternatives = tuple(map(_safe, request.alternatives))
    selectors = tuple(each for each in request.selectors if "].model" not in each)
    return replace(request, alternatives=alternatives, selectors=selectors)


def _pod(number: int, claims: tuple[ResourceClaim, ...], random: Random) -> Pod:
    name = f"p{number}"
    chosen = random.sample(claims, min(len(claims), random.choice((0, 1, 1, 1, 2))))
    own = tuple(_named(each, name, random) for each in chosen)
    on = random.choice(("n0", "n1")) if random.random() < 0.3 else ""
    return pod(name, random.choice((0, 1)), priority=random.choice((0, 0, 5)), on=on, resource_claims=own)


def _named(claim: ResourceClaim, pod_name: str, random: Random) -> PodClaim:
    if random.random() < 0.05:
        return PodClaim(claim.name, "", "template", generated=random.random() < 0.5, pod_uid=pod_name)
    if random.random() < 0.05:
        return PodClaim(claim.name, claim.name, "template", generated=True, pod_uid=pod_name)
    return PodClaim(claim.name, claim.name if random.random() < 0.97 else "absent", pod_uid=pod_name)


def _reserved(claim: ResourceClaim, pods: tuple[Pod, ...], random: Random) -> ResourceClaim:
    """Return the claim reserved for some of the pods that use it, if it is allocated."""
    if claim.allocation is None:
        return claim
    users = [each for each in pods if any(one.claim == claim.name for one in each.resource_claims)]
    given = (Consumer(each.name, each.name) for each in users if each.node_name or random.random() < 0.2)
    return replace(claim, reserved_for=tuple(given))


def _rules(pods: tuple[Pod, ...], random: Random) -> Iterator[Rule]:
    for event in random.sample(EVENTS, random.choice((0, 1, 1, 2))):
        if event == "fail":
            yield Rule("fail", nodes=("n0",), bound=1)
        else:
            yield Rule(event, pods=tuple(each.key for each in pods), bound=1)


STALE = replace(
    drawn(0),
    profile="kubernetes",
    pods=(pod("p", resource_claims=using("c")),),
    absent=frozenset(),
    rules=(),
    devices=Devices(
        (
            replace(gpus(1, "n0", "a"), pool="p", slices=2),
            replace(gpus(1, "n1", "b"), pool="p", slices=2),
            replace(gpus(1, "n1", "c"), pool="p", generation=2),
        ),
        (GPU,),
        (claim("c"),),
    ),
)
"""The pool is complete in a generation, and node n1 has a slice of a newer one."""
