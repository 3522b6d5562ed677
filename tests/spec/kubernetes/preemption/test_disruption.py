"""Evictions that violate a disruption budget, and their number"""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.checker.drawing.contests import budgets, pods
from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES, NO_DEPARTURES, Departure, Departures
from schedcheck.spec.kubernetes.preemption import disruption
from schedcheck.spec.kubernetes.preemption.disruption import guards, violating, violations
from schedcheck.spec.objects import Pod, PodDisruptionBudget
from schedcheck.spec.terms import LabelSelector, Requirement
from tests.support.building import pod, selector

WEB = {"app": "web"}
BUDGET = PodDisruptionBudget("web", selector=selector(app="web"), disruptions_allowed=1)
A, B, C = (pod(name, on="n", labels=WEB) for name in "abc")
EVICTED_ONLY = ALL_DEPARTURES - {Departure.BUDGETS_CHARGED_FOR_ALL}


@pytest.mark.parametrize(
    ("budget", "other", "guarded"),
    [
        (BUDGET, A, True),
        (BUDGET, pod("a", labels={"app": "db"}), False),
        (BUDGET, pod("a", labels=WEB, namespace="other"), False),
        (replace(BUDGET, disrupted=frozenset({"a"})), A, False),
        (replace(BUDGET, disrupted=frozenset({"b"})), A, True),
        (replace(BUDGET, selector=None), A, False),
    ],
)
def test_a_budget_guards_matching_pods_that_it_has_not_counted_as_disrupted(
    budget: PodDisruptionBudget, other: Pod, guarded: bool
) -> None:
    assert guards(budget, other, ALL_DEPARTURES) == guards(budget, other, NO_DEPARTURES) == guarded


def test_an_empty_selector_guards_no_pod_although_it_should_guard_all() -> None:
    everybody = replace(BUDGET, selector=LabelSelector())
    assert not guards(everybody, A, ALL_DEPARTURES)
    assert guards(everybody, A, ALL_DEPARTURES - {Departure.EMPTY_BUDGET_PROTECTS_NO_POD})


def test_an_unlabelled_pod_is_not_guarded_even_if_the_selector_matches() -> None:
    not_db = replace(BUDGET, selector=selector(Requirement("app", "NotIn", ("db",))))
    assert guards(not_db, A, ALL_DEPARTURES)
    assert not guards(not_db, pod("a"), ALL_DEPARTURES)
    assert guards(not_db, pod("a"), ALL_DEPARTURES - {Departure.UNLABELLED_UNPROTECTED})


@pytest.mark.parametrize(
    ("allowed", "violators"), [(-1, {A, B, C}), (0, {A, B, C}), (1, {B, C}), (2, {C}), (3, set()), (4, set())]
)
def test_the_first_pods_up_to_the_allowed_disruptions_violate_nothing(allowed: int, violators: set[Pod]) -> None:
    assert violating((A, B, C), [replace(BUDGET, disruptions_allowed=allowed)], ALL_DEPARTURES) == violators


def test_violating_one_of_several_budgets_still_charges_all_of_them() -> None:
    both = replace(B, labels=A.labels.set("tier", "front"))
    front = PodDisruptionBudget("front", selector=selector(tier="front"), disruptions_allowed=0)
    assert violating((A, both), [replace(BUDGET, disruptions_allowed=2), front], ALL_DEPARTURES) == {both}
    assert violating((both, A), [BUDGET, front], ALL_DEPARTURES) == {both, A}


def test_an_already_disrupted_pod_does_not_charge_the_budget() -> None:
    assert violating((A, B), [replace(BUDGET, disrupted=frozenset({"a"}))], ALL_DEPARTURES) == set()


def test_spared_pods_are_charged_to_the_budget_but_only_victims_are_violations() -> None:
    assert violations((A, B), frozenset({B}), [BUDGET], ALL_DEPARTURES) == 1
    assert violations((A, B), frozenset({B}), [BUDGET], EVICTED_ONLY) == 0
    assert violations((A, B), frozenset({A}), [BUDGET], ALL_DEPARTURES) == 0
    assert violations((A, B), frozenset({A, B}), [BUDGET], EVICTED_ONLY) == 1


ORDERS = st.lists(st.integers(0, 4), unique=True, min_size=1).flatmap(
    lambda numbers: st.tuples(*(pods(f"p{number}", "n") for number in numbers))
)


def counted_down(order: tuple[Pod, ...], guarding: list[PodDisruptionBudget], departures: Departures) -> set[Pod]:
    """The pods whose turn finds a budget used up, restated with one counter per budget."""
    left = [budget.disruptions_allowed for budget in guarding]
    found = set()
    for each in order:
        for number, budget in enumerate(guarding):
            left[number] -= guards(budget, each, departures)
            if guards(budget, each, departures) and left[number] < 0:
                found.add(each)
    return found


@given(ORDERS, st.lists(budgets(), max_size=3), st.sampled_from((ALL_DEPARTURES, NO_DEPARTURES)))
def test_violators_match_a_count_in_order_of_importance(
    order: tuple[Pod, ...], guarding: list[PodDisruptionBudget], departures: Departures
) -> None:
    assert violating(order, guarding, departures) == counted_down(order, guarding, departures)


@given(st.data(), ORDERS, st.lists(budgets(), max_size=3))
def test_counting_victims_only_never_gives_more_violations_than_charging_all(
    data: st.DataObject, order: tuple[Pod, ...], guarding: list[PodDisruptionBudget]
) -> None:
    victims = data.draw(st.frozensets(st.sampled_from(order)))
    fewer = violations(order, victims, guarding, EVICTED_ONLY)
    assert 0 <= fewer <= violations(order, victims, guarding, ALL_DEPARTURES) <= len(victims)


def test_charging_budgets_in_reverse_order_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin: budgets would allow the eviction of the least important pods."""
    monkeypatch.setattr(
        disruption, "violating", lambda order, guarding, departures: violating(order[::-1], guarding, departures)
    )
    assert disruption.violating((A, B), [BUDGET], ALL_DEPARTURES) == {A}
    assert disruption.violating((A, B), [BUDGET], ALL_DEPARTURES) != counted_down((A, B), [BUDGET], ALL_DEPARTURES)
    assert violations((A, B), frozenset({B}), [BUDGET], ALL_DEPARTURES) == 0
