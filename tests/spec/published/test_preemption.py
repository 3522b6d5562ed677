"""Published preemption: jeopardy, casualty, and the least casualty compared with an exhaustive restatement"""

from dataclasses import replace
from itertools import chain, combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schedcheck.checker.drawing.objects import snapshots
from schedcheck.spec.binding import completed
from schedcheck.spec.decisions import Preempt
from schedcheck.spec.faults import NO_FAULTS, Fault
from schedcheck.spec.importance import jeopardy
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import CORRECTED, profile
from schedcheck.spec.published.feasibility import FILTERS
from schedcheck.spec.published.preemption import (
    LOWEST_PRIORITY,
    candidates,
    casualty,
    preemptable,
    preemption,
    preemption_enabled,
    subsets,
    victim_sets,
)
from tests.support.building import node, pod, snapshot

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
TOP = pod("top", 2, priority=5)


def texts(one: Pod, *things: Pod | Node) -> set[str]:
    return {str(each) for each in preemption(one, snapshot(one, *things), CORRECTED)}


# Jeopardy.


@pytest.mark.parametrize(
    ("other", "endangered"),
    [
        (pod("q", on="n", priority=4), True),
        (pod("q", on="n", priority=-9), True),
        (pod("q", on="n", priority=5), False),
        (pod("q", on="n", priority=6), False),
        (pod("q", priority=4), False),
        (pod("q", on="m", priority=4), False),
        (pod("q", on="n", priority=4, phase="Succeeded"), False),
        (pod("q", on="n", priority=4, preemption_policy="Never"), True),
    ],
)
def test_a_lower_priority_pod_on_the_node_is_in_jeopardy(other: Pod, endangered: bool) -> None:
    at = node("n")
    assert jeopardy(TOP, at, snapshot(TOP, other, at, node("m")), NO_FAULTS) == ({other} if endangered else set())


# Casualty.

ORDERED = [
    (),
    (-5,),
    (-5, -5),
    (0,),
    (0, 0),
    (1,),
    (1, 0),
    (1, 1),
    (2,),
    (2, 1),
    (2, 1, -1),
    (2, 2),
    (2, 1, 1),
]
"""Priorities of victims, from the least casualty to the greatest."""


def victims(*priorities: int) -> frozenset[Pod]:
    return frozenset(pod(f"v{number}", priority=priority) for number, priority in enumerate(priorities))


def test_casualty_is_the_highest_priority_then_the_sum_then_the_count() -> None:
    damages = [casualty(victims(*priorities)) for priorities in ORDERED]
    assert damages == sorted(damages)
    assert len(set(damages)) == len(damages)


def test_the_casualty_of_no_victims_is_the_least() -> None:
    assert LOWEST_PRIORITY == -2_147_483_648, "the priority of a pod has 32 bits"
    assert casualty(frozenset()) == (LOWEST_PRIORITY, 0, 0)
    assert casualty(frozenset()) < casualty(victims(LOWEST_PRIORITY))


@given(st.lists(st.integers(LOWEST_PRIORITY, 2**31 - 1), max_size=6), st.integers(LOWEST_PRIORITY, 2**31 - 1))
def test_adding_a_victim_always_increases_the_casualty(priorities: list[int], one_more: int) -> None:
    assert casualty(victims(*priorities)) < casualty(victims(*priorities, one_more))


def test_a_sum_with_negative_priorities_would_decrease() -> None:
    """The reason why the sum leaves them out."""
    priorities = [(-5,), (-5, -6)]
    assert [(max(each), sum(each), len(each)) for each in priorities] == [(-5, -5, 1), (-5, -11, 2)]
    assert casualty(victims(-5)) < casualty(victims(-5, -6))


def test_three_pods_have_eight_subsets() -> None:
    found = list(subsets(victims(1, 2, 3)))
    assert len(set(found)) == len(found) == 8
    assert found[0] == frozenset()


# Victims.

FULL = node("n", 2)


def test_the_pod_must_fit_without_its_victims() -> None:
    low, more = pod("low", 1, on="n"), pod("more", 1, on="n", priority=1)
    seen = snapshot(TOP, low, more, FULL)
    assert victim_sets(TOP, FULL, seen, CORRECTED) == {frozenset({low, more})}
    assert victim_sets(replace(TOP, priority=1), FULL, seen, CORRECTED) == frozenset()
    assert victim_sets(pod("one", 1, priority=5), FULL, seen, CORRECTED) == {
        frozenset({low}),
        frozenset({more}),
        frozenset({low, more}),
    }


def test_the_lower_priority_pod_is_evicted_and_of_equals_either() -> None:
    one = pod("one", 1, priority=5)
    assert texts(one, pod("a", 1, on="n"), pod("b", 1, on="n", priority=1), FULL) == {"Preempt(one, n, {a})"}
    assert texts(one, pod("a", 1, on="n"), pod("b", 1, on="n"), FULL) == {
        "Preempt(one, n, {a})",
        "Preempt(one, n, {b})",
    }


def test_the_casualty_is_the_least_over_all_nodes() -> None:
    """Two of priority 1 are less than one of priority 2, and one is less than two."""
    m = node("m", 2)
    there = [pod("a", 1, on="n", priority=1), pod("b", 1, on="n", priority=1)]
    assert texts(TOP, *there, pod("c", 2, on="m", priority=2), FULL, m) == {"Preempt(top, n, {a, b})"}
    assert texts(TOP, *there, pod("c", 2, on="m", priority=1), FULL, m) == {"Preempt(top, m, {c})"}


def test_no_pod_is_evicted_if_no_eviction_helps() -> None:
    low = pod("low", 1, on="n")
    cordoned = node("n", 2, unschedulable=True)
    assert preemptable(TOP, snapshot(TOP, low, cordoned), CORRECTED) == frozenset()
    assert not preemption_enabled(TOP, snapshot(TOP, low, cordoned), CORRECTED)
    assert not preemption_enabled(pod("big", 3, priority=5), snapshot(low, FULL), CORRECTED)


def test_preemption_is_enabled_if_no_node_is_feasible_but_some_would_become_so() -> None:
    low = pod("low", 1, on="n")
    assert preemption_enabled(TOP, snapshot(TOP, low, FULL), CORRECTED)
    assert not preemption_enabled(TOP, snapshot(TOP, low, FULL, node("m", 2)), CORRECTED)
    assert not preemption_enabled(replace(TOP, preemption_policy="Never"), snapshot(low, FULL), CORRECTED)
    assert not preemption_enabled(TOP, snapshot(TOP), CORRECTED)


def test_unchecked_candidates_are_all_subsets_on_the_nodes_that_could_fit() -> None:
    low = pod("low", 1, on="n")
    seen = snapshot(TOP, low, FULL, node("m", 1), pod("other", 1, on="m"))
    printed = profile("printed", frozenset({Fault.VICTIMS_UNCHECKED}))
    assert candidates(TOP, seen, CORRECTED) == {(FULL, frozenset({low}))}
    assert candidates(TOP, seen, printed) == {(FULL, frozenset()), (FULL, frozenset({low}))}


def restated(one: Pod, seen: Snapshot) -> set[tuple[str, frozenset[str]]]:
    """Restate preemption: try every node and every set of its pods, and keep the least by priority, sum and count."""

    def admits(at: Node, without: frozenset[Pod]) -> bool:
        rest = Snapshot.of([each for each in seen.pods if each not in without], seen.nodes, seen.namespaces)
        return all(each.reason(one, at, rest, NO_FAULTS) is None for each in FILTERS)

    def damage(evicted: frozenset[Pod]) -> tuple[int, int, int]:
        priorities = [each.priority for each in evicted]
        return max([-(2**31), *priorities]), sum(each for each in priorities if each > 0), len(priorities)

    found = {}
    for at in seen.nodes:
        there = [each for each in seen.pods if each.node_name == at.name]
        for chosen in chain.from_iterable(combinations(there, size) for size in range(len(there) + 1)):
            evicted = frozenset(chosen)
            lower = all(each.priority < one.priority and not completed(each) for each in evicted)
            if lower and admits(at, evicted):
                found[at.name, evicted] = damage(evicted)
    return {
        (name, frozenset(str(each) for each in evicted))
        for (name, evicted), harm in found.items()
        if harm == min(found.values())
    }


@settings(max_examples=150, suppress_health_check=SLOW)
@given(snapshots())
def test_the_victims_are_those_of_an_exhaustive_restatement(seen: Snapshot) -> None:
    for one in seen.pods:
        least = restated(one, seen)
        assert bool(preemptable(one, seen, CORRECTED)) == bool(least)
        if least:
            decided = preemption(one, seen, CORRECTED)
            assert all(isinstance(each, Preempt) and each.pod == one for each in decided)
            assert {(each.node.name, frozenset(map(str, each.victims))) for each in decided} == least
