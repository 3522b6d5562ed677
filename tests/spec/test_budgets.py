"""Disruption budgets: whom one protects, how many must stay, how many may go."""

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


def test_a_budget_protects_the_pods_of_its_namespace_that_its_selector_matches() -> None:
    assert protects(budget(), pod(labels={"app": "web"}))
    assert not protects(budget(), pod(labels={"app": "db"}))
    assert not protects(budget(), pod(labels={"app": "web"}, namespace="other"))


def test_the_empty_selector_protects_the_whole_namespace_and_no_selector_protects_nobody() -> None:
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
def test_how_many_of_three_must_stay_healthy(fields: dict[str, object], desired: int) -> None:
    assert desired_healthy(budget(**fields)) == desired


def test_a_pod_is_healthy_on_a_node_that_is_there_unless_it_has_ended_or_is_being_ended() -> None:
    first, second, third = three()
    others = [
        pod("waiting", labels={"app": "web"}),
        pod("lost", on="gone", labels={"app": "web"}),
        pod("done", on="n", labels={"app": "web"}, phase="Succeeded"),
        pod("ending", on="n", labels={"app": "web"}, terminating=True),
    ]
    there = snapshot(first, second, third, *others, node("n", 8))
    assert healthy(budget(), there, kubelet=False) == {first, second, third}


def test_under_a_kubelet_a_pod_is_healthy_once_it_is_started() -> None:
    first, second, third = three()
    started = pod("web-4", 1, on="n", labels={"app": "web"}, phase="Running")
    assert healthy(budget(), snapshot(first, second, third, started, node("n", 8)), kubelet=True) == {started}


def test_what_may_go_is_what_is_healthy_beyond_what_must_stay_and_never_less_than_none() -> None:
    there = snapshot(*three(), node("n", 8))
    assert spare(budget(min_available=2), there, kubelet=False) == 1
    assert spare(budget(min_available=3), there, kubelet=False) == 0
    assert spare(budget(min_available=4), there, kubelet=False) == 0
    assert recounted(budget(min_available=2), there, kubelet=False).disruptions_allowed == 1


def test_a_budget_spares_as_many_as_may_go_and_any_number_of_others() -> None:
    first, second, third = three()
    other = pod("db", 1, on="n", labels={"app": "db"})
    there = snapshot(first, second, third, other, node("n", 8))
    assert spared(budget(min_available=2), frozenset({first, other}), there, kubelet=False)
    assert not spared(budget(min_available=2), frozenset({first, second}), there, kubelet=False)
    assert spared(budget(min_available=3), frozenset({other}), there, kubelet=False)
