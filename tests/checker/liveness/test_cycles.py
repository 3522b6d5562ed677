"""Properties of what comes to an end: cycles in the explored graph, and the behaviours that go round them."""

from dataclasses import replace
from itertools import pairwise

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.checker.check import Checked, check
from schedcheck.checker.exploring.result import Verdict
from schedcheck.checker.liveness.cycles import recurring, shortest_path
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.faults import Fault
from tests.support.building import node, pod

GRAPHS = st.lists(st.lists(st.integers(-1, 5), max_size=4), min_size=6, max_size=6)


@given(GRAPHS)
def test_an_edge_recurs_exactly_if_its_end_leads_back(edges: list[list[int]]) -> None:
    every = [(number, end) for number, ends in enumerate(edges) for end in ends if end >= 0]
    graph = networkx.DiGraph(every)
    expected = sorted({(start, end) for start, end in every if networkx.has_path(graph, end, start)})
    assert recurring(edges, every) == expected


@given(GRAPHS)
def test_a_shortest_path_is_one(edges: list[list[int]]) -> None:
    every = [(number, end) for number, ends in enumerate(edges) for end in ends if end >= 0]
    graph = networkx.DiGraph(every)
    for start, end in recurring(edges, every):
        path = shortest_path(edges, end, start)
        assert (path[0], path[-1]) == (end, start)
        assert len(path) - 1 == networkx.shortest_path_length(graph, end, start)
        assert all(after in edges[before] for before, after in pairwise(path))


HIGH, LOW = pod("high", cpu=4, priority=9), pod("low", cpu=1)


def livelock(*faults: Fault, victims: str = "pending", rules: tuple[Rule, ...] = ()) -> Scenario:
    """One pod that fits nowhere, even alone, and one of lower priority on the only node, whose owner makes it anew."""
    return Scenario(
        "livelock",
        (HIGH, replace(LOW, node_name="n")),
        (node("n", 3),),
        profile="corrected",
        faults=frozenset(fault.value for fault in faults),
        victims=victims,
        rules=rules,
        properties=("evictions_end",),
    )


def loop_of(checked: Checked) -> list[str]:
    (violation,) = checked.result.violations
    assert violation.loop is not None
    first, last = violation.trace[violation.loop], violation.trace[-1]
    assert first.state == last.state, "the round leads back"
    return [str(stage.action) for stage in violation.trace[violation.loop + 1 :]]


def test_what_evicts_nobody_comes_to_an_end_vacuously() -> None:
    assert check(livelock()).result.verdict == Verdict.VACUOUS


OVERLAP = (Fault.OVERLAPPING_CASE, Fault.VICTIMS_UNCHECKED)


def test_an_eviction_that_goes_round_is_found_with_its_round() -> None:
    """With overlapping cases nobody is evicted again and again, while the pod is not bound."""
    checked = check(replace(livelock(*OVERLAP), pods=(pod("high", cpu=2, priority=9),)))
    assert checked.result.verdict == Verdict.VIOLATED
    assert loop_of(checked) == ["Preempt(high, n, {})"]


@pytest.mark.parametrize("symmetry", [True, False])
def test_a_round_through_states_that_symmetry_makes_equal_is_closed(symmetry: bool) -> None:
    two = (pod("high", cpu=2, priority=9), pod("other", cpu=2, priority=9))
    asked = replace(livelock(*OVERLAP), pods=two, nodes=(node("m", 3), node("n", 3)))
    checked = check(asked, symmetry=symmetry)
    assert checked.result.verdict == Verdict.VIOLATED
    assert all(action.startswith("Preempt") for action in loop_of(checked))


def test_what_the_environment_brings_back_is_no_livelock() -> None:
    """The victim arrives again by an event: evictions go on only as long as somebody makes new pods."""
    room = replace(livelock(victims="absent"), nodes=(node("n", 4),))
    again = (Rule("arrive", pods=(LOW.key, HIGH.key)), Rule("delete", pods=(HIGH.key,)))
    checked = check(replace(room, rules=again))
    assert checked.result.coverage["Preempt"] > 0
    assert checked.result.verdict == Verdict.HOLDS


def test_where_a_constraint_cuts_states_off_an_end_is_undecided() -> None:
    room = replace(livelock(victims="absent"), nodes=(node("n", 4),), constraints=("at_most_present(1)",))
    checked = check(replace(room, absent=frozenset({HIGH.key}), rules=(Rule("arrive", pods=(HIGH.key,)),)))
    assert checked.result.verdict == Verdict.GAVE_UP
    assert checked.result.undecided == ("evictions_end",)


def test_kube_scheduler_comes_to_an_end_where_owners_make_victims_anew() -> None:
    room = replace(livelock(), nodes=(node("n", 4),), profile="kubernetes")
    checked = check(room)
    assert checked.result.coverage["EvictVictim"] > 0
    assert checked.result.verdict == Verdict.HOLDS
