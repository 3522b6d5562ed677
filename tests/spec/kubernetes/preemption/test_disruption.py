"""Which evictions violate a disruption budget, and how many."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES, NO_DEPARTURES, Departure, Departures
from schedcheck.spec.kubernetes.preemption import disruption
from schedcheck.spec.kubernetes.preemption.disruption import guards, violating, violations
from schedcheck.spec.objects import Pod, PodDisruptionBudget
from schedcheck.spec.terms import LabelSelector, Requirement
from tests.support.building import pod, selector
from tests.support.preempting import budgets, pods

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
def test_a_budget_guards_whom_it_protects_and_has_not_counted_yet(
    budget: PodDisruptionBudget, other: Pod, guarded: bool
) -> None:
    assert guards(budget, other, ALL_DEPARTURES) == guards(budget, other, NO_DEPARTURES) == guarded


def test_an_empty_selector_guards_nobody_though_it_is_to_guard_all() -> None:
    everybody = replace(BUDGET, selector=LabelSelector())
    assert not guards(everybody, A, ALL_DEPARTURES)
    assert guards(everybody, A, ALL_DEPARTURES - {Departure.EMPTY_BUDGET_PROTECTS_NOBODY})


def test_who_has_no_label_is_not_guarded_though_the_selector_matches() -> None:
    not_db = replace(BUDGET, selector=selector(Requirement("app", "NotIn", ("db",))))
    assert guards(not_db, A, ALL_DEPARTURES)
    assert not guards(not_db, pod("a"), ALL_DEPARTURES)
    assert guards(not_db, pod("a"), ALL_DEPARTURES - {Departure.UNLABELLED_UNPROTECTED})


@pytest.mark.parametrize(
    ("allowed", "violators"), [(-1, {A, B, C}), (0, {A, B, C}), (1, {B, C}), (2, {C}), (3, set()), (4, set())]
)
def test_as_many_of_the_first_as_are_allowed_violate_nothing(allowed: int, violators: set[Pod]) -> None:
    assert violating((A, B, C), [replace(BUDGET, disruptions_allowed=allowed)], ALL_DEPARTURES) == violators


def test_who_violates_one_of_several_budgets_violates_and_uses_them_all() -> None:
    both = replace(B, labels=A.labels.set("tier", "front"))
    front = PodDisruptionBudget("front", selector=selector(tier="front"), disruptions_allowed=0)
    assert violating((A, both), [replace(BUDGET, disruptions_allowed=2), front], ALL_DEPARTURES) == {both}
    assert violating((both, A), [BUDGET, front], ALL_DEPARTURES) == {both, A}


def test_who_is_disrupted_uses_nothing_up() -> None:
    assert violating((A, B), [replace(BUDGET, disrupted=frozenset({"a"}))], ALL_DEPARTURES) == set()


def test_a_budget_is_charged_for_who_is_spared_but_only_victims_count() -> None:
    assert violations((A, B), frozenset({B}), [BUDGET], ALL_DEPARTURES) == 1
    assert violations((A, B), frozenset({B}), [BUDGET], EVICTED_ONLY) == 0
    assert violations((A, B), frozenset({A}), [BUDGET], ALL_DEPARTURES) == 0
    assert violations((A, B), frozenset({A, B}), [BUDGET], EVICTED_ONLY) == 1


ORDERS = st.lists(st.integers(0, 4), unique=True, min_size=1).flatmap(
    lambda numbers: st.tuples(*(pods(f"p{number}", "n") for number in numbers))
)


def counted_down(order: tuple[Pod, ...], guarding: list[PodDisruptionBudget], departures: Departures) -> set[Pod]:
    """Those whose turn finds a budget used up; restated with a counter a budget."""
    left = [budget.disruptions_allowed for budget in guarding]
    found = set()
    for each in order:
        for number, budget in enumerate(guarding):
            left[number] -= guards(budget, each, departures)
            if guards(budget, each, departures) and left[number] < 0:
                found.add(each)
    return found


@given(ORDERS, st.lists(budgets(), max_size=3), st.sampled_from((ALL_DEPARTURES, NO_DEPARTURES)))
def test_the_violators_are_those_of_a_count_from_the_first_to_the_last(
    order: tuple[Pod, ...], guarding: list[PodDisruptionBudget], departures: Departures
) -> None:
    assert violating(order, guarding, departures) == counted_down(order, guarding, departures)


@given(st.data(), ORDERS, st.lists(budgets(), max_size=3))
def test_over_the_victims_alone_there_are_no_more_violations_than_charged_for_all(
    data: st.DataObject, order: tuple[Pod, ...], guarding: list[PodDisruptionBudget]
) -> None:
    victims = data.draw(st.frozensets(st.sampled_from(order)))
    fewer = violations(order, victims, guarding, EVICTED_ONLY)
    assert 0 <= fewer <= violations(order, victims, guarding, ALL_DEPARTURES) <= len(victims)


def test_a_budget_charged_from_the_last_to_the_first_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin: the least important pods would be those that a budget allows to go."""
    monkeypatch.setattr(
        disruption, "violating", lambda order, guarding, departures: violating(order[::-1], guarding, departures)
    )
    assert disruption.violating((A, B), [BUDGET], ALL_DEPARTURES) == {A}
    assert disruption.violating((A, B), [BUDGET], ALL_DEPARTURES) != counted_down((A, B), [BUDGET], ALL_DEPARTURES)
    assert violations((A, B), frozenset({B}), [BUDGET], ALL_DEPARTURES) == 0
