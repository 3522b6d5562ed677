"""Preemption by a pod without a group in 1.37, where the pods of a PodGroup may be evicted all or none

The expectations are worked out by hand from the amounts on the nodes. `make live-groups` asks kube-scheduler.
"""

from dataclasses import replace

import pytest

from schedcheck.spec.decisions import Nominate, Unknown, Wait
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.preemption.of_units import MISCOUNTED, TOO_MANY_ORDERS
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot, SpreadConstraint
from schedcheck.spec.values import Labels
from schedcheck.spec.workload_objects import PodGroup
from tests.support.building import apart, near, node, pod, selector, term
from tests.support.gangs import rooms
from tests.support.pod_groups import GROUPED, IN_1_36, group, one_of

ZONE = "topology.kubernetes.io/zone"
HIGH = pod("p", 1, priority=5)
WHOLE = group("low", disrupted_together=True)
PAIR = (one_of("low", 1, "n1"), one_of("low", 2, "n2"))


def seen(*pods: Pod, high: Pod = HIGH, nodes: tuple[Node, ...] = rooms(2), groups: tuple[PodGroup, ...] = (WHOLE,),
         budgets: tuple[PodDisruptionBudget, ...] = ()) -> Snapshot:  # fmt: skip
    """A snapshot with the pod that preempts."""
    return replace(Snapshot.of((high, *pods), nodes), pod_groups=groups, budgets=budgets)


def decided(snapshot: Snapshot, high: Pod = HIGH, plugins: Plugins = GROUPED) -> set[str]:
    """The possible decisions for the pod that preempts; "waits" for the one that it waits."""
    found = decision(high, snapshot, plugins)
    return {"waits" if isinstance(each, Wait) else str(each) for each in found}


def on(name: str, zone: str, cpu: int = 1) -> Node:
    """A node of a zone."""
    return node(name, cpu, labels={ZONE: zone, "kubernetes.io/hostname": name})


def test_all_pods_of_the_group_are_evicted_wherever_they_are() -> None:
    assert decided(seen(*PAIR)) == {"Nominate(p, n1, {low-1, low-2})", "Nominate(p, n2, {low-1, low-2})"}


def test_without_that_disruption_mode_and_in_1_36_one_of_them_is_evicted() -> None:
    one = {"Nominate(p, n1, {low-1})", "Nominate(p, n2, {low-2})"}
    assert decided(seen(*PAIR, groups=(group("low"),))) == one
    assert decided(seen(*PAIR), plugins=IN_1_36) == one


@pytest.mark.parametrize(
    ("own", "of_group", "evicted"), [(9, 4, True), (0, 5, False), (4, None, True), (5, None, False)]
)
def test_the_priority_of_the_group_of_a_pod_counts_and_else_its_own(
    own: int, of_group: int | None, evicted: bool
) -> None:
    groups = () if of_group is None else (group("low", priority=of_group),)
    there = seen(one_of("low", 1, "n1", priority=own), nodes=rooms(1), groups=groups)
    assert decided(there) == ({"Nominate(p, n1, {low-1})"} if evicted else {"waits"})


def test_a_node_with_fewer_victims_is_better_than_one_with_a_group() -> None:
    there = seen(*PAIR, pod("v", 1, "n3"), nodes=rooms(3))
    assert decided(there) == {"Nominate(p, n3, {v})"}


def test_a_pod_that_names_a_group_is_spared_before_one_that_does_not_even_if_it_started_later() -> None:
    there = seen(PAIR[0], pod("v", 1, "n1", start_time=1), nodes=(node("n1", 2),))
    for groups in ((WHOLE,), (group("low"),), ()):
        assert decided(replace(there, pod_groups=groups)) == {"Nominate(p, n1, {v})"}
    assert decided(there, plugins=IN_1_36) == {"Nominate(p, n1, {low-1})"}


def test_a_pod_elsewhere_that_goes_too_no_longer_refuses_the_pod() -> None:
    high = replace(HIGH, labels=Labels({"app": "p"}))
    averse = one_of("low", 2, "n2", affinity=apart(term(ZONE, selector(app="p"))))
    kept = pod("k", 1, "n2", priority=9)
    nodes = (on("n1", "z"), on("n2", "z", 2))
    there = seen(PAIR[0], averse, kept, high=high, nodes=nodes)
    assert decided(there, high) == {"Nominate(p, n1, {low-1, low-2})", "Nominate(p, n2, {low-1, low-2})"}
    single = replace(there, pod_groups=(group("low"),))
    assert decided(single, high) == {"Nominate(p, n2, {low-2})"}


def test_a_pod_elsewhere_that_goes_too_is_no_longer_company() -> None:
    high = replace(HIGH, affinity=near(term(ZONE, selector(app="x"))))
    wanted = one_of("low", 2, "n2", labels={"app": "x"})
    there = seen(PAIR[0], wanted, pod("k", 1, "n2", priority=9), high=high, nodes=(on("n1", "z"), on("n2", "z", 2)))
    assert decided(there, high) == {"waits"}
    single = replace(there, pod_groups=(group("low"),))
    assert decided(single, high) == {"Nominate(p, n1, {low-1})"}


def test_a_pod_elsewhere_that_goes_too_no_longer_counts_for_the_spread() -> None:
    high = replace(HIGH, labels=Labels({"app": "x"}), spread=(SpreadConstraint(1, ZONE, True, selector(app="x")),))
    pods = (one_of("low", 1, "n1", labels={"app": "x"}), one_of("low", 2, "n2", labels={"app": "x"}))
    kept = pod("k", 0, "n1", labels={"app": "x"}, priority=9)
    there = seen(*pods, kept, high=high, nodes=(on("n1", "y"), on("n2", "z")))
    # Once both are gone, a second one in y is one too many while there is none in z.
    assert decided(there, high) == {"Nominate(p, n2, {low-1, low-2})"}
    single = replace(there, pod_groups=(group("low"),))
    assert decided(single, high) == {"Nominate(p, n1, {low-1})", "Nominate(p, n2, {low-2})"}


def test_a_unit_with_a_pod_that_violates_a_budget_is_put_back_first() -> None:
    low = replace(WHOLE, priority=-1)
    pods = (*(replace(each, labels=Labels({"app": "x"})) for each in PAIR), pod("v", 1, "n1"))
    nodes = (node("n1", 2), node("n2", 1))
    kept = pod("k", 1, "n2", priority=9)
    budget = PodDisruptionBudget("b", selector=selector(app="x"), disruptions_allowed=1)
    assert decided(seen(*pods, kept, nodes=nodes, groups=(low,), budgets=(budget,))) == {"Nominate(p, n1, {v})"}
    enough = replace(budget, disruptions_allowed=2)
    found = decided(seen(*pods, kept, nodes=nodes, groups=(low,), budgets=(enough,)))
    assert found == {"Nominate(p, n1, {low-1, low-2})"}


def test_the_own_priority_of_the_first_victim_counts_for_the_choice_of_a_node() -> None:
    # On n1 it is 3 or 1, and the sum of priorities is greater; on n2 it is 2, and on n3 4.
    unlike = (one_of("low", 1, "n1", priority=1), one_of("low", 2, "n1", cpu=0, priority=3))
    single = (pod("v", 1, "n2", priority=2),)
    assert decided(seen(*unlike, *single, pod("w", 1, "n3", priority=4), nodes=rooms(3))) == {
        "Nominate(p, n1, {low-1, low-2})",
        "Nominate(p, n2, {v})",
    }


def test_a_terminating_pod_is_awaited_if_its_group_is_of_lower_priority() -> None:
    high = replace(HIGH, nominated_node_name="n1")
    going = one_of("low", 1, "n1", priority=9, terminating=True, preempted=True)
    assert decided(seen(going, pod("v", 1, "n2"), high=high), high) == {"waits"}
    above = seen(going, pod("v", 1, "n2"), high=high, groups=(group("low", priority=5),))
    assert decided(above, high) == {"Nominate(p, n2, {v})"}


def test_a_group_with_a_pod_on_a_node_that_does_not_exist_is_not_evicted() -> None:
    lost = (PAIR[0], one_of("low", 2, "gone"))
    (only,) = decision(HIGH, seen(*lost, nodes=rooms(1)), GROUPED)
    assert only.message.endswith('preemption: failed to get node info for node "gone" from snapshot')  # type: ignore[union-attr]
    assert decided(seen(*lost, pod("v", 1, "n2"))) == {"Nominate(p, n2, {v})"}


def test_what_is_too_much_to_try_is_unknown() -> None:
    many = [one_of("u", number, "n1", cpu=1, labels={"n": f"{number}"}) for number in range(8)]
    there = seen(
        *many, high=replace(HIGH, containers=pod("x", 4).containers), nodes=(node("n1", 8),), groups=(group("u"),)
    )
    (only,) = decision(next(each for each in there.pods if each.name == "p"), there, GROUPED)
    assert only == Unknown(only.pod, TOO_MANY_ORDERS)


def test_a_spread_over_three_domains_from_two_of_which_pods_go_is_unknown() -> None:
    high = replace(HIGH, labels=Labels({"app": "x"}), spread=(SpreadConstraint(1, ZONE, True, selector(app="x")),))
    pods = (one_of("low", 1, "n1", labels={"app": "x"}), one_of("low", 2, "n2", labels={"app": "x"}))
    nodes = (on("n1", "y"), on("n2", "z"), on("n3", "w", 0))
    (only,) = decision(high, seen(*pods, high=high, nodes=nodes), GROUPED)
    assert only == Unknown(high, MISCOUNTED)
    assert isinstance(next(iter(decision(high, seen(*pods, high=high, nodes=nodes[:2]), GROUPED))), Nominate)
