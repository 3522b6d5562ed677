"""The default selector of a pod without constraints: the pods that its services and its controller select"""

from itertools import product

import pytest
from frozendict import frozendict

from schedcheck.model.production.framework.listers import Listers
from schedcheck.model.production.plugins import spread_constraints
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.default_spread import default_selector
from schedcheck.spec.objects import Controller, Service, Snapshot
from schedcheck.spec.owners import qualified_kind
from schedcheck.spec.selectors import selects
from schedcheck.spec.terms import LabelSelector, Requirement
from tests.support.building import pod, selector

LABELLED = [frozendict(zip(("app", "tier"), values, strict=True)) for values in product(("red", "blue"), ("a", "b"))]
SERVICE = Service("s", selector=frozendict(app="red"))


def chosen(given: LabelSelector) -> list[tuple[str, str]]:
    """The app and tier of the labelled pods that the selector selects."""
    return [(labels["app"], labels["tier"]) for labels in LABELLED if selects(given, labels, NO_FAULTS)]


@pytest.mark.parametrize(
    ("kind", "own", "expected"),
    [
        ("ReplicationController", selector(app="blue", tier="a"), [("blue", "a")]),
        ("ReplicationController", selector(tier="a"), [("red", "a")]),
        ("ReplicaSet", selector(app="blue", tier="a"), []),
        ("StatefulSet", selector(tier="a"), [("red", "a")]),
        ("ReplicaSet", LabelSelector(frozendict(), (Requirement("tier", "In", ("b",)),)), [("red", "b")]),
    ],
)
def test_a_replication_controller_replaces_service_labels_and_others_add_to_them(
    kind: str, own: LabelSelector, expected: list[tuple[str, str]]
) -> None:
    asked = pod(labels={"app": "red", "tier": "a"}, owner=(kind, "own"))
    owner = Controller(kind, "own", selector=own)
    assert chosen(default_selector(asked, Snapshot(services=(SERVICE,), controllers=(owner,)))) == expected
    listers = Listers(services=(SERVICE,), controllers=(owner,))
    assert chosen(spread_constraints.default_selector(asked, listers)) == expected


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("apps/v1", [("red", "a")]),
        ("apps.example.com/v1", [("red", "a"), ("red", "b")]),
        ("apps/v1beta2", [("red", "a"), ("red", "b")]),
    ],
)
def test_a_controller_counts_only_if_group_and_version_match_the_owner(
    version: str, expected: list[tuple[str, str]]
) -> None:
    asked = pod(labels={"app": "red"}, owner=(qualified_kind(version, "StatefulSet"), "db"))
    owner = Controller("StatefulSet", "db", selector=selector(tier="a"))
    assert chosen(default_selector(asked, Snapshot(services=(SERVICE,), controllers=(owner,)))) == expected
    listers = Listers(services=(SERVICE,), controllers=(owner,))
    assert chosen(spread_constraints.default_selector(asked, listers)) == expected
