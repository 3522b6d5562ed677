"""One cycle for the pods of a PodGroup, on nodes of one cpu: what is bound, and what is said of the others"""

from dataclasses import replace
from typing import Any

import pytest

from schedcheck.model.production.cycle.pod_groups import Preempted, Tried, _nomination
from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.status import Code, Status
from schedcheck.model.production.queue.queued_pod import QueuedPod
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.workload_objects import PodGroup
from tests.model.production.api_server import Running, started
from tests.support.building import apart, node, pod, selector, term
from tests.support.pod_groups import GROUPED, IN_1_36, group, one_of

HOST = "kubernetes.io/hostname"
AVERSE = apart(term(HOST, selector(app="x")))


def running(
    groups: tuple[PodGroup, ...], *things: Node | Pod, plugins: Plugins = GROUPED, others: tuple[Plugins, ...] = ()
) -> Running:
    """A scheduler that knows these groups before any pod of them."""
    found = started(*(each for each in things if isinstance(each, Node)), profiles=[plugins, *others])
    found.scheduler.handle.listers.pod_groups = groups
    found.put(*(each for each in things if isinstance(each, Pod)))
    return found


def placed(found: Running) -> dict[str, str]:
    """Where the pods are that one cycle places."""
    return {each.pod.name: each.node for each in found.scheduler.schedule_next()}


def host(name: str, cpu: int = 1) -> Node:
    return node(name, cpu, labels={HOST: name})


@pytest.mark.parametrize("plugins", [GROUPED, IN_1_36])
@pytest.mark.parametrize(("pods", "least", "nodes", "bound"), [
    (2, 2, 1, 0), (2, 2, 2, 2), (3, 2, 2, 2), (3, 2, 1, 0), (3, 3, 2, 0), (2, 1, 1, 1), (1, 2, 2, 0), (2, None, 1, 1),
])  # fmt: skip
def test_the_pods_that_fit_are_bound_if_they_are_as_many_as_the_group_needs(
    pods: int, least: int | None, nodes: int, bound: int, plugins: Plugins
) -> None:
    found = running(
        (group("g", least),), *(host(f"n{number}") for number in range(nodes)),
        *(one_of("g", number) for number in range(pods)), plugins=plugins,
    )  # fmt: skip
    assert len(placed(found)) == bound


def test_a_group_is_given_up_as_soon_as_too_few_of_its_pods_are_left() -> None:
    """Of three pods that are all needed, the second fits nowhere; the third is not tried."""
    found = running((group("g", 3),), host("n0"), *(one_of("g", number) for number in range(3)))
    assert placed(found) == {}
    told = {name: message.partition(" preemption:")[0] for name, _, message in found.server.told}
    given_up = "minCount (3) cannot be satisfied: 1 scheduled, 1 remaining"
    assert told["g-1"].startswith("0/1 nodes are available: 1 Insufficient cpu.")
    assert given_up in told["g-0"] and given_up in told["g-2"]


@pytest.mark.parametrize("members", [1, 2])
def test_a_group_of_any_size_preempts(members: int) -> None:
    nodes = [host(f"n{number}") for number in range(members)]
    victims = [pod(f"v{number}", 1, f"n{number}") for number in range(members)]
    pods = [one_of("g", number, priority=1) for number in range(members)]
    found = running((group("g", members, priority=1),), *nodes, *victims, *pods)
    assert placed(found) == {}
    found.settle()
    assert {name for verb, name, _ in found.server.calls if verb == "evict"} == {each.name for each in victims}


@pytest.mark.parametrize(("policies", "evicts"), [
    (("PreemptLowerPriority",) * 2, True), (("Never",) * 2, False),
])  # fmt: skip
def test_a_group_that_never_preempts_evicts_nothing(policies: tuple[str, ...], evicts: bool) -> None:
    pods = [one_of("g", number, priority=1, preemption_policy=each) for number, each in enumerate(policies)]
    victims = [pod(f"v{number}", 1, f"n{number}") for number in range(2)]
    found = running((group("g", 2, priority=1),), host("n0"), host("n1"), *victims, *pods)
    assert placed(found) == {}
    found.settle()
    assert bool([verb for verb, _, _ in found.server.calls if verb == "evict"]) is evicts


@pytest.mark.parametrize(("there", "plugins", "bound"), [
    (False, IN_1_36, 2), (True, IN_1_36, 0), (False, GROUPED, 0), (True, GROUPED, 0),
])  # fmt: skip
def test_in_1_36_a_term_of_a_pod_of_the_cycle_is_seen_only_where_such_terms_were_before(
    there: bool, plugins: Plugins, bound: int
) -> None:
    """Its first pod refuses the second one on the only node; another pod there has a term that refuses neither."""
    averse: Any = one_of("g", 1, affinity=AVERSE)
    other = pod("o", 0, "n0", affinity=apart(term(HOST, selector(app="y")))) if there else pod("o", 0, "n0")
    found = running((group("g"),), host("n0", 2), other, averse, one_of("g", 2, labels={"app": "x"}), plugins=plugins)
    assert len(placed(found)) == bound


@pytest.mark.parametrize(("second", "bound"), [("default-scheduler", 2), ("other", 0)])
def test_pods_of_a_group_with_another_scheduler_are_an_error(second: str, bound: int) -> None:
    other = replace(GROUPED, scheduler_name="other")
    pods = one_of("g", 1), one_of("g", 2, scheduler_name=second)
    found = running((group("g", 1),), host("n0"), host("n1"), *pods, others=(other,))
    assert len(placed(found)) == bound
    assert any(".spec.schedulerName" in message for _, _, message in found.server.told) is (bound == 0)


@pytest.mark.parametrize(
    ("status", "host_of", "made", "kept"),
    [
        (Status(Code.ERROR), "", None, ""),
        (Status(Code.ERROR), "n", None, ""),
        (Status(Code.UNSCHEDULABLE), "n", None, ""),
        (Status(Code.UNSCHEDULABLE), "", None, None),
        (Status(Code.UNSCHEDULABLE), "", Preempted(hosts={("default", "g-0"): "m"}), "m"),
        (Status(Code.UNSCHEDULABLE), "", Preempted(), None),
        (Status(), "", None, None),
    ],
)
def test_a_pod_that_is_put_back_loses_its_nomination_with_an_error_or_a_group_that_does_not_fit(
    status: Status, host_of: str, made: Preempted | None, kept: str | None
) -> None:
    """Kubernetes 1.37: submitPodGroupAlgorithmResult in pkg/scheduler/schedule_one_podgroup.go: clearNominatedNode."""
    one = Tried(QueuedPod(PodInfo(one_of("g", 0)), 0.0), CycleState(), host_of)
    assert _nomination(one, status, made) == kept
