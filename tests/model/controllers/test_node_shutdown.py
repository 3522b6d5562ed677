"""A node that shuts down: its groups and their order, time-outs, rejections, replacements, and broken definitions"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from schedcheck.checker.check import NotTabulated, check
from schedcheck.errors import InputError
from schedcheck.manifests import read
from schedcheck.manifests import scenario as read_scenario
from schedcheck.model.controllers import node_shutdown
from schedcheck.model.controllers.node_shutdown import Kill, group_of
from schedcheck.model.environment import ShutDown
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Scenario
from tests.support.building import node, on_nodes, pod, scenario

OFF = frozenset({"owners", "lifecycle", "kubelet"})
WEB = ("ReplicaSet", "web")


def shutting(*things: Any, priorities: tuple[int, ...] = (0, 10, 20), **fields: Any) -> Scenario:
    """A scenario in which the node `n` shuts down once."""
    fields.setdefault("rules", [on_nodes("shutdown", "n", 1)])
    return scenario(*things, controllers=OFF, profile="kubernetes", shutdown_priorities=priorities, **fields)


def on_n(name: str, priority: int, **fields: Any) -> Any:
    return pod(name, 1, on="n", priority=priority, phase="Running", **fields)


def walk(given: Scenario, *steps: str) -> tuple[Reference, State]:
    """The machine, and the state after these steps."""
    machine = Reference(given, profile_of(given))
    state = next(iter(machine.initial_states()))
    for text in steps:
        state = next(reached for action, reached in machine.steps(state) if str(action) == text)
    return machine, state


def texts(given: Scenario, *steps: str) -> set[str]:
    """The possible steps after these, without those of the node lifecycle controller."""
    machine, state = walk(given, *steps)
    return {str(action) for action, _ in machine.steps(state) if not str(action).startswith("Taint")}


@pytest.mark.parametrize(
    ("priority", "group"), [(-5, 0), (0, 0), (9, 0), (10, 1), (11, 1), (19, 1), (20, 2), (2_000_000_000, 2)]
)
def test_a_pod_is_in_the_group_of_the_greatest_priority_not_above_its_own(priority: int, group: int) -> None:
    """As in TestGroupByPriority of kubernetes: those below the lowest are in the lowest, boundaries in their own."""
    assert group_of(priority, (0, 10, 20)) == group


THREE = shutting(on_n("low", 0), on_n("mid", 12), on_n("top", 99), node("n", 9))
"""A pod in each of three groups."""


def test_groups_end_in_order_and_each_begins_once_the_one_before_has_ended() -> None:
    report = "ReportShutdown(n)"
    assert texts(THREE, "ShutDown(n)") == {report, "Kill(low)", "Expire(n)"}
    assert texts(THREE, "ShutDown(n)", "Kill(low)") == {report, "Kill(mid)", "Expire(n)"}
    assert texts(THREE, "ShutDown(n)", "Kill(low)", "Kill(mid)") == {report, "Kill(top)", "Expire(n)"}
    assert texts(THREE, "ShutDown(n)", "Kill(low)", "Kill(mid)", "Kill(top)") == {report, "PowerOff(n)"}


def test_the_pods_of_one_group_end_in_any_order() -> None:
    both = shutting(on_n("a", 0), on_n("b", 9), on_n("top", 99), node("n", 9))
    assert {"Kill(a)", "Kill(b)"} <= texts(both, "ShutDown(n)")
    assert "Kill(top)" not in texts(both, "ShutDown(n)", "Kill(b)")


def test_after_its_time_a_group_goes_on_ending_while_the_next_has_begun() -> None:
    assert {"Kill(low)", "Kill(mid)", "Expire(n)"} <= texts(THREE, "ShutDown(n)", "Expire(n)")
    assert "Kill(top)" not in texts(THREE, "ShutDown(n)", "Expire(n)")
    late = texts(THREE, "ShutDown(n)", *["Expire(n)"] * 3)
    assert {"Kill(low)", "Kill(mid)", "Kill(top)", "PowerOff(n)"} <= late
    assert "Expire(n)" not in late


def test_a_group_without_pods_takes_no_time() -> None:
    two = shutting(on_n("low", 0), on_n("top", 99), node("n", 9))
    assert "Kill(top)" in texts(two, "ShutDown(n)", "Kill(low)")
    assert texts(shutting(node("n", 9)), "ShutDown(n)") == {"ReportShutdown(n)", "PowerOff(n)"}


def test_a_killed_pod_stays_an_object_that_has_failed_and_without_an_owner_it_is_not_replaced() -> None:
    _, state = walk(THREE, "ShutDown(n)", "Kill(low)")
    assert next((each.name, each.phase, each.node_name) for each in state.pods if each) == ("low", "Failed", "n")
    assert not any(text.startswith(("Replace", "Create")) for text in texts(THREE, "ShutDown(n)", "Kill(low)"))


@pytest.mark.parametrize("kind", ["ReplicaSet", "StatefulSet", "DaemonSet", "Job"])
def test_owners_replace_a_killed_pod(kind: str) -> None:
    owned = shutting(on_n("web", 0, owner=(kind, "web")), node("n", 9))
    _, state = walk(owned, "ShutDown(n)", "Kill(web)", "Replace(web)")
    assert [(each.node_name, each.phase) for each in state.pods if each] == [("", "Pending")]


def test_a_pod_that_is_bound_to_a_node_that_shuts_down_is_rejected_and_never_started() -> None:
    arriving = shutting(on_n("old", 0), pod("new", 1), node("n", 9))
    after = texts(arriving, "ShutDown(n)", "Bind(new, n)")
    assert "Reject(new)" in after
    assert "Start(new)" not in after
    assert "Kill(new)" not in after
    _, state = walk(arriving, "ShutDown(n)", "Bind(new, n)", "Reject(new)")
    assert next(each.phase for each in state.pods if each and each.name == "new") == "Failed"


def test_a_node_that_is_off_no_longer_reports_and_ends_no_pod() -> None:
    _, state = walk(THREE, "ShutDown(n)", *["Expire(n)"] * 3, "PowerOff(n)")
    assert [each.ready for each in state.nodes if each] == ["Unknown"]
    assert state.shutdowns == ()
    assert not any(
        text.startswith(("Kill", "End", "Start"))
        for text in texts(THREE, "ShutDown(n)", *["Expire(n)"] * 3, "PowerOff(n)")
    )


def test_a_node_that_shuts_down_is_not_ready_again_before_it_is_off() -> None:
    rules = [
        on_nodes("shutdown", "n", 1),
        on_nodes("ready", "n", 1),
        on_nodes("unready", "n", 1),
        on_nodes("unreachable", "n", 1),
    ]
    given = shutting(on_n("low", 0), node("n", 9), rules=rules)
    assert not any(
        text.startswith(("Ready", "Unready", "Unreachable"))
        for text in texts(given, "ShutDown(n)", "ReportShutdown(n)")
    )
    assert "Ready(n)" in texts(given, "ShutDown(n)", "Kill(low)", "PowerOff(n)")


def test_a_failed_node_no_longer_shuts_down() -> None:
    given = shutting(on_n("low", 0), node("n", 9), rules=[on_nodes("shutdown", "n", 1), on_nodes("fail", "n", 1)])
    _, state = walk(given, "ShutDown(n)", "Fail(n)")
    assert state.shutdowns == ()


def in_order(given: Scenario) -> list[str]:
    """The pods that are killed although one of a lower group has neither ended nor had its time, over all states.

    The witness follows behaviours by their actions: the time of a group is over after as many `Expire`.
    """
    machine = Reference(given, profile_of(given))
    groups = {each.name: group_of(each.priority, given.shutdown_priorities) for each in given.pods}
    found, seen = [], set[Any]()
    stack: list[tuple[State, frozenset[int] | None]] = [(state, None) for state in machine.initial_states()]
    while stack:
        state, open_ = here = stack.pop()
        if here in seen:
            continue
        seen.add(here)
        left = {groups[each.name] for each in state.pods if each and each.node_name == "n" and each.phase == "Running"}
        for action, reached in machine.steps(state):
            after = open_
            if isinstance(action, ShutDown):
                after = frozenset(left)
            elif open_ is not None and str(action) == "Expire(n)":
                after = open_ - {min(open_ & left, default=-1)}
            elif open_ is not None and isinstance(action, Kill) and min(open_ & left, default=99) < groups[action.pod]:
                found.append(action.pod)
            stack.append((reached, after))
    return found


def test_no_pod_is_killed_before_the_groups_below_have_ended_or_had_their_time() -> None:
    assert in_order(THREE) == []


@pytest.mark.parametrize(
    "broken",
    [
        lambda priority, priorities: 2 - group_of(priority, priorities),
        lambda priority, priorities: min(1, group_of(priority, priorities)),
    ],
    ids=["highest first", "the two highest groups together"],
)
def test_another_order_of_the_groups_is_detected(
    broken: Callable[[int, Any], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(node_shutdown, "group_of", broken)
    assert in_order(THREE) != []


def refused(tmp_path: Path, spec: str) -> str:
    file = tmp_path / "scenario.yaml"
    file.write_text(
        "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 1, pods: 9}}\n---\n"
        f"apiVersion: schedcheck/v1alpha1\nkind: Scenario\nmetadata: {{name: s}}\nspec: {spec}\n"
    )
    with pytest.raises(InputError) as error:
        read_scenario(read([file]), frozenset())
    return str(error.value)


GIVEN = "kubelet: {shutdownGracePeriodByPodPriority: [{priority: 0, shutdownGracePeriodSeconds: 5}]}"


def specs() -> Iterator[tuple[str, str]]:
    yield "{events: [shutdown]}", "needs kubelet.shutdownGracePeriodByPodPriority"
    yield f"{{events: [shutdown], controllers: [lifecycle], {GIVEN}}}", "needs the controller kubelet"
    yield f"{{events: [cordon], {GIVEN}}}", "belongs to the event shutdown"
    yield f"{{events: [shutdown], profile: corrected, {GIVEN}}}", "not modelled together with the profile corrected"
    yield "{events: [shutdown], kubelet: {shutdownGracePeriod: 5s}}", "shutdownGracePeriod"
    twice = GIVEN.replace("[{", "[{priority: 0, shutdownGracePeriodSeconds: 1}, {")
    yield f"{{events: [shutdown], {twice}}}", "each priority no more than once"


@pytest.mark.parametrize(("spec", "told"), list(specs()))
def test_what_a_scenario_lacks_for_a_shutdown_is_refused_by_name(spec: str, told: str, tmp_path: Path) -> None:
    assert told in refused(tmp_path, spec)


def test_tables_do_not_state_a_shutdown() -> None:
    with pytest.raises(NotTabulated, match="a node shuts down"):
        check(THREE, engine="tabulated")


def test_all_of_a_small_shutdown_is_explored() -> None:
    """Two pods of two groups; the states are counted by hand."""
    small = replace(shutting(on_n("low", 0), on_n("top", 99), node("n", 9)), controllers=frozenset({"kubelet"}))
    # low: running in its time, late, or ended; top: not begun, in its time, late, or ended.
    # In its time low leaves top not begun (1). Late or ended, top is in its time, late or ended (2 * 3).
    # Each with the node ready or not (14); off with any of low and top running or ended (4); and the first state.
    assert check(replace(small, properties=("no_overcommit",))).result.distinct == 1 + 2 * 7 + 4
