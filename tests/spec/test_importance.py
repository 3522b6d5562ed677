"""Potential victims on a node, and their order of importance"""

import pytest

from schedcheck.spec.importance import by_importance
from schedcheck.spec.kubernetes.node_info import node_info
from schedcheck.spec.kubernetes.preemption.potential_victims import potential_victims
from schedcheck.spec.objects import Pod
from tests.support.building import node, pod

TOP = pod("top", priority=5)


@pytest.mark.parametrize(
    ("other", "endangered"),
    [
        (pod("q", on="n", priority=4), True),
        (pod("q", on="n", priority=-(2**31)), True),
        (pod("q", on="n", priority=5), False),
        (pod("q", on="n", priority=6), False),
        (pod("q", on="n", priority=4, terminating=True), True),
        (pod("q", on="n", priority=4, preemption_policy="Never"), True),
    ],
)
def test_pods_of_lower_priority_are_potential_victims_even_if_terminating(other: Pod, endangered: bool) -> None:
    assert potential_victims(TOP, node_info(node("n"), [other])) == ((other,) if endangered else ())


def names(*pods: Pod) -> str:
    return " ".join(each.name for each in by_importance(pods))


def test_higher_priority_is_more_important_whatever_the_start() -> None:
    assert names(pod("a", priority=1, start_time=1), pod("b", priority=2, start_time=2)) == "b a"


def test_at_equal_priority_the_earlier_start_is_more_important() -> None:
    assert names(pod("a", start_time=2), pod("b", start_time=1)) == "b a"


def test_a_pod_that_has_not_started_is_the_least_important() -> None:
    assert names(pod("a"), pod("b", start_time=2**52), pod("c", start_time=0)) == "c b a"


def test_equally_important_pods_keep_their_order_of_arrival() -> None:
    assert names(pod("b", start_time=1), pod("a", start_time=1), pod("d"), pod("c")) == "b a d c"


def test_a_start_at_time_zero_is_earlier_than_any_other() -> None:
    assert names(pod("later", start_time=1), pod("first", start_time=0), pod("silent")) == "first later silent"
