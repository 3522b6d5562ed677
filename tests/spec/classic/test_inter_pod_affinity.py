"""MatchInterPodAffinity: one test for each clause of Kubernetes 1.17's rules"""

from frozendict import frozendict

from schedcheck.spec.classic.failures import (
    AFFINITY_RULES_NOT_MATCHED,
    ANTI_AFFINITY_RULES_NOT_MATCHED,
    EXISTING_ANTI_AFFINITY_NOT_MATCHED,
    POD_AFFINITY_NOT_MATCHED,
)
from schedcheck.spec.classic.predicates.match_inter_pod_affinity import failures, match_inter_pod_affinity
from schedcheck.spec.objects import Namespace, Node, Pod
from schedcheck.spec.terms import LabelSelector
from tests.support.building import apart, near, node, pod, selector, snapshot, term

A1, A2, B = (node(name, labels={"zone": name[0], "rack": name}) for name in ("a1", "a2", "b1"))
BARE = node("bare")
WEB, DB = {"app": "web"}, {"app": "db"}
NEAR_WEB = near(term("zone", selector(app="web")))
APART_FROM_WEB = apart(term("zone", selector(app="web")))
AFFINE = (POD_AFFINITY_NOT_MATCHED, AFFINITY_RULES_NOT_MATCHED)
APART = (POD_AFFINITY_NOT_MATCHED, ANTI_AFFINITY_RULES_NOT_MATCHED)
UNWELCOME = (POD_AFFINITY_NOT_MATCHED, EXISTING_ANTI_AFFINITY_NOT_MATCHED)


def verdicts(wanted: Pod, *there: Pod | Node | Namespace) -> dict[str, tuple[object, ...]]:
    known = snapshot(*(there if any(isinstance(each, Node) for each in there) else (A1, A2, B, BARE, *there)))
    found = {where.name: failures(wanted, where, known) for where in known.nodes}
    for where in known.nodes:
        assert match_inter_pod_affinity(wanted, where, known) is (found[where.name] == ())
    return found


def test_required_affinity_needs_the_same_value_of_the_topology_key() -> None:
    there = pod("w", on="a1", labels=WEB)
    assert verdicts(pod(affinity=NEAR_WEB), there) == {"a1": (), "a2": (), "b1": AFFINE, "bare": AFFINE}


def test_affinity_in_the_annotation_counts_like_the_field() -> None:
    there = pod("w", on="a1", labels=WEB)
    assert verdicts(pod(annotated_affinity=NEAR_WEB), there) == verdicts(pod(affinity=NEAR_WEB), there)
    guarded = pod("w", on="a1", annotated_affinity=APART_FROM_WEB)
    assert verdicts(pod(labels=WEB), guarded)["a2"] == UNWELCOME


def test_one_pod_must_match_all_affinity_terms_each_in_its_own_domain() -> None:
    wanted = pod(affinity=near(term("zone", selector(app="web")), term("rack", selector(tier="1"))))
    both = {"app": "web", "tier": "1"}
    assert verdicts(wanted, pod("w", on="a1", labels=both)) == {"a1": (), "a2": AFFINE, "b1": AFFINE, "bare": AFFINE}
    halves = (pod("w", on="a1", labels=WEB), pod("x", on="a1", labels={"tier": "1"}))
    assert verdicts(wanted, *halves)["a1"] == AFFINE


def test_different_pods_may_satisfy_the_terms_in_different_domains() -> None:
    wanted = pod(affinity=near(term("zone", selector(app="web")), term("rack", selector(app="web"))))
    assert verdicts(wanted, pod("w", on="a1", labels=WEB), pod("x", on="a2", labels=WEB))["a2"] == ()


def test_the_first_pod_of_a_group_may_go_to_any_node_even_without_the_key() -> None:
    alike = pod(labels=WEB, affinity=NEAR_WEB)
    assert set(verdicts(alike).values()) == {()}
    assert verdicts(alike, pod("w", on="a1", labels=WEB)) == {"a1": (), "a2": (), "b1": AFFINE, "bare": AFFINE}
    assert set(verdicts(pod(labels=DB, affinity=NEAR_WEB)).values()) == {AFFINE}


def test_a_matching_pod_on_a_node_without_the_key_does_not_count() -> None:
    alike = pod(labels=WEB, affinity=NEAR_WEB)
    assert set(verdicts(alike, pod("w", on="bare", labels=WEB)).values()) == {()}


def test_required_anti_affinity_needs_another_value_of_the_key_or_none() -> None:
    there = pod("w", on="a1", labels=WEB)
    assert verdicts(pod(affinity=APART_FROM_WEB), there) == {"a1": APART, "a2": APART, "b1": (), "bare": ()}


def test_one_violated_anti_affinity_term_is_enough_to_reject_a_node() -> None:
    wanted = pod(affinity=apart(term("zone", selector(app="db")), term("zone", selector(app="web"))))
    assert verdicts(wanted, pod("w", on="a1", labels=WEB))["a2"] == APART


def test_anti_affinity_of_existing_pods_rejects_the_incoming_pod() -> None:
    there = pod("w", on="a1", affinity=APART_FROM_WEB)
    assert verdicts(pod(labels=WEB), there) == {"a1": UNWELCOME, "a2": UNWELCOME, "b1": (), "bare": ()}
    assert set(verdicts(pod(labels=DB), there).values()) == {()}


def test_only_the_first_violated_affinity_rule_is_reported() -> None:
    there = pod("w", on="a1", labels=WEB, affinity=APART_FROM_WEB)
    wanted = pod(labels=WEB, affinity=APART_FROM_WEB)
    assert verdicts(wanted, there)["a1"] == UNWELCOME


def test_a_term_selects_pods_in_its_own_namespace_or_in_those_it_names() -> None:
    there = pod("w", namespace="other", on="a1", labels=WEB)
    assert verdicts(pod(affinity=NEAR_WEB), there)["a1"] == AFFINE
    naming = near(term("zone", selector(app="web"), namespaces=("other",)))
    assert verdicts(pod(affinity=naming), there)["a1"] == ()


def test_namespace_selectors_are_ignored_by_the_classic_scheduler() -> None:
    there = pod("w", namespace="other", on="a1", labels=WEB)
    choosing = near(term("zone", selector(app="web"), namespace_selector=LabelSelector(frozendict())))
    assert verdicts(pod(affinity=choosing), there)["a1"] == AFFINE


def test_pending_and_ended_pods_do_not_count_for_affinity() -> None:
    waiting, ended = pod("w", labels=WEB), pod("x", on="a1", labels=WEB, phase="Failed")
    assert verdicts(pod(affinity=NEAR_WEB), waiting, ended)["a1"] == AFFINE
    assert verdicts(pod(affinity=APART_FROM_WEB), waiting, ended)["a1"] == ()


def test_a_pod_without_affinity_may_go_to_any_node() -> None:
    assert set(verdicts(pod(), pod("w", on="a1", labels=WEB)).values()) == {()}
