"""Equal nodes are interchangeable beside an autoscaler, its pods are not: reduced and whole explorations agree

The orbits of all reachable states are counted by trying every permutation of names, apart from the checker's own form.
"""

from dataclasses import replace
from random import Random

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.exploring.symmetry import indifferent, node_classes, pod_classes
from schedcheck.checker.result import Verdict
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Scenario
from tests.checker.exploring.test_symmetry_of_node_pools import group, permuted
from tests.support.autoscaled import drawn as of_one_node
from tests.support.building import node, replays

MOST_STATES = 300
ASKED = ("never_above(app=web, 2)", "never_below(app=web, 1)", "no_overcommit", "pod_can_still_be_bound")


def drawn(seed: int) -> Scenario:
    """An autoscaled workload on two or three equal nodes; some event may name the first."""
    chance = Random(seed)
    size = chance.choice((1, 2, 4))
    nodes = tuple(node(f"n{number}", size) for number in range(1, chance.choice((2, 2, 3)) + 1))
    return replace(of_one_node(seed), nodes=nodes, properties=("type_correct",))


def orbits(each: Scenario) -> int | None:
    """The number of orbits of the reachable states; None if there are too many states, or no permutation."""
    machine = Reference(each, profile_of(each))
    states: list[State] = list(machine.initial_states())
    seen = set(states)
    for state in states:
        fresh = {after for _, after in machine.steps(state)} - seen
        seen |= fresh
        states += sorted(fresh, key=repr)
        if len(states) > MOST_STATES:
            return None
    every = list(group(each))
    if len(every) == 1:
        return None
    return len({min(f"{permuted(one, each, swap)}{one.scales}{one.scalings}" for swap in every) for one in states})


def differ(each: Scenario) -> bool | None:
    """Whether the two explorations of a scenario differ; None if it is not one of the small ones with a symmetry."""
    expected = orbits(each)
    if expected is None:
        return None
    if check(each).result.distinct != expected:
        return True
    asked = replace(each, properties=ASKED)
    one, other = check(asked), check(asked, symmetry=False)
    lengths = [
        sorted((found.property.name, len(found.trace)) for found in result.result.violations) for result in (one, other)
    ]
    assert all(replays(one.machine, violation.trace) for violation in one.result.violations)
    return one.result.verdict is not other.result.verdict or lengths[0] != lengths[1]


def test_reduced_explorations_of_autoscaled_workloads_agree_with_whole_ones() -> None:
    found = [differ(drawn(seed)) for seed in range(12)]
    assert True not in found
    assert found.count(False) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("first", range(12, 312, 50))
def test_reduced_explorations_of_many_autoscaled_workloads_agree_with_whole_ones(first: int) -> None:
    assert True not in [differ(drawn(seed)) for seed in range(first, first + 50)]


def test_pods_that_are_swapped_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ReplicaSet creates the first form that is missing, so its pods have an order."""
    monkeypatch.setattr("schedcheck.checker.check.pod_classes", lambda each, *_, **__: [tuple(range(len(each.pods)))])
    assert True in [differ(drawn(seed)) for seed in range(12)]


def test_equal_nodes_have_a_class_and_each_pod_its_own() -> None:
    each = drawn(0)
    assert indifferent(each)
    assert pod_classes(each, frozenset()) == [(slot,) for slot in range(len(each.pods))]
    assert node_classes(replace(each, rules=()), frozenset()) == [tuple(range(len(each.nodes)))]
    assert check(each).result.verdict is Verdict.HOLDS
