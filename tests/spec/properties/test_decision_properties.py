"""The named properties of a single decision: the boundary, and a case on either side of it"""

from dataclasses import MISSING, FrozenInstanceError, fields, replace
from typing import Any

import pytest

from schedcheck.spec.decisions import Bind, Preempt, Wait
from schedcheck.spec.objects import Pod
from schedcheck.spec.profiles import CORRECTED
from schedcheck.spec.properties import kinds, of_decisions, of_pods, of_snapshots
from tests.support.building import node, pod, snapshot

ROOMY, TIGHT = node("roomy", 4), node("tight", 2)
HIGH, LOW = pod("high", 1, priority=5), pod("low", 1, "tight", priority=1)
BEFORE = snapshot(ROOMY, TIGHT, HIGH, LOW)


def preempting(*victims: Pod) -> Preempt:
    return Preempt(HIGH, TIGHT, frozenset(victims))


def test_bind_most_viable_allows_the_best_node_or_the_nominated_one() -> None:
    before = snapshot(ROOMY, TIGHT, HIGH)
    assert of_decisions.bind_most_viable(before, Bind(HIGH, ROOMY), CORRECTED)
    assert not of_decisions.bind_most_viable(before, Bind(HIGH, TIGHT), CORRECTED)
    nominated = replace(HIGH, nominated_node_name="tight")
    assert of_decisions.bind_most_viable(snapshot(ROOMY, TIGHT, nominated), Bind(nominated, TIGHT), CORRECTED)


def test_completed_left_alone_forbids_scheduling_or_evicting_ended_pods() -> None:
    ended = replace(LOW, phase="Succeeded")
    assert of_decisions.completed_left_alone(BEFORE, preempting(LOW), CORRECTED)
    assert not of_decisions.completed_left_alone(BEFORE, preempting(LOW, ended), CORRECTED)
    assert not of_decisions.completed_left_alone(BEFORE, Bind(replace(HIGH, phase="Failed"), ROOMY), CORRECTED)


@pytest.mark.parametrize(("priority", "right"), [(1, True), (4, True), (5, False), (9, False)])
def test_only_lower_priority_evicted_requires_a_strictly_lower_priority(priority: int, right: bool) -> None:
    victim = replace(LOW, priority=priority)
    assert of_decisions.only_lower_priority_evicted(BEFORE, preempting(victim), CORRECTED) is right


def test_preemption_has_victims_requires_a_victim() -> None:
    assert of_decisions.preemption_has_victims(BEFORE, preempting(LOW), CORRECTED)
    assert not of_decisions.preemption_has_victims(BEFORE, preempting(), CORRECTED)


def test_no_eviction_allows_only_preemption_without_victims() -> None:
    assert of_decisions.no_eviction(BEFORE, preempting(), CORRECTED)
    assert not of_decisions.no_eviction(BEFORE, preempting(LOW), CORRECTED)


def test_negative_capacity_without_use_is_not_overcommitted() -> None:
    assert of_snapshots.no_overcommit(snapshot(node("less than nothing", 1, pods=-1)))


def test_pod_feasible_judges_only_the_named_pod() -> None:
    huge = pod("huge", 9)
    before = snapshot(ROOMY, huge, HIGH)
    assert of_pods.pod_feasible(before, ("default", "high"), CORRECTED)
    assert not of_pods.pod_feasible(before, ("default", "huge"), CORRECTED)
    assert not of_pods.pod_feasible(before, ("default", "nobody"), CORRECTED)


def test_a_pod_waits_only_if_no_node_is_feasible_or_its_group_is_placed_without_it() -> None:
    """PodGroupNoWaitWhileFeasible, whose first disjunct is Decided.Left."""
    huge = pod("huge", 9)
    assert of_decisions.no_wait_while_feasible(snapshot(ROOMY, huge), Wait(huge), CORRECTED)
    assert not of_decisions.no_wait_while_feasible(BEFORE, Wait(HIGH), CORRECTED)
    assert of_decisions.no_wait_while_feasible(BEFORE, Wait(HIGH, left=True), CORRECTED)


KINDS: list[type[Any]] = [
    kinds.Always, kinds.Step, kinds.Sometimes, kinds.Can, kinds.Progresses,
    kinds.Eventually, kinds.LeadsTo, kinds.InfinitelyOften, kinds.Ceases, kinds.Behaves,
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_property_is_immutable(kind: type[Any]) -> None:
    needed = [each for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING]
    made = kind(**{each.name: () for each in needed})
    with pytest.raises(FrozenInstanceError):
        made.mentions = frozenset({"web"})


def test_without_a_condition_a_recurring_state_is_demanded_of_every_behaviour() -> None:
    """The formula is then []<>Holds."""
    assert kinds.InfinitelyOften("often", "claim", holds=lambda _: False).when(BEFORE)


def test_a_premise_is_judged_on_whole_snapshots_unless_it_says_otherwise() -> None:
    assert not kinds.Premise("no pod ever waits", when=lambda _: True).of_pods
