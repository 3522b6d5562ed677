"""Small scenarios with resource claims whose modules may carry properties of behaviours: `SCENES`"""

from dataclasses import replace

from schedcheck.model.scenario import Scenario
from schedcheck.spec.device_objects import (
    ALL,
    Allocation,
    Consumer,
    Device,
    Devices,
    Request,
    ResourceClaim,
    ResourceSlice,
    Result,
)
from tests.support.building import node, on_pods, pod, scenario
from tests.support.claiming import DRIVER, GPU, claim, gpus, using
from tests.tla.random_devices import SHARING, drawn


def scene(
    claims: tuple[ResourceClaim, ...],
    slices: tuple[ResourceSlice, ...],
    uses: tuple[tuple[str, ...], ...],
    nodes: int = 1,
) -> Scenario:
    """Return a scenario whose pods use these claims, arrive and complete."""
    pods = [
        replace(pod(f"p{number}", 1), resource_claims=using(*names, uid=f"p{number}"), uid=f"p{number}")
        for number, names in enumerate(uses)
    ]
    rules = [on_pods("complete", each.name) for each in pods]
    made = scenario(*pods, *(node(f"n{number}", 2) for number in range(nodes)), rules=rules, profile="kubernetes")
    return replace(made, devices=Devices(slices, (GPU,), claims), name="claims")


def _named(name: str, *devices: str) -> ResourceSlice:
    made = tuple(map(Device, devices))
    return replace(gpus(0, "n0", name), pool=name, devices=made)


def _asking(*requests: Request) -> ResourceClaim:
    return replace(claim("c"), requests=requests)


def _ending() -> Scenario:
    """Return a scenario in which a pod waits for the device of another, which terminates."""
    made = scene((claim("c"), claim("d")), (gpus(1, "n0"),), (("c",), ("d",)))
    leaving, waiting = made.pods
    held = Allocation((Result("r", DRIVER, "n0", "gpu-0"),), None)
    consumer = Consumer("pods", leaving.name, leaving.uid)
    claims = tuple(
        replace(each, allocation=held, reserved_for=(consumer,)) if each.name == "c" else each
        for each in made.devices.claims
    )
    pods = (replace(leaving, node_name="n0", terminating=True), waiting)
    return replace(made, pods=pods, rules=(), devices=replace(made.devices, claims=claims))


EITHER = Request("r", alternatives=(Request("two", "gpu", count=2), Request("one", "gpu")))

SCENES = {
    "one device, two pods": scene((claim("c"), claim("d")), (gpus(1, "n0"),), (("c",), ("d",))),
    "a choice of two": scene((claim("c"),), (gpus(2, "n0"),), (("c",),)),
    "two of three": scene((claim("c", 2),), (gpus(3, "n0"),), (("c",),)),
    "two claims of a pod": scene((claim("c"), claim("d")), (gpus(2, "n0"),), (("c", "d"),)),
    "a shared claim": scene((claim("c"),), (gpus(2, "n0"),), (("c",), ("c",))),
    "all devices": scene((claim("c", mode=ALL),), (gpus(2, "n0"),), (("c",),)),
    "a device on each of two nodes": scene((claim("c"),), (gpus(1, "n0"), gpus(1, "n1", "t")), (("c",),), 2),
    "one name in two pools": scene((claim("c"),), (_named("s", "a", "b"), _named("t", "a")), (("c",),)),
    "two requests": scene((_asking(Request("a", "gpu"), Request("b", "gpu")),), (gpus(2, "n0"),), (("c",),)),
    "two alternatives": scene((_asking(EITHER),), (gpus(1, "n0"),), (("c",),)),
    **{f"seed {seed}": drawn(seed) for seed in (6, 10, 29, 52, SHARING + 1, SHARING + 14, SHARING + 17, SHARING + 25)},
}

SCENES["a pod that ends"] = _ending()

MANY = scene((claim("c", 10),), (gpus(20, "n0"),), (("c",),))
"""A claim with 184,756 allocations."""
