"""Of the orders of disruption budgets, one is tried for all that make the same pods violate budgets"""

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from itertools import permutations
from random import Random

import pytest
from frozendict import frozendict

from schedcheck.spec.decisions import Nominate, Unknown
from schedcheck.spec.importance import Order, by_importance, orders
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.preemption import disruption
from schedcheck.spec.kubernetes.preemption.disruption import TOO_MANY_LISTINGS, Listing, listings, violating
from schedcheck.spec.kubernetes.preemption.ties import permitted, permitted_by
from schedcheck.spec.kubernetes.versions import VERSIONS
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.terms import LabelSelector, Requirement
from tests.support.building import node, pod, snapshot
from tests.support.preempting import dry_run

NEWEST = VERSIONS["1.37"].departures
KEYS = tuple("abcdefghijkl")


def over(key: str, allowed: int) -> PodDisruptionBudget:
    """A budget of all pods with the label `key`."""
    selector = LabelSelector(frozendict(), (Requirement(key, "Exists", ()),))
    return PodDisruptionBudget(key, selector=selector, disruptions_allowed=allowed)


def labelled(name: str, keys: Iterable[str], on: str = "n", priority: int = 0) -> Pod:
    return pod(name, 1, on=on, labels=dict.fromkeys(keys, "x"), priority=priority)


def drawn(seed: int) -> tuple[tuple[PodDisruptionBudget, ...], list[tuple[Pod, ...]]]:
    """At most five budgets over random labels, and the pods of two nodes, some of them equally important."""
    draw = Random(seed)
    budgets = tuple(over(key, draw.choice((0, 0, 1, 1, 2))) for key in KEYS[: draw.randint(2, 5)])
    groups = [
        tuple(
            labelled(f"{on}{number}", draw.sample(KEYS[:5], draw.randint(0, 3)), on, draw.choice((0, 0, 1)))
            for number in range(draw.randint(1, 3))
        )
        for on in "mn"
    ]
    return budgets, groups


def outcome(listing: Listing, groups: list[tuple[Pod, ...]], budgets: Listing, departures: Departures) -> object:
    """The pods that violate a budget, for every order of importance of each group."""
    by_order: dict[Order, frozenset[Pod]] = {
        order: violating(order, listing, departures) for group in groups for order in orders(group, budgets)
    }
    return frozenset(by_order.items())


SEEDS = range(60)


def test_the_listings_are_one_of_each_class_of_all_permutations() -> None:
    several = 0
    for seed in SEEDS:
        budgets, groups = drawn(seed)
        every = {outcome(listing, groups, budgets, NEWEST) for listing in permutations(budgets)}
        found = [outcome(listing, groups, budgets, NEWEST) for listing in listings(budgets, groups, NEWEST)]
        assert set(found) == every, seed
        assert len(found) == len(every), seed
        several += len(every) > 1
    assert several >= 3


def test_listing_budgets_in_the_given_order_alone_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin: the first order is taken for all."""
    monkeypatch.setattr(disruption, "told_apart", lambda over, allowed: (tuple(range(len(over))),))
    with pytest.raises(AssertionError):
        test_the_listings_are_one_of_each_class_of_all_permutations()


def test_listing_budgets_in_every_order_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin: no two orders are taken for alike."""
    monkeypatch.setattr(disruption, "told_apart", lambda over, allowed: tuple(permutations(range(len(over)))))
    with pytest.raises(AssertionError):
        test_the_listings_are_one_of_each_class_of_all_permutations()


def contest(budgets: Listing, groups: list[tuple[Pod, ...]]) -> tuple[Pod, Snapshot]:
    """A pod that must empty one of the nodes of the groups."""
    nodes = [node(group[0].node_name, len(group)) for group in groups]
    there = replace(snapshot(*(each for group in groups for each in group), *nodes), budgets=budgets)
    return pod("new", min(map(len, groups)), priority=9), there


@pytest.mark.medium
def test_the_permitted_candidates_are_those_of_all_permutations() -> None:
    several = 0
    for seed in SEEDS:
        run = dry_run(*contest(*drawn(seed)))
        budgets = run.cycle.snapshot.budgets
        every = {permitted_by(listing, run) for listing in permutations(budgets)}
        assert permitted(run) == reduce(frozenset.union, every), seed
        several += len(every) > 1
    assert several >= 1


def ring(number: int) -> tuple[Listing, tuple[Pod, ...]]:
    """As many budgets without disruptions as pods, each over two neighbouring pods."""
    keys = KEYS[:number]
    pods = tuple(labelled(f"p{place:02}", (keys[place - 1], key)) for place, key in enumerate(keys))
    ranked = tuple(replace(each, priority=place) for place, each in enumerate(pods))
    return tuple(over(key, 1) for key in keys), ranked


def test_twelve_overlapping_budgets_are_told_apart_exactly() -> None:
    """479,001,600 orders: a pod violates no budget exactly if it comes first in both of its own."""
    budgets, pods = ring(12)
    found = listings(budgets, [pods], NEWEST)
    order = by_importance(pods)
    classes = {violating(order, listing, NEWEST) for listing in found}
    assert len(classes) == len(found) > 1
    draw = Random(12)
    for _ in range(400):
        assert violating(order, tuple(draw.sample(budgets, 12)), NEWEST) in classes


def test_twelve_overlapping_budgets_give_every_permitted_nomination() -> None:
    """The pod needs the whole node, so every pod is a victim, and the violators alone depend on the order."""
    budgets, pods = ring(12)
    asked, cluster = contest(budgets, [pods])
    found = permitted(dry_run(replace(asked, priority=20), cluster))
    order = by_importance(pods)
    every = {len(violating(order, listing, NEWEST)) for listing in listings(budgets, [pods], NEWEST)}
    assert {each.violations for each in found} == every
    assert len(every) > 1
    assert {len(each.victims) for each in found} == {12}


def test_independent_pairs_of_budgets_are_told_apart() -> None:
    """Six pairs of two classes each: a pod that violates the one budget is charged to the other, or is not."""
    pairs = [KEYS[place : place + 2] for place in range(0, 12, 2)]
    labels = [keys for one, two in pairs for keys in ((two,), (one, two))]
    pods = tuple(replace(labelled(f"p{place:02}", keys), priority=place) for place, keys in enumerate(labels))
    budgets = tuple(over(key, number % 2) for number, key in enumerate(KEYS))
    found = listings(budgets, [pods], NEWEST)
    classes = {violating(by_importance(pods), listing, NEWEST) for listing in found}
    draw = Random(6)
    assert {violating(by_importance(pods), tuple(draw.sample(budgets, 12)), NEWEST) for _ in range(300)} <= classes
    assert (len(classes), len(found)) == (64, 64)


def test_budgets_in_any_order_matter_in_1_37_alone() -> None:
    budgets, pods = ring(4)
    for name in ("1.34", "1.35", "1.36"):
        assert listings(budgets, [pods], VERSIONS[name].departures) == (budgets,)
    assert len(listings(budgets, [pods], NEWEST)) > 1


def test_with_victims_charged_alone_every_permutation_is_listed() -> None:
    budgets, pods = ring(3)
    alone = NEWEST - {Departure.BUDGETS_CHARGED_FOR_ALL}
    assert set(listings(budgets, [pods], alone)) == set(permutations(budgets))


def test_too_many_orders_make_the_decision_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    budgets, pods = ring(4)
    asked, cluster = contest(budgets, [tuple(replace(each, node_name="n") for each in pods)])
    whole = replace(cluster, pods=(*cluster.pods, asked))
    assert all(isinstance(each, Nominate) for each in decision(asked, whole, DEFAULT_PLUGINS))
    monkeypatch.setattr(disruption, "MOST_LISTED", 2)
    assert decision(asked, whole, DEFAULT_PLUGINS) == {Unknown(asked, TOO_MANY_LISTINGS)}
