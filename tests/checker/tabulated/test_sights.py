"""The key of a question to kube-scheduler is sufficient: both explorers agree; anything left out is missed somewhere"""

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

import pytest

from schedcheck.checker.check import Disagreement, check
from schedcheck.checker.result import Bounds
from schedcheck.checker.tabulated.answers.oracle import Oracle
from schedcheck.checker.tabulated.answers.trials import RATED, Trials
from schedcheck.checker.tabulated.layout import kube_sight
from schedcheck.checker.tabulated.layout.columns import Columns, NodeValue, PodValue, TooWide
from schedcheck.checker.tabulated.layout.kube_sight import OfKube
from schedcheck.checker.tabulated.layout.sight import Sight
from schedcheck.model.scenario import Scenario
from schedcheck.spec.footprints import OutsideFootprint
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot, SpreadConstraint
from tests.checker.tabulated.crowds import crowd
from tests.support.building import HOSTNAME, apart, node, on_nodes, on_pods, pod, scenario, selector, term

FEW = Bounds(max_states=600)
ZONE = "zone"


def agree(scene: Scenario) -> None:
    """Check that both explorers agree on the properties, by default on the soundness of the scheduler."""
    scene = scene if scene.properties else replace(scene, properties=("scheduler_is_sound",))
    assert check(scene, symmetry=False, engine="both").engine == "tabulated"


@pytest.mark.medium
@pytest.mark.parametrize("seeds", [range(1000, 1008), pytest.param(range(1008, 1020), marks=pytest.mark.slow)], ids=str)
def test_both_explorers_agree_on_crowds(seeds: range) -> None:
    explored = 0
    for seed in seeds:
        scene = crowd(seed)
        if check(scene, symmetry=False, bounds=FEW).result.stopped == "":
            agree(scene)
            explored += 1
    assert explored > len(seeds) // 2


def moving(*things: Any, **fields: Any) -> Scenario:
    """A scenario of kube-scheduler in which these pods arrive and complete."""
    names = " ".join(each.name for each in things if hasattr(each, "containers"))
    rules = [on_pods("arrive", names), on_pods("complete", names, 2)]
    fields.setdefault("rules", rules)
    return scenario(*things, absent="*", profile="kubernetes", **fields)


def waiting() -> Scenario:
    """Two pods waiting for nodes on which others make room, and one that arrives in between."""
    pods = (pod("low", 1), pod("mid", 1, priority=1), pod("high", 1, priority=2))
    return moving(*pods, node("n1", 1), node("n2", 1))


def spreading() -> Scenario:
    """Pods with spread constraints over zones, and others that they count."""
    evenly = SpreadConstraint(1, ZONE, selector=selector(app="web"))
    web = [pod(f"web-{number}", 1, labels={"app": "web"}, spread=(evenly,)) for number in (1, 2, 3)]
    nodes = [node(name, 3, labels={ZONE: zone}) for name, zone in (("n1", "a"), ("n2", "a"), ("n3", "b"))]
    return moving(*web, pod("job", 3), *nodes, rules=[on_pods("arrive", "web-1 web-2 web-3 job")])


def keeping_apart() -> Scenario:
    """Pods with anti-affinity to the incoming pod, which selects none of them."""
    alone = apart(term(ZONE, selector(app="web")))
    pods = (pod("db", 1, labels={"app": "db"}, affinity=alone), pod("web", 1, labels={"app": "web"}))
    return moving(*pods, *(node(name, 1, labels={ZONE: "a"}) for name in ("n1", "n2")))


def budgeted() -> Scenario:
    """A budget that protects a pod until its status is recounted, and another pod that otherwise costs the same."""
    pods = (pod("web", 1, "n1", labels={"app": "web"}), pod("job", 1, "n2"), pod("high", 1, priority=1))
    allowing = PodDisruptionBudget("web", selector=selector(app="web"), min_available=0)
    return scenario(
        *pods, *(node(name, 1) for name in ("n1", "n2")), absent="high", rules=[on_pods("arrive", "high")],
        profile="kubernetes", budgets=(allowing,), controllers=frozenset({"disruption"}),
    )  # fmt: skip


def tainted() -> Scenario:
    """Nodes that are identical except for an event on one of them."""
    nodes = [node(name, 2) for name in ("n1", "n2")]
    return moving(pod("a", 1), pod("b", 1), *nodes, rules=[on_pods("arrive", "a b"), on_nodes("cordon", "n1", 1)])


def evicted_in_any_order() -> Scenario:
    """Two pods in the way, one of them terminating, that are reprieved in either order; and the preemptor."""
    low = [pod(name, 1, "n1", terminating=name == "low-1") for name in ("low-1", "low-2")]
    return scenario(
        *low, pod("high", 2, priority=1), node("n1", 2), absent="high", rules=[on_pods("arrive", "high")],
        profile="kubernetes",
    )  # fmt: skip


SCENES = (waiting, spreading, keeping_apart, budgeted, tainted, evicted_in_any_order)


@pytest.mark.parametrize("scene", SCENES)
def test_both_explorers_agree_on_these_scenes(scene: Callable[[], Scenario]) -> None:
    agree(scene())


def only_bound(seen: OfKube, other: Any) -> Any:
    """The view of a pod on the node in a key that ignores the pods nominated to it."""
    return whole_occupying(seen, other) if other.node_name else None


def nothing(seen: OfKube, other: Any) -> None:
    """The view of a pod in a key that ignores all pods."""


whole_occupying = OfKube._occupying
whole_eviction = OfKube.eviction


@pytest.mark.parametrize(
    ("scene", "of", "name", "instead"),
    [
        (waiting, OfKube, "_occupying", only_bound),
        (waiting, OfKube, "_endangered", whole_occupying),
        (spreading, OfKube, "_afar", nothing),
        (keeping_apart, OfKube, "_afar", nothing),
        (budgeted, OfKube, "eviction", lambda seen: replace(whole_eviction(seen), budgets=False)),
        (tainted, OfKube, "near_node", lambda seen, node: node and replace(node, unschedulable=False)),
        (tainted, Trials, "raw", lambda trials, shown, profile: (0,) * len(RATED)),
    ],
)
def test_information_missing_in_a_key_is_detected(
    monkeypatch: pytest.MonkeyPatch, scene: Callable[[], Scenario], of: type, name: str, instead: Any
) -> None:
    monkeypatch.setattr(of, name, instead)
    with pytest.raises(Disagreement):
        agree(scene())


def test_a_view_without_a_used_field_raises_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    agree(waiting())
    monkeypatch.setattr(kube_sight, "OCCUPYING", kube_sight.OCCUPYING - {"containers.requests"})
    with pytest.raises(OutsideFootprint):
        agree(waiting())


def asked(monkeypatch: pytest.MonkeyPatch, scene: Scenario) -> list[int]:
    """The number of questions of each kind that a run of the scenario asks."""
    made: list[Oracle] = []
    before = Oracle.__init__

    def noted(oracle: Oracle, *given: Any) -> None:
        before(oracle, *given)
        made.append(oracle)

    monkeypatch.setattr(Oracle, "__init__", noted)
    check(scene, symmetry=False, engine="tabulated")
    return made[-1].asked


def seen(scene: Scenario, key: Callable[[Pod, Node, Snapshot], Hashable]) -> int:
    """The number of keys of a pending pod and a node in all states that the direct explorer finds."""
    found = check(scene, engine="direct", keep_graph=True)
    assert found.graph is not None
    views = [found.machine.view(state) for state in found.graph.states]
    waiting = [(pod, node, view) for view in views for pod in view.pods if not pod.node_name for node in view.nodes]
    return len({key(*each) for each in waiting})


def on(node: Node, snapshot: Snapshot, app: str = "") -> int:
    """The number of pods on the node, of an application or of all."""
    return sum(app in ("", each.labels.get("app")) for each in snapshot.pods_by_node.get(node.name, ()))


def test_identical_pods_and_nodes_share_one_question(monkeypatch: pytest.MonkeyPatch) -> None:
    pods = [pod(f"p{number}", 1, labels={"app": "web"}) for number in range(1, 5)]
    nodes = [node(name, 4, labels={HOSTNAME: name}) for name in ("n1", "n2")]
    names = " ".join(each.name for each in pods)
    rules = [on_pods("arrive", names), on_pods("complete", names, 2)]
    scene = scenario(*pods, *nodes, absent="*", rules=rules, profile="kubernetes")
    expected = seen(scene, lambda pod, node, view: on(node, view))
    assert 2 <= expected <= 4
    assert asked(monkeypatch, scene)[0] == expected


def test_of_the_pods_elsewhere_only_selected_ones_are_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    evenly = SpreadConstraint(9, ZONE, selector=selector(app="web"))
    web = [pod(f"web-{number}", 1, labels={"app": "web"}, spread=(evenly,)) for number in (1, 2)]
    jobs = [pod(f"job-{number}", 1, labels={"app": "job"}) for number in (1, 2)]
    nodes = [node(name, 9, labels={ZONE: name}) for name in ("n1", "n2")]
    rules = [on_pods("arrive", " ".join(each.name for each in (*web, *jobs)))]
    scene = scenario(*web, *jobs, *nodes, absent="*", rules=rules, profile="kubernetes")

    def key(pod: Pod, node: Node, view: Snapshot) -> Hashable:
        spread = (node.name, *(on(each, view, "web") for each in view.nodes))
        return pod.labels, on(node, view), spread if pod.spread else None

    assert asked(monkeypatch, scene)[0] == seen(scene, key)


def test_too_many_distinguishable_pods_on_a_node_are_refused_by_name() -> None:
    exact = Sight(near=lambda pod: pod.name, far=lambda pod: pod.name)
    pods = [PodValue(number, pod(f"p{number}", on="n"), 0) for number in range(300)]
    with pytest.raises(TooWide, match="5 words describe the pods on a node, more than 4"):
        Columns([exact], pods, [NodeValue(0, node("n"))], [])
    with pytest.raises(TooWide, match="pods depend on each other across nodes, and 5 words describe what they see"):
        Columns([replace(exact, near=lambda pod: None)], pods, [NodeValue(0, node("n"))], [])
