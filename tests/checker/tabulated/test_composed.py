"""Answers composed from parts are those of whole cycles; a part that leaves out something it depends on is detected."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from schedcheck.checker.check import NotTabulated, check
from schedcheck.checker.result import Bounds
from schedcheck.checker.tabulated.answers import parts, trials
from schedcheck.checker.tabulated.answers.kube import Kube
from schedcheck.checker.tabulated.answers.parts import Remembering
from schedcheck.checker.tabulated.answers.sampled import Differs, Sample
from schedcheck.checker.tabulated.answers.trials import NEAR_ALONE, Trials
from schedcheck.checker.tabulated.layout.kube_sight import OfKube
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import (
    Container,
    HostPort,
    Node,
    Pod,
    Snapshot,
    SpreadConstraint,
    Toleration,
)
from schedcheck.spec.schedulers import profiles_where
from schedcheck.testing.drawn_configurations import profiles_of, random_configuration
from tests.checker.tabulated.crowds import crowd
from tests.support.building import (
    GPU,
    HOSTNAME,
    apart,
    container,
    near,
    node,
    on_nodes,
    on_pods,
    pod,
    scenario,
    selector,
    term,
)
from tests.tla.random_scenarios import random_scenario

FEW, MORE = Bounds(max_states=150), Bounds(max_states=1000)
ZONE = "zone"


def composed(scene: Scenario, bounds: Bounds = FEW) -> int:
    """Explore the scene, compare every answer with the whole cycle, and return the number of questions."""
    asked = 0
    due = Sample.due

    def counted(sample: Sample, snapshot: Snapshot) -> bool:
        nonlocal asked
        asked += 1
        return due(sample, snapshot)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Sample, "few", 0)
        patched.setattr(Sample, "due", counted)
        check(scene, symmetry=False, engine="tabulated", bounds=bounds)
    return asked


def configured(seed: int) -> Scenario:
    """A random scenario in a version of kube-scheduler and under a configuration that are drawn too."""
    random, drawn = Random(seed), crowd(seed)
    profiles = profiles_of(random_configuration(random))
    pods = tuple(replace(each, scheduler_name=random.choice(profiles).scheduler_name) for each in drawn.pods)
    versions = profiles_where(lambda scheduler: scheduler.has_plugins)
    return replace(drawn, pods=pods, plugins=profiles, profile=random.choice(versions))


def many_features(seed: int) -> Scenario:
    """A random scenario of other namespaces, selectors, faults of nodes, containers and constraints."""
    return replace(random_scenario(seed), profile="kubernetes", faults=frozenset(), constraints=())


def followed(draw: Callable[[int], Scenario], seeds: Iterable[int], bounds: Bounds) -> int:
    """Compare every answer of these random scenarios, and return the number of questions."""
    found = 0
    for seed in seeds:
        try:
            found += composed(draw(seed), bounds)
        except NotTabulated:
            continue
    return found


@pytest.mark.parametrize("draw", [crowd, configured, many_features])
def test_composed_answers_are_those_of_whole_cycles(draw: Callable[[int], Scenario]) -> None:
    assert followed(draw, range(2010, 2016), FEW) > 100


def test_the_wait_after_an_error_is_judged_by_what_the_judge_finds_feasible() -> None:
    """A plugin of this configuration filters without its preparation, and fails where the documented one does not."""
    found = check(configured(2016), symmetry=False, engine="both").result
    assert [each.property.name for each in found.violations] == ["no_wait_while_feasible"]


@pytest.mark.slow
@pytest.mark.parametrize("draw", [crowd, configured, many_features])
def test_more_composed_answers_are_those_of_whole_cycles(draw: Callable[[int], Scenario]) -> None:
    assert followed(draw, range(2016, 2100), MORE) > 10_000


def moving(*things: Any, **fields: Any) -> Scenario:
    """A scenario of kube-scheduler in which these pods complete, and arrive unless they are bound."""
    pods = [each for each in things if isinstance(each, Pod)]
    names, away = " ".join(each.name for each in pods), " ".join(each.name for each in pods if not each.node_name)
    rules = [on_pods("arrive", away), on_pods("complete", names, 2), on_nodes("cordon", "n1", 1)]
    return scenario(*things, absent=away, rules=rules, profile="kubernetes", **fields)


def zoned(cpu: int = 2) -> list[Node]:
    """Three nodes in two zones."""
    return [
        node(name, cpu, labels={ZONE: zone, HOSTNAME: name}) for name, zone in (("n1", "a"), ("n2", "a"), ("n3", "b"))
    ]


def spreading() -> Scenario:
    """Pods spread over zones."""
    evenly = SpreadConstraint(1, ZONE, selector=selector(app="web"))
    return moving(*(pod(f"web-{number}", 1, labels={"app": "web"}, spread=(evenly,)) for number in (1, 2, 3)), *zoned())


def excluding() -> Scenario:
    """Pods of which one keeps the others out of its zone, although these have no terms of their own."""
    alone = apart(term(ZONE, selector(app="web")))
    web = [pod(f"web-{number}", 1, labels={"app": "web"}) for number in (1, 2)]
    return moving(pod("db", 1, affinity=alone), *web, *zoned())


def following() -> Scenario:
    """Pods that need a database in their zone."""
    beside = near(term(ZONE, selector(app="db")))
    web = [pod(f"web-{number}", 1, affinity=beside) for number in (1, 2)]
    return moving(pod("db", 1, labels={"app": "db"}), *web, *zoned())


def preempting() -> Scenario:
    """Pods that are nominated to nodes on which others keep room, with anti-affinity among them."""
    alone = apart(term(HOSTNAME, selector(app="high")))
    high = [pod(f"high-{number}", 1, priority=9, labels={"app": "high"}, affinity=alone) for number in (1, 2)]
    low = [pod("low-1", 2), pod("low-2", 2, priority=1)]
    return moving(*high, *low, *zoned()[:2])


def tainted() -> Scenario:
    """Pods of which one tolerates the taint of a node."""
    return moving(pod("web", 1), pod("gpu", 1, tolerations=(Toleration("gpu", "Exists"),)), *zoned()[:1], dedicated())


def dedicated() -> Node:
    """A node with a taint."""
    return node("n2", 2, labels={ZONE: "a", HOSTNAME: "n2"}, taints=(GPU,))


def departing() -> Scenario:
    """Pods that seek their own kind, of which one is on a node without a zone: a departure takes them for the first."""
    beside = near(term(ZONE, selector(app="db")))
    web = [pod(f"web-{number}", 1, labels={"app": "db"}, affinity=beside) for number in (1, 2)]
    nodes = [*zoned()[:2], node("n3", 2, labels={HOSTNAME: "n3"})]
    return moving(pod("db", 1, labels={"app": "db"}), *web, *nodes, properties=("bind_feasible",))


def colliding() -> Scenario:
    """Pods of which one may be evicted for its port, and another for its room."""

    def of_size(name: str, priority: int, *ports: HostPort) -> Pod:
        return pod(name, priority=priority, containers=(Container(container(1).requests, ports=ports),))

    high, low = of_size("high", 9, HostPort(80)), of_size("low-1", 1, HostPort(80))
    staying = replace(of_size("low-2", 0), node_name="n1")
    rules = [on_pods("arrive", "high low-1")]
    return scenario(high, low, staying, *zoned()[:1], absent="high low-1", rules=rules, profile="kubernetes")


SCENES = (spreading, excluding, following, preempting, tainted, departing, colliding)


@pytest.mark.parametrize("scene", SCENES)
def test_composed_answers_of_these_scenes_are_those_of_whole_cycles(scene: Callable[[], Scenario]) -> None:
    assert composed(scene(), MORE) > 10


whole_counted, whole_question = Trials._counted, Trials._question


def without_the_counted(trials: Trials, seen: OfKube, shown: Any) -> Any:
    """Counts that are the same wherever the counted pods are."""
    found = whole_counted(trials, seen, shown)
    return found and found._replace(all=0)


def without_the_nominated(trials: Trials, seen: OfKube, shown: Any) -> Any:
    """Counts to which nominated pods add nothing."""
    found = whole_counted(trials, seen, shown)
    return found and found._replace(nominated=())


def without_the_pods(trials: Trials, seen: OfKube, shown: Any, *rest: Any) -> Any:
    """A question about a node that leaves out its pods."""
    found: Any = whole_question(trials, seen, shown, *rest)
    return found and (*found[:2], (), *found[3:])


def without_the_node(trials: Trials, seen: OfKube, shown: Any, *rest: Any) -> Any:
    """A question about a node that leaves out the node."""
    found: Any = whole_question(trials, seen, shown, *rest)
    return found and (found[0], None, *found[2:])


def as_if_alike(seen: OfKube, plugins: Any) -> Any:
    """A scheduler and its judge, told apart by nothing."""
    return seen.nameless


def near_alone(trials: Trials, shown: Any, profile: Any) -> Any:
    """The verdict of the filters that look at one node."""
    return trials._once(shown, profile, NEAR_ALONE, whole_verdict)


def without_a_taint(seen: OfKube, each: Node) -> Node:
    """A node as a question about it sees it, without taints."""
    return replace(whole_node(seen, each), taints=())


def for_another_name(trials: Trials, pod: Pod, snapshot: Snapshot, profile: Any) -> Any:
    """The cycle in which every node is tried, of a pod that may not preempt."""
    return whole_of_all(trials, replace(pod, preemption_policy="Never"), snapshot, profile)


def judged_once(kube: Kube, shown: Any, *, feasible: bool) -> int:
    """Properties of a binding that are judged once for all nodes."""
    kube._known.setdefault("judged", whole_broken(kube, shown, feasible=feasible))
    return int(kube._known["judged"])


whole_verdict, whole_node, whole_of_all = trials._verdict, OfKube._shown_node, Trials.of_all
whole_broken, whole_passes = Kube._broken_there, trials._passes

TWINS = [
    # PreFilter: a plugin that looks at pods is asked once; the pod is left without its PreFilter results.
    (excluding, parts, "CHANGING", frozenset()),
    # The counts over all nodes.
    (spreading, Trials, "_counted", without_the_counted),
    (following, Trials, "_counted", without_the_counted),
    (preempting, Trials, "_counted", without_the_nominated),
    (spreading, OfKube, "_shown_far_node", lambda seen, each: zoned()[0]),
    # The filters of one node, those of many, and both.
    (preempting, Trials, "_question", without_the_pods),
    (spreading, Trials, "_question", without_the_node),
    (following, Trials, "verdict", near_alone),
    (tainted, OfKube, "_shown_node", without_a_taint),
    (preempting, Remembering, "summed", lambda info, departures: {}),
    # What is kept apart for the scheduler and for its judge.
    (departing, trials, "_asked", as_if_alike),
    (departing, Kube, "_broken_there", judged_once),
    # Scores.
    (excluding, Trials, "raw", lambda trials, shown, profile: (0,) * 7),
    # Evictions.
    (preempting, OfKube, "_victim", lambda seen, each: None),
    (preempting, OfKube, "_company", lambda seen, each, name: None),
    (colliding, trials, "_passes", lambda made, name: name == "NodePorts" or whole_passes(made, name)),
    # The ends of cycles.
    (preempting, Kube, "_ended", lambda *given: ()),
    (preempting, Kube, "_chosen", lambda *given: ((), True)),
    (preempting, Trials, "of_all", for_another_name),
]


@pytest.mark.parametrize(("scene", "of", "name", "instead"), TWINS)
def test_a_part_that_leaves_out_a_dependency_is_detected(
    monkeypatch: pytest.MonkeyPatch, scene: Callable[[], Scenario], of: Any, name: str, instead: Any
) -> None:
    monkeypatch.setattr(of, name, instead)
    with pytest.raises(Differs):
        composed(scene(), MORE)
