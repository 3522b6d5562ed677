"""Gang scheduling of 1.35: which pods enter the queue, which wait on permit, and which are bound together

Expectations are the sentences of the plugin's comments: a pod is held back until minCount pods of its gang exist; one that
finds a node waits until minCount have one, and the last allows the others.
"""

from dataclasses import replace

import pytest

from schedcheck.spec.decisions import Bind, Nominate, Wait, WaitOnPermit
from schedcheck.spec.kubernetes.control_loop import decision, turn
from schedcheck.spec.kubernetes.gangs import members, refusal
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.published.control_loop import after
from schedcheck.spec.workload_objects import GangWorkload, WorkloadReference
from tests.support.building import pod
from tests.support.gangs import BEFORE, GANGS, member, policy, rooms

RED = (member("red", 1), member("red", 2))


def seen(*pods: Pod, nodes: int = 2, workloads: tuple[GangWorkload, ...] = (policy("red"),)) -> Snapshot:
    return replace(Snapshot.of(pods, rooms(nodes)), workloads=workloads)


def decided(one: Pod, snapshot: Snapshot) -> set[str]:
    return {str(each) for each in decision(one, snapshot, GANGS)}


def taken_up(snapshot: Snapshot) -> set[str]:
    return {str(each) for each in turn(snapshot, GANGS)}


# PreEnqueue


@pytest.mark.parametrize(("there", "entering"), [(1, set()), (2, {"red-1", "red-2"}), (3, {"red-1", "red-2", "red-3"})])
def test_pods_enter_the_queue_once_min_count_of_them_exist(there: int, entering: set[str]) -> None:
    assert taken_up(seen(*(member("red", number) for number in range(1, there + 1)))) == entering


def test_a_bound_and_a_waiting_member_count_for_min_count() -> None:
    workloads = (policy("red", 3),)
    two = member("red", 1, "n1"), member("red", 2, waits_on="n2")
    assert taken_up(seen(*two, member("red", 3), workloads=workloads)) == {"red-3"}
    assert taken_up(seen(*two, workloads=workloads)) == set()


def test_an_ended_member_does_not_count() -> None:
    assert taken_up(seen(member("red", 1, "n1", phase="Succeeded"), member("red", 2))) == set()


@pytest.mark.parametrize(
    "other",
    [
        member("blue", 2),
        member("red", 2, namespace="other"),
        member("red", 2, replica="1"),
        member("red", 2, scheduler_name="else"),
    ],
)
def test_the_members_are_those_of_namespace_workload_group_and_replica_with_any_scheduler(other: Pod) -> None:
    alike = other.scheduler_name == "else"
    assert members(RED[0], seen(RED[0], other)) == ({RED[0], other} if alike else {RED[0]})
    assert taken_up(seen(RED[0], other)) & {"red-1"} == ({"red-1"} if alike else set())


def test_a_pod_waits_for_its_workload_and_for_its_group() -> None:
    absent = refusal(RED[0], seen(*RED, workloads=()), GANGS)
    assert absent is not None
    assert absent.reasons == ('waiting for pods\'s workload "red" to appear in scheduling queue',)
    elsewhere = replace(RED[0], workload=WorkloadReference("red", "drivers"))
    without = refusal(elsewhere, seen(elsewhere), GANGS)
    assert without is not None
    assert without.reasons == ('pod group "drivers" doesn\'t exist for a workload "red"',)


def test_a_workload_of_another_namespace_is_none() -> None:
    there = seen(*RED, workloads=(replace(policy("red"), namespace="other"),))
    assert taken_up(there) == set()


def test_the_policy_basic_and_pods_without_a_group_are_scheduled_as_without_the_gate() -> None:
    alone = seen(RED[0], workloads=(policy("red", None),))
    assert decided(RED[0], alone) == {"Bind(red-1, n1)", "Bind(red-1, n2)"}
    other = pod("p", 1)
    assert decided(other, seen(other, *RED)) == {"Bind(p, n1)", "Bind(p, n2)"}


def test_without_the_gate_a_member_is_bound_alone() -> None:
    there = seen(RED[0])
    assert {str(each) for each in turn(there, BEFORE)} == {"red-1"}
    assert all(isinstance(each, Bind) and not each.allowed for each in decision(RED[0], there, BEFORE))


# Permit


def test_the_first_member_waits_on_permit_and_the_last_allows_it() -> None:
    start = seen(*RED)
    assert decided(RED[0], start) == {"WaitOnPermit(red-1, n1)", "WaitOnPermit(red-1, n2)"}
    waiting = after(WaitOnPermit(RED[0], start.nodes[0]), start)
    assert taken_up(waiting) == {"red-2"}
    assert decided(RED[1], waiting) == {"Bind(red-2, n2, with red-1)"}
    (last,) = decision(RED[1], waiting, GANGS)
    assert {each.name: (each.node_name, each.waits_on) for each in after(last, waiting).pods} == {
        "red-1": ("n1", ""),
        "red-2": ("n2", ""),
    }


def test_a_waiting_pod_takes_its_room_and_loses_its_nomination() -> None:
    start = seen(replace(RED[0], nominated_node_name="n1"), RED[1], pod("p", 1))
    waiting = after(WaitOnPermit(start.pods[1], start.nodes[0]), start)
    assert waiting.pods[1].nominated_node_name == ""
    assert decided(waiting.pods[0], waiting) == {"Bind(p, n2)"}


def test_a_bound_member_counts_for_the_quorum() -> None:
    assert decided(RED[1], seen(member("red", 1, "n1"), RED[1])) == {"Bind(red-2, n2)"}


def test_members_of_another_replica_are_not_allowed() -> None:
    other = member("red", 1, replica="1", waits_on="n1")
    one, two = member("red", 3, replica="2", waits_on="n3"), member("red", 4, replica="2")
    assert decided(two, seen(other, one, two, nodes=3)) == {"Bind(red-4, n2, with red-3)"}


def test_a_gang_that_fits_nowhere_waits_without_a_place() -> None:
    (only,) = decision(RED[0], seen(*RED, nodes=0), GANGS)
    assert isinstance(only, Wait)


def test_a_waiting_pod_of_lower_priority_is_a_victim_as_it_stands_in_the_snapshot() -> None:
    waiting = member("red", 1, waits_on="n1")
    high = pod("p", 1, priority=1)
    (only,) = decision(high, seen(waiting, RED[1], high, nodes=1), GANGS)
    assert only == Nominate(high, rooms(1)[0], frozenset({waiting}))
