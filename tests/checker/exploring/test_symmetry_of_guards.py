"""Symmetry beside guards: a guard restricts what is interchangeable by the names in it, and no verdict changes

The orbits are counted by `permuted` of the tests of symmetry, over the states that are reachable without it.
"""

from dataclasses import replace

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.exploring.symmetry import indifferent, node_classes, pod_classes
from schedcheck.checker.result import Bounds
from schedcheck.model.scenario import Rule, Scenario
from tests.checker.exploring.test_symmetry import (
    commutes,
    group,
    machine_of,
    names_of_classes,
    permuted,
    reachable,
    swaps,
)
from tests.support.building import node, pod
from tests.support.guarded import FORMULAS, NAMED, UNREADABLE, drawn, guards, with_meaning

PODS = (pod("p1", 1), pod("p2", 1), pod("p3", 1))
NODES = (node("n1", 2), node("n2", 2), node("n3", 2))


def guarded(text: str) -> Scenario:
    """Three pods and three nodes that are alike, and a guarded cordon."""
    rule = Rule("cordon", nodes=tuple(each.name for each in NODES), guards=guards([text], PODS, NODES, of_pods=False))
    return with_meaning(Scenario("s", PODS, NODES, rules=(rule,)))


@pytest.mark.parametrize(
    "seed", [*range(1, 30), *(pytest.param(each, marks=pytest.mark.slow) for each in (0, *range(30, 60)))]
)
def test_every_swap_commutes_with_every_step_and_each_orbit_is_one_state(seed: int) -> None:
    each = drawn(seed)
    assert indifferent(each)
    machine = machine_of(each)
    states = reachable(machine, 5_000)
    for state in states[:40]:
        assert all(commutes(machine, state, swap) for swap in swaps(each))
    orbits = {min(repr(permuted(state, each, swap)) for swap in group(each)) for state in states}
    found = check(replace(each, properties=("type_correct",)), bounds=Bounds(max_states=20_000))
    assert not found.result.stopped
    assert found.result.distinct == len(orbits)


def test_some_random_scenarios_have_guards_and_interchangeable_objects() -> None:
    with_both = [each for each in map(drawn, range(60)) if each.guarded and swaps(each)]
    assert len(with_both) > 20


@pytest.mark.parametrize(
    ("text", "classes"),
    [
        ("at_most_out(0)", [["p1", "p2", "p3"], ["n1", "n2", "n3"]]),
        ("free_below(this, cpu, 2%)", [["p1", "p2", "p3"], ["n1", "n2", "n3"]]),
        ("node_absent(n2)", [["p1", "p2", "p3"], ["n1", "n3"], ["n2"]]),
        ("pod_bound(p1)", [["p1"], ["p2", "p3"], ["n1", "n2", "n3"]]),
        (r"\A n \in Nodes : n = This \/ ~n.Spec.Unschedulable", [["p1", "p2", "p3"], ["n1", "n2", "n3"]]),
        (r'\A n \in Nodes : n.Name # "n1" \/ ~n.Spec.Unschedulable', [["p1", "p2", "p3"], ["n1"], ["n2", "n3"]]),
        (r'This.Name \notin {"n1", "n2"}', [["p1", "p2", "p3"], ["n1"], ["n2"], ["n3"]]),
        (r'PodBound(<<"default", "p3">>)', [["p1", "p2"], ["p3"], ["n1", "n2", "n3"]]),
    ],
)
def test_objects_that_a_guard_does_not_name_stay_interchangeable(text: str, classes: list[list[str]]) -> None:
    made = guarded(text)
    assert indifferent(made)
    assert sorted(names_of_classes(made)) == sorted(classes)


@pytest.mark.parametrize("text", UNREADABLE)
def test_a_guard_that_may_tell_any_objects_apart_switches_symmetry_off(text: str) -> None:
    made = guarded(text)
    assert not indifferent(made)
    assert not check(replace(made, properties=("type_correct",))).symmetry


def test_a_pod_and_a_node_of_one_name_are_told_apart_by_a_formula() -> None:
    pods, nodes = (pod("a", 1), pod("b", 1)), (node("a", 2), node("c", 2))
    text = r"\E p \in Pods, n \in Nodes : p.Name = n.Name /\ p.Spec.NodeName = n.Name"
    rule = Rule("cordon", nodes=("a", "c"), guards=guards([text], pods, nodes, of_pods=False))
    made = with_meaning(Scenario("s", pods, nodes, rules=(rule,)))
    assert pod_classes(made, frozenset()) == [(0,), (1,)]
    assert node_classes(made, frozenset()) == [(0,), (1,)]


@pytest.mark.parametrize("text", [*NAMED, *FORMULAS])
def test_each_guard_of_the_random_scenarios_is_readable(text: str) -> None:
    if "completed" not in text:
        assert guarded(text).rules[0].guards[0].mentions is not None
