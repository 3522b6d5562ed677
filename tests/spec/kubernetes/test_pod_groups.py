"""Gang scheduling of 1.37: which pods enter the queue, which are bound in one cycle, and what is not known

Expectations are the sentences of kube-scheduler's comments: a group is held back until minCount pods exist and none is
gated; its pods are tried in a fixed order, each with the ones before it assumed; all that found a node are bound if
minCount pods of the group have one then, and none otherwise.
"""

from dataclasses import replace

import pytest

from schedcheck.spec.decisions import Bind, Unknown, Wait
from schedcheck.spec.kubernetes.control_loop import decision, turn
from schedcheck.spec.kubernetes.pod_groups import Choices, endings, group_endings, group_refusal
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.published.control_loop import after
from schedcheck.spec.workload_objects import PodGroup
from tests.support.building import apart, node, pod, selector, term
from tests.support.gangs import rooms
from tests.support.pod_groups import GROUPED, IN_1_36, UNGROUPED, group, one_of

RED = (one_of("red", 1), one_of("red", 2))


def seen(*pods: Pod, nodes: int | tuple[Node, ...] = 2, groups: tuple[PodGroup, ...] = (group("red"),)) -> Snapshot:
    there = rooms(nodes) if isinstance(nodes, int) else nodes
    return replace(Snapshot.of(pods, there), pod_groups=groups)


def decided(one: Pod, snapshot: Snapshot) -> set[str]:
    return {str(each) for each in decision(one, snapshot, GROUPED)}


def taken_up(snapshot: Snapshot) -> set[str]:
    return {str(each) for each in turn(snapshot, GROUPED)}


# PreEnqueue


@pytest.mark.parametrize(("there", "entering"), [(1, set()), (2, {"red-1", "red-2"}), (3, {"red-1", "red-2", "red-3"})])
def test_pods_enter_the_queue_once_min_count_of_them_exist(there: int, entering: set[str]) -> None:
    assert taken_up(seen(*(one_of("red", number) for number in range(1, there + 1)))) == entering


def test_a_bound_member_counts_for_min_count_and_an_ended_one_does_not() -> None:
    assert taken_up(seen(one_of("red", 1, "n1"), RED[1])) == {"red-2"}
    assert taken_up(seen(one_of("red", 1, "n1", phase="Succeeded"), RED[1])) == set()


def test_a_pod_waits_for_its_group_which_is_of_its_namespace() -> None:
    absent = group_refusal(RED[0], seen(*RED, groups=()), GROUPED)
    assert absent is not None
    assert absent.reasons == ('waiting for pods\'s pod group "red" to appear in scheduling queue',)
    assert taken_up(seen(*RED, groups=(replace(group("red"), namespace="other"),))) == set()


def test_a_gated_member_keeps_the_whole_group_out_of_the_queue() -> None:
    gated = one_of("red", 3, scheduling_gates=("wait",))
    assert taken_up(seen(*RED, gated, pod("p", 1))) == {"p"}
    assert taken_up(seen(*RED, replace(gated, node_name="n1"))) == {"red-1", "red-2"}


def test_without_the_gate_a_member_is_bound_alone() -> None:
    there = seen(RED[0])
    assert {str(each) for each in turn(there, UNGROUPED)} == {"red-1"}
    assert all(isinstance(each, Bind) and not each.together for each in decision(RED[0], there, UNGROUPED))


# The cycle


def test_a_gang_is_bound_together() -> None:
    there = seen(*RED)
    assert decided(RED[0], there) == {"Bind(red-1, n1, with red-2 on n2)", "Bind(red-1, n2, with red-2 on n1)"}
    assert decided(RED[1], there) == {"Bind(red-2, n2, with red-1 on n1)", "Bind(red-2, n1, with red-1 on n2)"}
    for each in decision(RED[0], there, GROUPED):
        assert {one.name for one in after(each, there).pods if one.node_name} == {"red-1", "red-2"}


def test_a_gang_that_does_not_fit_waits_as_a_whole() -> None:
    there = seen(*RED, nodes=1)
    (only,) = decision(RED[0], there, GROUPED)
    assert isinstance(only, Wait)
    assert after(only, there) == there


@pytest.mark.parametrize(("least", "bound"), [(2, True), (3, False), (None, True), (1, True)])
def test_what_is_left_over_beyond_min_count_waits(least: int | None, bound: bool) -> None:
    three = (*RED, one_of("red", 3))
    ends = group_endings(group("red", least), seen(*three, groups=(group("red", least),)), GROUPED)
    assert {len(each.placed) for each in ends} == ({2} if bound else {0})
    assert len({tuple(one.name for one, _ in each.placed) for each in ends}) == (3 if bound else 1)


def test_the_pods_that_have_a_node_already_count() -> None:
    there = seen(one_of("red", 1, "n1"), RED[1])
    assert decided(RED[1], there) == {"Bind(red-2, n2)"}
    alone = seen(one_of("red", 1, "n1"), RED[1], groups=(group("red", 3),))
    assert taken_up(alone) == set()


def test_the_order_decides_which_pods_are_placed() -> None:
    small, large = one_of("red", 1), one_of("red", 2, cpu=2)
    nodes = (node("n1", 2),)
    there = seen(small, large, nodes=nodes, groups=(group("red", 1),))
    placed = {
        order: {
            tuple(one.name for one, _ in each.placed)
            for each in endings(group("red", 1), order, there, Choices(GROUPED))
        }
        for order in ((small, large), (large, small))
    }
    assert placed == {(small, large): {("red-1",)}, (large, small): {("red-2",)}}
    assert decided(small, there) == {"Bind(red-1, n1)", "Wait(red-1)"}


def test_a_pod_is_filtered_with_the_ones_before_it_assumed() -> None:
    alone = apart(term(selected=selector(app="x")))
    two = [one_of("red", number, labels={"app": "x"}, affinity=alone, cpu=0.5) for number in (1, 2)]
    nodes = tuple(node(f"n{number}", 1, labels={"kubernetes.io/hostname": f"n{number}"}) for number in (1, 2))
    assert {
        str(each.node) for each in decision(two[0], seen(*two, nodes=nodes), GROUPED) if isinstance(each, Bind)
    } == {
        "n1",
        "n2",
    }
    assert decided(two[0], seen(*two, nodes=nodes[:1])) == {"Wait(red-1)"}


def test_a_pod_that_is_being_deleted_counts_and_is_not_placed() -> None:
    going = replace(RED[1], terminating=True)
    assert taken_up(seen(RED[0], going)) == {"red-1"}
    assert decided(RED[0], seen(RED[0], going)) == {"Wait(red-1)"}


@pytest.mark.parametrize("fields", [{"priority": 1}, {"preemption_policy": "Never"}])
def test_pods_that_are_not_alike_are_never_placed(fields: dict[str, object]) -> None:
    assert decided(RED[0], seen(RED[0], replace(RED[1], **fields))) == {"Wait(red-1)"}


def test_a_priority_that_is_not_that_of_the_group_is_an_error() -> None:
    (only,) = group_endings(group("red", priority=3), seen(*RED, groups=(group("red", priority=3),)), GROUPED)
    assert (only.placed, only.error) == ((), True)


def test_a_pod_without_a_group_is_scheduled_as_without_the_gate() -> None:
    other = pod("p", 1)
    there = seen(other, *RED)
    assert decision(other, there, GROUPED) == decision(other, there, UNGROUPED)


# In 1.36


def in_1_36(one: Pod, snapshot: Snapshot) -> set[str]:
    return {str(each) for each in decision(one, snapshot, IN_1_36)}


def test_in_1_36_a_gated_member_keeps_no_other_out_and_is_not_tried() -> None:
    there = seen(*RED, one_of("red", 3, scheduling_gates=("wait",)), nodes=3)
    assert {str(each) for each in turn(there, IN_1_36)} == {"red-1", "red-2"}
    assert {len(each.placed) for each in group_endings(group("red"), there, IN_1_36)} == {2}
    alone = seen(RED[0], replace(RED[1], scheduling_gates=("wait",)))
    assert in_1_36(RED[0], alone) == {"Wait(red-1)"}


def test_in_1_36_members_may_differ_and_the_highest_priority_is_tried_first() -> None:
    high = replace(RED[1], priority=1, preemption_policy="Never")
    there = seen(RED[0], high, nodes=1, groups=(group("red", 1),))
    assert in_1_36(high, there) == {"Bind(red-2, n1)"}
    assert decided(high, there) == {"Wait(red-2)"}


@pytest.mark.parametrize(("older", "placed"), [((), 2), ((pod("o", 0, "n1", affinity=apart(term())),), 0)])
def test_in_1_36_anti_affinity_of_an_assumed_pod_is_seen_only_beside_an_older_one(
    older: tuple[Pod, ...], placed: int
) -> None:
    first = one_of("red", 1, priority=1, affinity=apart(term(selected=selector(app="x"))))
    second = one_of("red", 2, labels={"app": "x"})
    nodes = (node("n1", 2, labels={"kubernetes.io/hostname": "n1"}),)
    there = seen(first, second, *older, nodes=nodes)
    assert {len(each.placed) for each in group_endings(group("red"), there, IN_1_36)} == {placed}


@pytest.mark.parametrize(("victim", "policy", "unknown"), [(0, "", True), (1, "", False), (0, "Never", False)])
def test_in_1_36_a_member_that_preempts_makes_the_decision_unknown(victim: int, policy: str, unknown: bool) -> None:
    high = [replace(each, priority=1, preemption_policy=policy or each.preemption_policy) for each in RED]
    there = seen(*high, pod("v", 1, "n1", priority=victim), nodes=1)
    (only,) = decision(high[0], there, IN_1_36)
    assert isinstance(only, Unknown if unknown else Wait)
    if isinstance(only, Unknown):
        assert only.why == "not modelled: preemption by a pod of a pod group"


def test_in_1_36_a_pod_without_a_group_evicts_a_pod_of_a_group() -> None:
    high = pod("p", 1, priority=1)
    there = seen(one_of("red", 1, "n1"), high, nodes=1)
    assert in_1_36(high, there) == {str(each) for each in decision(high, there, UNGROUPED)}
    assert not any(isinstance(each, Unknown | Wait) for each in decision(high, there, IN_1_36))


# What is not modelled


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"scheduler_name": "else"}, "several schedulerNames"),
    ],
)
def test_a_feature_of_its_pods_that_is_not_modelled_is_named(fields: dict[str, object], why: str) -> None:
    (only,) = decision(RED[0], seen(RED[0], replace(RED[1], **fields)), GROUPED)
    assert isinstance(only, Unknown)
    assert why in only.why


def test_a_field_of_the_group_that_is_not_modelled_is_named() -> None:
    (only,) = decision(RED[0], seen(*RED, groups=(group("red", unmodelled="topology constraints"),)), GROUPED)
    assert only == Unknown(RED[0], "not modelled: topology constraints of a pod group")
