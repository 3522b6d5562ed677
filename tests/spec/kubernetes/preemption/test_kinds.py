"""Pods of one kind differ in nothing but their names, and no budget lists one of them by name"""

from dataclasses import replace

from schedcheck.spec.importance import kind
from schedcheck.spec.objects import PodDisruptionBudget
from tests.support.building import pod, selector

BUDGET = PodDisruptionBudget("b", selector=selector(app="a"), disrupted=frozenset({"gone"}))


def test_pods_that_differ_only_in_name_are_of_one_kind() -> None:
    assert kind(pod("a"), [BUDGET]) == kind(pod("b"), [BUDGET]) == (replace(pod("a"), name=""), frozenset())
    assert kind(pod("a", 1), [BUDGET]) != kind(pod("a", 2), [BUDGET])


def test_a_pod_disrupted_in_a_budget_of_its_namespace_is_of_another_kind() -> None:
    assert kind(pod("gone"), [BUDGET]) == (replace(pod("gone"), name=""), frozenset({BUDGET.key}))
    assert kind(pod("gone", namespace="other"), [BUDGET])[1] == frozenset()
