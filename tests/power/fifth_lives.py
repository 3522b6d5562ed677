"""Clusters and lives beside defects of `held_back_fifth`: `SHOWN`, by name what is right and how it is asked

Each answer was worked out by hand from the comment beside the defect. Lives with volumes, claims, gangs and extenders are in
`fifth_lives_of_objects`.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from frozendict import frozendict

from schedcheck.model.production.framework.cycle_state import NotFoundError
from schedcheck.model.production.framework.status import SUCCESS, Code, Status, error, unschedulable
from schedcheck.model.production.plugins.resource_scores import by_shape
from schedcheck.model.production.snapshot.requests import requested_when_rated, taken
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.objects import (
    Affinity,
    Container,
    NodeImage,
    PodDisruptionBudget,
    SpreadConstraint,
    Taint,
    Toleration,
)
from schedcheck.spec.storage import ImageSource, Volume
from schedcheck.spec.terms import Requirement
from tests.model.production.api_server import Running, started
from tests.model.production.cluster import cluster
from tests.model.production.framework.made_up import Made
from tests.power.fourth_lives import evicted, host, in_place
from tests.power.third_lives import APP, HOSTNAME, ZONE, called, on_port, placed, spread, with_arguments, with_plugin
from tests.support.building import apart, node, node_term, pod, preferring, selector, snapshot, term

SHOWN: dict[str, tuple[Any, Callable[[], Any]]] = {}
UNIT = 10**9
GPU = (Taint("gpu", "NoSchedule"),)


def shows(name: str, right: Any) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """The function shows the defect of this name: without it, it returns what is `right`."""

    def kept(ask: Callable[[], Any]) -> Callable[[], Any]:
        SHOWN[name] = right, ask
        return ask

    return kept


@shows("a change of a rejected pod ends its backoff", ["backing off"])
def toleration_at_once() -> Any:
    running = started(node("n", 1, taints=GPU), pod("p", 1))
    running.step()
    running.put(pod("p", 1, tolerations=(Toleration("gpu", "Exists"),)))
    return running.place("p")


@shows("a backoff after an error has no end", ["active"])
def binding_failed() -> Any:
    running = started(node("n", 1), pod("p", 1))
    running.server.failing = {"bind"}
    running.step()
    running.wait(20)
    return running.place("p")


@shows("an activated pod takes others in flight along", ["unschedulable"])
def two_in_flight() -> Any:
    running = started(node("n", 1), pod("p", 2), pod("q", 1))
    attempt = running.scheduler.decide()
    other = running.scheduler.queue.pop()
    assert attempt is not None and attempt.queued.pod.name == "p" and other is not None
    running.scheduler.queue.activate(other.pod)
    running.scheduler.carry_out(attempt)
    return running.place("p")


@shows("the successor of a pod is taken for the pod", ["active"])
def one_change() -> Any:
    running = started(node("n", 1), pod("p", 2, uid="1"))
    running.step()
    running.put(pod("p", 2, uid="2"))
    return running.place("p")


@shows("a pod that changes its labels is not looked at for affinity", ["backing off"])
def label_lost() -> Any:
    unwilling = pod("q", 1, "n", affinity=apart(term(HOSTNAME, selector(app="p"))))
    running = started(host("n"), unwilling, pod("p", 1, labels={"app": "p"}))
    running.step()
    running.put(pod("p", 1))
    return running.place("p")


def named(*names: str) -> Affinity:
    """A node affinity that requires one of these names."""
    return Affinity(node_required=(node_term(fields=(Requirement("metadata.name", "In", names),)),))


@shows("a plugin that narrows the nodes has rejected nothing", ["unschedulable"])
def no_such_node() -> Any:
    running = started(node("n", 1), pod("p", 1, affinity=named("m")))
    running.step()
    return running.place("p")


@shows("a pod that is being deleted is tried", [])
def deleted_preemptor() -> Any:
    return evicted(node("n", 1), pod("v", 1, "n"), pod("p", 1, priority=1, terminating=True))


@shows("a nomination that is not delivered yet is not cleared", ["n", ""])
def undelivered() -> Any:
    broken: list[bool] = []
    odd = Made("Odd", {"preFilter": lambda: error("broken") if broken else SUCCESS})
    running = started(
        *(node("n", 1), pod("v", 1, "n"), pod("p", 1, priority=1)),
        asynchronous_preemption=False,
        **with_plugin(odd, "preFilter"),
    )
    running.cycle()
    broken.append(True)
    running.scheduler.queue.activate(pod("p", 1, priority=1))
    running.cycle()
    return [what for verb, _, what in running.server.calls if verb == "nominate"]


@shows("a rejection in PreFilter forgets who skips", ["v"])
def rejected_in_pre_filter() -> Any:
    refusing = with_plugin(Made("Odd", {"preFilter": unschedulable("no")}), "preFilter")
    running = started(node("n", 1), pod("v", 1, "n"), pod("p", 1, priority=1), **refusing)
    # The plugin that skipped has nothing to change in a trial.
    with suppress(NotFoundError):
        running.step()
    return called(running, "evict")


@shows("a weight of zero is taken as zero", ("b",))
def weight_of_zero() -> Any:
    points = {**DEFAULT_PLUGINS.points, "score": ("NodeAffinity",)}
    profile = replace(DEFAULT_PLUGINS, points=frozendict(points), weights=frozendict(NodeAffinity=0))
    wanted = preferring(1, node_term(Requirement("disk", "In", ("ssd",))))
    nodes = node("a", 1), node("b", 1, labels={"disk": "ssd"})
    running = started(*nodes, pod("p", 1, affinity=wanted), profiles=(profile,))
    running.step()
    concluded = running.scheduler.concluded
    return concluded is not None and concluded.hosts


@shows("a victim that waits on Permit is deleted", [])
def waiting_victim() -> Any:
    waiting = Made("Odd", {"permit": (Status(Code.WAIT), 100.0)})
    running = started(node("n", 1), pod("v", 1), **with_plugin(waiting, "permit"))
    running.step()
    running.put(pod("p", 1, priority=1))
    running.step()
    running.settle()
    assert running.scheduler.handle.waiting.get(pod("v")) is None
    return called(running, "evict")


@shows("a dry run of amounts asks nothing but amounts", [])
def lacking_feature() -> Any:
    return evicted(node("n", 1), pod("v", 1, "n"), pod("p", 1, priority=1, required_features=frozenset({"F"})))


def with_budgets(running: Running, **allowed: int) -> Running:
    """Budgets of these names for the pods with app=v, each with the disruptions that it allows."""
    made = (PodDisruptionBudget(name, selector=selector(app="v"), disruptions_allowed=n) for name, n in allowed.items())
    return in_place(running, budgets=tuple(made))


@shows("a pod is charged to its first budget alone", ["w"])
def two_budgets() -> Any:
    pods = pod("v", 1, "a", labels={"app": "v"}), pod("w", 1, "b", priority=1), pod("p", 1, priority=5)
    running = with_budgets(started(node("a", 1), node("b", 1), *pods), first=1, second=0)
    running.step()
    return called(running, "evict")


class Last:
    """Draws the last of all."""

    def choice(self, names: Sequence[str], /) -> str:
        return names[-1]

    def randrange(self, size: int, /) -> int:
        return size - 1


@shows("preemption does not come round to the first nodes", ["v"])
def round_to_the_first() -> Any:
    few = with_arguments(min_candidate_nodes_percentage=0, min_candidate_nodes_absolute=1)
    pods = pod("v", 1, "a"), pod("w", 1, "b", priority=5), pod("p", 1, priority=1)
    running = started(node("a", 1), node("b", 1), *pods, profiles=(few,), random=Last())
    running.step()
    return called(running, "evict")


@shows("the bound itself is greater", "")
def four_cores() -> Any:
    more = Affinity(node_required=(node_term(Requirement("cores", "Gt", ("4",))),))
    return placed(started(node("n", 1, labels={"cores": "4"})), pod("p", 1, affinity=more))


@shows("nodes without all keys are domains", True)
def without_rack() -> Any:
    # Zones x and y have a pod each, and z is out of scope: another pod makes a skew of 1.
    nodes = [node(name, 4, labels={ZONE: zone, "rack": zone}) for name, zone in (("a", "x"), ("b", "y"))]
    bound = [pod(f"q{name}", 1, name, labels={"app": "a"}) for name in "ab"]
    racks = SpreadConstraint(1, "rack", selector=selector(app="a"))
    return placed(started(*nodes, node("c", 4, labels={ZONE: "z"}), *bound), spread(APP, racks)) in ("a", "b")


@shows("a namespace that is excluded is looked into", "n")
def excluded_namespace() -> Any:
    others = selector(Requirement("team", "NotIn", ("x",)))
    far = apart(term(HOSTNAME, selector(app="a"), namespace_selector=others))
    running = started(host("n"), pod("q", 1, "n", labels={"app": "a"}))
    return placed(in_place(running, namespaces={"default": frozendict(team="x")}), pod("p", 1, affinity=far))


@shows("images of volumes have no weight", [True, False])
def mounted_image() -> Any:
    held = NodeImage(("i:latest",), 500 * 2**20)
    there = cluster(snapshot(node("a", 1, images=(held,)), node("b", 1)))
    framework, state, asked = there.cycle(pod("p", volumes=(Volume("m", ImageSource("i")),)))
    nodes = there.handle.snapshot.some(["a", "b"])
    return (framework.plugin("ImageLocality").score(state, asked, nodes) > 0).tolist()


@shows("maxSkew does not soften a preference", [7, 4])
def soft() -> Any:
    # The two nodes weigh ln 4: 2 * 1.39 + 4 is nearly 7, and no pod and 4 is 4.
    constraint = SpreadConstraint(5, HOSTNAME, required=False, selector=selector(app="a"))
    bound = [pod(f"q{number}", 1, "a", labels={"app": "a"}) for number in (1, 2)]
    there = cluster(snapshot(host("a"), host("b"), *bound))
    framework, state, asked = there.cycle(pod("p", 1, labels={"app": "a"}, spread=(constraint,)))
    plugin, nodes = framework.plugin("PodTopologySpread"), there.handle.snapshot.some(["a", "b"])
    assert plugin.pre_score(state, asked, nodes).success
    return plugin.score(state, asked, nodes).tolist()


@shows("a falling shape is rounded down", [99])
def falling() -> Any:
    # 100 points less a percent of 100 / 70, which is cut off to 1.
    return by_shape(((0, 10), (70, 0)), np.array([1]), np.array([100])).tolist()


@shows("a request of zero counts as none when rated", {"cpu": 0, "memory": 0})
def asks_for_zero() -> Any:
    return requested_when_rated(pod("p", containers=(Container(frozendict(cpu=0, memory=0)),)))


@shows("the greatest of each container is summed", {"cpu": 3 * UNIT})
def up_and_down() -> Any:
    # Two are set aside for the first and one for the second; one and two are asked for: three in both cases.
    def held(asked: int, aside: int) -> Container:
        got = frozendict(cpu=aside * UNIT)
        return Container(frozendict(cpu=asked * UNIT), allocated=got, actual=got)

    return taken(pod("p", containers=(held(1, 2), held(2, 1))), NEWEST.departures)


@shows("the port of a pod that goes stays in use", "n")
def freed_port() -> Any:
    running = started(node("n", 4), holder := on_port("q", on="n"))
    running.delete(holder)
    return placed(running, on_port("p"))


@shows("a pod that moves in the table takes over the labels there", "")
def moved_in_the_table() -> Any:
    # The node that changed last comes first in the table: x is in the row before that of q.
    gone = pod("x", 1, "a")
    running = started(host("a"), host("b"), pod("q", 1, "b", labels={"app": "a"}), gone, pod("large", 100))
    running.step()
    running.delete(gone)
    far = apart(term(HOSTNAME, selector(app="a")))
    return placed(running, pod("p", 1, node_selector={HOSTNAME: "b"}, affinity=far))
