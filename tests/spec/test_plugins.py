"""What the points, weights and arguments of the plugins change in a cycle: a sentence for each rule of kube-scheduler."""

from dataclasses import replace
from typing import Any

import pytest
from frozendict import frozendict
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.spec.feasibility.cycle import Cycle, cycle, feasible, verdicts
from schedcheck.spec.feasibility.refusal import Code, Refusal, unresolvable, unschedulable
from schedcheck.spec.objects import Pod, Service, Snapshot, SpreadConstraint, Taint
from schedcheck.spec.plugins import DEFAULT_PLUGINS, POINTS, AddedAffinity, Plugins, ScoringStrategy
from schedcheck.spec.terms import Affinity, NodeSelectorTerm, PreferredNodeTerm, Requirement
from schedcheck.spec.viability.choice import Choice, choice
from schedcheck.spec.viability.scores import Scored, scored
from tests.building import HOSTNAME, container, near, node, node_term, pod, preferring, selector, snapshot, term

ZONE = "topology.kubernetes.io/zone"
NODES = (
    node("a", 10, labels={HOSTNAME: "a", ZONE: "x", "pool": "blue"}),
    node("b", 10, labels={HOSTNAME: "b", ZONE: "y"}),
)
BLUE = node_term(Requirement("pool", "In", ("blue",)))
ENFORCED = "node(s) didn't match scheduler-enforced node affinity"


def arguing(**arguments: Any) -> Plugins:
    """The default plugins with these arguments."""
    return replace(DEFAULT_PLUGINS, arguments=replace(DEFAULT_PLUGINS.arguments, **arguments))


def at(plugins: Plugins = DEFAULT_PLUGINS, **points: tuple[str, ...]) -> Plugins:
    """The plugins with other ones at these points."""
    return replace(plugins, points=frozendict({**plugins.points, **points}))


def without(name: str, *points: str) -> Plugins:
    """The default plugins without this one at these points."""
    return at(**{point: tuple(each for each in DEFAULT_PLUGINS.at(point) if each != name) for point in points})


def asked(one: Pod, there: Snapshot, plugins: Plugins) -> Cycle:
    return cycle(one, there, plugins)


def refusal(one: Pod, there: Snapshot, plugins: Plugins, on: str) -> Refusal | None:
    return verdicts(cycle(one, there, plugins))[on].refusal


def scores(one: Pod, there: Snapshot, plugins: Plugins) -> Scored:
    return scored(one, there.nodes, there, plugins)


def test_the_points_are_those_of_the_default_plugins() -> None:
    assert set(DEFAULT_PLUGINS.points) < set(POINTS)
    assert set(DEFAULT_PLUGINS.weights) == set(DEFAULT_PLUGINS.at("score"))


# NodeAffinity


def test_a_node_must_match_one_of_the_added_terms() -> None:
    other = node_term(Requirement("pool", "In", ("red",)))
    plugins = arguing(added_affinity=AddedAffinity((other, BLUE)))
    assert refusal(pod(), snapshot(*NODES), plugins, "a") is None
    assert refusal(pod(), snapshot(*NODES), plugins, "b") == unresolvable("NodeAffinity", ENFORCED)


def test_what_is_added_is_looked_at_before_what_the_pod_says() -> None:
    picky = pod(affinity=Affinity(node_required=(node_term(Requirement("none", "Exists")),)))
    plugins = arguing(added_affinity=AddedAffinity((BLUE,)))
    assert refusal(picky, snapshot(*NODES), plugins, "b") == unresolvable("NodeAffinity", ENFORCED)
    own = "node(s) didn't match Pod's node affinity/selector"
    assert refusal(picky, snapshot(*NODES), plugins, "a") == unresolvable("NodeAffinity", own)


@pytest.mark.parametrize("terms", [(), (NodeSelectorTerm(),)])
def test_no_node_matches_a_list_without_terms_or_of_an_empty_one(terms: tuple[NodeSelectorTerm, ...]) -> None:
    assert feasible(asked(pod(), snapshot(*NODES), arguing(added_affinity=AddedAffinity(terms)))) == ()


def test_with_an_added_list_the_filter_is_not_skipped() -> None:
    there = snapshot(*NODES)
    assert "NodeAffinity" in asked(pod(), there, DEFAULT_PLUGINS).skipped
    assert "NodeAffinity" not in asked(pod(), there, arguing(added_affinity=AddedAffinity((BLUE,)))).skipped
    assert "NodeAffinity" in asked(pod(), there, arguing(added_affinity=AddedAffinity(None))).skipped


def test_added_preferences_add_to_those_of_the_pod() -> None:
    plugins = arguing(added_affinity=AddedAffinity(preferred=(PreferredNodeTerm(3, BLUE),)))
    there = snapshot(*NODES)
    assert scores(pod(), there, plugins).raw["NodeAffinity"] == {"a": 3, "b": 0}
    both = pod(affinity=preferring(5, BLUE))
    assert scores(both, there, plugins).raw["NodeAffinity"] == {"a": 8, "b": 0}
    assert "NodeAffinity" in scores(pod(), there, DEFAULT_PLUGINS).skipped
    required = arguing(added_affinity=AddedAffinity((BLUE,)))
    assert "NodeAffinity" in scores(pod(), there, required).skipped, "a required term is no preference"


# NodeResourcesFit

LICENCE = "example.com/licence"


def wanting(**amounts: int) -> Pod:
    return pod(containers=(container(**amounts),))


def licensed(amount: int = 1) -> Pod:
    return wanting(**{LICENCE: amount})


def test_an_ignored_resource_is_not_filtered_by() -> None:
    there = snapshot(*NODES)
    assert refusal(licensed(), there, DEFAULT_PLUGINS, "a") == unresolvable(
        "NodeResourcesFit", f"Insufficient {LICENCE}"
    )
    assert refusal(licensed(), there, arguing(ignored_resources=frozenset({LICENCE})), "a") is None
    assert refusal(licensed(), there, arguing(ignored_groups=frozenset({"example.com"})), "a") is None
    for other in ("example", "licence", "example.com/licence"):
        assert refusal(licensed(), there, arguing(ignored_groups=frozenset({other})), "a") is not None


@pytest.mark.parametrize("resource", ["cpu", "hugepages-2Mi", "x.kubernetes.io/y"])
def test_only_extended_resources_are_ignored(resource: str) -> None:
    plugins = arguing(ignored_resources=frozenset({resource}), ignored_groups=frozenset({"x.kubernetes.io"}))
    assert refusal(wanting(**{resource: 100}), snapshot(*NODES), plugins, "a") == unresolvable(
        "NodeResourcesFit", f"Insufficient {resource}"
    )


def test_an_ignored_resource_hides_no_other_shortage() -> None:
    plugins = arguing(ignored_resources=frozenset({LICENCE}))
    both = wanting(**{LICENCE: 1, "cpu": 11})
    assert refusal(both, snapshot(*NODES), plugins, "a") == unresolvable("NodeResourcesFit", "Insufficient cpu")
    full = snapshot(node("a", 10, pods=0))
    assert refusal(licensed(), full, plugins, "a") == unschedulable("NodeResourcesFit", "Too many pods")


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        (ScoringStrategy("LeastAllocated", (("cpu", 1),)), 70),
        (ScoringStrategy("MostAllocated", (("cpu", 1),)), 30),
        (ScoringStrategy("RequestedToCapacityRatio", (("cpu", 1),), ((0, 10), (60, 4))), 70),
        (ScoringStrategy("RequestedToCapacityRatio", (("cpu", 1),), ((0, 0), (100, 10))), 30),
        (ScoringStrategy("MostAllocated", (("cpu", 1), ("gpu.com/x", 3))), 45),
        (ScoringStrategy("LeastAllocated", (("cpu", 1), ("gpu.com/x", 3))), 55),
        (ScoringStrategy("LeastAllocated", (("gpu.com/none", 3),)), 0),
    ],
)
def test_the_strategy_rates_the_node(strategy: ScoringStrategy, expected: int) -> None:
    there = snapshot(node("a", 10, allocatable={"gpu.com/x": 2}), *NODES[1:])
    one = wanting(**{"cpu": 3, "gpu.com/x": 1})
    assert scores(one, there, arguing(scoring_strategy=strategy)).raw["NodeResourcesFit"]["a"] == expected


def test_the_balanced_resources_are_those_of_the_argument() -> None:
    there = snapshot(node("a", 10, allocatable={"gpu.com/x": 2}), *NODES[1:])
    one = wanting(**{"cpu": 5, "gpu.com/x": 2})
    plugins = arguing(balanced=("cpu", "gpu.com/x"))
    assert scores(one, there, plugins).raw["NodeResourcesBalancedAllocation"]["a"] == 75
    assert scores(one, there, DEFAULT_PLUGINS).raw["NodeResourcesBalancedAllocation"]["a"] == 100
    assert "NodeResourcesBalancedAllocation" in scores(wanting(cpu=5), there, arguing(balanced=("gpu.com/x",))).skipped


# PodTopologySpread

ZONES = (
    node("a", labels={HOSTNAME: "a", ZONE: "x"}),
    node("b", labels={HOSTNAME: "b", ZONE: "y"}),
    node("c", labels={HOSTNAME: "c"}),
)
UNEQUAL = "node(s) didn't match pod topology spread constraints"


def served(*things: Any) -> Snapshot:
    return replace(snapshot(*things), services=(Service("s", selector=frozendict(app="a")),))


def test_listed_constraints_filter_a_pod_that_has_none() -> None:
    plugins = arguing(default_constraints=(SpreadConstraint(1, ZONE),))
    one = pod(labels={"app": "a"})
    there = served(*ZONES, pod("q", on="a", labels={"app": "a"}))
    assert refusal(one, there, plugins, "a") == unschedulable("PodTopologySpread", UNEQUAL)
    assert refusal(one, there, plugins, "b") is None
    assert refusal(one, there, plugins, "c") == unresolvable("PodTopologySpread", f"{UNEQUAL} (missing required label)")
    assert feasible(asked(one, there, DEFAULT_PLUGINS)) == ("a", "b", "c")


def test_listed_constraints_leave_a_pod_with_its_own_alone() -> None:
    plugins = arguing(default_constraints=(SpreadConstraint(1, ZONE),))
    own = pod(labels={"app": "a"}, spread=(SpreadConstraint(9, HOSTNAME, required=False, selector=selector(app="a")),))
    there = served(*ZONES, pod("q", on="a", labels={"app": "a"}))
    assert feasible(asked(own, there, plugins)) == ("a", "b", "c")


def test_listed_constraints_concern_only_who_belongs_to_something() -> None:
    plugins = arguing(default_constraints=(SpreadConstraint(1, ZONE), SpreadConstraint(1, HOSTNAME, required=False)))
    stranger = pod(labels={"app": "b"})
    made = asked(stranger, served(*ZONES), plugins)
    assert "PodTopologySpread" in made.skipped
    assert feasible(made) == ("a", "b", "c")
    assert "PodTopologySpread" in scores(stranger, served(*ZONES), plugins).skipped


def test_listed_constraints_score_and_leave_out_nodes_without_a_key() -> None:
    one = pod(labels={"app": "a"})
    there = served(*ZONES, pod("q", on="a", labels={"app": "a"}))
    listed = arguing(default_constraints=(SpreadConstraint(1, ZONE, required=False),))
    said = scores(one, there, listed).normalised["PodTopologySpread"]
    assert said == {"a": 0, "b": 100, "c": 0}
    assert scores(one, there, DEFAULT_PLUGINS).normalised["PodTopologySpread"]["c"] > 0, (
        "the system's own leave none out"
    )


def test_an_empty_list_of_constraints_is_not_the_system_s_own() -> None:
    one = pod(labels={"app": "a"})
    assert "PodTopologySpread" in scores(one, served(*ZONES), arguing(default_constraints=())).skipped
    assert "PodTopologySpread" not in scores(one, served(*ZONES), DEFAULT_PLUGINS).skipped


# InterPodAffinity


@pytest.mark.parametrize("weight", [0, 1, 100])
def test_a_required_term_of_a_pod_that_is_there_counts_the_hard_weight(weight: int) -> None:
    one = pod(labels={"app": "a"})
    there = snapshot(*NODES, pod("q", on="a", affinity=near(term(HOSTNAME, selector(app="a")))))
    said = scores(one, there, arguing(hard_pod_affinity_weight=weight))
    if weight == 0:
        assert "InterPodAffinity" in said.skipped
    else:
        assert said.raw["InterPodAffinity"] == {"a": weight, "b": 0}


def test_what_others_prefer_may_be_ignored_for_a_pod_that_prefers_nothing() -> None:
    deaf = arguing(ignore_preferred_terms_of_existing_pods=True)
    there = snapshot(
        *NODES, pod("q", on="a", labels={"app": "q"}, affinity=preferring(5, term(HOSTNAME, selector(app="a"))))
    )
    silent = pod(labels={"app": "a"})
    speaking = pod(labels={"app": "a"}, affinity=preferring(2, term(HOSTNAME, selector(app="q"))))
    assert scores(silent, there, DEFAULT_PLUGINS).raw["InterPodAffinity"] == {"a": 5, "b": 0}
    assert "InterPodAffinity" in scores(silent, there, deaf).skipped
    assert scores(speaking, there, deaf).raw["InterPodAffinity"] == {"a": 7, "b": 0}


# Points and weights


def test_the_first_filter_in_the_order_of_the_profile_refuses() -> None:
    there = snapshot(node("a", unschedulable=True, taints=(Taint("t", "NoSchedule"),)))
    tainted = unresolvable("TaintToleration", "node(s) had untolerated taint {t: }")
    assert refusal(pod(), there, DEFAULT_PLUGINS, "a") == unresolvable(
        "NodeUnschedulable", "node(s) were unschedulable"
    )
    assert refusal(pod(), there, at(filter=("TaintToleration", "NodeUnschedulable")), "a") == tainted
    assert refusal(pod(), there, without("NodeUnschedulable", "filter"), "a") == tainted
    assert refusal(pod(), there, at(filter=()), "a") is None


def test_a_plugin_left_out_at_score_adds_nothing() -> None:
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


def test_without_score_plugins_every_node_has_one() -> None:
    said = scores(pod(), snapshot(*NODES), at(score=()))
    assert (said.total, said.best) == ({"a": 1, "b": 1}, ("a", "b"))


def test_a_preference_that_cannot_be_read_matters_only_where_somebody_scores_by_it() -> None:
    wrong = pod(affinity=preferring(1, node_term(Requirement("g", "Gt", ("x",)))))
    there = snapshot(*NODES)
    assert "running PreScore plugin" in (scores(wrong, there, DEFAULT_PLUGINS).error or "")
    late = scores(wrong, there, without("NodeAffinity", "preScore")).error
    assert late is not None
    assert late.startswith('running Score plugins: plugin "NodeAffinity" failed with: [0].matchExpressions[0]')
    assert scores(wrong, there, without("NodeAffinity", "preScore", "score")).error is None
    assert scores(wrong, there, at(score=())).error is None, "nobody is asked before either"


UNPREPARED_FILTERS = {
    "NodePorts": 'reading "PreFilterNodePorts" from cycleState: not found',
    "NodeResourcesFit": 'error reading "PreFilterNodeResourcesFit" from cycleState: not found',
    "PodTopologySpread": 'reading "PreFilterPodTopologySpread" from cycleState: not found',
    "InterPodAffinity": 'error reading "PreFilterInterPodAffinity" from cycleState: not found',
    "VolumeRestrictions": 'cannot read "PreFilterVolumeRestrictions" from cycleState',
    "VolumeBinding": "not found",
    "DynamicResources": "not found",
}


@pytest.mark.parametrize("name", DEFAULT_PLUGINS.at("filter"))
def test_a_filter_whose_plugin_was_not_asked_before_ends_the_cycle_if_it_needs_to_have_been(name: str) -> None:
    made = asked(pod(), snapshot(*NODES), without(name, "preFilter"))
    if name in UNPREPARED_FILTERS:
        error = f'running "{name}" filter plugin: {UNPREPARED_FILTERS[name]}'
        assert choice(made) == Choice("error", error=error)
        assert verdicts(made)["a"].refusal == Refusal(name, Code.ERROR, (error,))
    else:
        assert choice(made).kind == "scheduled"


def test_a_node_that_is_refused_before_does_not_end_the_cycle() -> None:
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
    assert choice(anywhere).kind == "error", "the broken twin: tried again among the others"


def test_node_affinity_falls_back_where_it_was_not_asked_before() -> None:
    plugins = without("NodeAffinity", "preFilter")
    picky = pod(affinity=Affinity(node_required=(BLUE,)))
    assert feasible(asked(picky, snapshot(*NODES), plugins)) == ("a",)
    by_name = node_term(fields=(Requirement("metadata.name", "In", ("a",)),))
    named = pod(affinity=Affinity(node_required=(by_name,)))
    assert verdicts(asked(named, snapshot(*NODES), plugins))["b"].source == "filter", "nobody narrows the nodes"
    assert verdicts(asked(named, snapshot(*NODES), DEFAULT_PLUGINS))["b"].source == "preFilterResult"


UNPREPARED_SCORES = {
    "TaintToleration": 'failed to read "PreScoreTaintToleration" from cycleState: not found',
    "PodTopologySpread": 'error reading "PreScorePodTopologySpread" from cycleState: not found',
    "InterPodAffinity": 'failed to read "PreScoreInterPodAffinity" from cycleState: not found',
}


@pytest.mark.parametrize("name", DEFAULT_PLUGINS.at("score"))
def test_a_score_whose_plugin_was_not_asked_before_ends_the_cycle_if_it_needs_to_have_been(name: str) -> None:
    there = snapshot(*NODES)
    said = scores(pod(cpu=1), there, without(name, "preScore"))
    if name in UNPREPARED_SCORES:
        assert said.error == f'running Score plugins: plugin "{name}" failed with: {UNPREPARED_SCORES[name]}'
    else:
        assert said.error is None
        assert name not in said.skipped
        assert said.total == scores(pod(cpu=1), there, DEFAULT_PLUGINS).total


def test_who_balances_nothing_has_0_though_nobody_asked_before() -> None:
    said = scores(pod(), snapshot(*NODES), without("NodeResourcesBalancedAllocation", "preScore"))
    assert said.raw["NodeResourcesBalancedAllocation"] == {"a": 0, "b": 0}


@given(st.sets(st.sampled_from(DEFAULT_PLUGINS.at("filter"))))
def test_fewer_filters_admit_more(left_out: set[str]) -> None:
    there = snapshot(
        node("a", 10, unschedulable=True),
        node("b", 0, taints=(Taint("t", "NoSchedule"),)),
        node("c", 10, labels={HOSTNAME: "c"}),
    )
    one = pod(cpu=1, affinity=Affinity(node_required=(node_term(Requirement(HOSTNAME, "Exists")),)))
    fewer = at(filter=tuple(name for name in DEFAULT_PLUGINS.at("filter") if name not in left_out))
    assert set(feasible(asked(one, there, DEFAULT_PLUGINS))) <= set(feasible(asked(one, there, fewer)))
