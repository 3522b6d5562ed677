"""Clusters and lives beside defects of `held_back_fifth` in volumes, claims, gangs and extenders; importing it adds them to `SHOWN`"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from frozendict import frozendict

from schedcheck.model.production.devices.allocator import Allocator
from schedcheck.model.production.devices.capacity import share_of
from schedcheck.model.production.devices.features import features
from schedcheck.model.production.devices.pools import Inventory
from schedcheck.model.production.extenders.kubernetes_objects import pod_object
from schedcheck.model.production.framework.extender import Victims
from schedcheck.model.production.preemption.evaluator import asked
from schedcheck.spec.device_objects import (
    Allocation,
    Attribute,
    Constraint,
    Consumer,
    Device,
    DeviceClass,
    Devices,
    Place,
    PodClaim,
    Policy,
    Request,
    ResourceClaim,
    ResourceSlice,
    Result,
)
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.storage import (
    WAIT_FOR_FIRST_CONSUMER,
    CSINode,
    GCEPersistentDisk,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    StorageClass,
)
from schedcheck.spec.terms import Requirement
from tests.model.production.api_server import started
from tests.model.production.cluster import cluster
from tests.power.fifth_lives import UNIT, shows
from tests.power.fourth_lives import in_place
from tests.power.fourth_lives_of_objects import consuming, of_driver
from tests.power.third_lives import GI, ZONE, called, placed
from tests.power.third_lives_of_objects import bound_claim, class_of
from tests.support.building import claiming, node, node_term, pod, preferring, snapshot
from tests.support.extending import Ruled, only_on
from tests.support.gangs import GANGS, member, policy, rooms
from tests.support.pod_groups import GROUPED, group, one_of

NO_PROVISIONER = StorageClass("local", "kubernetes.io/no-provisioner", WAIT_FOR_FIRST_CONSUMER)


@shows("a failing score of an extender ends the cycle", True)
def unreachable() -> Any:
    running = started(node("a", 1), node("b", 1), extenders=[Ruled(scores={"a": 1}, down=True)])
    return placed(running, pod("p", 1)) != ""


@shows("every extender chooses among all candidates", ["a"])
def one_after_the_other() -> Any:
    first, second = Ruled(choosing=only_on("a")), Ruled(choosing=lambda offered: offered)
    candidates = {name: Victims((pod(f"v{name}", 1, name),)) for name in "ab"}
    return list(asked([first, second], pod("p", 1), candidates))


@shows("extenders see no overhead", {"cpu": "1"})
def overhead() -> Any:
    return pod_object(pod("p", overhead=frozendict(cpu=UNIT)))["spec"].get("overhead")


@shows("the last pod of a gang allows nobody else", ["w-1", "w-2"])
def both_of_a_gang() -> Any:
    running = in_place(started(*rooms(2), profiles=(GANGS,)), workloads=(policy("w"),))
    running.put(member("w", 1), member("w", 2))
    running.step()
    running.step()
    return sorted(called(running, "bind"))


@shows("a pod of a group that preempts is nominated where it was tried", ["n2", "n1"])
def better_elsewhere() -> Any:
    # Without v the first pod goes to n2, which it prefers, and leaves n1 to the second one.
    running = in_place(started(profiles=(GROUPED,)), pod_groups=(group("g", 2, priority=1),))
    nodes = node("n1", 1), node("n2", 1, labels={"disk": "ssd"})
    wanted = preferring(100, node_term(Requirement("disk", "In", ("ssd",))))
    running.put(*nodes, pod("v", 1, "n2"))
    running.put(one_of("g", 1, priority=1, affinity=wanted), one_of("g", 2, priority=1))
    running.scheduler.schedule_next()
    running.deliver()
    return [running.server.pod(f"g-{number}").nominated_node_name for number in (1, 2)]


@shows("after evictions one pod of a group is let in", [["backing off"], ["backing off"]])
def both_are_let_in() -> Any:
    running = in_place(started(profiles=(GROUPED,)), pod_groups=(group("g", 2, priority=1),))
    running.server.graceful = True
    running.put(node("n", 2), pod("v", 2, "n"))
    running.put(*(one_of("g", number, priority=1) for number in (1, 2)))
    running.scheduler.schedule_next()
    running.settle()
    assert running.server.pod("v").terminating
    return [running.place(f"g-{number}") for number in (1, 2)]


@shows("a claim for one pod that is free again wakes nobody", ["backing off"])
def free_again() -> Any:
    alone = replace(bound_claim("c", "v"), access_modes=("ReadWriteOncePod",))
    storage = Storage((PersistentVolume("v", storage_class="local"),), (alone,), (class_of(),))
    running = in_place(started(node("n", 4), user := claiming("c", name="q", cpu=1, on="n")), storage=storage)
    assert placed(running, claiming("c", cpu=1)) == ""
    running.delete(user)
    return running.place("p")


@shows("a claim that is being deleted can be used", "")
def claim_goes() -> Any:
    going = replace(bound_claim("c", "v"), terminating=True)
    storage = Storage((PersistentVolume("v", storage_class="local"),), (going,), (class_of(),))
    return placed(in_place(started(node("n", 4)), storage=storage), claiming("c", cpu=1))


def local(name: str, **fields: Any) -> PersistentVolume:
    return PersistentVolume(name, capacity=GI, storage_class="local", **fields)


def unbound(name: str) -> PersistentVolumeClaim:
    return PersistentVolumeClaim(name, request=GI, storage_class="local")


@shows("a volume that is being deleted is taken", "")
def volume_goes() -> Any:
    storage = Storage((local("v", terminating=True),), (unbound("c"),), (NO_PROVISIONER,))
    return placed(in_place(started(node("n", 4)), storage=storage), claiming("c", cpu=1))


@shows("claims without a volume have no limit", "")
def to_be_made() -> Any:
    storage = Storage(
        volumes=(of_driver("v1"),),
        claims=(bound_claim("c1", "v1"), unbound("c2")),
        classes=(class_of(provisioner="d"),),
        nodes=(CSINode("n", frozenset({"d"}), frozendict(d=1)),),
    )
    running = started(node("n", 4), claiming("c1", name="q", cpu=1, on="n"))
    return placed(in_place(running, storage=storage), claiming("c2", cpu=1))


@shows("a migrated disk without node affinity is everywhere", "")
def other_zone() -> Any:
    disk = PersistentVolume(
        "v", labels=frozendict({ZONE: "z1"}), storage_class="local", source=GCEPersistentDisk("disk")
    )
    migrated = CSINode("n", migrated=frozenset({"kubernetes.io/gce-pd"}))
    storage = Storage((disk,), (bound_claim("c", "v"),), (class_of(),), (migrated,))
    running = started(node("n", 4, labels={"topology.gke.io/zone": "z2"}))
    return placed(in_place(running, storage=storage), claiming("c", cpu=1))


@shows("a volume that is forgotten stays taken for the next pod", "n")
def taken_and_forgotten() -> Any:
    storage = Storage((local("v"),), (unbound("c1"), unbound("c2")), (NO_PROVISIONER,))
    running = in_place(started(node("n", 4), first := claiming("c1", name="q", cpu=1)), storage=storage)
    running.cycle()
    running.put(claiming("c2", cpu=1))
    running.cycle()
    running.server.failing = {"bind"}
    running.settle()
    running.server.failing = set()
    running.delete(first)
    running.wait(20)
    running.step()
    return running.server.pod("p").node_name


def slice_of(driver: str, *devices: Device) -> ResourceSlice:
    """A pool with these devices, which share ten units of a counter."""
    counters = (("set", frozendict(memory=10)),)
    return ResourceSlice(driver, driver, "pool", place=Place(all_nodes=True), devices=devices, counters=counters)


def allocated(claim: ResourceClaim, slices: Sequence[ResourceSlice]) -> list[str]:
    """The devices of a claim on a node that has these slices."""
    nodes = cluster(snapshot(node("n", 1))).handle.snapshot.some(["n"])
    has = features(NEWEST.departures)
    inventory, classes = Inventory(slices, nodes, has), {"any": DeviceClass("any")}
    found = Allocator(inventory, 0, "n", classes, [claim], frozenset(), has).allocate()
    return [] if found is None else [each.device for each in found[0].results]


@shows("pools of one name share what is consumed", ["d1", "e1"])
def two_drivers() -> Any:
    slices = [slice_of(name, Device(f"{name}1", consumes=consuming(10))) for name in "de"]
    return allocated(ResourceClaim("c", requests=(Request("r", "any", count=2),)), slices)


@shows("a constraint overlooks alternatives", ["d2", "d3"])
def constraint_on_an_alternative() -> Any:
    def of_kind(name: str, kind: str) -> Device:
        return Device(name, frozendict(kind=Attribute("string", kind)))

    either = Request("r", alternatives=(Request("a", "any"),))
    alike = Constraint("d/kind", requests=("r/a", "s"))
    claim = ResourceClaim("c", requests=(either, Request("s", "any")), constraints=(alike,))
    return allocated(claim, [slice_of("d", of_kind("d1", "x"), of_kind("d2", "y"), of_kind("d3", "y"))])


@shows("a share is rounded down to a step", {"memory": 4})
def between_steps() -> Any:
    by_two = frozendict(memory=Policy(minimum=2, step=2))
    device = Device("d1", capacity=frozendict(memory=10), multiple=True, policies=by_two)
    return share_of(Request("r", "any", capacity=frozendict(memory=3)), device)


@shows("a claim that another pod has reserved is deallocated", True)
def reserved_for_another() -> Any:
    elsewhere = Allocation((Result("r", "d", "pool", "d1"),), (node_term(Requirement("disk", "In", ("ssd",))),))
    claim = ResourceClaim("a", allocation=elsewhere, reserved_for=(Consumer("q", "u"),))
    devices = Devices(classes=(DeviceClass("any"),), claims=(claim,))
    running = in_place(started(node("n", 1)), devices=devices)
    placed(running, pod("p", 1, resource_claims=(PodClaim("a", "a"),)))
    return running.scheduler.handle.listers.devices.claims[0].allocation is not None
