"""MatchInterPodAffinity, a sentence for each clause of Kubernetes 1.17's rules."""

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


def test_who_must_be_near_somebody_goes_where_the_topology_key_has_the_same_value() -> None:
    there = pod("w", on="a1", labels=WEB)
    assert verdicts(pod(affinity=NEAR_WEB), there) == {"a1": (), "a2": (), "b1": AFFINE, "bare": AFFINE}


def test_the_annotation_counts_as_the_field_does() -> None:
    there = pod("w", on="a1", labels=WEB)
    assert verdicts(pod(annotated_affinity=NEAR_WEB), there) == verdicts(pod(affinity=NEAR_WEB), there)
    guarded = pod("w", on="a1", annotated_affinity=APART_FROM_WEB)
    assert verdicts(pod(labels=WEB), guarded)["a2"] == UNWELCOME


def test_all_terms_speak_of_one_pod_and_each_has_a_domain_of_its_own() -> None:
    wanted = pod(affinity=near(term("zone", selector(app="web")), term("rack", selector(tier="1"))))
    both = {"app": "web", "tier": "1"}
    assert verdicts(wanted, pod("w", on="a1", labels=both)) == {"a1": (), "a2": AFFINE, "b1": AFFINE, "bare": AFFINE}
    halves = (pod("w", on="a1", labels=WEB), pod("x", on="a1", labels={"tier": "1"}))
    assert verdicts(wanted, *halves)["a1"] == AFFINE


def test_different_pods_may_be_company_in_different_domains() -> None:
    wanted = pod(affinity=near(term("zone", selector(app="web")), term("rack", selector(app="web"))))
    assert verdicts(wanted, pod("w", on="a1", labels=WEB), pod("x", on="a2", labels=WEB))["a2"] == ()


def test_the_first_pod_of_a_group_may_go_anywhere_even_where_the_key_is_lacking() -> None:
    alike = pod(labels=WEB, affinity=NEAR_WEB)
    assert set(verdicts(alike).values()) == {()}
    assert verdicts(alike, pod("w", on="a1", labels=WEB)) == {"a1": (), "a2": (), "b1": AFFINE, "bare": AFFINE}
    assert set(verdicts(pod(labels=DB, affinity=NEAR_WEB)).values()) == {AFFINE}


def test_somebody_on_a_node_without_the_key_is_no_company_and_does_not_count_as_first() -> None:
    alike = pod(labels=WEB, affinity=NEAR_WEB)
    assert set(verdicts(alike, pod("w", on="bare", labels=WEB)).values()) == {()}


def test_who_must_be_apart_goes_where_the_topology_key_has_another_value_or_none() -> None:
    there = pod("w", on="a1", labels=WEB)
    assert verdicts(pod(affinity=APART_FROM_WEB), there) == {"a1": APART, "a2": APART, "b1": (), "bare": ()}


def test_one_anti_affinity_term_that_is_broken_is_enough() -> None:
    wanted = pod(affinity=apart(term("zone", selector(app="db")), term("zone", selector(app="web"))))
    assert verdicts(wanted, pod("w", on="a1", labels=WEB))["a2"] == APART


def test_who_is_there_may_require_to_be_apart() -> None:
    there = pod("w", on="a1", affinity=APART_FROM_WEB)
    assert verdicts(pod(labels=WEB), there) == {"a1": UNWELCOME, "a2": UNWELCOME, "b1": (), "bare": ()}
    assert set(verdicts(pod(labels=DB), there).values()) == {()}


def test_the_rule_that_is_broken_first_is_named() -> None:
    there = pod("w", on="a1", labels=WEB, affinity=APART_FROM_WEB)
    wanted = pod(labels=WEB, affinity=APART_FROM_WEB)
    assert verdicts(wanted, there)["a1"] == UNWELCOME


def test_a_term_means_the_namespace_of_its_pod_or_those_that_it_names() -> None:
    there = pod("w", namespace="other", on="a1", labels=WEB)
    assert verdicts(pod(affinity=NEAR_WEB), there)["a1"] == AFFINE
    naming = near(term("zone", selector(app="web"), namespaces=("other",)))
    assert verdicts(pod(affinity=naming), there)["a1"] == ()


def test_selectors_of_namespaces_are_not_known() -> None:
    there = pod("w", namespace="other", on="a1", labels=WEB)
    choosing = near(term("zone", selector(app="web"), namespace_selector=LabelSelector(frozendict())))
    assert verdicts(pod(affinity=choosing), there)["a1"] == AFFINE


def test_who_waits_or_has_ended_is_nowhere() -> None:
    waiting, ended = pod("w", labels=WEB), pod("x", on="a1", labels=WEB, phase="Failed")
    assert verdicts(pod(affinity=NEAR_WEB), waiting, ended)["a1"] == AFFINE
    assert verdicts(pod(affinity=APART_FROM_WEB), waiting, ended)["a1"] == ()


def test_a_pod_that_requires_nothing_may_go_anywhere() -> None:
    assert set(verdicts(pod(), pod("w", on="a1", labels=WEB)).values()) == {()}
