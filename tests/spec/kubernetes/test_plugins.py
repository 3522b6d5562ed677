"""The effect of enabled plugins and weights on a cycle: one test for each rule of kube-scheduler"""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.spec.kubernetes.filter import feasible, refusals, verdicts
from schedcheck.spec.kubernetes.filters import scheduling_gates
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, POINTS
from schedcheck.spec.kubernetes.select_host import Choice, choice
from schedcheck.spec.kubernetes.versions import VERSIONS
from schedcheck.spec.objects import Taint
from schedcheck.spec.refusal import Code, Refusal, unresolvable
from schedcheck.spec.terms import Affinity, Requirement
from tests.support.building import HOSTNAME, node, node_term, pod, preferring, snapshot
from tests.support.cycles import BLUE, NODES, asked, at, refusal, scores, without


def test_the_extension_points_are_those_of_the_default_plugins() -> None:
    assert set(DEFAULT_PLUGINS.points) < set(POINTS)
    assert set(DEFAULT_PLUGINS.weights) == set(DEFAULT_PLUGINS.at("score"))


def test_gates_hold_a_pod_only_if_scheduling_gates_is_enabled() -> None:
    gated = pod(scheduling_gates=("wait",))
    assert scheduling_gates.refusal(gated) is not None
    assert scheduling_gates.refusal(gated, without("SchedulingGates", "preEnqueue")) is None


def test_the_first_rejecting_filter_in_the_order_of_the_profile_is_reported() -> None:
    there = snapshot(node("a", unschedulable=True, taints=(Taint("t", "NoSchedule"),)))
    tainted = unresolvable("TaintToleration", "node(s) had untolerated taint(s)")
    assert refusal(pod(), there, DEFAULT_PLUGINS, "a") == unresolvable(
        "NodeUnschedulable", "node(s) were unschedulable"
    )
    assert refusal(pod(), there, at(filter=("TaintToleration", "NodeUnschedulable")), "a") == tainted
    assert refusal(pod(), there, without("NodeUnschedulable", "filter"), "a") == tainted
    assert refusal(pod(), there, at(filter=()), "a") is None


def test_a_plugin_disabled_at_score_adds_nothing() -> None:
    there = snapshot(*NODES)
    said = scores(pod(), there, without("TaintToleration", "score", "preScore"))
    assert "TaintToleration" not in said.weighted
    assert "TaintToleration" not in said.skipped
    assert said.total["a"] == scores(pod(), there, DEFAULT_PLUGINS).total["a"] - 300


@given(st.integers(1, 2**31 - 1))
def test_a_weight_multiplies_the_normalised_score(weight: int) -> None:
    plugins = replace(DEFAULT_PLUGINS, weights=DEFAULT_PLUGINS.weights.set("TaintToleration", weight))
    said = scores(pod(), snapshot(*NODES), plugins)
    assert said.weighted["TaintToleration"] == {"a": 100 * weight, "b": 100 * weight}


def test_without_score_plugins_every_node_scores_1() -> None:
    said = scores(pod(), snapshot(*NODES), at(score=()))
    assert (said.total, said.best) == ({"a": 1, "b": 1}, ("a", "b"))


def test_an_unparsable_preference_is_an_error_only_if_node_affinity_scores() -> None:
    wrong = pod(affinity=preferring(1, node_term(Requirement("g", "Gt", ("x",)))))
    there = snapshot(*NODES)
    assert "running PreScore plugin" in (scores(wrong, there, DEFAULT_PLUGINS).error or "")
    late = scores(wrong, there, without("NodeAffinity", "preScore")).error
    assert late is not None
    assert late.startswith('running Score plugins: plugin "NodeAffinity" failed with: [0].matchExpressions[0]')
    assert scores(wrong, there, without("NodeAffinity", "preScore", "score")).error is None
    assert scores(wrong, there, at(score=())).error is None, "without score plugins the preference is not parsed"


UNPREPARED_FILTERS = {
    "NodePorts": 'reading "PreFilterNodePorts" from cycleState: not found',
    "NodeResourcesFit": 'error reading "PreFilterNodeResourcesFit" from cycleState: not found',
    "PodTopologySpread": 'reading "PreFilterPodTopologySpread" from cycleState: not found',
    "InterPodAffinity": 'error reading "PreFilterInterPodAffinity" from cycleState: not found',
    "VolumeRestrictions": 'cannot read "PreFilterVolumeRestrictions" from cycleState',
    "VolumeBinding": "not found",
    "DynamicResources": "not found",
    "NodeDeclaredFeatures": 'error reading "PreFilterNodeDeclaredFeatures" from cycle-state: not found',
}


@pytest.mark.parametrize("name", DEFAULT_PLUGINS.at("filter"))
def test_a_filter_without_its_pre_filter_ends_the_cycle_if_it_needs_its_state(name: str) -> None:
    made = asked(pod(), snapshot(*NODES), without(name, "preFilter"))
    if name in UNPREPARED_FILTERS:
        error = UNPREPARED_FILTERS[name]
        assert choice(made) == Choice("error", error=f'running "{name}" filter plugin: {error}')
        assert verdicts(made)["a"].refusal == Refusal(name, Code.ERROR, (error,))
    else:
        assert choice(made).kind == "scheduled"


@pytest.mark.parametrize(("left_out", "skipped"), [((), True), (("preFilter",), False), (("filter",), True)])
def test_a_plugin_whose_feature_gate_is_off_admits_every_node(left_out: tuple[str, ...], skipped: bool) -> None:
    name = "NodeDeclaredFeatures"
    enabled = without(name, *left_out)
    off = replace(enabled, departures=VERSIONS["1.35"].departures)
    made = asked(pod(required_features=frozenset({"feature"})), snapshot(*NODES), off)
    assert name not in {refused.plugin for info in made.infos for refused in refusals(made, info)}
    assert (name in made.skipped) == skipped
    assert choice(made).kind == "scheduled"
    on = asked(made.pod, made.snapshot, enabled)
    assert (choice(on).kind == "scheduled") == (left_out == ("filter",)), "the gate is on, and no node has the feature"


def test_a_node_rejected_by_an_earlier_filter_does_not_end_the_cycle() -> None:
    there = snapshot(node("a", unschedulable=True))
    unprepared = without("NodePorts", "preFilter")
    assert choice(asked(pod(), there, unprepared)) == Choice("unschedulable")
    assert choice(asked(pod(), snapshot(node("a", unschedulable=True), NODES[1]), unprepared)).kind == "error"


def test_an_error_on_the_nominated_node_alone_does_not_end_the_cycle() -> None:
    by_name = Affinity(node_required=(node_term(fields=(Requirement("metadata.name", "In", ("b",)),)),))
    plugins = at(filter=("NodeUnschedulable", "NodePorts", "NodeAffinity"), preFilter=("NodeAffinity",))
    there = snapshot(NODES[0], node("b", unschedulable=True))
    elsewhere = pod(affinity=by_name, nominated_node_name="a")
    made = asked(elsewhere, there, plugins)
    assert verdicts(made)["a"].refusal is not None
    assert verdicts(made)["a"].source == "nominatedFirst"
    assert choice(made) == Choice("unschedulable")
    anywhere = asked(pod(nominated_node_name="a"), there, plugins)
    assert choice(anywhere).kind == "error", "evaluating all nodes meets the error again"


def test_node_affinity_without_its_pre_filter_computes_the_terms_itself() -> None:
    plugins = without("NodeAffinity", "preFilter")
    picky = pod(affinity=Affinity(node_required=(BLUE,)))
    assert feasible(asked(picky, snapshot(*NODES), plugins)) == ("a",)
    by_name = node_term(fields=(Requirement("metadata.name", "In", ("a",)),))
    named = pod(affinity=Affinity(node_required=(by_name,)))
    assert verdicts(asked(named, snapshot(*NODES), plugins))["b"].source == "filter", (
        "no preFilter result narrows the nodes"
    )
    assert verdicts(asked(named, snapshot(*NODES), DEFAULT_PLUGINS))["b"].source == "preFilterResult"


UNPREPARED_SCORES = {
    "TaintToleration": 'failed to read "PreScoreTaintToleration" from cycleState: not found',
    "PodTopologySpread": 'error reading "PreScorePodTopologySpread" from cycleState: not found',
    "InterPodAffinity": 'failed to read "PreScoreInterPodAffinity" from cycleState: not found',
}


@pytest.mark.parametrize("name", DEFAULT_PLUGINS.at("score"))
def test_a_score_without_its_pre_score_ends_the_cycle_if_it_needs_its_state(name: str) -> None:
    there = snapshot(*NODES)
    said = scores(pod(cpu=1), there, without(name, "preScore"))
    if name in UNPREPARED_SCORES:
        assert said.error == f'running Score plugins: plugin "{name}" failed with: {UNPREPARED_SCORES[name]}'
    else:
        assert said.error is None
        assert name not in said.skipped
        assert said.total == scores(pod(cpu=1), there, DEFAULT_PLUGINS).total


def test_balanced_allocation_without_pre_score_gives_0_to_a_pod_without_requests() -> None:
    said = scores(pod(), snapshot(*NODES), without("NodeResourcesBalancedAllocation", "preScore"))
    assert said.raw["NodeResourcesBalancedAllocation"] == {"a": 0, "b": 0}


@given(st.sets(st.sampled_from(DEFAULT_PLUGINS.at("filter"))))
def test_fewer_filters_admit_at_least_as_many_nodes(left_out: set[str]) -> None:
    there = snapshot(
        node("a", 10, unschedulable=True),
        node("b", 0, taints=(Taint("t", "NoSchedule"),)),
        node("c", 10, labels={HOSTNAME: "c"}),
    )
    one = pod(cpu=1, affinity=Affinity(node_required=(node_term(Requirement(HOSTNAME, "Exists")),)))
    fewer = at(filter=tuple(name for name in DEFAULT_PLUGINS.at("filter") if name not in left_out))
    assert set(feasible(asked(one, there, DEFAULT_PLUGINS))) <= set(feasible(asked(one, there, fewer)))
