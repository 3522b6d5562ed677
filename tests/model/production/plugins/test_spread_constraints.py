"""The spread constraints of a pod: its own, or the defaults with the selectors of its services and its owner"""

from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.model.production.framework.listers import Listers
from schedcheck.model.production.plugins.spread_constraints import constraints, default_selector
from schedcheck.spec.objects import Controller, Service, SpreadConstraint
from schedcheck.spec.terms import LabelSelector, Requirement
from tests.support.building import pod, selector

OWN = (SpreadConstraint(1, "zone"), SpreadConstraint(2, "rack", required=False))
RED = {"app": "red"}
SERVING = Listers(services=(Service("s", selector=frozendict(RED)),))
GIVEN = (SpreadConstraint(4, "zone"), SpreadConstraint(5, "rack", required=False))


def test_a_pod_with_its_own_constraints_gets_no_defaults() -> None:
    asked = pod(labels=RED, spread=OWN)
    assert constraints(asked, None, SERVING, hard=True) == OWN[:1]
    assert constraints(asked, GIVEN, SERVING, hard=False) == OWN[1:]


def test_default_constraints_use_the_selectors_of_the_services() -> None:
    asked = pod(labels=RED)
    assert constraints(asked, GIVEN, SERVING, hard=True) == (replace(GIVEN[0], selector=selector(app="red")),)
    assert constraints(asked, GIVEN, SERVING, hard=False) == (replace(GIVEN[1], selector=selector(app="red")),)
    assert constraints(asked, None, SERVING, hard=True) == ()
    of_the_system = constraints(asked, None, SERVING, hard=False)
    assert [(each.max_skew, each.topology_key) for each in of_the_system] == [
        (3, "kubernetes.io/hostname"),
        (5, "topology.kubernetes.io/zone"),
    ]
    assert constraints(asked, (), SERVING, hard=False) == ()
    for hard in (True, False):
        assert constraints(pod(labels={"app": "blue"}), GIVEN, SERVING, hard=hard) == ()
        assert constraints(asked, GIVEN, Listers(), hard=hard) == ()


@pytest.mark.parametrize(
    ("kind", "name", "namespace", "expected"),
    [
        ("ReplicaSet", "own", "default", LabelSelector(frozendict(RED), (Requirement("tier", "In", ("a",)),))),
        ("StatefulSet", "own", "default", LabelSelector(frozendict(RED), (Requirement("tier", "In", ("a",)),))),
        ("ReplicationController", "own", "default", LabelSelector(frozendict({**RED, "tier": "a"}))),
        ("ReplicaSet", "other", "default", LabelSelector(frozendict(RED))),
        ("ReplicaSet", "own", "aaa", LabelSelector(frozendict(RED))),
        ("ReplicaSet", "own", "zzz", LabelSelector(frozendict(RED))),
    ],
)
def test_the_owner_adds_its_selector_to_the_default_constraints(
    kind: str, name: str, namespace: str, expected: LabelSelector
) -> None:
    owner = Controller(kind, name, namespace, selector(tier="a"))
    asked = pod(labels=RED, owner=(kind, "own"))
    there = Listers(services=SERVING.services, controllers=(owner,))
    assert default_selector(asked, there) == expected
