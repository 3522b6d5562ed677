"""The cluster carries out what another scheduler replies, and `decides_as_allowed` judges it"""

from collections.abc import Mapping
from typing import Any

import pytest
from frozendict import frozendict

from schedcheck.checker.foreign.machine import Driven, decides_as_allowed, decisions_of
from schedcheck.checker.judging.judge import judge
from schedcheck.checker.judging.judged import Judged
from schedcheck.checker.judging.reply import Reply
from schedcheck.model.profiles import profile_of
from schedcheck.model.scenario import Scenario
from schedcheck.spec.decisions import Bind, Decision, Nominate, Preempt, Unknown, Wait
from schedcheck.spec.objects import Container, Node, Pod, Snapshot
from tests.support.building import UNIT


def pod(name: str, node: str = "", priority: int = 0, **fields: Any) -> Pod:
    return Pod(name, node_name=node, priority=priority, containers=(Container(frozendict(cpu=UNIT)),), **fields)


N1, N2 = (Node(name, allocatable=frozendict(cpu=2000, pods=9)) for name in ("n1", "n2"))
LOW = tuple(pod(f"low{place}", f"n{1 + place // 2}") for place in range(4))
HIGH = pod("high", priority=9)
FULL = Snapshot.of([*LOW, HIGH], [N1, N2])
SCENARIO = Scenario("full", FULL.pods, FULL.nodes, profile="kubernetes")
PROFILE = profile_of(SCENARIO)


def judged(reply: Reply, asked: Pod = HIGH, snapshot: Snapshot = FULL) -> Judged:
    return judge(asked, snapshot, PROFILE, reply)


def carried_out(reply: Reply, asked: Pod = HIGH, snapshot: Snapshot = FULL) -> frozenset[Decision]:
    return decisions_of(reply, asked, snapshot, judged(reply, asked, snapshot))


def keys(*names: str) -> frozenset[tuple[str, str]]:
    return frozenset(("default", name) for name in names)


def test_reply_is_one_decision() -> None:
    low0 = next(each for each in FULL.pods if each.name == "low0")
    assert carried_out(Reply("bind", "n1")) == {Bind(HIGH, N1)}
    assert carried_out(Reply("nominate", "n1", keys("low0"))) == {Nominate(HIGH, N1, frozenset({low0}))}
    assert carried_out(Reply("evict", victims=keys("low0"))) == {Preempt(HIGH, N1, frozenset({low0}))}
    assert carried_out(Reply("unschedulable")) == carried_out(Reply("error")) == {Wait(HIGH)}


@pytest.mark.parametrize("reply", [Reply("bind", "n9"), Reply("nominate", "n9"), Reply("evict", victims=keys("gone"))])
def test_reply_that_names_what_is_not_there_changes_nothing(reply: Reply) -> None:
    assert carried_out(reply) == {Wait(HIGH)}
    assert judged(reply).verdict == "refused"


def test_victims_that_are_left_open_are_those_that_are_allowed() -> None:
    made = carried_out(Reply("nominate", "n1"))
    assert {frozenset(each.name for each in one.victims) for one in made if isinstance(one, Nominate)} == {
        frozenset({"low0"}),
        frozenset({"low1"}),
    }


def test_a_lost_nomination_that_is_not_told_is_as_specified() -> None:
    never = pod("high", priority=-9, nominated_node_name="n1")
    there = Snapshot.of([*LOW, never], [N1, N2])
    assert carried_out(Reply("unschedulable"), never, there) == {Wait(never, "", True)}
    assert carried_out(Reply("unschedulable", unnominated=False), never, there) == {Wait(never)}


def driven(replies: Mapping[str, frozenset[Decision]]) -> Driven:
    return Driven(SCENARIO, PROFILE, lambda asked, _: replies[asked.name], lambda: "because")


def test_evictions_without_a_nomination_happen_one_by_one() -> None:
    machine = driven({"high": carried_out(Reply("evict", victims=keys("low0", "low1")))})
    (start,) = machine.initial_states()
    after = next(state for action, state in machine.steps(start) if isinstance(action, Preempt))
    assert after.pods == start.pods and len(after.to_evict) == 2
    names = {str(action) for action, _ in machine.steps(after)}
    assert {"EvictVictim(low0)", "EvictVictim(low1)"} <= names
    assert {Preempt, Unknown} <= {*machine.kinds()}


def test_nomination_evicts_at_once_where_the_scheduler_does_not_nominate() -> None:
    published = Scenario("full", FULL.pods, FULL.nodes, profile="corrected", victims="pending")
    low0 = next(each for each in FULL.pods if each.name == "low0")
    made = frozenset({Nominate(HIGH, N1, frozenset({low0}))})
    machine = Driven(published, profile_of(published), lambda asked, _: made, lambda: "")
    (start,) = machine.initial_states()
    after = next(state for action, state in machine.steps(start) if isinstance(action, Nominate))
    assert {pod.name for pod in after.pods if pod is not None and not pod.node_name} == {"high", "low0"}
    assert {type(action) for action, _ in machine.steps(start)} <= {*machine.kinds()}


def test_unknown_decision_changes_nothing_and_says_why() -> None:
    machine = driven({"high": frozenset({Unknown(HIGH, "hangs")})})
    (start,) = machine.initial_states()
    assert [state == start for action, state in machine.steps(start) if isinstance(action, Unknown)] == [True]
    assert machine.why_unknown() == "because"


def test_only_refused_decisions_break_the_property() -> None:
    said = {"high": Reply("bind", "n1")}
    step = decides_as_allowed(lambda asked, there: judged(said[asked.name]) if asked.name in said else None)
    assert not step.holds(FULL, Bind(HIGH, N1), FULL)
    assert step.holds(FULL, Bind(LOW[0], N1), FULL)
    assert step.holds(FULL, "an event", FULL)
    said["high"] = Reply("nominate", "n1", keys("low0"))
    assert step.holds(FULL, Bind(HIGH, N1), FULL)
