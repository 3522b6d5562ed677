"""Which claims PostFilter deallocates for a pod, and which budgets guard a pod together with another one"""

from dataclasses import replace

import pytest

from schedcheck.spec.device_objects import Allocation, Consumer, Devices, ResourceClaim
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.preemption.disruption import overlapping
from schedcheck.spec.kubernetes.preemption.freed import freed_by
from schedcheck.spec.objects import PodDisruptionBudget
from schedcheck.spec.terms import NodeSelectorTerm, Requirement
from tests.support.building import node, pod, selector, snapshot
from tests.support.claiming import GPU, claim, gpus, using


def reachable(name: str, *pods: str) -> ResourceClaim:
    """A claim that is allocated on this node alone, and reserved for these pods."""
    there = (NodeSelectorTerm((), (Requirement("metadata.name", "In", (name,)),)),)
    held = tuple(Consumer(each, each) for each in pods)
    return replace(claim(), allocation=Allocation((), there), reserved_for=held)


@pytest.mark.parametrize(
    ("there", "freed"),
    [
        (reachable("m"), True),
        (reachable("m", "p"), True),
        (reachable("m", "q"), False),
        (reachable("n"), False),
        (claim(count=2), False),
        (claim(), False),
    ],
)
def test_a_claim_that_keeps_a_pod_from_every_node_is_freed_unless_another_pod_holds_it(
    there: ResourceClaim, freed: bool
) -> None:
    asked = pod("p", resource_claims=using("c"))
    seen = replace(snapshot(node("n", 1), asked), devices=Devices((gpus(1),), (GPU,), (there,)))
    assert freed_by(asked, seen, DEFAULT_PLUGINS) == ((there,) if freed else ())
    assert freed_by(replace(asked, resource_claims=()), seen, DEFAULT_PLUGINS) == ()


def test_budgets_overlap_that_guard_a_pod_together() -> None:
    of_a, of_b, of_x = (
        PodDisruptionBudget(name, selector=selector(**{key: "1"})) for name, key in (("a", "a"), ("b", "b"), ("x", "x"))
    )
    only_a, only_b = pod("p", labels={"a": "1"}), pod("q", labels={"b": "1"})
    both = pod("r", labels={"a": "1", "x": "1"})
    budgets = (of_a, of_b, of_x)
    assert overlapping(budgets, (only_a, only_b), NO_DEPARTURES) == set()
    assert overlapping(budgets, (only_a, only_b, both), NO_DEPARTURES) == {of_a, of_x}
    assert overlapping((of_a,), (both,), NO_DEPARTURES) == set()
