"""Predicates and the weighted sum of priorities together, one test for each sentence of source 000"""

from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.spec.classic import filtering, ranking
from schedcheck.spec.classic.failures import NOT_READY, TAINTS_NOT_TOLERATED, insufficient
from schedcheck.spec.classic.policy import (
    DEFAULT,
    DEFAULT_PREDICATES,
    DEFAULT_PRIORITIES,
    Classic,
    LabelPresence,
    Weighted,
)
from schedcheck.spec.objects import Snapshot, Taint
from schedcheck.spec.storage import ClaimSource, PersistentVolumeClaim, Storage, Volume
from schedcheck.spec.terms import Affinity, PreferredNodeTerm, Requirement
from tests.support.building import node, node_term, pod, snapshot


def test_the_final_score_is_the_weighted_sum_of_the_scores() -> None:
    """FinalScoreNodeA = (weight1 * priorityFunc1) + (weight2 * priorityFunc2)."""
    assert ranking.weighted_sum((7, 3), (2, 5)) == (2 * 7) + (5 * 3) == 29


def test_the_final_score_of_node_a_matches_the_source() -> None:
    """Half of the cpu and all of the memory would be free: 7; the best preferred term matches: 10."""
    a = node("a", cpu=2, allocatable={"memory": 1}, labels={"disk": "ssd"})
    b = node("b", cpu=4, allocatable={"memory": 1})
    liking = Affinity(node_preferred=(PreferredNodeTerm(1, node_term(Requirement("disk", "Exists"))),))
    nothing_of_memory = replace(pod(cpu=1).containers[0], requests=frozendict(cpu=10**9, memory=0))
    wanted = pod(containers=(nothing_of_memory,), affinity=liking)
    classic = Classic(priorities=(Weighted("LeastRequestedPriority", 3), Weighted("NodeAffinityPriority", 2)))
    scores = ranking.by_priority(wanted, (a, b), snapshot(a, b), classic)
    assert scores == {"LeastRequestedPriority": {"a": 7, "b": 8}, "NodeAffinityPriority": {"a": 10, "b": 0}}
    assert ranking.totals(wanted, (a, b), snapshot(a, b), classic) == {"a": 3 * 7 + 2 * 10, "b": 3 * 8}
    assert ranking.best(wanted, snapshot(a, b), classic) == (a,)


def test_any_feasible_node_with_the_best_score_may_be_chosen() -> None:
    roomy, alike = node("a", cpu=4), node("b", cpu=4)
    small, unready = node("c", cpu=1), node("d", cpu=100, ready="False")
    there = snapshot(roomy, alike, small, unready)
    classic = Classic(priorities=(Weighted("LeastRequestedPriority"),))
    assert ranking.best(pod(cpu=1), there, classic) == (roomy, alike)
    assert ranking.viability(pod(cpu=1), unready, there, classic) == 0
    assert ranking.best(pod(cpu=200), there, classic) == ()


def test_without_priorities_all_feasible_nodes_score_the_same() -> None:
    there = snapshot(node("a", cpu=4), node("b", cpu=2))
    assert ranking.best(pod(cpu=1), there, Classic(priorities=())) == there.nodes
    assert set(ranking.totals(pod(), there.nodes, there, Classic(priorities=())).values()) == {1}


def test_every_enabled_predicate_runs_and_every_failure_is_reported() -> None:
    where = node("n", cpu=1, taints=(Taint("t", "NoSchedule"),), ready="False")
    found = filtering.by_predicate(pod(cpu=2), where, snapshot(where), DEFAULT)
    assert tuple(found) == DEFAULT_PREDICATES
    assert {name: failures for name, failures in found.items() if failures} == {
        "CheckNodeCondition": (NOT_READY,),
        "GeneralPredicates": (insufficient("cpu"),),
        "PodToleratesNodeTaints": (TAINTS_NOT_TOLERATED,),
    }


def test_a_disabled_predicate_does_not_run() -> None:
    where = node("n", cpu=1, taints=(Taint("t", "NoSchedule"),))
    few = Classic(predicates=("PodFitsResources",))
    assert filtering.feasibility(pod(cpu=1), where, snapshot(where), few)
    assert not filtering.feasibility(pod(cpu=2), where, snapshot(where), few)
    assert filtering.feasibility(pod(cpu=2), where, snapshot(where), Classic(predicates=()))


def test_label_presence_predicates_are_configured_by_arguments() -> None:
    labelled, bare = node("a", labels={"zone": "x"}), node("b")
    classic = Classic(
        label_presence=(LabelPresence("Zoned", ("zone",), True), LabelPresence("Old", ("retiring",), False))
    )
    there = snapshot(labelled, bare)
    assert filtering.feasible(pod(), there, classic) == (labelled,)
    assert tuple(filtering.by_predicate(pod(), bare, there, classic))[-2:] == ("Zoned", "Old")


def waiting_for(claim: str) -> Snapshot:
    nodes = node("zoned", labels={"failure-domain.beta.kubernetes.io/zone": "a"}), node("bare")
    return replace(snapshot(*nodes), storage=Storage(claims=(PersistentVolumeClaim(claim),)))


def test_an_error_of_a_predicate_on_one_node_makes_every_node_infeasible() -> None:
    there = waiting_for("unbound")
    wanted = pod(volumes=(Volume("v", ClaimSource("unbound")),))
    classic = Classic(predicates=("NoVolumeZoneConflict",))
    assert filtering.failures(wanted, there.nodes[0], there, classic) == ()
    assert [each.name for each in filtering.errors(wanted, there, classic)] == [
        'PersistentVolumeClaim is not bound: "unbound"'
    ]
    assert filtering.feasible(wanted, there, classic) == ()
    assert not any(filtering.feasibility(wanted, each, there, classic) for each in there.nodes)


def test_the_default_predicates_and_priorities_are_those_of_the_version() -> None:
    assert set(DEFAULT_PREDICATES) <= filtering.NAMES
    parts_of_general = {"PodFitsResources", "HostName", "PodFitsHostPorts", "PodFitsPorts", "MatchNodeSelector"}
    of_later_versions = {
        "CheckVolumeBinding", "NoVolumeNodeConflict", "CheckNodeUnschedulable", "EvenPodsSpread", "MaxCSIVolumeCountPred",
        "MaxAzureDiskVolumeCount", "MaxCinderVolumeCount", "PodToleratesNodeNoExecuteTaints",
    }  # fmt: skip
    assert filtering.NAMES - set(DEFAULT_PREDICATES) == parts_of_general | of_later_versions
    assert {each.name for each in DEFAULT_PRIORITIES} <= ranking.NAMES
    assert {each.weight for each in DEFAULT_PRIORITIES} == {1}
    assert ranking.NAMES - {each.name for each in DEFAULT_PRIORITIES} == {
        "ImageLocalityPriority",
        "ServiceSpreadingPriority",
        "EqualPriority",
        "EvenPodsSpreadPriority",
        "InterPodAffinityPriority",
        "MostRequestedPriority",
        "NodePreferAvoidPodsPriority",
        "TaintTolerationPriority",
    }
    assert (DEFAULT.label_presence, DEFAULT.by_allocatable, DEFAULT.most_volumes) == ((), False, "")


@pytest.mark.parametrize(("text", "fits"), [("", True), ("1", False), ("2", True), ("nothing", True), ("0", True)])
def test_the_environment_variable_sets_the_volume_limit_of_a_node(text: str, fits: bool) -> None:
    from schedcheck.spec.storage import AWSElasticBlockStore

    where = node("n")
    wanted = pod(volumes=tuple(Volume(name, AWSElasticBlockStore(name)) for name in "ab"))
    classic = Classic(predicates=("MaxEBSVolumeCount",), most_volumes=text)
    assert filtering.feasibility(wanted, where, snapshot(where), classic) is fits
