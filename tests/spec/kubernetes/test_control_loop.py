"""The control loop of kube-scheduler: the pods it may take up, its decisions, and the state after each decision"""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, Phase, assume, find, given, settings

from schedcheck.checker.drawing.contests import contests
from schedcheck.spec.decisions import Bind, Nominate, Wait
from schedcheck.spec.kubernetes.control_loop import decision, turn
from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.preemption.choice import selected
from schedcheck.spec.kubernetes.select_host import choice
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.published.control_loop import after
from schedcheck.spec.terms import Requirement
from tests.spec.kubernetes.preemption.test_post_filter import NOWHERE
from tests.support.building import node, node_term, pod, preferring, snapshot
from tests.support.preempting import dry_run
from tests.support.sizes import on_examples, part_and_whole

DOCUMENTED = DEFAULT_PLUGINS.departing(NO_DEPARTURES)
SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much]
TOP = pod("top", 2, priority=5)
LOW = pod("low", 1, on="n")
FULL = node("n", 2)


def decided(one: Pod, *things: Pod | Node, plugins: Plugins = DEFAULT_PLUGINS) -> set[str]:
    return {str(each) for each in decision(one, snapshot(one, *things), plugins)}


# Which pod is scheduled next.


@pytest.mark.parametrize(
    ("one", "waits"),
    [
        (pod("p"), True),
        (pod("p", nominated_node_name="n"), True),
        (pod("p", on="n"), False),
        (pod("p", on="gone"), False),
        (pod("p", phase="Failed"), False),
        (pod("p", scheduler_name="other"), False),
        (pod("p", scheduling_gates=("later",)), False),
        (pod("p", terminating=True), False),
    ],
)
def test_any_pending_pod_of_this_scheduler_may_be_scheduled_next(one: Pod, waits: bool) -> None:
    above = pod("above", priority=9)
    assert turn(snapshot(one, above, FULL), DEFAULT_PLUGINS) == ({one, above} if waits else {above})


def test_without_scheduling_gates_gated_pods_are_scheduled() -> None:
    gated, other = pod("p", scheduling_gates=("later",)), pod("q", scheduler_name="other")
    points = DEFAULT_PLUGINS.points.set("preEnqueue", ())
    assert turn(snapshot(gated, other), replace(DEFAULT_PLUGINS, points=points)) == {gated}
    assert turn(snapshot(gated, other), replace(DEFAULT_PLUGINS, scheduler_name="other")) == {other}


# Decisions.


def test_any_node_with_the_best_score_may_be_bound() -> None:
    assert decided(TOP, node("a", 4), node("b", 4), node("c", 3)) == {"Bind(top, a)", "Bind(top, b)"}


def test_a_feasible_nominated_node_is_bound_whatever_the_scores() -> None:
    assert decided(replace(TOP, nominated_node_name="c"), node("a", 9), node("c", 2)) == {"Bind(top, c)"}


def test_a_node_is_nominated_if_pods_must_be_evicted() -> None:
    assert decided(TOP, LOW, FULL, pod("other", 1, on="m", priority=1), node("m", 2)) == {"Nominate(top, n, {low})"}
    assert decided(TOP, LOW, FULL, pod("other", 1, on="m"), node("m", 2)) == {
        "Nominate(top, n, {low})",
        "Nominate(top, m, {other})",
    }


def test_ended_pods_are_not_seen() -> None:
    ended = (replace(LOW, phase="Succeeded"), pod("failed", 2, priority=9, nominated_node_name="n", phase="Failed"))
    assert decided(TOP, *ended, FULL) == {"Bind(top, n)"}


def test_an_unresolvable_pod_waits_and_loses_its_nomination() -> None:
    big = pod("big", 3, priority=5)
    (wait,) = decision(big, snapshot(big, LOW, FULL), DEFAULT_PLUGINS)
    assert isinstance(wait, Wait) and not wait.unnominated
    assert wait.message.startswith("0/1 nodes are available: 1 Insufficient cpu. preemption")
    assert after(wait, snapshot(big, LOW, FULL)) == snapshot(big, LOW, FULL)
    nominated = replace(big, nominated_node_name="n")
    assert decided(nominated, LOW, FULL) == {"Wait(big, unnominated)"}
    (wait,) = decision(nominated, snapshot(nominated, LOW, FULL), DEFAULT_PLUGINS)
    assert after(wait, snapshot(nominated, LOW, FULL)) == snapshot(big, LOW, FULL)


def test_a_pod_with_a_terminating_victim_waits_and_keeps_its_nomination() -> None:
    ending = replace(LOW, terminating=True, preempted=True)
    assert decided(replace(TOP, nominated_node_name="n"), ending, FULL) == {"Wait(top)"}


def test_a_post_filter_error_keeps_the_nomination_and_a_score_error_clears_it() -> None:
    conflict = replace(TOP, nominated_node_name="n", affinity=NOWHERE)
    (wait,) = decision(conflict, snapshot(conflict, FULL), DEFAULT_PLUGINS)
    assert isinstance(wait, Wait) and not wait.unnominated and wait.message.endswith("not found")
    unreadable = preferring(1, node_term(Requirement("rank", "Gt", ("first",))))
    failing = replace(TOP, nominated_node_name="gone", affinity=unreadable)
    (wait,) = decision(failing, snapshot(failing, node("a", 2), node("b", 2)), DEFAULT_PLUGINS)
    assert isinstance(wait, Wait) and wait.unnominated and "first" in wait.message


# The state after a decision.


def nominate(one: Pod, seen: Snapshot) -> Nominate:
    (only,) = decision(one, seen, DEFAULT_PLUGINS)
    assert isinstance(only, Nominate)
    return only


def test_binding_a_pod_clears_its_nomination() -> None:
    one = replace(TOP, nominated_node_name="n")
    assert after(Bind(one, FULL), snapshot(one, FULL)) == snapshot(replace(TOP, node_name="n"), FULL)


def test_preemption_clears_lower_priority_nominations_to_the_node() -> None:
    waiting = [
        pod(name, 1, priority=priority, nominated_node_name=where)
        for name, priority, where in (("lower", 4, "n"), ("same", 5, "n"), ("elsewhere", 4, "m"))
    ]
    seen = snapshot(TOP, LOW, *waiting, node("n", 3), node("m", 1))
    one = replace(TOP, containers=pod(cpu=2).containers)
    left = {each.name: each.nominated_node_name for each in after(nominate(one, seen), seen).pods}
    assert left == {"top": "n", "low": "", "lower": "", "same": "n", "elsewhere": "m"}


def test_no_nomination_is_cleared_if_every_victim_already_terminates() -> None:
    lower = pod("lower", 1, priority=4, nominated_node_name="n")
    seen = snapshot(TOP, replace(LOW, terminating=True), lower, FULL)
    left = {each.name: each.nominated_node_name for each in after(nominate(TOP, seen), seen).pods}
    assert left == {"top": "n", "low": "", "lower": "n"}


def evicted_and_ended(nominated: Nominate, seen: Snapshot) -> Snapshot:
    """The objects after a nomination, the eviction of each victim one by one, and the end of each victim."""
    left = after(nominated, seen)
    for victim in sorted(nominated.victims, key=lambda each: each.key):
        ending = replace(victim, terminating=True, preempted=True)
        left = replace(left, pods=tuple(ending if each == victim else each for each in left.pods))
    ended = frozenset(each for each in left.pods if each.key in {victim.key for victim in nominated.victims})
    return left - ended


def without_nominations(seen: Snapshot) -> Snapshot:
    return replace(seen, pods=tuple(replace(each, nominated_node_name="") for each in seen.pods))


@settings(max_examples=200, suppress_health_check=SLOW)
@given(contests())
def test_an_undisturbed_nomination_ends_like_an_atomic_preemption(contest: tuple[Pod, Snapshot]) -> None:
    one, seen = contest[0], Snapshot.of([contest[0], *contest[1].pods], contest[1].nodes)
    for each in decision(one, seen, DEFAULT_PLUGINS):
        if isinstance(each, Nominate):
            ended = evicted_and_ended(each, seen)
            assert without_nominations(ended) == without_nominations(seen - each.victims)
            assert [pod.nominated_node_name for pod in ended.pods if pod.key == one.key] == [each.node.name]


def binds_in_the_end(contest: tuple[Pod, Snapshot], plugins: Plugins = DOCUMENTED) -> bool:
    """Whether a pod is bound to its nominated node once its victims have ended, if nothing comes between."""
    one, seen = contest[0], Snapshot.of([contest[0], *contest[1].pods], contest[1].nodes)
    for each in decision(one, seen, plugins):
        if isinstance(each, Nominate):
            ended = evicted_and_ended(each, seen)
            (again,) = (pod for pod in ended.pods if pod.key == one.key)
            if decision(again, ended, plugins) != {Bind(again, each.node)}:
                return False
    return True


@pytest.mark.medium
@settings(max_examples=200, suppress_health_check=SLOW)
@given(contests())
def test_an_undisturbed_nomination_ends_in_a_binding_to_that_node(contest: tuple[Pod, Snapshot]) -> None:
    assert binds_in_the_end(contest)


def test_with_departures_a_nomination_may_not_end_in_a_binding() -> None:
    """The broken twin: ports that were free only in the dry run."""
    limits = settings(max_examples=3000, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
    find(contests(), lambda contest: not binds_in_the_end(contest, DEFAULT_PLUGINS), settings=limits)


def one_kind_with_that_of_any_single_order(contest: tuple[Pod, Snapshot]) -> None:
    one, seen = contest[0], replace(contest[1], pods=Snapshot.of([contest[0], *contest[1].pods]).pods)
    found = decision(one, seen, DEFAULT_PLUGINS)
    assert found
    assert len({type(each) for each in found}) == 1
    assume(any(isinstance(each, Nominate) for each in found))
    assert choice(cycle(*contest, DEFAULT_PLUGINS)).kind == "unschedulable"
    for each in selected(dry_run(*contest).candidates):
        assert Nominate(one, each.node, frozenset(each.victims)) in found


@pytest.mark.parametrize("number", part_and_whole(60, 200))
def test_a_decision_has_one_kind_and_contains_that_of_any_single_order(number: int) -> None:
    on_examples(number, contests(), one_kind_with_that_of_any_single_order)
