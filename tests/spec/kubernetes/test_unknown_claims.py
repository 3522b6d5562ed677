"""The decision for a pod whose resource claims are not known: unknown, unless the pod waits alike without and with them"""

from dataclasses import replace

import pytest

from schedcheck.spec.decisions import Bind, Decision, Nominate, Unknown, Wait
from schedcheck.spec.kubernetes.control_loop import decision, waits_alike
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Node, Pod
from tests.support.building import node, pod, snapshot
from tests.support.claiming import using

P, N = pod("p"), node("n")
STAYS, LOSES = Wait(P), Wait(P, "", True)


@pytest.mark.parametrize(
    ("some", "others", "alike"),
    [
        ({STAYS}, {STAYS}, True),
        ({LOSES}, {LOSES}, True),
        ({STAYS}, {Wait(P, "another message")}, True),
        ({STAYS}, {LOSES}, False),
        ({LOSES}, {STAYS}, False),
        ({STAYS}, {STAYS, LOSES}, False),
        ({STAYS, LOSES}, {LOSES, STAYS}, True),
        ({STAYS}, {Bind(P, N)}, False),
        ({Bind(P, N)}, {Bind(P, N)}, False),
        ({Nominate(P, N, frozenset())}, {STAYS}, False),
    ],
)
def test_a_pod_waits_alike_if_it_is_never_placed_and_loses_its_nomination_in_both_or_neither(
    some: set[Decision], others: set[Decision], alike: bool
) -> None:
    assert waits_alike(frozenset(some), frozenset(others)) is alike


@pytest.mark.parametrize(
    ("asked", "there", "known"),
    [
        (pod("p", 1), node("n", 1), True),
        (pod("p", 1, resource_claims=using("c")), node("n", 1), False),
        (pod("p", 2, resource_claims=using("c")), node("n", 1), True),
    ],
)
def test_without_objects_of_devices_a_pod_that_only_its_claims_may_keep_from_a_node_is_unknown(
    asked: Pod, there: Node, known: bool
) -> None:
    found = decision(asked, replace(snapshot(there), pods=(asked,)), DEFAULT_PLUGINS)
    why = {each.why for each in found if isinstance(each, Unknown)}
    assert why == (set() if known else {"resource claims are not modelled"})
