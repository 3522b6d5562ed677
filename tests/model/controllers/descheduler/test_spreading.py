"""RemovePodsViolatingTopologySpreadConstraint, against expectations by hand and a judge that tries every order of the pods"""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby, permutations, product
from random import Random
from typing import Any

import pytest

from schedcheck.model.controllers.descheduler import spreading
from schedcheck.model.controllers.descheduler.plugins import works
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import Descheduler, TopologySpread
from schedcheck.spec.objects import Node, Pod, Snapshot, SpreadConstraint, Taint, Toleration
from schedcheck.spec.terms import Affinity, Requirement
from tests.support.building import node, node_term, pod, selector, snapshot

EVERY_POD = frozenset(f"p{number}" for number in range(9))
WEB = selector(app="web")


def outcomes(
    arguments: TopologySpread, seen: Snapshot, passing: frozenset[str] = EVERY_POD, able: frozenset[str] = EVERY_POD
) -> set[frozenset[str]]:
    """The sets of pods that a run may evict."""
    slots = {each.key: place for place, each in enumerate(seen.pods)}
    found = works(
        arguments,
        View(seen, Descheduler(())),
        lambda each: each.name in passing,
        lambda each: each.name in passing & able,
        lambda each: slots[each.key],
        (),
    )
    return {frozenset(seen.pods[slot].name for slot in work.pods()) for _, work in found}


def judged(
    arguments: TopologySpread,
    seen: Snapshot,
    passing: frozenset[str] = EVERY_POD,
    able: frozenset[str] = EVERY_POD,
    *,
    rounded: bool = False,
    apart: bool = False,
) -> set[frozenset[str]]:
    """The evictions for each order of the pods and of equal domains; the switches break the judge."""
    by_name = {each.name: each for each in seen.nodes}
    listed = [each for each in seen.pods if each.name in passing]
    wanted: list[tuple[Any, Pod]] = []
    for each in listed:
        for one in each.spread:
            if ("DoNotSchedule" if one.required else "ScheduleAnyway") in arguments.actions:
                what = (one, each.node_selector, each.affinity.node_required, each.tolerations)
                if what not in [known for known, _ in wanted]:
                    wanted.append((what, each))
    found: set[frozenset[str]] = set()
    for order in permutations(listed):
        for lists in product(*(_evicted(arguments, what[0], owner, order, by_name, rounded) for what, owner in wanted)):
            gone = frozenset[str]().union(*lists) if not apart else (lists[0] if lists else frozenset())
            found.add(gone & able)
    return found


def _evicted(
    arguments: TopologySpread,
    one: SpreadConstraint,
    owner: Pod,
    order: tuple[Pod, ...],
    nodes: dict[str, Node],
    rounded: bool,
) -> set[frozenset[str]]:
    """What one constraint evicts with the pods in this order, for each order of equal domains."""
    counts = [
        each
        for each in nodes.values()
        if (not one.affinity_honored or _matches(owner, each)) and (not one.taints_honored or _bears(owner, each))
    ]
    domains: dict[str, list[Pod]] = {
        each.labels[one.topology_key]: [] for each in counts if one.topology_key in each.labels
    }
    for each in order:
        where = nodes[each.node_name].labels.get(one.topology_key)
        if where is not None and each.labels.get("app") == "web":
            domains.setdefault(where, []).append(each)
    if not domains or max(map(len, domains.values())) - min(map(len, domains.values())) <= one.max_skew:
        return {frozenset()}
    average = sum(map(len, domains.values())) / len(domains)
    if rounded:
        average = math.ceil(average)
    below = [each for each in counts if len(domains.get(each.labels.get(one.topology_key, ""), "x" * 99)) < average]
    found = set()
    for names in _tied(sorted(domains, key=lambda name: len(domains[name])), lambda name: len(domains[name])):
        lists = [
            sorted(
                domains[name],
                key=lambda p: (_fits(p, below), not (p.node_selector or p.affinity.node_required), p.priority),
            )
            for name in names
        ]
        gone, low, high = set(), 0, len(lists) - 1
        while low < high:
            if len(lists[high]) <= average:
                high -= 1
            skew = len(lists[high]) - len(lists[low])
            if skew <= one.max_skew:
                low += 1
                continue
            move = min(
                math.ceil(len(lists[high]) - average),
                math.ceil(average - len(lists[low])),
                math.ceil((skew - one.max_skew) / 2),
            )
            if move <= 0:
                low += 1
                continue
            leaving = lists[high][-move:]
            gone |= {p.name for p in leaving if not arguments.node_fit or _fits(p, below)}
            lists[high] = lists[high][:-move]
            lists[low] = lists[low] + leaving
        found.add(frozenset(gone))
    return found


def _tied(names: list[str], size: Any) -> Iterator[tuple[str, ...]]:
    tiers = [list(tier) for _, tier in groupby(names, key=size)]
    return (
        tuple(each for tier in chosen for each in tier) for chosen in product(*(permutations(tier) for tier in tiers))
    )


def _matches(each: Pod, where: Node) -> bool:
    disk = where.labels.get("disk")
    wants = bool(each.node_selector) or bool(each.affinity.node_required)
    return disk == "ssd" or not wants


def _bears(each: Pod, where: Node) -> bool:
    return not where.taints or bool(each.tolerations)


def _fits(each: Pod, nodes: list[Node]) -> bool:
    return any(
        where.name != each.node_name and _matches(each, where) and _bears(each, where) and not where.unschedulable
        for where in nodes
    )


SSD = Affinity(node_required=(node_term(Requirement("disk", "In", ("ssd",))),))


def drawn(seed: int) -> tuple[TopologySpread, Snapshot, frozenset[str], frozenset[str]]:
    """Random arguments, a cluster of 2 to 4 nodes and up to 5 pods, and the pods that the evictor admits."""
    chance = Random(seed)
    nodes = []
    for number in range(chance.randint(2, 4)):
        labels = {"rack": f"r{number}", **chance.choice([{}, {"disk": "ssd"}, {"disk": "ssd"}])}
        labels |= chance.choice([{"zone": "a"}, {"zone": "b"}, {"zone": "c"}, {"zone": "a"}, {}])
        taints = chance.choice([(), (), (), (Taint("gpu", "NoSchedule"),)])
        nodes.append(replace(node(f"n{number}", 9, labels=labels), taints=taints, unschedulable=chance.random() < 0.1))
    spread = tuple(
        SpreadConstraint(
            chance.choice([1, 1, 2]),
            key,
            required=chance.random() < 0.8,
            selector=WEB,
            affinity_honored=chance.random() < 0.7,
            taints_honored=chance.random() < 0.3,
        )
        for key in chance.choice([["zone"], ["rack"], ["zone", "rack"]])
    )
    full = chance.choice(nodes).name
    pods = [
        pod(
            f"p{number}",
            on=chance.choice([full, full, chance.choice(nodes).name]),
            labels=chance.choice([{"app": "web"}] * 6 + [{}]),
            priority=chance.choice([0, 0, 0, 5]),
            spread=chance.choice([spread] * 5 + [()]),
            **chance.choice([{}, {}, {}, {"node_selector": {"disk": "ssd"}}, {"affinity": SSD}]),
            tolerations=chance.choice([(), (), (Toleration(operator="Exists"),)]),
        )
        for number in range(chance.randint(2, 5))
    ]
    actions = chance.choice([frozenset({"DoNotSchedule"})] * 2 + [frozenset({"DoNotSchedule", "ScheduleAnyway"})])
    arguments = TopologySpread(actions=actions, node_fit=chance.random() < 0.7)
    passing = frozenset(each.name for each in pods if chance.random() < 0.93)
    return arguments, snapshot(*nodes, *pods), passing, frozenset(each.name for each in pods if chance.random() < 0.93)


def test_choices_on_random_clusters_are_those_of_all_orders() -> None:
    evicting = several = 0
    for seed in range(400):
        given = drawn(seed)
        found = outcomes(*given)
        assert found == judged(*given), f"seed {seed}: {given}"
        evicting += found != {frozenset()}
        several += len(found) > 1
    assert (evicting > 60, several > 20) == (True, True)


@pytest.mark.parametrize("broken", ["rounded", "apart"])
def test_a_broken_judge_disagrees_on_some_random_cluster(broken: str) -> None:
    assert any(outcomes(*drawn(seed)) != judged(*drawn(seed), **{broken: True}) for seed in range(400))  # type: ignore[arg-type]


def test_choices_for_two_constraints_follow_one_order_of_the_pods(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreading, "_in_one_order", lambda moves: True)
    assert any(outcomes(*drawn(seed)) != judged(*drawn(seed)) for seed in range(400))


ZONES = [node(f"n{each}", 9, labels={"zone": f"z{each}"}) for each in range(3)]
EVENLY = {"labels": {"app": "web"}, "spread": (SpreadConstraint(1, "zone", selector=WEB),)}


def crowd(*where: str, **fields: Any) -> Snapshot:
    """Pods on these nodes, one after the other."""
    return snapshot(*ZONES, *(pod(f"p{number}", on=name, **{**EVENLY, **fields}) for number, name in enumerate(where)))


def test_a_skew_within_the_bound_is_left_alone() -> None:
    assert outcomes(TopologySpread(), crowd("n0", "n0", "n1", "n2")) == {frozenset()}
    assert {len(each) for each in outcomes(TopologySpread(), crowd("n0", "n0", "n1"))} == {1}
    assert {len(each) for each in outcomes(TopologySpread(), crowd("n0", "n0", "n0", "n0", "n0", "n0"))} == {4}


def test_the_pod_of_the_highest_priority_leaves_first() -> None:
    pods = [pod("p0", on="n0", priority=9, **EVENLY), pod("p1", on="n0", **EVENLY), pod("p2", on="n1", **EVENLY)]
    assert outcomes(TopologySpread(), snapshot(*ZONES, *pods)) == {frozenset({"p0"})}


def test_a_pod_that_fits_on_no_node_of_an_empty_domain_stays() -> None:
    full = [replace(each, unschedulable=each.name == "n2") for each in ZONES]
    seen = replace(crowd("n0", "n0", "n1"), nodes=tuple(full))
    assert outcomes(TopologySpread(), seen) == {frozenset()}
    assert len(outcomes(TopologySpread(node_fit=False), seen)) == 2


def test_only_constraints_that_are_listed_count() -> None:
    soft = {"spread": (SpreadConstraint(1, "zone", required=False, selector=WEB),)}
    seen = crowd("n0", "n0", "n1", **soft)
    assert outcomes(TopologySpread(), seen) == {frozenset()}
    assert len(outcomes(TopologySpread(actions=frozenset({"ScheduleAnyway"})), seen)) == 2


def test_pods_that_the_evictor_does_not_admit_do_not_count() -> None:
    assert outcomes(TopologySpread(), crowd("n0", "n0", "n1"), passing=frozenset({"p1", "p2"})) == {frozenset()}
