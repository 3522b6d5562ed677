"""Disruption budgets: the protected pods, how many must stay healthy, and how many may be disrupted"""

import pytest

from schedcheck.spec.budgets import desired_healthy, healthy, protects, recounted, spare, spared
from schedcheck.spec.objects import PodDisruptionBudget
from schedcheck.spec.terms import LabelSelector
from tests.support.building import node, pod, selector, snapshot

WEB = selector(app="web")


def budget(**fields: object) -> PodDisruptionBudget:
    """A budget over app=web that expects three pods."""
    return PodDisruptionBudget("web", **{"selector": WEB, "expected": 3, **fields})  # type: ignore[arg-type]


def three(**fields: object):  # type: ignore[no-untyped-def]
    """Three pods of app=web on one node."""
    return [pod(f"web-{number}", 1, on="n", labels={"app": "web"}, **fields) for number in (1, 2, 3)]


def test_a_budget_protects_matching_pods_of_its_namespace() -> None:
    assert protects(budget(), pod(labels={"app": "web"}))
    assert not protects(budget(), pod(labels={"app": "db"}))
    assert not protects(budget(), pod(labels={"app": "web"}, namespace="other"))


def test_an_empty_selector_protects_the_whole_namespace_and_a_null_one_no_pod() -> None:
    assert protects(budget(selector=LabelSelector()), pod())
    assert not protects(budget(selector=None), pod(labels={"app": "web"}))


@pytest.mark.parametrize(
    ("fields", "desired"),
    [
        ({"min_available": 2}, 2),
        ({"min_available": 0}, 0),
        ({"min_available": "50%"}, 2),
        ({"min_available": "100%"}, 3),
        ({"min_available": "1%"}, 1),
        ({"max_unavailable": 1}, 2),
        ({"max_unavailable": 0}, 3),
        ({"max_unavailable": 5}, 0),
        ({"max_unavailable": "50%"}, 1),
        ({"max_unavailable": "34%"}, 1),
        ({"max_unavailable": "33%"}, 2),
        ({}, 0),
    ],
)
def test_desired_healthy_follows_from_the_fields_of_the_budget(fields: dict[str, object], desired: int) -> None:
    assert desired_healthy(budget(**fields)) == desired


def test_a_pod_is_healthy_on_an_existing_node_unless_ended_or_terminating() -> None:
    first, second, third = three()
    others = [
        pod("waiting", labels={"app": "web"}),
        pod("lost", on="gone", labels={"app": "web"}),
        pod("done", on="n", labels={"app": "web"}, phase="Succeeded"),
        pod("ending", on="n", labels={"app": "web"}, terminating=True),
    ]
    there = snapshot(first, second, third, *others, node("n", 8))
    assert healthy(budget(), there, kubelet=False) == {first, second, third}


def test_with_a_kubelet_a_pod_is_healthy_once_it_has_started() -> None:
    first, second, third = three()
    started = pod("web-4", 1, on="n", labels={"app": "web"}, phase="Running")
    assert healthy(budget(), snapshot(first, second, third, started, node("n", 8)), kubelet=True) == {started}


def test_allowed_disruptions_are_healthy_minus_desired_and_at_least_0() -> None:
    there = snapshot(*three(), node("n", 8))
    assert spare(budget(min_available=2), there, kubelet=False) == 1
    assert spare(budget(min_available=3), there, kubelet=False) == 0
    assert spare(budget(min_available=4), there, kubelet=False) == 0
    assert recounted(budget(min_available=2), there, kubelet=False).disruptions_allowed == 1


def test_a_budget_allows_the_spare_disruptions_and_any_unprotected_pods() -> None:
    first, second, third = three()
    other = pod("db", 1, on="n", labels={"app": "db"})
    there = snapshot(first, second, third, other, node("n", 8))
    assert spared(budget(min_available=2), frozenset({first, other}), there, kubelet=False)
    assert not spared(budget(min_available=2), frozenset({first, second}), there, kubelet=False)
    assert spared(budget(min_available=3), frozenset({other}), there, kubelet=False)
