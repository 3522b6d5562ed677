"""Preemption for a PodGroup in 1.37: units, the order in which they are put back, what is spared, and nominations

The expectations are worked out by hand from the amounts on the nodes. `make live-groups` asks kube-scheduler.
"""

from dataclasses import replace

import pytest

from schedcheck.spec.decisions import Nominate, Unknown, Wait
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.preemption.units import below, importance, pods_of, put_back_orders, units
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot, SpreadConstraint
from schedcheck.spec.published.control_loop import after
from schedcheck.spec.workload_objects import PodGroup
from tests.support.building import apart, node, pod, selector, term
from tests.support.gangs import rooms
from tests.support.pod_groups import GROUPED, IN_1_36, group, one_of

HOST = "kubernetes.io/hostname"
RED = tuple(one_of("red", number, priority=5) for number in (1, 2))


def seen(*pods: Pod, nodes: tuple[Node, ...] = rooms(2), groups: tuple[PodGroup, ...] = (), least: int = 2) -> Snapshot:
    """A snapshot with the two pods of the group red, of priority 5."""
    there = Snapshot.of((*RED, *pods), nodes)
    return replace(there, pod_groups=(group("red", least, priority=5), *groups))


def decided(one: Pod, snapshot: Snapshot, plugins: Plugins = GROUPED) -> set[str]:
    return {str(each) for each in decision(one, snapshot, plugins)}


def evicted(snapshot: Snapshot) -> set[frozenset[str]]:
    """The sets of victims, by name, of the decisions for the first pod."""
    found = decision(RED[0], snapshot, GROUPED)
    assert all(isinstance(each, Nominate) for each in found), found
    return {frozenset(one.name for one in each.victims) for each in found if isinstance(each, Nominate)}


# Units


def test_pods_of_a_group_are_one_unit_only_if_they_are_disrupted_together() -> None:
    pods = [one_of(name, number, f"n{number}") for name in ("all", "each") for number in (1, 2)]
    there = seen(*pods, groups=(group("all", disrupted_together=True), group("each")))
    assert sorted(sorted(one.name for one in each.pods) for each in units(there)) == [
        ["all-1", "all-2"],
        ["each-1"],
        ["each-2"],
    ]


@pytest.mark.parametrize(
    ("own", "of_group", "victim"), [(9, 4, True), (0, 5, False), (4, None, True), (5, None, False)]
)
def test_the_priority_of_the_group_of_a_pod_counts_and_else_its_own(
    own: int, of_group: int | None, victim: bool
) -> None:
    bound = one_of("low", 1, "n1", priority=own)
    groups = () if of_group is None else (group("low", priority=of_group),)
    assert (pods_of(below(5, seen(bound, groups=groups))) == {bound}) == victim


def test_units_are_ranked_by_priority_group_size_and_start() -> None:
    pods = (
        pod("higher", 0, "n1", priority=1, start_time=9),
        *(one_of("large", number, "n1", start_time=8) for number in (1, 2)),
        one_of("small", 1, "n1", start_time=1),
        pod("older", 0, "n1", start_time=2),
        pod("newer", 0, "n1", start_time=3),
        pod("now", 0, "n1"),
    )
    there = seen(*pods, groups=(group("large", disrupted_together=True), group("small")))
    ranked = [min(one.name for one in each.pods) for each in sorted(units(there), key=importance)]
    assert ranked == ["higher", "large-1", "small-1", "older", "newer", "now"]


def test_a_unit_with_a_pod_that_violates_a_budget_is_put_back_first() -> None:
    pods = (pod("a", 0, "n1", start_time=1), *(one_of("u", n, "n1", labels={"app": "x"}) for n in (1, 2)))
    budget = PodDisruptionBudget("b", selector=selector(app="x"), disruptions_allowed=1)
    there = seen(*pods, groups=(group("u", disrupted_together=True, priority=-1),))
    (first,) = put_back_orders(below(5, there), (budget,), GROUPED.departures) or ()
    assert [min(one.name for one in each.pods) for each in first] == ["u-1", "a"]
    (other,) = put_back_orders(below(5, there), (replace(budget, disruptions_allowed=2),), GROUPED.departures) or ()
    assert [min(one.name for one in each.pods) for each in other] == ["a", "u-1"]


# The decision


def test_every_placed_pod_is_nominated_and_the_victims_are_on_several_nodes() -> None:
    there = seen(pod("v1", 1, "n1"), pod("v2", 1, "n2"))
    assert decided(RED[0], there) == {
        "Nominate(red-1, n1, {v1, v2}, with red-2 on n2)",
        "Nominate(red-1, n2, {v1, v2}, with red-2 on n1)",
    }
    for each in decision(RED[0], there, GROUPED):
        told = {one.name: one.nominated_node_name for one in after(each, there).pods if one.nominated_node_name}
        assert told in ({"red-1": "n1", "red-2": "n2"}, {"red-1": "n2", "red-2": "n1"})


def test_what_is_not_in_the_way_is_spared() -> None:
    there = seen(pod("v1", 1, "n1"), pod("v2", 1, "n2"), pod("s", 1, "n3"), nodes=(*rooms(2), node("n3", 1)), least=2)
    assert all(len(each) == 2 for each in evicted(there))
    assert len(evicted(there)) == 3


def test_a_group_that_is_disrupted_together_is_evicted_whole_also_where_it_is_not_in_the_way() -> None:
    nodes = (node("n1", 2), node("n2", 1))
    pods = (one_of("low", 1, "n1"), one_of("low", 2, "n2", cpu=0))
    together = seen(*pods, pod("k", 1, "n2", priority=9), nodes=nodes, groups=(group("low", disrupted_together=True),))
    assert evicted(together) == {frozenset({"low-1", "low-2"})}
    apart_ = seen(*pods, pod("k", 1, "n2", priority=9), nodes=nodes, groups=(group("low"),))
    assert evicted(apart_) == {frozenset({"low-1"})}


def test_of_two_pods_the_more_important_is_spared_and_of_equal_ones_either() -> None:
    nodes = (node("n1", 3),)
    pods = (pod("a", 1, "n1", start_time=2), pod("b", 1, "n1", start_time=1), pod("k", 1, "n1", priority=9))
    assert evicted(seen(*pods, nodes=nodes)) == {frozenset({"a", "b"})}
    large = (pod("a", 1, "n1", start_time=2), pod("b", 1, "n1", start_time=1), pod("c", 1, "n1", start_time=3))
    assert evicted(seen(*large, nodes=nodes)) == {frozenset({"a", "c"})}
    alike = tuple(replace(each, start_time=1) for each in large)
    assert evicted(seen(*alike, nodes=nodes)) == {frozenset(each) for each in ("ab", "ac", "bc")}


def test_pods_beyond_min_count_are_nominated_too_where_there_is_room() -> None:
    there = seen(pod("v1", 1, "n1"), pod("v2", 1, "n2"), least=1)
    assert all(", with red-2" in each for each in decided(RED[0], there))


def test_a_pod_that_finds_no_node_waits_while_its_group_preempts() -> None:
    (found, *_) = [each for each in decision(RED[1], seen(pod("v", 1, "n1"), nodes=rooms(1), least=1), GROUPED)
                   if isinstance(each, Wait)]  # fmt: skip
    assert found.left


@pytest.mark.parametrize(
    ("victim", "policy", "of_low"),
    [
        (pod("v1", 1, "n1", priority=5), "PreemptLowerPriority", 0),
        (pod("v1", 1, "n1"), "Never", 0),
        (one_of("low", 1, "n1"), "PreemptLowerPriority", 5),
    ],
)
def test_a_group_that_may_not_preempt_waits(victim: Pod, policy: str, of_low: int) -> None:
    members = [replace(each, preemption_policy=policy) for each in RED]
    groups = (group("red", 2, priority=5), group("low", priority=of_low))
    there = replace(Snapshot.of((*members, victim), rooms(2)), pod_groups=groups)
    assert decided(members[0], there) == {"Wait(red-1)"}


def test_preemption_that_could_not_help_is_none() -> None:
    assert decided(RED[0], seen(pod("v", 1, "n1"), nodes=rooms(1))) == {"Wait(red-1)"}


# Departures


def test_a_victim_with_anti_affinity_is_spared_because_the_plugin_was_skipped_without_it() -> None:
    refusing = pod("v", 0, "n1", affinity=apart(term(HOST, selector(app="x"))))
    nodes = tuple(node(f"n{n}", 1, labels={HOST: f"n{n}"}) for n in (1, 2))
    members = tuple(replace(each, labels=node(labels={"app": "x"}).labels) for each in RED)
    there = replace(
        Snapshot.of((*members, refusing, pod("w", 1, "n2")), nodes), pod_groups=(group("red", 2, priority=5),)
    )
    of = {
        plugins: {each.victims for each in decision(members[0], there, plugins) if isinstance(each, Nominate)}
        for plugins in (GROUPED, GROUPED.departing(GROUPED.departures - {Departure.SKIPPED_SEES_NO_NOMINATED}))
    }
    names = [{frozenset(one.name for one in each) for each in found} for found in of.values()]
    assert names == [{frozenset({"w"})}, {frozenset({"v", "w"})}]


def test_a_terminating_pod_that_is_put_back_counts_for_the_spread() -> None:
    spread = (SpreadConstraint(1, HOST, True, selector(app="x")),)
    members = tuple(replace(each, spread=spread, labels=node(labels={"app": "x"}).labels) for each in RED)
    nodes = tuple(node(f"n{n}", 2, labels={HOST: f"n{n}"}) for n in (1, 2))
    going = pod("t", 0, "n1", labels={"app": "x"}, terminating=True)
    pods = (*members, going, pod("v1", 2, "n1"), pod("v2", 2, "n2"))
    there = replace(Snapshot.of(pods, nodes), pod_groups=(group("red", 2, priority=5),))
    found = {
        counts: {
            frozenset(one.name for one in each.victims)
            for each in decision(members[0], there, plugins)
            if isinstance(each, Nominate)
        }
        for counts, plugins in (
            (True, GROUPED),
            (False, GROUPED.departing(GROUPED.departures - {Departure.TERMINATING_UNCOUNTED_TWICE})),
        )
    }
    assert found[False] == {frozenset({"v1", "v2"})}
    assert frozenset({"t", "v1", "v2"}) in found[True]


# Nominations of earlier cycles


def test_a_nominated_pod_of_the_group_goes_to_its_node() -> None:
    first = replace(RED[0], nominated_node_name="n2")
    there = replace(Snapshot.of((first, RED[1]), rooms(2)), pod_groups=(group("red", 2, priority=5),))
    # Tried second, it finds the node taken if the other pod has chosen that one.
    assert decided(first, there) == {"Bind(red-1, n2, with red-2 on n1)", "Bind(red-1, n1, with red-2 on n2)"}
    alone = replace(there, pods=(first, replace(RED[1], node_selector=node(labels={"a": "b"}).labels)))
    fewer = replace(alone, pod_groups=(group("red", 1, priority=5),))
    assert decided(first, fewer) == {"Bind(red-1, n2)"}


def test_a_group_waits_while_a_victim_is_terminating_and_keeps_its_nominations() -> None:
    first = replace(RED[0], nominated_node_name="n1")
    victim = pod("v", 1, "n1", terminating=True, preempted=True)
    there = replace(Snapshot.of((first, RED[1], victim), rooms(2)), pod_groups=(group("red", 2, priority=5),))
    assert decided(first, there) == {"Wait(red-1)"}


@pytest.mark.parametrize("odd", [{"priority": 6}, {"preemption_policy": "Never"}])
def test_pods_of_a_group_lose_their_nominations_if_its_cycle_ends_in_an_error(odd: dict[str, object]) -> None:
    members = (replace(RED[0], nominated_node_name="n1"), replace(RED[1], **odd))
    there = replace(Snapshot.of(members, rooms(2)), pod_groups=(group("red", 2, priority=5),))
    assert decided(members[0], there) == {"Wait(red-1, unnominated)"}


def test_a_pod_that_finds_a_node_although_its_group_does_not_fit_loses_its_nomination() -> None:
    first = replace(RED[0], nominated_node_name="n1")
    second = replace(RED[1], nominated_node_name="gone")
    there = replace(Snapshot.of((first, second), rooms(1)), pod_groups=(group("red", 2, priority=5),))
    # In each order the first pod finds the node, and the other one none: that one keeps what it has.
    assert decided(first, there) == {"Wait(red-1, unnominated)", "Wait(red-1)"}
    assert decided(second, there) == {"Wait(red-2, unnominated)", "Wait(red-2)"}
    for each in decision(first, there, GROUPED):
        lost = {one.name for one in after(each, there).pods if not one.nominated_node_name}
        assert lost == ({"red-1"} if isinstance(each, Wait) and each.unnominated else set())


# What is not modelled


def test_in_1_36_a_nominated_pod_of_the_group_is_not_modelled() -> None:
    first = replace(RED[0], nominated_node_name="n1")
    there = replace(Snapshot.of((first, RED[1]), rooms(2)), pod_groups=(group("red", 2),))
    assert decided(first, there, IN_1_36) == {"Unknown(red-1: not modelled: a nominated pod of a pod group)"}


def test_a_victim_on_a_node_that_does_not_exist_makes_the_decision_unknown() -> None:
    (only,) = decision(RED[0], seen(pod("v", 1, "n1"), pod("w", 1, "gone"), nodes=rooms(1)), GROUPED)
    assert isinstance(only, Unknown)
    assert "a victim on a node that does not exist" in only.why


def test_too_many_orders_of_equally_important_victims_make_the_decision_unknown() -> None:
    many = [pod(f"v{number}", 0.1 + number / 1000, "n1") for number in range(8)]
    (only,) = decision(
        RED[0], seen(*many, pod("k", 1, "n2", priority=9), nodes=(node("n1", 1), node("n2", 2))), GROUPED
    )
    assert isinstance(only, Unknown)
    assert "too many orders" in only.why
