"""The effect of plugin arguments on a cycle: one test for each rule of kube-scheduler"""

from dataclasses import replace
from typing import Any

import pytest
from frozendict import frozendict

from schedcheck.spec.kubernetes.filter import feasible
from schedcheck.spec.kubernetes.plugins import DEFAULT_ARGUMENTS, DEFAULT_PLUGINS, AddedAffinity, ScoringStrategy
from schedcheck.spec.kubernetes.scores.volume_binding import rated
from schedcheck.spec.objects import Pod, Service, Snapshot, SpreadConstraint
from schedcheck.spec.refusal import unresolvable, unschedulable
from schedcheck.spec.terms import Affinity, NodeSelectorTerm, PreferredNodeTerm, Requirement
from tests.support.building import HOSTNAME, container, near, node, node_term, pod, preferring, selector, snapshot, term
from tests.support.cycles import BLUE, NODES, ZONE, arguing, asked, refusal, scores

ENFORCED = "node(s) didn't match scheduler-enforced node affinity"


# NodeAffinity


def test_a_node_must_match_one_of_the_added_terms() -> None:
    other = node_term(Requirement("pool", "In", ("red",)))
    plugins = arguing(added_affinity=AddedAffinity((other, BLUE)))
    assert refusal(pod(), snapshot(*NODES), plugins, "a") is None
    assert refusal(pod(), snapshot(*NODES), plugins, "b") == unresolvable("NodeAffinity", ENFORCED)


def test_added_affinity_is_checked_before_the_affinity_of_the_pod() -> None:
    picky = pod(affinity=Affinity(node_required=(node_term(Requirement("none", "Exists")),)))
    plugins = arguing(added_affinity=AddedAffinity((BLUE,)))
    assert refusal(picky, snapshot(*NODES), plugins, "b") == unresolvable("NodeAffinity", ENFORCED)
    own = "node(s) didn't match Pod's node affinity/selector"
    assert refusal(picky, snapshot(*NODES), plugins, "a") == unresolvable("NodeAffinity", own)


@pytest.mark.parametrize("terms", [(), (NodeSelectorTerm(),)])
def test_added_affinity_without_terms_or_with_an_empty_one_matches_no_node(terms: tuple[NodeSelectorTerm, ...]) -> None:
    assert feasible(asked(pod(), snapshot(*NODES), arguing(added_affinity=AddedAffinity(terms)))) == ()


def test_with_required_added_affinity_the_filter_is_not_skipped() -> None:
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


def test_an_ignored_resource_is_not_checked_by_fit() -> None:
    there = snapshot(*NODES)
    assert refusal(licensed(), there, DEFAULT_PLUGINS, "a") == unresolvable(
        "NodeResourcesFit", f"Insufficient {LICENCE}"
    )
    assert refusal(licensed(), there, arguing(ignored_resources=frozenset({LICENCE})), "a") is None
    assert refusal(licensed(), there, arguing(ignored_groups=frozenset({"example.com"})), "a") is None
    for other in ("example", "licence", "example.com/licence"):
        assert refusal(licensed(), there, arguing(ignored_groups=frozenset({other})), "a") is not None


@pytest.mark.parametrize("resource", ["cpu", "hugepages-2Mi", "x.kubernetes.io/y"])
def test_only_extended_resources_can_be_ignored(resource: str) -> None:
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
def test_the_scoring_strategy_determines_the_fit_score(strategy: ScoringStrategy, expected: int) -> None:
    there = snapshot(node("a", 10, allocatable={"gpu.com/x": 2}), *NODES[1:])
    one = wanting(**{"cpu": 3, "gpu.com/x": 1})
    assert scores(one, there, arguing(scoring_strategy=strategy)).raw["NodeResourcesFit"]["a"] == expected


def test_balanced_allocation_uses_the_resources_of_its_argument() -> None:
    there = snapshot(node("a", 10, allocatable={"gpu.com/x": 2}), *NODES[1:])
    one = wanting(**{"cpu": 5, "gpu.com/x": 2})
    plugins = arguing(balanced=("cpu", "gpu.com/x"))
    assert scores(one, there, plugins).raw["NodeResourcesBalancedAllocation"]["a"] == 62
    assert scores(one, there, DEFAULT_PLUGINS).raw["NodeResourcesBalancedAllocation"]["a"] == 75
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


def test_default_constraints_filter_a_pod_without_constraints() -> None:
    plugins = arguing(default_constraints=(SpreadConstraint(1, ZONE),))
    one = pod(labels={"app": "a"})
    there = served(*ZONES, pod("q", on="a", labels={"app": "a"}))
    assert refusal(one, there, plugins, "a") == unschedulable("PodTopologySpread", UNEQUAL)
    assert refusal(one, there, plugins, "b") is None
    assert refusal(one, there, plugins, "c") == unresolvable("PodTopologySpread", f"{UNEQUAL} (missing required label)")
    assert feasible(asked(one, there, DEFAULT_PLUGINS)) == ("a", "b", "c")


def test_default_constraints_do_not_apply_to_a_pod_with_its_own() -> None:
    plugins = arguing(default_constraints=(SpreadConstraint(1, ZONE),))
    own = pod(labels={"app": "a"}, spread=(SpreadConstraint(9, HOSTNAME, required=False, selector=selector(app="a")),))
    there = served(*ZONES, pod("q", on="a", labels={"app": "a"}))
    assert feasible(asked(own, there, plugins)) == ("a", "b", "c")


def test_default_constraints_apply_only_to_pods_of_a_service_or_owner() -> None:
    plugins = arguing(default_constraints=(SpreadConstraint(1, ZONE), SpreadConstraint(1, HOSTNAME, required=False)))
    stranger = pod(labels={"app": "b"})
    made = asked(stranger, served(*ZONES), plugins)
    assert "PodTopologySpread" in made.skipped
    assert feasible(made) == ("a", "b", "c")
    assert "PodTopologySpread" in scores(stranger, served(*ZONES), plugins).skipped


def test_listed_default_constraints_leave_out_nodes_without_a_key() -> None:
    one = pod(labels={"app": "a"})
    there = served(*ZONES, pod("q", on="a", labels={"app": "a"}))
    listed = arguing(default_constraints=(SpreadConstraint(1, ZONE, required=False),))
    said = scores(one, there, listed).normalised["PodTopologySpread"]
    assert said == {"a": 0, "b": 100, "c": 0}
    assert scores(one, there, DEFAULT_PLUGINS).normalised["PodTopologySpread"]["c"] > 0, (
        "the system's own leave none out"
    )


def test_an_empty_list_of_default_constraints_disables_the_system_defaults() -> None:
    one = pod(labels={"app": "a"})
    assert "PodTopologySpread" in scores(one, served(*ZONES), arguing(default_constraints=())).skipped
    assert "PodTopologySpread" not in scores(one, served(*ZONES), DEFAULT_PLUGINS).skipped


# InterPodAffinity


@pytest.mark.parametrize("weight", [0, 1, 100])
def test_required_affinity_of_existing_pods_scores_with_the_hard_weight(weight: int) -> None:
    one = pod(labels={"app": "a"})
    there = snapshot(*NODES, pod("q", on="a", affinity=near(term(HOSTNAME, selector(app="a")))))
    said = scores(one, there, arguing(hard_pod_affinity_weight=weight))
    if weight == 0:
        assert "InterPodAffinity" in said.skipped
    else:
        assert said.raw["InterPodAffinity"] == {"a": weight, "b": 0}


def test_preferred_terms_of_existing_pods_may_be_ignored_for_pods_without_their_own() -> None:
    deaf = arguing(ignore_preferred_terms_of_existing_pods=True)
    there = snapshot(
        *NODES, pod("q", on="a", labels={"app": "q"}, affinity=preferring(5, term(HOSTNAME, selector(app="a"))))
    )
    silent = pod(labels={"app": "a"})
    speaking = pod(labels={"app": "a"}, affinity=preferring(2, term(HOSTNAME, selector(app="q"))))
    assert scores(silent, there, DEFAULT_PLUGINS).raw["InterPodAffinity"] == {"a": 5, "b": 0}
    assert "InterPodAffinity" in scores(silent, there, deaf).skipped
    assert scores(speaking, there, deaf).raw["InterPodAffinity"] == {"a": 7, "b": 0}


@pytest.mark.parametrize(("asked", "score"), [(0, 100), (1, 99), (50, 50), (99, 1), (100, 0)])
def test_by_default_storage_that_is_used_least_is_best(asked: int, score: int) -> None:
    """Kubernetes 1.37: SetDefaults_VolumeBindingArgs in defaults.go gives 10 points at utilization 0, none at 100."""
    assert rated([(asked, 100)], DEFAULT_ARGUMENTS.storage_shape) == score
