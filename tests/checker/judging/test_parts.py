"""What is judged of a reply beside its decision, why a pod is not in turn, and the views of cycles with extenders"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from frozendict import frozendict

from schedcheck.checker.judging.judge import judge
from schedcheck.checker.judging.reply import Reply, ToldRefusal
from schedcheck.checker.judging.turn import not_in_turn
from schedcheck.checker.judging.views import View, views
from schedcheck.spec.classic.policy import DEFAULT
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extenders import Extender, Failed, Filtered, Nodes
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import CORRECTED, Profile, classic, kubernetes
from schedcheck.spec.refusal import Code, Refusal
from tests.support.building import node, pod

WAITING = pod("p", 2)
ROOMY = Snapshot.of([WAITING], [node("n1", 4), node("n2", 4), node("n3", 1)])
TIGHT = Snapshot.of([WAITING], [node("n3", 1)])
OFFER = Offer("http://extender", filter_verb="filter")
KUBERNETES = kubernetes("kubernetes", (DEFAULT_PLUGINS,))


@pytest.mark.parametrize(
    ("strictness", "message", "judged"),
    [("best", None, 0), ("best", "0/1 nodes are available", 0), ("exact", None, 0)],
)
def test_a_text_is_judged_only_if_it_is_told_and_asked_for(strictness: Any, message: str | None, judged: int) -> None:
    reply = Reply("unschedulable", message=message)
    found = judge(WAITING, TIGHT, KUBERNETES, reply, strictness)
    assert found.judged["message"] == (judged, 1)
    assert "message" in found.open


def test_a_told_text_that_is_asked_for_is_judged() -> None:
    found = judge(WAITING, TIGHT, KUBERNETES, Reply("unschedulable", message="no"), "exact")
    assert found.clause == "event" and found.judged["message"] == (1, 1)
    assert "message" not in found.open


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"node_name": "n1", "phase": "Succeeded"}, "p has ended"),
        ({"node_name": "n1"}, "p is bound to n1"),
        ({"terminating": True}, "p is terminating"),
        ({"scheduler_name": "another"}, "p has the schedulerName another"),
        ({"scheduling_gates": ("a", "b")}, "p has scheduling gates: a, b"),
        ({}, ""),
    ],
)
def test_a_pod_that_is_not_in_turn_is_told_why(changed: Mapping[str, Any], why: str) -> None:
    asked = replace(WAITING, **changed)
    assert not_in_turn(asked, replace(ROOMY, pods=(asked,)), KUBERNETES) == why


def test_a_pod_behind_one_of_higher_priority_is_not_in_turn() -> None:
    there = Snapshot.of([WAITING, pod("first", 1, priority=1)], ROOMY.nodes)
    assert not_in_turn(WAITING, there, CORRECTED) == "a pod of higher priority than p is pending"


def test_equal_refusals_are_one() -> None:
    assert len({ToldRefusal(("a",), "NodePorts"), ToldRefusal(("a",), "NodePorts"), ToldRefusal(("a",))}) == 2


def only_n1(pod: Pod, nodes: Nodes) -> Filtered:
    """Keep n1, with a reason against n2."""
    return Filtered(frozenset({"n1"}), frozendict(n2="no license"))


def down(pod: Pod, nodes: Nodes) -> Failed:
    """Answer nothing."""
    return Failed("connection refused")


def profiles(extender: Extender) -> tuple[Profile, Profile]:
    """Kube-scheduler and the early scheduler with an extender."""
    return (
        kubernetes("kubernetes", (replace(DEFAULT_PLUGINS, extenders=(extender,)),)),
        classic(replace(DEFAULT, extenders=(extender,))),
    )


def seen(profile: Profile, snapshot: Snapshot = ROOMY) -> View:
    (found,) = views(WAITING, snapshot, profile)
    return found


def reasons(refusals: tuple[Refusal, ...]) -> list[tuple[str, ...]]:
    return [each.reasons for each in refusals]


def test_a_node_is_refused_by_an_extender_or_by_the_scheduler() -> None:
    current, early = (seen(each) for each in profiles(Extender(OFFER, only_n1)))
    for view in (current, early):
        assert view.feasible == ("n1",) and view.failing == ""
        assert reasons(view.refusals("n1")) == []
        assert reasons(view.refusals("n2")) == [("no license",)]
        assert reasons(view.refusals("n3")) == [("Insufficient cpu",)]
    assert early.refusals("n2")[0].code is Code.UNSCHEDULABLE


def test_a_cycle_ends_in_the_error_of_an_extender() -> None:
    for profile in profiles(Extender(OFFER, down)):
        assert seen(profile).feasible == ()
        assert "connection refused" in seen(profile).failing
        assert judge(WAITING, ROOMY, profile, Reply("error"), "exact").verdict == "allowed"
        assert judge(WAITING, ROOMY, profile, Reply("unschedulable"), "exact").clause == "outcome"


def test_an_ignorable_extender_that_does_not_answer_fails_no_cycle() -> None:
    for profile in profiles(Extender(replace(OFFER, ignorable=True), down)):
        assert (seen(profile).feasible, seen(profile).failing) == (("n1", "n2"), "")
