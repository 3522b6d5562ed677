"""Clusters and lives beside defects of `held_back_fourth` in volumes, claims, gangs and extenders; importing it adds them to `SHOWN`"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from frozendict import frozendict

from schedcheck.model.production.devices.allocator import Allocator
from schedcheck.model.production.devices.features import features
from schedcheck.model.production.devices.pools import Inventory
from schedcheck.model.production.extenders.as_read import AsRead, Original
from schedcheck.model.production.extenders.kubernetes_objects import pod_object
from schedcheck.model.production.framework.extender import ExtenderError, ExtenderFiltered
from schedcheck.model.production.plugins.dynamic_resources import _rated
from schedcheck.spec.device_objects import (
    ALL,
    Allocation,
    Attribute,
    Constraint,
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
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.storage import (
    CSI,
    WAIT_FOR_FIRST_CONSUMER,
    ClaimReference,
    CSINode,
    Ephemeral,
    GCEPersistentDisk,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    StorageClass,
    Volume,
    VolumeAttachment,
)
from schedcheck.spec.terms import Requirement
from tests.model.production.api_server import Running, started
from tests.model.production.cluster import cluster
from tests.model.production.framework.made_up import Made
from tests.power.fourth_lives import evicted, host, in_place, shows
from tests.power.third_lives import GI, HOSTNAME, ZONE, called, placed, with_plugin
from tests.power.third_lives_of_objects import bound_claim, class_of
from tests.support.building import apart, claiming, node, node_term, pod, selector, snapshot, term
from tests.support.extending import Ruled
from tests.support.pod_groups import GROUPED, group, one_of

ONE = frozendict(d=1)


@shows("a timeout opens no gate", "n")
def claim_comes() -> Any:
    classes = (DeviceClass("any"),)
    running = in_place(started(node("n", 1)), devices=Devices(classes=classes))
    running.put(pod("p", 1, resource_claims=(PodClaim("a", "a"),)))
    held = ResourceClaim("a", allocation=Allocation((Result("r", "d", "pool", "d1"),)))
    in_place(running, devices=Devices(classes=classes, claims=(held,)))
    running.wait(301)
    running.step()
    return running.server.pod("p").node_name


@dataclass(frozen=True)
class Recovering(Ruled):
    """An extender that fails when it is first asked to filter."""

    calls: list[str] = field(default_factory=list)

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> ExtenderFiltered:
        self.calls.append(pod.name)
        if len(self.calls) == 1:
            raise ExtenderError("it cannot be reached")
        return super().filter(pod, nodes)


@shows("an error on the nominated node ends the cycle", "b")
def recovering() -> Any:
    extender = Recovering(failing=lambda each: each.name == "a")
    return placed(started(node("a", 1), node("b", 1), extenders=[extender]), pod("p", 1, nominated_node_name="a"))


@shows("scores of extenders are not scaled", "a")
def sixty_to_fifty() -> Any:
    # The extender's 6 of 10 are 60 of 100.
    preferring_b = with_plugin(Made("Odd", {"score": {"b": 50}}), "score")
    running = started(node("a", 1), node("b", 1), extenders=[Ruled(scores={"a": 6})], **preferring_b)
    return placed(running, pod("p", 1))


@shows("extenders still see labels that were removed", {})
def without_labels() -> Any:
    read = pod("p", labels={"app": "a"})
    known = AsRead(pods={read.key: Original(read, lambda: pod_object(read))})
    return known.pod_object(replace(read, labels=frozendict()))["metadata"].get("labels", {})


def grouped(*things: Any, least: int = 1, **fields: Any) -> Running:
    """A scheduler of 1.37 that knows the group g."""
    running = in_place(started(profiles=(GROUPED,)), pod_groups=(group("g", least, **fields),))
    running.put(*things)
    return running


def tried(running: Running, *things: Any) -> list[str]:
    """The pods whose bindings begin in one cycle after these came."""
    running.put(*things)
    begun = running.scheduler.schedule_next()
    running.bindings += begun
    running.settle()
    return sorted(each.pod.name for each in begun)


@shows("a group leaves out pods that back off after an error", ["g-2", "g-3"])
def one_backs_off() -> Any:
    running = grouped(node("n", 4))
    assert tried(running, one_of("g", 1)) == ["g-1"]
    running.server.failing = {"bind"}
    assert tried(running, one_of("g", 2)) == ["g-2"]
    running.server.failing = set()
    return tried(running, one_of("g", 3))


@shows("a pod that its group skips stays in flight", [])
def one_is_deleted() -> Any:
    running = grouped(node("n", 4))
    tried(running, one_of("g", 1, terminating=True), one_of("g", 2))
    return running.place("g-1")


@shows("pods on other nodes stay in a trial without their group", ["g-1", "g-2"])
def all_or_none() -> Any:
    rooms = (node(name, 1, labels={ZONE: "z"}) for name in ("a", "b"))
    pods = (one_of("g", number, on, labels={"app": "a"}) for number, on in ((1, "a"), (2, "b")))
    running = grouped(*rooms, *pods, disrupted_together=True)
    running.put(pod("p", 1, priority=1, affinity=apart(term(ZONE, selector(app="a")))))
    running.step()
    return sorted(called(running, "evict"))


@shows("a victim keeps its disk", ["v"])
def one_disk() -> Any:
    disk = (Volume("d", GCEPersistentDisk("d")),)
    return evicted(node("n", 4), pod("v", 1, "n", volumes=disk), pod("p", 1, priority=1, volumes=disk))


@shows("a claim that waits hides the zones of later ones", "")
def second_claim_elsewhere() -> Any:
    volume = PersistentVolume("v", labels=frozendict({ZONE: "z1"}), storage_class="local")
    waits = PersistentVolumeClaim("c1", request=GI, storage_class="local")
    storage = Storage((volume,), (waits, bound_claim("c2", "v")), (class_of(),))
    running = in_place(started(node("n", 4, labels={ZONE: "z2"})), storage=storage)
    return placed(running, claiming("c1", "c2", cpu=1))


def of_driver(name: str) -> PersistentVolume:
    return PersistentVolume(name, storage_class="local", source=CSI("d", name))


@shows("volumes that are being detached do not count", "")
def being_detached() -> Any:
    storage = Storage(
        volumes=(of_driver("v0"), of_driver("v1")),
        claims=(bound_claim("c1", "v1"),),
        classes=(class_of(),),
        nodes=(CSINode("n", frozenset({"d"}), ONE),),
        attachments=(VolumeAttachment("x", "d", "n", "v0"),),
    )
    return placed(in_place(started(node("n", 4)), storage=storage), claiming("c1", cpu=1))


@shows("a claim whose own volume is out of reach takes another", "")
def own_volume_elsewhere() -> Any:
    on_a = (node_term(Requirement(HOSTNAME, "In", ("a",))),)
    own = PersistentVolume(
        "v1", capacity=GI, storage_class="local", claim=ClaimReference("default", "c"), node_affinity=on_a
    )
    free = PersistentVolume("v2", capacity=GI, storage_class="local")
    claim = PersistentVolumeClaim("c", request=GI, storage_class="local")
    unable = StorageClass("local", "kubernetes.io/no-provisioner", WAIT_FOR_FIRST_CONSUMER)
    running = in_place(started(host("a"), host("b")), storage=Storage((own, free), (claim,), (unable,)))
    return placed(running, claiming("c", cpu=1, node_selector={HOSTNAME: "b"}))


@shows("ephemeral volumes have no limit", "")
def ephemeral() -> Any:
    made = replace(bound_claim("p-e", "v1"), owner_uid="u")
    running = started(node("n", 4), claiming("c", name="q", cpu=1, on="n"))
    storage = Storage(
        volumes=(of_driver("v0"), of_driver("v1")),
        claims=(bound_claim("c", "v0"), made),
        classes=(class_of(),),
        nodes=(CSINode("n", frozenset({"d"}), ONE),),
    )
    return placed(in_place(running, storage=storage), pod("p", 1, volumes=(Volume("e", Ephemeral("u")),)))


def allocated(
    claim: ResourceClaim,
    *devices: Device,
    in_use: Sequence[str] = (),
    shares: Mapping[str, Mapping[str, int]] = frozendict(),
) -> list[str]:
    """The devices of a claim on a node with these, which share ten units of a counter."""
    nodes = cluster(snapshot(node("n", 1))).handle.snapshot.some(["n"])
    counters = (("set", frozendict(memory=10)),)
    all_of_them = ResourceSlice("s", "d", "pool", place=Place(all_nodes=True), devices=devices, counters=counters)
    has = features(NEWEST.departures)
    held = frozenset(("d", "pool", name) for name in in_use)
    shared = {("d", "pool", name): amounts for name, amounts in shares.items()}
    inventory, classes = Inventory([all_of_them], nodes, has), {"any": DeviceClass("any")}
    found = Allocator(inventory, 0, "n", classes, [claim], held, has, shared).allocate()
    return [] if found is None else [each.device for each in found[0].results]


def consuming(amount: int) -> tuple[tuple[str, frozendict[str, int]], ...]:
    return (("set", frozendict(memory=amount)),)


@shows("shared devices consume no counters", [])
def shared_device() -> Any:
    # The first device has no capacity left, and all ten units are its own.
    full = Device("d1", capacity=frozendict(size=5), consumes=consuming(10), multiple=True)
    other = Device("d2", capacity=frozendict(size=5), consumes=consuming(10))
    claim = ResourceClaim("c", requests=(Request("r", "any", capacity=frozendict(size=5)),))
    return allocated(claim, full, other, shares={"d1": {"size": 5}})


@shows("counters stay consumed after backtracking", ["d2", "d3"])
def first_choice_is_alone() -> Any:
    def of_kind(name: str, kind: str, amount: int) -> Device:
        return Device(name, frozendict(kind=Attribute("string", kind)), consumes=consuming(amount))

    claim = ResourceClaim(
        "c", requests=(Request("r", "any"), Request("s", "any")), constraints=(Constraint("d/kind"),)
    )  # fmt: skip
    return allocated(claim, of_kind("d1", "x", 10), of_kind("d2", "y", 5), of_kind("d3", "y", 5))


@shows("devices of an alternative that failed stay taken", ["d1"])
def all_or_one() -> Any:
    either = Request("r", alternatives=(Request("a", "any", ALL), Request("b", "any")))
    return allocated(ResourceClaim("c", requests=(either,)), Device("d1"), Device("d2"), in_use=["d2"])


@shows("allocated claims are rated as new ones", 15)
def seven_and_eight() -> Any:
    # The first claim has its second alternative, and is worth 7; the second gets its first, and is worth 8.
    either = (Request("r", alternatives=(Request("a", "any"), Request("b", "any"))),)

    def got(name: str) -> Allocation:
        return Allocation((Result(f"r/{name}", "d", "pool", name),))

    claims = ResourceClaim("c", requests=either, allocation=got("b")), ResourceClaim("e", requests=either)
    return _rated(claims, [got("a")])
