"""GangScheduling: a gang enters the queue, passes Permit and may be placed from its least number of pods on

Kubernetes 1.35 and 1.37: pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go.
"""

from typing import Any

import pytest

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.status import Code
from schedcheck.model.production.plugins.gang_scheduling import TIMEOUT
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod
from tests.model.production.api_server import Running, started
from tests.support.building import pod
from tests.support.gangs import GANGS, member, policy, rooms
from tests.support.pod_groups import GROUPED, IN_1_36, group, one_of


def running(plugins: Plugins, *pods: Pod, **known: Any) -> Running:
    """A scheduler on three nodes that knows these workloads or PodGroups."""
    found = started(*rooms(3), profiles=[plugins])
    for name, each in known.items():
        setattr(found.scheduler.handle.listers, name, each)
    found.put(*pods)
    return found


def plugin(found: Running) -> Any:
    return found.scheduler.frameworks["default-scheduler"].plugin("GangScheduling")


@pytest.mark.parametrize(("pods", "least", "admitted"), [
    (1, 2, False), (2, 2, True), (3, 2, True), (1, 1, True), (2, 3, False), (1, None, True),
])  # fmt: skip
def test_a_gang_enters_the_queue_once_as_many_pods_as_it_needs_are_there(
    pods: int, least: int | None, admitted: bool
) -> None:
    gang = [member("w", number) for number in range(pods)]
    found = running(GANGS, *gang, pod("other"), workloads=(policy("w", least),))
    assert [plugin(found).pre_enqueue(each).success for each in gang] == [admitted] * pods
    grouped = [one_of("g", number) for number in range(pods)]
    found = running(GROUPED, *grouped, pod("other"), pod_groups=(group("g", least),))
    assert [plugin(found).pre_enqueue(each).success for each in grouped] == [admitted] * pods


def test_a_pod_of_a_group_that_is_not_known_waits_for_it_and_one_without_a_group_does_not() -> None:
    found = running(GROUPED, one_of("g", 1), pod_groups=(group("h"),))
    said = plugin(found).pre_enqueue(one_of("g", 1))
    assert said.code is Code.UNRESOLVABLE
    assert said.reasons == ('waiting for pods\'s pod group "g" to appear in scheduling queue',)
    assert plugin(found).pre_enqueue(pod("alone")).success
    found = running(GANGS, workloads=(policy("other"),))
    said = plugin(found).pre_enqueue(member("w", 1))
    assert said.reasons == ('waiting for pods\'s workload "w" to appear in scheduling queue',)


@pytest.mark.parametrize(("least", "placed", "remaining", "code"), [
    (2, 0, 1, Code.UNSCHEDULABLE), (2, 0, 2, Code.WAIT), (2, 1, 0, Code.UNSCHEDULABLE), (2, 1, 1, Code.WAIT),
    (2, 2, 0, Code.SUCCESS), (2, 3, 1, Code.SUCCESS), (None, 0, 0, Code.UNSCHEDULABLE), (None, 0, 1, Code.WAIT),
    (None, 1, 0, Code.SUCCESS),
])  # fmt: skip
def test_a_placement_is_feasible_with_as_many_pods_as_the_group_needs_and_at_least_one(
    least: int | None, placed: int, remaining: int, code: Code
) -> None:
    found = running(GROUPED)
    assert plugin(found).placement_feasible(group("g", least), placed, remaining).code is code


@pytest.mark.parametrize(("least", "bound", "waits"), [
    (2, 0, True), (2, 1, False), (3, 1, True), (3, 2, False), (2, 2, False), (1, 0, False), (None, 0, False),
])  # fmt: skip
def test_a_pod_waits_at_permit_until_as_many_as_the_gang_needs_are_placed(
    least: int | None, bound: int, waits: bool
) -> None:
    there = [member("w", number, f"n{number + 1}") for number in range(bound)]
    asked = member("w", 9)
    found = running(GANGS, *there, asked, workloads=(policy("w", least),))
    gangs = plugin(found)
    assert gangs.reserve(CycleState(), asked, "n3").success
    status, seconds = gangs.permit(CycleState(), asked, "n3")
    assert (status.code, seconds) == ((Code.WAIT, TIMEOUT) if waits else (Code.SUCCESS, 0.0))
    assert TIMEOUT == 300.0


@pytest.mark.parametrize(("least", "bound", "waits"), [(2, 0, True), (2, 1, False), (1, 0, False), (None, 0, False)])
def test_in_1_36_a_pod_of_a_group_waits_at_permit_too(least: int | None, bound: int, waits: bool) -> None:
    there = [one_of("g", number, f"n{number + 1}") for number in range(bound)]
    asked = one_of("g", 9, "n3")
    found = running(IN_1_36, *there, asked, pod_groups=(group("g", least),))
    status, _ = plugin(found).permit(CycleState(), asked, "n3")
    assert status.code is (Code.WAIT if waits else Code.SUCCESS)


def test_a_pod_without_a_gang_or_of_an_unknown_one_does_not_wait_at_permit() -> None:
    found = running(GANGS, workloads=(policy("w"),))
    assert plugin(found).permit(CycleState(), pod("alone"), "n1")[0].success
    assert plugin(found).permit(CycleState(), member("v", 1), "n1")[0].code is Code.ERROR
    found = running(IN_1_36, pod_groups=(group("g"),))
    assert plugin(found).permit(CycleState(), one_of("h", 1), "n1")[0].code is Code.ERROR
