"""When the autoscaler adds, drains and removes a node: each clause at its boundary, and broken definitions"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
import yaml

from schedcheck.checker.check import check
from schedcheck.checker.result import Verdict
from schedcheck.manifests import read
from schedcheck.manifests import scenario as read_scenario
from schedcheck.model.controllers import AddNode
from schedcheck.model.controllers.node_pools import packing, removing, scaling
from schedcheck.model.controllers.node_pools.draining import TO_BE_DELETED, marked, unmarked
from schedcheck.model.pooling import PodFacts
from schedcheck.spec.objects import PodDisruptionBudget, Toleration
from tests.support.building import HOSTNAME, container, node, pod, selector
from tests.support.node_pools import GONE, OK, STARTS, counted, never, oscillating, zone_lost
from tests.support.pooled import ACTIONS, OWNED, actions, first, machine, of_pool, pool, spread, with_pools

ROOT = Path(__file__).parents[4]


def test_a_node_is_added_for_a_pod_that_no_node_takes_and_a_new_one_would() -> None:
    full = pod("big", 4, on="a-1", **OWNED)
    for cpu, added in ((4, ["AddNode(a-2)"]), (5, [])):
        assert actions(of_pool("a-1"), full, pod("p", cpu)) == added


def test_no_node_is_added_for_a_pod_that_some_node_takes() -> None:
    assert actions(of_pool("a-1"), pod("big", 3, on="a-1", **OWNED), pod("p", 1)) == []


@pytest.mark.parametrize("most", [1, 2])
def test_a_pool_adds_nodes_up_to_its_maximum_and_drained_ones_count(most: int) -> None:
    there = (of_pool("a-1"), pod("big", 4, on="a-1", **OWNED), pod("p", 4))
    assert actions(*there, pools=(pool(most=most),)) == (["AddNode(a-2)"] if most > 1 else [])
    drained = marked(of_pool("a-1"))
    assert "AddNode(a-2)" not in actions(drained, pod("p", 4), pools=(pool(most=1),))


def test_the_lowest_free_name_of_a_pool_is_taken() -> None:
    full = [pod(f"big-{number}", 4, on=f"a-{number}", **OWNED) for number in (1, 3)]
    assert actions(of_pool("a-1"), of_pool("a-3"), *full, pod("p", 4)) == ["AddNode(a-2)"]


def test_every_pool_that_would_do_may_grow_and_no_other() -> None:
    tainted = pool("c", taints=(replace(TO_BE_DELETED, key="x"),))
    assert actions(pod("p", 4), pools=(pool("a"), pool("b"), tainted)) == ["AddNode(a-1)", "AddNode(b-1)"]
    chosen = pod("p", 4, node_selector={"zone": "b"})
    assert actions(chosen, pools=(pool("a"), pool("b", labels={"zone": "b"}))) == ["AddNode(b-1)"]


@pytest.mark.parametrize(
    "fields",
    [
        {"scheduling_gates": ("wait",)},
        {"terminating": True},
        {"owner": ("DaemonSet", "log")},
        {"nominated_node_name": "a-1"},
        {"on": "gone"},
    ],
)
def test_no_node_is_added_for_pods_that_need_none(fields: dict[str, Any]) -> None:
    there = of_pool("a-1"), pod("big", 4, on="a-1", **OWNED)
    assert actions(*there, pod("p", 4)) == ["AddNode(a-2)"]
    assert actions(*there, pod("p", 4, **fields)) == []


def test_a_pod_nominated_to_a_missing_node_needs_one() -> None:
    there = of_pool("a-1"), pod("big", 4, on="a-1", **OWNED)
    assert actions(*there, pod("p", 4, nominated_node_name="gone")) == ["AddNode(a-2)"]


def test_the_new_node_has_the_labels_and_taints_of_the_template_and_its_hostname() -> None:
    each = with_pools(pod("p", 4), pools=(pool(labels={"zone": "z"}, taints=(replace(TO_BE_DELETED, key="x"),)),))
    each = replace(each, pods=(replace(each.pods[0], tolerations=(Toleration(operator="Exists", key="x"),)),))
    ((_, after),) = [step for step in machine(each).steps(first(each)) if isinstance(step[0], AddNode)]
    (made,) = machine(each).view(after).nodes
    assert dict(made.labels) == {"node-pool": "a", HOSTNAME: "a-1", "zone": "z"}
    assert [taint.key for taint in made.taints] == ["x"] and made.allocatable["cpu"] == 4000


HALF: dict[str, Any] = {"on": "a-1", **OWNED}


@pytest.mark.parametrize(("cpu", "memory", "goes"), [(2, 5, True), (3, 1, False), (1, 6, False), (0, 0, True)])
def test_a_node_goes_at_or_below_the_threshold_of_the_larger_utilization(cpu: int, memory: int, goes: bool) -> None:
    little = pod("p", containers=(container(cpu, memory=memory),), **HALF)
    assert ("ScaleDown(a-1)" in actions(of_pool("a-1"), of_pool("x-1"), little)) == goes


def test_the_threshold_is_that_of_the_pool() -> None:
    there = of_pool("a-1"), of_pool("x-1"), pod("p", 1, **HALF)
    for threshold, goes in ((0.24, False), (0.25, True)):
        assert ("ScaleDown(a-1)" in actions(*there, pools=(pool(threshold=threshold),))) == goes


def test_pods_of_daemon_sets_count_and_need_no_place() -> None:
    log = pod("log", 2, on="a-1", owner=("DaemonSet", "log"))
    assert actions(of_pool("a-1"), log) == ["ScaleDown(a-1)"]
    assert actions(of_pool("a-1"), pod("log", 3, on="a-1", owner=("DaemonSet", "log"))) == []


def test_a_node_that_offers_no_memory_stays() -> None:
    assert actions(of_pool("a-1")) == ["ScaleDown(a-1)"]
    assert actions(of_pool("a-1", allocatable={"memory": 0})) == []


@pytest.mark.parametrize(("least", "goes"), [(0, True), (1, True), (2, False)])
def test_a_pool_keeps_its_minimum_of_nodes_that_are_not_drained(least: int, goes: bool) -> None:
    assert ("ScaleDown(a-1)" in actions(of_pool("a-1"), of_pool("a-2"), pools=(pool(least=least),))) == goes
    drained = marked(of_pool("a-2"))
    assert ("ScaleDown(a-1)" in actions(of_pool("a-1"), drained, pools=(pool(least=least),))) == (least == 0)


def test_nodes_of_no_pool_and_annotated_nodes_stay() -> None:
    assert actions(of_pool("x-1"), node("n", 4)) == []
    assert actions(of_pool("a-1"), options={"kept": frozenset({"a-1"})}) == []


@pytest.mark.parametrize(
    ("fields", "facts", "goes"),
    [
        ({}, PodFacts(), True),
        ({}, PodFacts(safe_to_evict="false"), False),
        ({}, PodFacts(local_storage=True), False),
        ({}, PodFacts(local_storage=True, safe_to_evict="true"), True),
        ({"owner": ("", "")}, PodFacts(), False),
        ({"owner": ("", "")}, PodFacts(safe_to_evict="true"), True),
        ({"owner": ("", "")}, PodFacts(mirror=True), True),
        ({"owner": ("", "")}, PodFacts(daemon=True), True),
        ({"owner": ("Deployment", "web")}, PodFacts(), False),
        ({"owner": ("example.com/v1, Kind=StatefulSet", "web")}, PodFacts(), True),
        ({"namespace": "kube-system"}, PodFacts(local_storage=True), True),
        ({"phase": "Succeeded", "owner": ("", "")}, PodFacts(), True),
    ],
)
def test_pods_forbid_the_removal_of_their_node(fields: dict[str, Any], facts: PodFacts, goes: bool) -> None:
    one = pod("p", 1, **{**HALF, **fields})
    found = actions(of_pool("a-1"), of_pool("x-1"), one, options={"facts": {one.key: facts}})
    assert ("ScaleDown(a-1)" in found) == goes


@pytest.mark.parametrize(("allowed", "goes"), [(0, False), (1, True)])
def test_a_budget_that_allows_no_disruption_forbids_it(allowed: int, goes: bool) -> None:
    budget = PodDisruptionBudget("web", selector=selector(app="web"), disruptions_allowed=allowed)
    found = actions(of_pool("a-1"), of_pool("x-1"), pod("p", 1, **HALF), budget)
    assert ("ScaleDown(a-1)" in found) == goes


@pytest.mark.parametrize(("cpu", "goes"), [(3, True), (2, False)])
def test_every_pod_needs_a_place_elsewhere(cpu: int, goes: bool) -> None:
    there = [pod("p", 1, **HALF), pod("q", 1, **HALF), pod("full", 4 - cpu, on="x-1", **OWNED)]
    assert ("ScaleDown(a-1)" in actions(of_pool("a-1"), of_pool("x-1"), *there)) == goes or cpu == 2
    tight = [pod("p", 1, **HALF), pod("q", 1, **HALF), pod("full", 5 - cpu, on="x-1", **OWNED)]
    assert ("ScaleDown(a-1)" in actions(of_pool("a-1"), of_pool("x-1"), *tight)) == goes


@pytest.mark.parametrize(
    ("drained", "taints_honored", "goes"),
    [("tainted", False, False), ("tainted", True, True), ("removed", False, True), ("removed", True, True)],
)
def test_a_drained_node_counts_as_a_domain_unless_it_is_simulated_as_gone(
    drained: str, taints_honored: bool, goes: bool
) -> None:
    webs = [
        pod(f"w{each}", 1, on=f"a-{each}", spread=spread(taints_honored=taints_honored), **OWNED) for each in (1, 2)
    ]
    found = actions(of_pool("a-1"), of_pool("a-2"), *webs, options={"drained": drained})
    assert ("ScaleDown(a-1)" in found) == ("ScaleDown(a-2)" in found) == goes


def test_waiting_pods_take_their_places_before_a_node_is_judged() -> None:
    # The pod that waits takes the one place that the other pod would need.
    there = of_pool("a-1"), of_pool("x-1"), pod("p", 2, **HALF), pod("full", 2, on="x-1", **OWNED)
    assert actions(*there) == ["ScaleDown(a-1)"]
    assert actions(*there, pod("waits", 2, node_selector={HOSTNAME: "x-1"}, **OWNED)) == []
    # An empty node that a waiting pod needs stays.
    assert actions(of_pool("a-1"), pod("waits", 1, **OWNED)) == []


def test_a_terminating_pod_may_have_been_terminating_for_long() -> None:
    ending = pod("p", 3, terminating=True, **HALF)
    assert actions(of_pool("a-1"), ending, controllers=frozenset({"kubelet"})) == ["ScaleDown(a-1)"]


def test_of_nodes_with_pods_only_one_is_drained_at_once() -> None:
    drained = marked(of_pool("a-2"))
    there = of_pool("a-1"), drained, of_pool("a-3"), of_pool("x-1"), pod("p", 1, **HALF)
    both = ["RemoveNode(a-2)", "ScaleDown(a-1)", "ScaleDown(a-1, a-3)", "ScaleDown(a-3)"]
    assert actions(*there) == both
    assert actions(*there, pod("q", 1, on="a-2", **OWNED)) == ["EvictForScaleDown(q)", "ScaleDown(a-3)"]


def test_a_drain_taints_evicts_and_removes() -> None:
    each = with_pools(of_pool("a-1"), of_pool("x-1"), pod("p", 1, **HALF), controllers=frozenset())
    state, reference, seen = first(each), machine(each), []
    for _ in range(3):
        ((action, state),) = [step for step in reference.steps(state) if isinstance(step[0], ACTIONS)]
        seen.append(str(action))
        here = next((node for node in reference.view(state).nodes if node.name == "a-1"), None)
        assert here is None or (here.unschedulable and TO_BE_DELETED in here.taints)
    assert seen == ["ScaleDown(a-1)", "EvictForScaleDown(p)", "RemoveNode(a-1)"]


def test_evictions_keep_budgets_and_a_drain_that_they_refuse_is_given_up() -> None:
    budget = PodDisruptionBudget("web", selector=selector(app="web"), disruptions_allowed=1)
    there = marked(of_pool("a-1")), of_pool("x-1"), pod("p", 1, **HALF), pod("q", 1, **HALF)
    assert actions(*there, replace(budget, disruptions_allowed=0)) == ["GiveUp(a-1)"]
    each = with_pools(*there, budget)
    steps = {str(action): state for action, state in machine(each).steps(first(each)) if isinstance(action, ACTIONS)}
    assert [*steps] == ["EvictForScaleDown(p)", "EvictForScaleDown(q)"]
    assert steps["EvictForScaleDown(p)"].allowed == (0,)
    assert unmarked(marked(of_pool("a-1"))) == of_pool("a-1")


@pytest.mark.parametrize(("ready", "given_up"), [("True", []), ("Unknown", ["GiveUp(a-1)"])])
def test_a_drain_waits_for_pods_that_end_and_gives_up_on_an_unreachable_node(ready: str, given_up: list[str]) -> None:
    drained = replace(marked(of_pool("a-1")), ready=ready)
    assert actions(drained, pod("p", 1, terminating=True, **HALF), controllers=frozenset({"kubelet"})) == given_up


def test_a_node_is_added_for_a_pod_that_a_drain_leaves_without_a_place() -> None:
    there = marked(of_pool("a-1")), pod("p", 1, **HALF)
    assert actions(*there) == ["AddNode(a-2)", "EvictForScaleDown(p)"]
    assert actions(*there, of_pool("x-1")) == ["EvictForScaleDown(p)"]


def test_pods_of_daemon_sets_and_completed_pods_keep_no_node() -> None:
    stay = pod("log", 1, on="a-1", owner=("DaemonSet", "log")), pod("done", 1, phase="Succeeded", **HALF)
    assert actions(marked(of_pool("a-1")), *stay) == ["RemoveNode(a-1)"]


def nothing(*_: Any) -> Iterator[Any]:
    return chain()


BROKEN: list[tuple[Any, str, Callable[..., Any], Callable[[], None]]] = [
    (removing, "utilization", lambda *_: 0.0, test_the_threshold_is_that_of_the_pool),
    (removing, "movable", lambda *_: True, lambda: test_a_budget_that_allows_no_disruption_forbids_it(0, False)),
    (removing, "moves", lambda pods, name, there, *_: iter((there,)), lambda: test_every_pod_needs_a_place_elsewhere(2, False)),
    (removing, "to_evict", lambda *_: (), test_of_nodes_with_pods_only_one_is_drained_at_once),
    (scaling, "packings", lambda there, *_: iter((packing.Packed(there, ()),)), test_waiting_pods_take_their_places_before_a_node_is_judged),
    (scaling, "expansions", lambda *_: frozenset({1}), test_no_node_is_added_for_a_pod_that_some_node_takes),
    (scaling, "evicted", nothing, test_a_drain_taints_evicts_and_removes),
    (scaling, "marked", lambda node: node, test_a_drain_taints_evicts_and_removes),
    (scaling, "draining", lambda node: False, test_a_drain_taints_evicts_and_removes),
    (packing, "daemon", lambda *_: False, lambda: test_no_node_is_added_for_pods_that_need_none({"owner": ("DaemonSet", "log")})),
]  # fmt: skip


@pytest.mark.parametrize(
    ("module", "name", "broken", "test"),
    BROKEN,
    ids=[f"{number} {name}" for number, (_, name, _, _) in enumerate(BROKEN)],
)
def test_a_broken_definition_is_detected(
    module: Any, name: str, broken: Any, test: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    test()
    monkeypatch.setattr(module, name, broken)
    with pytest.raises((AssertionError, ValueError)):
        test()


def test_the_states_of_the_examples_are_those_counted_without_the_model() -> None:
    def nothing_stands(state: Any) -> bool:
        a, b, pods = state
        return not any((place == "a" and a == OK) or (place == "b" and b != GONE) for place in pods)

    expected = yaml.safe_load((ROOT / "tests/examples/expected.yaml").read_text())
    for name, steps, stop in (("oscillate", oscillating, never), ("zone-lost", zone_lost, nothing_stands)):
        assert list(counted(STARTS[name], steps, stop)) == expected[f"node-pools-{name}"]["plain"]
    # By hand: a-1 fails, its pod is collected, created and bound to b-1; the other pod is bound, and all rests.
    assert expected["node-pools-zone-kept"]["plain"] == [5, 5, 5]
    assert expected["node-pools-at-rest"]["plain"] == [2, 2, 2]


def test_all_states_of_the_lost_zone_are_those_counted_without_the_model() -> None:
    each = read_scenario(read([ROOT / "examples" / "node-pools-zone-lost"]), frozenset())
    found = check(replace(each, properties=("no_overcommit",)), symmetry=False).result
    assert (found.distinct, found.generated, found.depth) == counted(STARTS["zone-lost"], zone_lost) == (41, 90, 11)


def test_pods_that_honor_taints_come_to_rest_though_a_drained_node_is_simulated_as_gone() -> None:
    each = read_scenario(read([ROOT / "examples" / "node-pools-oscillate"]), frozenset())
    pods = tuple(replace(pod, spread=(replace(pod.spread[0], taints_honored=True),)) for pod in each.pods)
    assert check(each).result.verdict is Verdict.VIOLATED
    assert check(replace(each, pods=pods)).result.verdict is Verdict.HOLDS


def test_a_pod_of_two_budgets_lets_its_node_be_drained_and_given_up_forever() -> None:
    budgets = [PodDisruptionBudget(name, selector=selector(app="web"), disruptions_allowed=1) for name in "uv"]
    each = with_pools(of_pool("a-1"), of_pool("x-1"), pod("p", 1, **HALF), *budgets)
    result = check(replace(each, properties=("comes_to_rest", "never_evicted(p)"))).result
    (found,) = result.violations
    assert [str(stage.action) for stage in found.trace[1:]] == ["ScaleDown(a-1)", "GiveUp(a-1)"]
    assert result.distinct == 2


def test_an_eviction_by_the_autoscaler_is_an_eviction_to_properties() -> None:
    each = with_pools(of_pool("a-1"), of_pool("x-1"), pod("p", 1, **HALF))
    (found,) = check(replace(each, properties=("never_evicted(p)",))).result.violations
    assert [str(stage.action) for stage in found.trace[1:]] == ["ScaleDown(a-1)", "EvictForScaleDown(p)"]
