"""The control loop on small snapshots: the next pod, the decision, and the state after it"""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from schedcheck.checker.drawing.objects import snapshots
from schedcheck.spec.binding import unbound
from schedcheck.spec.decisions import Bind, Preempt, Wait
from schedcheck.spec.faults import NO_FAULTS, Fault
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import CORRECTED, profile, scheduler
from schedcheck.spec.properties.of_snapshots import no_overcommit
from schedcheck.spec.published.control_loop import after, decision, scheduling, turn
from schedcheck.spec.published.operators import scheduling_enabled
from tests.support.building import GPU, node, pod, snapshot

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def allowed(*things: Pod | Node) -> set[str]:
    return {str(each) for each in scheduler(snapshot(*things), CORRECTED)}


# The next pod.


def test_the_next_pod_is_any_pending_pod_of_the_highest_priority() -> None:
    things = pod("a"), pod("b", priority=1), pod("c", priority=1), pod("d", on="n", priority=2), node("n")
    assert {each.name for each in turn(snapshot(*things), CORRECTED)} == {"b", "c"}


def test_without_pending_pods_there_is_no_decision() -> None:
    assert turn(snapshot(node("n"), pod("a", on="n"), pod("b", phase="Failed")), CORRECTED) == frozenset()
    assert allowed(node("n")) == set()


def test_an_unschedulable_pod_starves_all_pods_of_lower_priority() -> None:
    """This follows the printed text: the choice of the next pod ignores whether it fits."""
    assert allowed(pod("big", 9, priority=1), pod("small", 1), node("n", 1)) == {"Wait(big)"}


# Decisions.


@pytest.mark.parametrize(
    ("things", "decisions"),
    [
        ((pod("a"),), {"Wait(a)"}),
        ((pod("a", 1), node("n", 1)), {"Bind(a, n)"}),
        ((pod("a", 1), node("m", 1), node("n", 1)), {"Bind(a, m)", "Bind(a, n)"}),
        ((pod("a", 1), node("m", 2), node("n", 4)), {"Bind(a, n)"}),
        ((pod("a", 1), node("m", 4, unschedulable=True), node("n", 1)), {"Bind(a, n)"}),
        ((pod("a", 1), node("m", 4, taints=(GPU,)), node("n", 1)), {"Bind(a, n)"}),
        ((pod("a", 2), node("n", 1)), {"Wait(a)"}),
        ((pod("a", 1), pod("b", 1), node("n", 1)), {"Bind(a, n)", "Bind(b, n)"}),
        ((pod("a", 1, priority=1), pod("b", 1, on="n"), node("n", 1)), {"Preempt(a, n, {b})"}),
        ((pod("a", 1, priority=1), pod("b", 1, on="n"), node("n", 1), node("m", 1)), {"Bind(a, m)"}),
        ((pod("a", 1), pod("b", 1, on="n"), node("n", 1)), {"Wait(a)"}),
        ((pod("a", 1, priority=1, preemption_policy="Never"), pod("b", 1, on="n"), node("n", 1)), {"Wait(a)"}),
        ((pod("a", 1), pod("b", 9, on="gone"), node("n", 1)), {"Bind(a, n)"}),
        ((pod("a", 1), pod("b", 1, on="n", phase="Succeeded"), node("n", 1)), {"Bind(a, n)"}),
    ],
)
def test_a_pod_is_bound_or_preempts_or_waits(things: tuple[Pod | Node, ...], decisions: set[str]) -> None:
    assert allowed(*things) == decisions


@settings(max_examples=150, suppress_health_check=SLOW)
@given(snapshots())
def test_decisions_for_a_pod_are_of_exactly_one_kind(seen: Snapshot) -> None:
    for one in seen.pods:
        kinds = {type(each) for each in decision(one, seen, CORRECTED)}
        assert len(kinds) == 1
        assert (kinds == {Bind}) == scheduling_enabled(one, seen, CORRECTED)


@settings(max_examples=150, suppress_health_check=SLOW)
@given(snapshots())
def test_pods_are_bound_to_the_best_of_the_feasible_nodes(seen: Snapshot) -> None:
    for one in seen.pods:
        rated = {
            at.name: CORRECTED.viability(one, at, seen) for at in seen.nodes if CORRECTED.feasibility(one, at, seen)
        }
        best = {name for name, rating in rated.items() if rating == max(rated.values())}
        assert {each.node.name for each in scheduling(one, seen, CORRECTED)} == best


@pytest.mark.medium
@settings(max_examples=150, suppress_health_check=SLOW)
@given(snapshots())
def test_the_scheduler_decides_for_pending_pods_of_the_highest_priority(seen: Snapshot) -> None:
    decided = scheduler(seen, CORRECTED)
    waiting = unbound(seen, NO_FAULTS)
    assert {each.pod for each in decided} == {
        one for one in waiting if one.priority == max(each.priority for each in waiting)
    }


def test_as_printed_a_pod_that_fits_may_also_preempt() -> None:
    printed = profile("printed", frozenset({Fault.OVERLAPPING_CASE}))
    seen = snapshot(pod("a", 1, priority=1), pod("b", 1, on="n"), node("n", 2))
    assert {str(each) for each in scheduler(seen, printed)} == {"Bind(a, n)", "Preempt(a, n, {})"}


# The state after a decision.


def test_binding_sets_the_node_name_and_changes_nothing_else() -> None:
    one, at = pod("b", 1), node("n", 1)
    seen = snapshot(pod("a"), one, pod("c"), at)
    assert after(Bind(one, at), seen) == snapshot(pod("a"), replace(one, node_name="n"), pod("c"), at)


def test_preemption_removes_the_victims_and_the_pod_stays_pending() -> None:
    low, more, top, at = pod("low", 1, on="n"), pod("more", on="n"), pod("top", 1, priority=1), node("n", 1)
    seen = snapshot(low, more, top, at)
    assert after(Preempt(top, at, frozenset({low})), seen) == snapshot(more, top, at)
    assert after(Preempt(top, at, frozenset()), seen) == seen


def test_waiting_changes_nothing() -> None:
    seen = snapshot(pod("a"), node("n"))
    assert after(Wait(pod("a")), seen) is seen


@settings(max_examples=150, suppress_health_check=SLOW)
@given(snapshots())
def test_each_decision_establishes_its_postcondition(seen: Snapshot) -> None:
    for decided in scheduler(seen, CORRECTED):
        left = after(decided, seen)
        match decided:
            case Bind(one, at):
                assert replace(one, node_name=at.name) in left.pods
                assert one not in left.pods
                assert no_overcommit(left) or not no_overcommit(seen)
            case Preempt(one, at, victims):
                assert one in left.pods
                assert not victims & set(left.pods)
                assert CORRECTED.feasibility(one, at, left)
            case Wait():
                assert left == seen
