"""The properties of gangs: all or nothing at each binding, and gangs that hold each other up"""

from dataclasses import replace

import pytest

from schedcheck.spec.decisions import Bind
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import kubernetes
from schedcheck.spec.properties.of_gangs import (
    binds_a_member,
    gang_all_or_nothing,
    no_gang_deadlock,
    two_gangs_wait,
)
from tests.support.building import pod
from tests.support.gangs import GANGS, member, policy, rooms

JUDGE = kubernetes("kubernetes-1.35", (GANGS,))


def seen(*pods: Pod, nodes: int = 2, least: int = 2) -> Snapshot:
    workloads = tuple(policy(name, least) for name in ("blue", "green", "red"))
    return replace(Snapshot.of(pods, rooms(nodes)), workloads=workloads)


def bound(one: Pod, before: Snapshot, *allowed: Pod) -> bool:
    return gang_all_or_nothing(before, Bind(one, before.nodes[0], allowed=allowed), JUDGE)


RED, OTHER = member("red", 1), member("red", 2)


def test_a_member_is_not_bound_alone() -> None:
    assert not bound(RED, seen(RED, OTHER))


@pytest.mark.parametrize("other", [member("red", 2, "n2"), member("red", 2, "n2", terminating=True)])
def test_a_bound_member_makes_up_the_number(other: Pod) -> None:
    assert bound(RED, seen(RED, other))
    assert not bound(RED, seen(RED, other, least=3))


@pytest.mark.parametrize(
    "other",
    [
        member("red", 2, "n2", phase="Failed"),
        member("red", 2, "n2", replica="1"),
        member("blue", 2, "n2"),
        member("red", 2, waits_on="n2"),
        pod("p", 1, "n2"),
    ],
)
def test_no_other_pod_makes_up_the_number(other: Pod) -> None:
    assert not bound(RED, seen(RED, other))


def test_those_that_are_bound_with_it_make_up_the_number() -> None:
    waiting = member("red", 2, waits_on="n2")
    assert bound(RED, seen(RED, waiting), waiting)


def test_only_members_of_gangs_put_it_to_the_test() -> None:
    for one, member_of_one in ((RED, True), (pod("p", 1), False)):
        before = seen(one)
        assert bound(one, before) == (not member_of_one)
        assert binds_a_member(before, Bind(one, before.nodes[0]), before) == member_of_one


HELD = (member("blue", 1, waits_on="n1"), member("blue", 2), member("red", 1, waits_on="n2"), member("red", 2))


def test_two_gangs_of_which_each_holds_half_of_the_room_are_a_deadlock() -> None:
    assert two_gangs_wait(seen(*HELD))
    assert not no_gang_deadlock(seen(*HELD), JUDGE)


def test_with_room_for_one_more_it_is_none() -> None:
    assert no_gang_deadlock(seen(*HELD, nodes=3), JUDGE)


def test_one_gang_that_waits_alone_is_none() -> None:
    assert not two_gangs_wait(seen(*HELD[:2], HELD[3]))
    assert no_gang_deadlock(seen(*HELD[:2], HELD[3]), JUDGE)


def test_gangs_that_would_not_fit_alone_do_not_hold_each_other_up() -> None:
    # A bound pod takes the second node, so that neither gang fits whatever the other does.
    there = (pod("p", 1, "n3"), *HELD[:2], member("red", 1, waits_on="n2"), *(member("red", n) for n in (2, 3)))
    gangs = (*there, member("blue", 3))
    assert no_gang_deadlock(seen(*gangs, nodes=3, least=3), JUDGE)


def test_three_gangs_may_hold_each_other_up() -> None:
    three = (*HELD, member("green", 1, waits_on="n3"), member("green", 2))
    assert not no_gang_deadlock(seen(*three, nodes=3), JUDGE)
