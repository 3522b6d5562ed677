"""Clusters and lives beside defects of `held_back_third`: `SHOWN`, by name what is right and how it is asked

Each answer was worked out by hand from the comment beside the defect. Those with volumes, claims, gangs and extenders are in `third_lives_of_objects`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from frozendict import frozendict

from schedcheck.model.production.cache.cache import Cache
from schedcheck.model.production.framework.status import Code, Status, error
from schedcheck.model.production.framework.waiting import WaitingPods
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.production.snapshot import requests, terms
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Snapshot
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, AddedAffinity, Arguments, Plugins
from schedcheck.spec.objects import (
    Container,
    HostPort,
    NodeImage,
    PodDisruptionBudget,
    SpreadConstraint,
    Taint,
    Toleration,
)
from schedcheck.spec.terms import Requirement
from tests.model.production.api_server import Running, started
from tests.model.production.cluster import cluster
from tests.model.production.framework.made_up import Made, factory
from tests.support.building import node, node_term, pod, preferring, selector, snapshot, term
from tests.support.extending import Ruled

SHOWN: dict[str, tuple[Any, Callable[[], Any]]] = {}
ZONE, HOSTNAME, GI = "topology.kubernetes.io/zone", "kubernetes.io/hostname", 2**30


def shows(name: str, right: Any) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """The function shows the defect of this name: without it, it returns what is `right`."""

    def kept(ask: Callable[[], Any]) -> Callable[[], Any]:
        SHOWN[name] = right, ask
        return ask

    return kept


def placed(running: Running, *things: Any) -> str:
    """The node of the pod p after these objects came and one cycle ran; empty for none."""
    running.put(*things)
    running.step()
    return running.server.pod("p").node_name


def with_arguments(**arguments: Any) -> Plugins:
    return replace(DEFAULT_PLUGINS, arguments=Arguments(**arguments))


def with_plugin(plugin: Made, point: str) -> dict[str, Any]:
    registry = default_registry()
    registry.register(plugin.name, factory(plugin))
    points = {**DEFAULT_PLUGINS.points, point: (*DEFAULT_PLUGINS.at(point), plugin.name)}
    return {"registry": registry, "profiles": (replace(DEFAULT_PLUGINS, points=frozendict(points)),)}


class First:
    """Draws the first of all."""

    def choice(self, names: Sequence[str], /) -> str:
        return names[0]

    def randrange(self, size: int, /) -> int:
        return 0


def called(running: Running, verb: str) -> list[str]:
    return [name for each, name, _ in running.server.calls if each == verb]


@shows("a pod whose cycle failed waits for an event", ["backing off"])
def failed_cycle() -> Any:
    running = started(node("n", 1), pod("p", 1), **with_plugin(Made("Odd", {"filter": error("broken")}), "filter"))
    running.step()
    return running.place("p")


@shows("a backoff after an error is cut short", ["p"])
def failed_binding() -> Any:
    running = started(node("n", 1), pod("p", 1))
    running.server.failing = {"bind"}
    running.step()
    running.step()
    return called(running, "bind")


@shows("a pod that comes back has its old place in a heap", "b")
def came_back() -> Any:
    running = started(node("n", 2), pod("a", 1))
    running.server.failing = {"bind"}
    running.cycle()
    running.server.now = 1
    running.put(pod("b", 1))
    running.server.now = 2
    running.settle()
    running.wait(20)
    queued = running.scheduler.queue.pop()
    return queued and queued.pod.name


def spread(*constraints: SpreadConstraint, **fields: Any) -> Any:
    return pod("p", 1, labels={"app": "a"}, spread=constraints, **fields)


APP = SpreadConstraint(1, ZONE, selector=selector(app="a"))


@shows("a node that goes wakes no pod that is spread", ["backing off"])
def least_domain_goes() -> Any:
    empty = node("a", 0, labels={ZONE: "x"})
    running = started(empty, node("b", 4, labels={ZONE: "y"}), pod("q", 1, "b", labels={"app": "a"}), spread(APP))
    running.step()
    running.delete(empty)
    return running.place("p")


@shows("a deleted pod stays nominated", "n")
def phantom() -> Any:
    running = started(node("n", 4, pods=1), gone := pod("q", 1, nominated_node_name="n"))
    running.delete(gone)
    return placed(running, pod("p", 1))


@shows("an extender is not asked about the nominated node", "n2")
def nominated_and_rejected() -> Any:
    extender = Ruled(failing=lambda each: each.name == "n1")
    return placed(started(node("n1", 4), node("n2", 4), extenders=[extender]), pod("p", 1, nominated_node_name="n1"))


@shows("a pod that was bound elsewhere stays where it was assumed", (0, 1000))
def bound_elsewhere() -> Any:
    cache = Cache()
    cache.add_node(node("a", 4))
    cache.add_node(node("b", 4))
    cache.assume(PodInfo(pod("p", 1, "a")))
    cache.add_pod(PodInfo(pod("p", 1, "b")))
    return tuple(cache.nodes[name].requested["cpu"] for name in "ab")


@shows("an image weighs on a node as when it came there", 2)
def image_spreads() -> Any:
    cache, seen, held = Cache(), Snapshot(), (NodeImage(("i:1",), GI),)
    cache.add_node(node("a", 4, images=held))
    cache.add_node(node("b", 4))
    cache.update(seen)
    cache.update_node(node("b", 4, images=held))
    cache.update(seen)
    return int(seen.table.images["i:1"][seen.table.row_of["a"], 1])


@shows("a label that is removed stays", "")
def label_removed() -> Any:
    running = started(node("n", 4, labels={"disk": "ssd"}), pod("q", 1))
    running.step()
    return placed(running, node("n", 4), pod("p", 1, node_selector={"disk": "ssd"}))


@shows("a pod inherits the amounts of one that went", [])
def row_moves() -> Any:
    running = started(node("n", 6), big := pod("big", 3, "n"), pod("dear", 2, "n", priority=5), pod("small", 1, "n"))
    running.cycle()
    running.put(pod("q"))
    running.step()
    running.delete(big)
    running.put(pod("p", 5, priority=1))
    running.step()
    return called(running, "evict")


@shows("nodes with equal requests are rated alike", [60, 50])
def defaults_differ() -> Any:
    room = {"memory": 2000 * 2**20}
    one, two = pod("q", on="a"), pod("r", on="b", containers=(Container(), Container()))
    there = cluster(snapshot(node("a", 1, allocatable=room), node("b", 1, allocatable=room), one, two))
    framework, state, asked = there.cycle(pod("p", 0.5))
    nodes = there.handle.snapshot.some(["a", "b"])
    return framework.plugin("NodeResourcesFit").score(state, asked, nodes).tolist()


@shows("each search begins where the last one did", 100)
def next_search() -> Any:
    running = started(*(node(f"n{number}", 1) for number in range(101)), pod("p", 1), percentage=1)
    running.step()
    return running.scheduler.next_start


@shows("a pod is put back in the form that was popped", "n")
def changed_in_flight() -> Any:
    running = started(node("n", 1, taints=(Taint("gpu", "NoSchedule"),)), pod("p", 1))
    attempt = running.scheduler.decide()
    running.put(pod("p", 1, tolerations=(Toleration("gpu", "Exists"),)))
    assert attempt is not None
    running.scheduler.carry_out(attempt)
    running.wait(20)
    running.step()
    return running.server.pod("p").node_name


@shows("a pod rejected on Permit wakes nobody", ["backing off"])
def rejected_on_permit() -> Any:
    waiting = Made("Odd", {"permit": (Status(Code.WAIT), 1.0)})
    running = started(node("n", 1), pod("q", 1), **with_plugin(waiting, "permit"))
    running.step()
    running.server.now = 1
    running.put(pod("p", 1))
    running.step()
    for each in running.scheduler.handle.waiting:
        each.expired(1.0)
    running.settle()
    return running.place("p")


@shows("one of two Permit plugins suffices", None)
def half_allowed() -> Any:
    waiting = WaitingPods().add(pod(), {"A": 1.0, "B": 1.0}, 0.0)
    waiting.allow("A")
    return waiting.signal


def on_port(name: str, cpu: float = 1, ip: str = "", **fields: Any) -> Any:
    held = replace(pod(name, cpu).containers[0], ports=(HostPort(80, ip=ip),))
    return pod(name, cpu, containers=(held,), **fields)


@shows("beside nominated pods the victims are back", ["low"])
def beside_nominated() -> Any:
    running = started(node("n", 2), on_port("low", on="n"), on_port("p", priority=1))
    running.put(pod("q", 1, priority=1, nominated_node_name="n"))
    running.step()
    return called(running, "evict")


@shows("reasons of two filters are taken for one", "0/2 nodes are available: 1 node(s) didn't match Pod's node "
       "affinity/selector, 1 node(s) had untolerated taint(s).")  # fmt: skip
def two_reasons() -> Any:
    taint = Taint("gpu", "NoSchedule")
    running = started(node("a", 1, taints=(taint,)), node("b", 1), pod("p", 1, node_selector={"disk": "ssd"}))
    running.step()
    return running.server.told[0][2].partition(" preemption")[0]


@shows("an impossible term rejects a pod with other terms", "n2")
def impossible_term() -> Any:
    def named(name: str) -> Requirement:
        return Requirement("metadata.name", "In", (name,))

    asked = (node_term(fields=(named("n1"), named("n2"))), node_term(fields=(named("n2"),)))
    both = started(node("n1", 1), node("n2", 1))
    return placed(both, pod("p", 1, affinity=replace(preferring(1, asked[0]), node_preferred=(), node_required=asked)))


@shows("a port of every address leaves the others free", "")
def every_address() -> Any:
    return placed(started(node("n", 4), on_port("q", on="n")), on_port("p", ip="10.0.0.1"))


@shows("constraints of one key share the count of the last", "")
def one_key() -> Any:
    nodes = node("a", 4, labels={ZONE: "x"}), node("b", 0, labels={ZONE: "y"})
    other = SpreadConstraint(1, ZONE, selector=selector(tier="t"))
    return placed(started(*nodes, pod("q", 1, "a", labels={"app": "a"})), spread(APP, other))


@shows("the port of a registry is taken for a tag", [True, False])
def with_port() -> Any:
    image = NodeImage(("r:5000/i:latest",), 500 * 2**20)
    there = cluster(snapshot(node("a", 1, images=(image,)), node("b", 1)))
    framework, state, asked = there.cycle(pod("p", containers=(Container(image="r:5000/i"),)))
    nodes = there.handle.snapshot.some(["a", "b"])
    return (framework.plugin("ImageLocality").score(state, asked, nodes) > 0).tolist()


@shows("addedAffinity is for pods with affinity", "")
def added() -> Any:
    wanted = AddedAffinity(required=(node_term(Requirement("disk", "In", ("ssd",))),))
    return placed(started(node("n", 1), profiles=(with_arguments(added_affinity=wanted),)), pod("p", 1))


@shows("to ignore the terms of others is to ignore all", "a")
def ignoring() -> Any:
    nodes = [node(name, 4, labels={HOSTNAME: name}) for name in "ab"]
    profile = with_arguments(ignore_preferred_terms_of_existing_pods=True)
    running = started(*nodes, pod("q", 2, "a", labels={"app": "a"}), profiles=(profile,))
    return placed(running, pod("p", 1, affinity=preferring(100, term(HOSTNAME, selector(app="a")))))


def protecting(running: Running, **labels: str) -> Running:
    running.scheduler.handle.listers.budgets = (PodDisruptionBudget("b", selector=selector(**labels)),)
    return running


@shows("candidates suffice whatever they violate", ["w"])
def harmless() -> Any:
    few = with_arguments(min_candidate_nodes_percentage=0, min_candidate_nodes_absolute=1)
    pods = pod("v", 1, "a", labels={"app": "v"}), pod("w", 1, "b"), pod("p", 1, priority=1)
    running = protecting(started(node("a", 1), node("b", 1), *pods, profiles=(few,), random=First()), app="v")
    running.step()
    return called(running, "evict")


@shows("terminating victims are evicted once more", ["w"])
def going_already() -> Any:
    running = started(node("n", 2), pod("v", 1, "n", terminating=True), pod("w", 1, "n"), pod("p", 2, priority=1))
    running.step()
    return called(running, "evict")


@shows("budgets mix up when victims started", ["c"])
def starts() -> Any:
    pods = (
        pod("a", 1, "x", start_time=1),
        pod("b", 1, "x", start_time=5, labels={"app": "b"}),
        pod("c", 1, "y", start_time=3),
    )
    running = protecting(started(node("x", 2), node("y", 1), *pods, pod("p", 1, priority=1)), app="b")
    running.step()
    return called(running, "evict")


@shows("a failing eviction in the cycle is passed over", [])
def failing_eviction() -> Any:
    running = started(node("n", 1), pod("low", 1, "n"), pod("p", 1, priority=1), asynchronous_preemption=False)
    running.server.failing = {"evict"}
    running.step()
    return called(running, "nominate")


@shows("requests of a pod replace all of its containers", {"cpu": 1, "memory": 2})
def pod_level() -> Any:
    return requests.requested(pod("p", containers=(Container(frozendict(memory=2)),), pod_requests=frozendict(cpu=1)))


@shows("namespaces beside a selector are not looked into", {"a", "b"})
def listed_and_selected() -> Any:
    both = term(namespaces=("a",), namespace_selector=selector(team="x"))
    return terms.own(both, pod(), {"a": frozendict(), "b": frozendict(team="x")}).namespaces
