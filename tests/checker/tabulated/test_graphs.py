"""The graph of the tabulated explorer equals that of the direct one array by array, as do temporal results"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from schedcheck.checker.check import Checked, Disagreement, check
from schedcheck.checker.liveness.temporal import NotABehaviour
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.checker.tabulated.answers import named
from schedcheck.checker.tabulated.results import truths
from schedcheck.checker.tabulated.results.labels import Labels
from schedcheck.checker.tabulated.results.results import _Whole
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import Fault
from schedcheck.spec.objects import PodDisruptionBudget, Taint
from tests.support.building import five_pods, node, on_nodes, on_pods, pod, replays, scenario, selector
from tests.tla.random_scenarios import random_scenario

FEW = Bounds(max_states=2500)
OF_BEHAVIOURS = (
    "eventually_bound",
    "bound_once_feasible",
    "never_starves",
    "preemption_ends",
    "comes_to_rest",
    "all_pods_eventually_bound",
    "evictions_end",
)


def controlled(**fields: object) -> Scenario:
    """Every step of the controllers, and two rules that call the eviction API, with the pods in different orders."""
    web = {"app": "web"}
    budgets = (
        PodDisruptionBudget("one", selector=selector(app="web"), min_available=1, expected=2, disruptions_allowed=1),
        PodDisruptionBudget("two", selector=selector(app="db"), max_unavailable=1, expected=1, disruptions_allowed=0),
    )
    made = scenario(
        pod("a", 1, on="n1", labels=web, phase="Running", owner=("ReplicaSet", "web")),
        pod("b", 1, labels=web, owner=("ReplicaSet", "web")),
        pod("c", 2, on="n2", labels={"app": "db"}, priority=-1),
        node("n1", 2),
        node("n2", 2),
        rules=[
            on_pods("evict", "b a c", 1),
            on_pods("evict", "c a"),
            on_pods("delete", "c", 1),
            on_nodes("unready", "n2"),
            on_nodes("ready", "n2"),
        ],
        controllers=frozenset({"owners", "disruption", "lifecycle", "kubelet"}),
        budgets=budgets,
    )
    return replace(made, **fields)  # type: ignore[arg-type]


def scenes() -> Iterator[tuple[str, Scenario]]:
    """Scenarios that together take every kind of action."""
    yield "five pods", five_pods()
    yield "five pods, kubernetes", replace(five_pods(), profile="kubernetes", rules=five_pods().rules[:1])
    for profile in ("corrected", "kubernetes"):
        yield f"controllers, {profile}", controlled(profile=profile)
        yield f"no kubelet, {profile}", controlled(profile=profile, controllers=frozenset({"owners", "disruption"}))
    for seed in range(200, 210):
        drawn = replace(random_scenario(seed), constraints=())
        yield f"random {seed}", drawn
        yield f"random {seed}, kubernetes", replace(drawn, profile="kubernetes", faults=frozenset())


def alike(scene: Scenario, bounds: Bounds | None = None) -> Checked:
    """Check that both explorers give the same graph and the same temporal results."""
    direct, checked = (check(scene, engine=each, keep_graph=True, bounds=bounds) for each in ("direct", "tabulated"))
    assert direct.graph is not None
    assert checked.graph is not None
    ours, theirs = checked.graph.graph, direct.graph.graph
    assert (ours.texts, ours.kinds) == (theirs.texts, theirs.kinds)
    for name in ("initial", "offsets", "targets", "actions"):
        assert getattr(ours, name).dtype == getattr(theirs, name).dtype
        assert getattr(ours, name).tolist() == getattr(theirs, name).tolist(), name
    assert list(checked.graph.states) == list(direct.graph.states)
    assert replace(checked.result, seconds=0, violations=()) == replace(direct.result, seconds=0, violations=())
    told = [
        [(each.property.name, each.trace, each.loop) for each in found.result.violations] for found in (checked, direct)
    ]
    assert told[0] == told[1]
    assert all(replays(checked.machine, each.trace) for each in checked.result.violations)
    return checked


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("scene", "fairness"),
    [pytest.param(each, ("strong", "weak", "none")[place % 3], id=name) for place, (name, each) in enumerate(scenes())],
)
def test_graphs_and_temporal_results_are_those_of_the_direct_explorer(scene: Scenario, fairness: str) -> None:
    asked = replace(scene, properties=OF_BEHAVIOURS, fairness=fairness)
    if check(asked, bounds=FEW).result.stopped:
        asked = replace(asked, rules=asked.rules[:1])
    found = alike(asked)
    assert found.result.verdict is not Verdict.GAVE_UP


def test_all_kinds_of_action_are_labelled() -> None:
    found = check(controlled(profile="kubernetes", properties=("type_correct",)), engine="tabulated", keep_graph=True)
    assert found.graph is not None
    kinds = {kind.__name__ for kind in found.graph.graph.kinds}
    assert {"Recount", "Evict", "Create", "TaintByCondition", "TaintEvict", "Start", "End", "Bind"} <= kinds


@pytest.mark.parametrize("depth", [1, 4])
def test_the_graph_of_a_bounded_search_is_that_part_of_the_graph(depth: int) -> None:
    alike(five_pods(), Bounds(depth=depth))


def test_a_label_of_another_action_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named, "called", lambda row, decision: (type(decision).__name__, "Bind"))
    asked = replace(five_pods(), properties=("never_starves(p1)",), rules=five_pods().rules)
    with pytest.raises(NotABehaviour, match="no step Bind"):
        check(asked, engine="tabulated")


def test_steps_in_the_wrong_order_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Labels, "places", lambda self: np.arange(len(self))[::-1].copy())
    with pytest.raises(AssertionError):
        alike(five_pods())


def test_a_feasibility_key_without_the_pods_on_the_node_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = replace(five_pods(), properties=("never_starves", "bound_once_feasible"))
    alike(asked)
    monkeypatch.setattr(truths, "key_of", lambda plan, states, node: np.zeros((len(states), 1), np.uint64))
    with pytest.raises((AssertionError, NotABehaviour)):
        alike(asked)


def test_too_little_memory_for_the_graph_leaves_temporal_properties_undecided() -> None:
    asked = replace(five_pods(), properties=("never_starves(p1)", "no_overcommit"))
    for graph in (1e-5, 3e-4):
        found = check(asked, engine="tabulated", bounds=Bounds(graph=graph)).result
        assert (found.verdict, found.distinct) == (Verdict.GAVE_UP, 2112)
        assert found.stopped.startswith(f"limits.graph {graph:g}")
        assert found.undecided == ("never_starves(p1)",)


LIVELOCK = frozenset({Fault.OVERLAPPING_CASE, Fault.VICTIMS_UNCHECKED})


@pytest.mark.parametrize("seed", range(12))
def test_both_explorers_agree_on_endless_evictions(seed: int) -> None:
    """With these faults the scheduler may preempt without victims; in the graph of both explorers that is no step."""
    asked = ("evictions_end", "preemption_ends", "comes_to_rest")
    drawn = replace(random_scenario(seed), constraints=(), properties=asked, victims="pending")
    drawn = replace(drawn, faults=LIVELOCK, fairness=("none", "weak", "strong")[seed % 3])
    checked = check(drawn, engine="both")
    for violation in checked.result.violations:
        assert violation.loop is not None
        assert violation.trace[violation.loop].state == violation.trace[-1].state
        assert replays(checked.machine, violation.trace)


def test_both_explorers_find_evictions_in_a_cycle() -> None:
    """The template of the pod names a node whose taint evicts it."""
    web = pod("web", 1, on="n1", owner=("ReplicaSet", "web"), template_node_name="n1", phase="Running")
    tainted = node("n1", 4, taints=(Taint("maintenance", "NoExecute"),))
    looping = scenario(
        web,
        tainted,
        node("n2", 4),
        profile="kubernetes",
        controllers=frozenset({"owners", "lifecycle", "kubelet"}),
        properties=("evictions_end", "comes_to_rest"),
    )
    checked = check(looping, engine="both")
    assert [len(violation.trace) for violation in checked.result.violations] == [5, 5]


def test_evictions_without_victims_are_stuttering_steps_in_both_explorers() -> None:
    asked = scenario(
        pod("high", 2, priority=9), node("n", 3), faults=LIVELOCK, properties=["evictions_end", "preemption_ends"]
    )
    found = check(asked, engine="both").result
    assert found.coverage["Preempt"] > 0
    assert found.verdict is Verdict.VACUOUS
    assert found.vacuous == (
        ("evictions_end", "no pod was ever evicted"),
        ("preemption_ends", "no preemption ever changed anything"),
    )


def test_counting_stuttering_steps_as_evictions_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = scenario(pod("high", 2, priority=9), node("n", 3), faults=LIVELOCK, properties=["evictions_end"])
    check(asked, engine="both")
    monkeypatch.setattr(_Whole, "changing", lambda self: tuple(self.explorer.plan.machine.kinds()))
    with pytest.raises(Disagreement, match="vacuous"):
        check(asked, engine="both")


def test_the_graph_of_a_search_that_ends_before_its_first_state_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(explorer: Explorer) -> None:
        explorer.stopped = "limits.seconds 1"

    monkeypatch.setattr(Explorer, "run", ended)
    found = check(scenario(pod("p", 1), node("n", 1)), engine="tabulated", keep_graph=True)
    assert found.result.verdict is Verdict.GAVE_UP
    assert found.graph is not None
    assert (found.graph.graph.states, found.graph.graph.initial.tolist()) == (0, [])
