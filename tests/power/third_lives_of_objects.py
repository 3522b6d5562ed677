"""Clusters and lives beside defects of `held_back_third` in volumes, claims, gangs and extenders; importing it adds them to `SHOWN`"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from frozendict import frozendict

from schedcheck.model.production.devices.allocator import Allocator
from schedcheck.model.production.devices.features import features
from schedcheck.model.production.devices.pools import Inventory
from schedcheck.model.production.extenders.messages import filter_result
from schedcheck.model.production.framework.extender import Victims
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.listers import Listers
from schedcheck.model.production.framework.status import Code
from schedcheck.model.production.plugins.gang_scheduling import GangScheduling
from schedcheck.model.production.preemption import evaluator
from schedcheck.spec.device_objects import (
    ALL,
    Allocation,
    Device,
    DeviceClass,
    Devices,
    Place,
    PodClaim,
    Request,
    ResourceClaim,
    ResourceSlice,
    Result,
)
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.storage import (
    CSI,
    WAIT_FOR_FIRST_CONSUMER,
    ClaimSource,
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    StorageClass,
    Volume,
)
from schedcheck.spec.terms import Requirement
from tests.model.production.api_server import Running, started
from tests.model.production.cluster import cluster
from tests.power.third_lives import HOSTNAME, ZONE, placed, shows
from tests.support.building import claiming, node, node_term, pod, snapshot
from tests.support.extending import Ruled
from tests.support.gangs import member, policy
from tests.support.pod_groups import GROUPED, group, one_of

GI = 2**30
NO_SHARES: Mapping[Any, Mapping[str, int]] = frozendict()


def class_of(name: str = "local", provisioner: str = "p") -> StorageClass:
    return StorageClass(name, provisioner, WAIT_FOR_FIRST_CONSUMER)


@shows("what the search for a group reserves stays reserved", [])
def group_with_claim() -> Any:
    first = replace(one_of("g", 1), volumes=(Volume("v", ClaimSource("c")),))
    running = started(node("n", 1), profiles=(GROUPED,))
    listers = running.scheduler.handle.listers
    listers.pod_groups = (group("g"),)
    listers.storage = Storage(
        volumes=(PersistentVolume("v", capacity=GI, storage_class="local"),),
        claims=(PersistentVolumeClaim("c", request=GI, storage_class="local"),),
        classes=(class_of(),),
    )
    running.put(first, one_of("g", 2))
    running.scheduler.schedule_next()
    return sorted(running.scheduler.handle.assumed.volumes)


@shows("a pod that failed counts for its gang", Code.WAIT)
def alone_in_gang() -> Any:
    pods = {each.key: each for each in (member("w", 1), member("w", 2))}
    plugin = GangScheduling(Arguments(), Handle(listers=Listers(pods=pods, workloads=(policy("w"),))))
    first, second = pods.values()
    plugin.reserve(None, first, "n")  # type: ignore[arg-type]
    plugin.unreserve(None, first, "n")  # type: ignore[arg-type]
    plugin.reserve(None, second, "n")  # type: ignore[arg-type]
    return plugin.permit(None, second, "n")[0].code  # type: ignore[arg-type]


def allocated(
    claim: ResourceClaim, devices: tuple[Device, ...], shares: Mapping[Any, Mapping[str, int]] = NO_SHARES
) -> list[str]:
    """The devices of a claim on a node with these."""
    nodes = cluster(snapshot(node("n", 1))).handle.snapshot.some(["n"])
    all_of_them = ResourceSlice("s", "d", "pool", place=Place(all_nodes=True), devices=devices)
    has = features(NEWEST.departures)
    classes = {"any": DeviceClass("any"), "none": DeviceClass("none", ("device.driver == 'other'",))}
    found = Allocator(
        Inventory([all_of_them], nodes, has), 0, "n", classes, [claim], frozenset(), has, shares
    ).allocate()
    return [] if found is None else [each.device for each in found[0].results]


@shows("a claim may have half of its devices", 17)
def seventeen() -> Any:
    devices = tuple(Device(f"d{number}") for number in range(20))
    return len(allocated(ResourceClaim("c", requests=(Request("r", "any", count=17),)), devices))


@shows("a full shared device ends the search", ["d2"])
def full_share() -> Any:
    devices = tuple(Device(name, capacity=frozendict(memory=10), multiple=True) for name in ("d1", "d2"))
    claim = ResourceClaim("c", requests=(Request("r", "any", capacity=frozendict(memory=5)),))
    return allocated(claim, devices, {("d", "pool", "d1"): {"memory": 10}})


@shows("all devices have no alternative", ["d1"])
def all_or_one() -> Any:
    either = Request("r", alternatives=(Request("a", "none", ALL), Request("b", "any")))
    return allocated(ResourceClaim("c", requests=(either,)), (Device("d1"),))


@shows("claims that are available are deallocated too", [True, False])
def two_claims() -> Any:
    asked = pod("p", 1, resource_claims=(PodClaim("a", "a"), PodClaim("b", "b")))
    running = started(node("n", 1))
    elsewhere = (node_term(Requirement("disk", "In", ("ssd",))),)
    running.scheduler.handle.listers.devices = Devices(
        classes=(DeviceClass("any"),),
        claims=(
            ResourceClaim("a", allocation=Allocation((Result("r", "d", "pool", "d1"),))),
            ResourceClaim("b", allocation=Allocation((Result("r", "d", "pool", "d2"),), elsewhere)),
        ),
    )
    placed(running, asked)
    return [each.allocation is not None for each in running.scheduler.handle.listers.devices.claims]


@shows("an extender chooses victims for pods that it does not manage", ["n"])
def not_interested() -> Any:
    extender = Ruled(choosing=lambda offered: {}, manages=("example.com/gpu",))
    return list(evaluator.asked([extender], pod("p", 1), {"n": Victims((pod("q", 1, "n"),))}))  # type: ignore[list-item]


@shows("the names of fields have one case", ("n",))
def lower_case() -> Any:
    return filter_result({"nodenames": ["n"]}, ["n"], names_only=True, name="e").kept


def bound_claim(name: str, volume: str) -> PersistentVolumeClaim:
    return PersistentVolumeClaim(name, volume_name=volume, bind_completed=True, storage_class="local")


def with_storage(running: Running, storage: Storage) -> Running:
    running.scheduler.handle.listers.storage = storage
    return running


@shows("a node without the labels of a volume has no zone", "")
def beta_zone() -> Any:
    running = started(node("n", 1, labels={"failure-domain.beta.kubernetes.io/zone": "z2"}))
    volume = PersistentVolume("v", labels=frozendict({ZONE: "z1"}), storage_class="local")
    return placed(
        with_storage(running, Storage((volume,), (bound_claim("c", "v"),), (class_of(),))), claiming("c", cpu=1)
    )


@shows("the node of a provisioning is not assumed", "")
def provisioned() -> Any:
    running = started(*(node(name, 4, labels={HOSTNAME: name}) for name in "ab"))
    claim = PersistentVolumeClaim("c", request=GI, storage_class="local")
    with_storage(running, Storage(claims=(claim,), classes=(class_of(),)))
    running.put(claiming("c", name="q", cpu=1, node_selector={HOSTNAME: "a"}))
    running.step()
    assert running.server.pod("q").node_name == "a"
    return placed(running, claiming("c", cpu=1, node_selector={HOSTNAME: "b"}))


@shows("beyond a limit attached volumes are rejected too", "n")
def limit_fell() -> Any:
    volumes = tuple(PersistentVolume(name, storage_class="local", source=CSI("d", name)) for name in ("v1", "v2"))
    claims = bound_claim("c1", "v1"), bound_claim("c2", "v2")
    known = CSINode("n", frozenset({"d"}), frozendict(d=1))
    running = started(node("n", 4), claiming("c1", "c2", name="q", cpu=1, on="n"))
    return placed(with_storage(running, Storage(volumes, claims, (class_of(),), (known,))), claiming("c1", cpu=1))
