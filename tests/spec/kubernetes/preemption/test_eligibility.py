"""Which unschedulable pods may preempt at all"""

from dataclasses import replace

import pytest

from schedcheck.spec.kubernetes.filter import verdicts
from schedcheck.spec.kubernetes.preemption.eligibility import NEVER, TERMINATING, ineligibility
from schedcheck.spec.objects import Node, Pod
from tests.support.building import node, pod, snapshot
from tests.support.preempting import dry_run

TOP = pod("top", 2, priority=5, nominated_node_name="n")
ENDING = pod("low", 1, on="n", terminating=True, preempted=True)
FULL = node("n", 2)


def reason(one: Pod, *things: Pod | Node) -> str | None:
    made = dry_run(one, snapshot(*things)).cycle
    return ineligibility(made, verdicts(made))


def test_a_pod_with_preemption_policy_never_may_not_preempt() -> None:
    assert reason(replace(TOP, preemption_policy="Never"), ENDING, FULL) == NEVER
    assert reason(pod("top", 2, priority=5), pod("low", 1, on="n"), FULL) is None
    assert NEVER == "not eligible due to preemptionPolicy=Never."


def test_a_pod_waiting_for_a_terminating_victim_on_its_node_may_not_preempt() -> None:
    assert reason(TOP, ENDING, FULL) == TERMINATING
    assert TERMINATING == "not eligible due to a terminating pod on the nominated node."


@pytest.mark.parametrize(
    "other",
    [
        replace(ENDING, preempted=False),
        replace(ENDING, terminating=False),
        replace(ENDING, priority=5),
    ],
    ids=["ends for another reason", "does not end", "is of no lower priority"],
)
def test_other_pods_on_the_nominated_node_do_not_prevent_preemption(other: Pod) -> None:
    assert reason(TOP, other, FULL) is None


def test_a_terminating_victim_on_another_node_does_not_prevent_preemption() -> None:
    assert reason(TOP, replace(ENDING, node_name="m"), pod("low2", 1, on="n"), FULL, node("m", 1)) is None


def test_a_pod_whose_nominated_node_is_unresolvable_may_preempt_again() -> None:
    assert reason(TOP, ENDING, replace(FULL, unschedulable=True)) is None
    assert reason(replace(TOP, containers=pod(cpu=3).containers), ENDING, FULL) is None


def test_a_pod_whose_nominated_node_is_gone_may_preempt_again() -> None:
    assert reason(replace(TOP, nominated_node_name="gone"), ENDING, FULL) is None
