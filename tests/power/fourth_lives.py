"""Clusters and lives beside defects of `held_back_fourth`: `SHOWN`, by name what is right and how it is asked

Each answer was worked out by hand from the comment beside the defect. Lives with volumes, claims, gangs and extenders are in
`fourth_lives_of_objects`.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from frozendict import frozendict

from schedcheck.model.production.cache.node_tree import NodeTree
from schedcheck.model.production.framework.listers import Listers
from schedcheck.model.production.framework.status import Code, Status, unschedulable
from schedcheck.model.production.plugins.resource_scores import scored
from schedcheck.model.production.plugins.spread_constraints import default_selector
from schedcheck.model.production.snapshot.requests import taken
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, ScoringStrategy
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.objects import Affinity, Container, NodeImage, Service
from schedcheck.spec.terms import PreferredPodTerm
from tests.model.production.api_server import Running, started
from tests.model.production.cluster import cluster
from tests.model.production.framework.made_up import Made
from tests.power.third_lives import APP, HOSTNAME, ZONE, called, on_port, placed, spread, with_arguments, with_plugin
from tests.support.building import apart, near, node, pod, preferring, selector, snapshot, term

SHOWN: dict[str, tuple[Any, Callable[[], Any]]] = {}
GATED = ("gate",)
UNIT = 10**9


def shows(name: str, right: Any) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """The function shows the defect of this name: without it, it returns what is `right`."""

    def kept(ask: Callable[[], Any]) -> Callable[[], Any]:
        SHOWN[name] = right, ask
        return ask

    return kept


def host(name: str, cpu: int = 4, **fields: Any) -> Any:
    """A node whose hostname label is its name."""
    return node(name, cpu, labels={HOSTNAME: name}, **fields)


def nominated(name: str, on: str, **fields: Any) -> Any:
    """A pod of one cpu that is nominated to a node, and held by a scheduling gate."""
    return pod(name, 1, nominated_node_name=on, scheduling_gates=GATED, **fields)


def evicted(*things: Any) -> list[str]:
    """The victims, in the order of their names, after one cycle for the pod p."""
    running = started(*things)
    running.step()
    return sorted(called(running, "evict"))


@shows("an old error lengthens the backoff of a rejection", ["active"])
def errors_then_rejection() -> Any:
    # The bindings at 0 and 5 fail. At 10 the pod is rejected for the first time: it backs off up to 11, not up to 12.
    running = started(node("n", 1), pod("p", 1))
    running.server.failing = {"bind"}
    for _ in range(2):
        running.step()
        running.wait(5)
    running.put(node("n", 0))
    running.step()
    assert running.place("p") == ["unschedulable"]
    running.server.now = 12.5
    running.put(node("n", 1))
    return running.place("p")


@shows("a pod that somebody else binds stays queued", [])
def bound_by_another() -> Any:
    running = started(node("n", 1), asked := pod("p", 1, node_selector={"disk": "ssd"}))
    running.step()
    running.put(replace(asked, node_name="n"))
    return running.place("p")


@shows("no plugin hears of changes of pending pods", ["backing off"])
def scaled_down() -> Any:
    running = started(node("n", 1), pod("p", 2))
    running.step()
    running.put(pod("p", 1))
    return running.place("p")


@shows("anti-affinity that goes wakes nobody", ["backing off"])
def unwilling_pod_goes() -> Any:
    unwilling = pod("q", 1, "n", affinity=apart(term(HOSTNAME, selector(app="p"))))
    running = started(host("n"), unwilling, pod("p", 1, labels={"app": "p"}))
    running.step()
    running.delete(unwilling)
    return running.place("p")


@shows("the hint asks for ignored resources", ["backing off"])
def ignored_resource() -> Any:
    asked = Container(frozendict({"cpu": UNIT, "example.com/x": UNIT}))
    profile = with_arguments(ignored_resources=frozenset({"example.com/x"}))
    running = started(node("n", 0), pod("p", containers=(asked,)), profiles=(profile,))
    running.step()
    running.put(node("n", 4))
    return running.place("p")


@shows("a nomination that is changed from outside is not seen", "a")
def moved_nomination() -> Any:
    running = started(node("a", 1), node("b", 1), nominated("q", "a"))
    running.put(nominated("q", "b"))
    return placed(running, pod("p", 1))


@shows("a nominated namesake does not count", "")
def namesake() -> Any:
    return placed(started(node("n", 1), nominated("p", "n", namespace="other")), pod("p", 1))


@shows("a pod rejected at Reserve stays assumed", 0)
def rejected_at_reserve() -> Any:
    running = started(
        node("n", 1), pod("p", 1), **with_plugin(Made("Odd", {"reserve": unschedulable("no")}), "reserve")
    )
    running.step()
    return running.scheduler.cache.nodes["n"].requested["cpu"]


@shows("a rejection after the wait on Permit is an error", ["unschedulable"])
def waited_in_vain() -> Any:
    waiting = Made("Odd", {"permit": (Status(Code.WAIT), 1.0)})
    running = started(node("n", 1), pod("p", 1), **with_plugin(waiting, "permit"))
    running.step()
    running.wait(1)
    running.settle()
    return running.place("p")


@shows("the scheduler's percentage overrides that of the profile", 200)
def all_of_200() -> Any:
    profile = replace(DEFAULT_PLUGINS, percentage_of_nodes_to_score=100)
    running = started(*(node(f"n{each}", 1) for each in range(200)), pod("p", 1), profiles=(profile,), percentage=50)
    running.step()
    concluded = running.scheduler.concluded
    return concluded is not None and concluded.found is not None and len(concluded.found)


@shows("a trial changes affinity only beside anti-affinity", [])
def only_company() -> Any:
    beside = near(term(HOSTNAME, selector(app="v")))
    return evicted(host("n", 1), pod("v", 1, "n", labels={"app": "v"}), pod("p", 1, priority=1, affinity=beside))


@shows("the start of any victim decides", ["hx", "lx"])
def starts() -> Any:
    # The important victim of x started at 10, later than that of y at 5.
    return evicted(
        *(node("x", 2), node("y", 2)),
        *(pod("hx", 1, "x", priority=5, start_time=10), pod("lx", 1, "x", priority=1, start_time=1)),
        *(pod("hy", 1, "y", priority=5, start_time=5), pod("ly", 1, "y", priority=1, start_time=6)),
        pod("p", 2, priority=10),
    )


def two_lower() -> tuple[Any, ...]:
    """A full node of two cpus, on which both pods may be evicted."""
    return node("n", 2), pod("v", 1, "n", start_time=1), pod("w", 1, "n", start_time=2)


@shows("a dry run of amounts overlooks nominated pods", ["v", "w"])
def beside_a_nominated_one() -> Any:
    return evicted(*two_lower(), nominated("q", "n", priority=1), pod("p", 1, priority=1))


@shows("a remembered dry run overlooks new nominations", ["v", "w"])
def two_preemptors() -> Any:
    # The first evicts w, and is nominated; beside it there is room for the second only without v as well.
    running = started(*two_lower(), pod("p", 1, priority=1), pod("q", 1, priority=1))
    running.cycle()
    running.cycle()
    concluded = running.scheduler.concluded
    return concluded is not None and sorted(each.name for each in concluded.victims)


@shows("a nominated pod takes its amounts once a round", ["v"])
def rounds() -> Any:
    # Beside the preemptor and the nominated pod there is room for two of three, and v holds the port.
    others = pod("w", 1, "n", start_time=2), pod("x", 1, "n", start_time=3)
    victim = on_port("v", on="n", start_time=1)
    return evicted(node("n", 4), victim, *others, nominated("q", "n", priority=1), on_port("p", priority=1))


@shows("a nomination that could not be cleared is passed over", ["active"])
def not_cleared() -> Any:
    running = started(node("n", 1), pod("v", 1, "n"), nominated("q", "n"), pod("p", 1, priority=1))
    running.server.failing = {"nominate"}
    running.step()
    assert called(running, "evict") == ["v"]
    return running.place("p")


@shows("nominated pods never overfill the least domain", "")
def overfull() -> Any:
    # With q zone x has one pod more than zone y, and with p two.
    nodes = node("b", 0, labels={ZONE: "y"}), node("a", 4, labels={ZONE: "x"})
    return placed(started(*nodes, nominated("q", "a", labels={"app": "a"})), spread(APP))


@shows("a label value that comes later is not found", "b")
def later_value() -> Any:
    running = started(node("a", 1, labels={"disk": "hdd"}), pod("p", 1, node_selector={"disk": "ssd"}))
    running.step()
    running.put(node("b", 1, labels={"disk": "ssd"}))
    running.wait(20)
    running.step()
    return running.server.pod("p").node_name


@shows("extended resources are rated for pods without them", [75])
def free_gpus() -> Any:
    there = cluster(snapshot(node("n", 4, allocatable={"example.com/gpu": 8}))).handle.snapshot.some(["n"])
    strategy = ScoringStrategy(resources=(("cpu", 1), ("example.com/gpu", 1)))
    return scored(strategy, {"cpu": 1000}, there).tolist()


@shows("images of init containers have no weight", [True, False])
def init_image() -> Any:
    held = NodeImage(("i:latest",), 500 * 2**20)
    there = cluster(snapshot(node("a", 1, images=(held,)), node("b", 1)))
    framework, state, asked = there.cycle(pod("p", init_containers=(Container(image="i"),)))
    nodes = there.handle.snapshot.some(["a", "b"])
    return (framework.plugin("ImageLocality").score(state, asked, nodes) > 0).tolist()


@shows("the last Service of a pod alone is spread", {"app": "a", "tier": "t"})
def two_services() -> Any:
    services = (
        Service("s", selector=frozendict(app="a")),
        Service("t", selector=frozendict(tier="t")),
    )
    return default_selector(pod("p", labels={"app": "a", "tier": "t"}), Listers(services=services)).match_labels


@shows("a preferred term that stands twice counts once", "a")
def twice() -> Any:
    wanted = term(HOSTNAME, selector(app="p"))
    both = Affinity(pod_preferred=(PreferredPodTerm(30, wanted), PreferredPodTerm(30, wanted)))
    bound = pod("q", 1, "a", affinity=both), pod("r", 1, "b", affinity=preferring(40, wanted))
    return placed(started(host("a"), host("b"), *bound), pod("p", 1, labels={"app": "p"}))


@shows("what a node has set aside is overlooked", {"cpu": 3 * UNIT})
def set_aside() -> Any:
    held = Container(frozendict(cpu=UNIT), allocated=frozendict(cpu=3 * UNIT), actual=frozendict(cpu=2 * UNIT))
    return taken(pod("p", containers=(held,)), NEWEST.departures)


@shows("zones of one name in two regions are one", ["a", "c", "b"])
def two_regions() -> Any:
    tree = NodeTree()
    for name, region in (("a", "r"), ("b", "r"), ("c", "s")):
        tree.add(node(name, 1, labels={"topology.kubernetes.io/region": region, ZONE: "z"}))
    return tree.names()


def in_place(running: Running, **fields: Any) -> Running:
    """The same with these objects of the listers."""
    for name, value in fields.items():
        setattr(running.scheduler.handle.listers, name, value)
    return running
