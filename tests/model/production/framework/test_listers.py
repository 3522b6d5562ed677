"""The objects found by an index are those of a linear scan, also after they were replaced"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import product

import pytest

from schedcheck.model.production.framework.indexer import Indexer
from schedcheck.model.production.framework.listers import Listers
from schedcheck.model.production.preemption.victims import _protects
from schedcheck.model.production.snapshot.labels import BySelector
from schedcheck.spec.objects import Controller, Pod, PodDisruptionBudget, Service
from schedcheck.spec.terms import LabelSelector, Requirement
from tests.support.building import pod, selector

SELECTORS = (
    None, LabelSelector(), selector(app="a"), selector(app="b", tier="x"),
    LabelSelector(match_expressions=(Requirement("app", "In", ("a", "b")),)),
    LabelSelector(match_expressions=(Requirement("app", "In", ("b", "b")),)),
    LabelSelector(match_expressions=(Requirement("app", "NotIn", ("a",)),)),
    LabelSelector(match_expressions=(Requirement("app", "Exists"),)),
)  # fmt: skip
BUDGETS = tuple(
    PodDisruptionBudget(f"b{number}", namespace, each)
    for number, (namespace, each) in enumerate(product(("x", "y"), SELECTORS))
)
LABELS = ({}, {"app": "a"}, {"app": "b"}, {"app": "b", "tier": "x"}, {"tier": "x"})
PODS = [pod("p", namespace=namespace, labels=labels) for namespace, labels in product("xyz", LABELS)]


def protecting(budgets: Iterable[PodDisruptionBudget], asked: Pod) -> list[str]:
    return sorted(each.name for each in budgets if _protects(each, asked))


def found_one_by_one_too(asked: Pod) -> None:
    there = Listers(budgets=BUDGETS)
    assert protecting(there.budgets_that_may_protect(asked), asked) == protecting(BUDGETS, asked)
    there.budgets = BUDGETS[::2]
    assert protecting(there.budgets_that_may_protect(asked), asked) == protecting(BUDGETS[::2], asked)


@pytest.mark.parametrize("asked", PODS, ids=lambda each: f"{each.namespace} {dict(each.labels)}")
def test_the_budgets_that_protect_a_pod_are_found_by_its_labels(asked: Pod) -> None:
    found_one_by_one_too(asked)


def test_a_budget_found_under_only_one_value_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    every = BySelector._lists
    monkeypatch.setattr(BySelector, "_lists", lambda self, selector: every(self, selector)[:1])
    with pytest.raises(AssertionError):
        found_one_by_one_too(PODS[2])


def test_an_index_that_is_not_built_again_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    def stale(made: Indexer[object, object], things: tuple[object, ...]) -> object:
        made.__dict__.setdefault("_index", made._build(things))
        return made._index

    monkeypatch.setattr(Indexer, "over", stale)
    with pytest.raises(AssertionError):
        found_one_by_one_too(PODS[2])


def test_services_are_found_by_their_namespace() -> None:
    services = tuple(Service(name, namespace) for name, namespace in ("ax", "bx", "ay"))
    there = Listers(services=services)
    assert [each.name for each in there.services_in("x")] == ["a", "b"]
    assert [each.name for each in there.services_in("z")] == []
    there.services = (replace(services[0], namespace="z"),)
    assert [each.name for each in there.services_in("z")] == ["a"]


def test_controllers_are_found_by_kind_name_and_namespace() -> None:
    owned = pod("p", owner=("ReplicaSet", "own"))
    others = (
        Controller("StatefulSet", "own"), Controller("ReplicaSet", "other"), Controller("ReplicaSet", "own", "other")
    )  # fmt: skip
    right = Controller("ReplicaSet", "own", selector=selector(app="a"))
    assert list(Listers(controllers=(*others, right)).owners_of(owned)) == [right]
    assert list(Listers(controllers=others).owners_of(owned)) == []
