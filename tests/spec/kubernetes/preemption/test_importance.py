"""Who of the pods on a node may be evicted, and who of them matters more."""

import pytest

from schedcheck.spec.kubernetes.node_info import node_info
from schedcheck.spec.kubernetes.preemption.importance import by_importance, potential_victims
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
def test_who_is_of_lower_priority_may_be_evicted_terminating_or_not(other: Pod, endangered: bool) -> None:
    assert potential_victims(TOP, node_info(node("n"), [other])) == ((other,) if endangered else ())


def names(*pods: Pod) -> str:
    return " ".join(each.name for each in by_importance(pods))


def test_the_higher_priority_matters_more_whenever_it_started() -> None:
    assert names(pod("a", priority=1, start_time=1), pod("b", priority=2, start_time=2)) == "b a"


def test_of_one_priority_who_started_earlier_matters_more() -> None:
    assert names(pod("a", start_time=2), pod("b", start_time=1)) == "b a"


def test_who_has_not_started_starts_now_after_all_others() -> None:
    assert names(pod("a"), pod("b", start_time=2**52), pod("c", start_time=0)) == "c b a"


def test_who_matters_alike_stays_in_the_order_of_coming() -> None:
    assert names(pod("b", start_time=1), pod("a", start_time=1), pod("d"), pod("c")) == "b a d c"


def test_who_started_at_the_beginning_of_time_came_first() -> None:
    assert names(pod("later", start_time=1), pod("first", start_time=0), pod("silent")) == "first later silent"
