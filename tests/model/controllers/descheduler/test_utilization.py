"""HighNodeUtilization and LowNodeUtilization, against expectations by hand and a judge that follows the descheduler's code"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby, permutations, product
from random import Random
from typing import Any

import pytest

from schedcheck.model.controllers.descheduler.plan import Work
from schedcheck.model.controllers.descheduler.plugins import works
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import Descheduler, Utilization
from schedcheck.spec.objects import Node, Pod, Snapshot, Taint, Toleration
from tests.support.building import container, node, pod, snapshot

EVERY_POD = frozenset(f"p{number}" for number in range(9))
Runs = set[tuple[str, ...]]


def outcomes(
    arguments: Utilization, seen: Snapshot, able: frozenset[str] = EVERY_POD, refused: frozenset[str] = frozenset()
) -> Runs:
    """The evictions of each behaviour of a run in which the API refuses those pods."""
    slots = {each.key: place for place, each in enumerate(seen.pods)}

    def runs(work: Work) -> Iterator[tuple[str, ...]]:
        if not work:
            yield ()
            return
        for slot, left, otherwise in work.next():
            name = seen.pods[slot].name
            if name in refused:
                yield from runs(otherwise)
            else:
                yield from ((name, *rest) for rest in runs(left))

    given = View(seen, Descheduler(()))
    found = works(arguments, given, lambda each: True, lambda each: each.name in able, lambda each: slots[each.key], ())
    return {each for _, work in found for each in runs(work)} or {()}


def judged(
    arguments: Utilization,
    seen: Snapshot,
    able: frozenset[str] = EVERY_POD,
    refused: frozenset[str] = frozenset(),
    *,
    endless: bool = False,
    cordoned: bool = False,
) -> Runs:
    """The evictions for each order of equal nodes and pods; the switches break the judge."""
    names = ["cpu", "memory", "pods"]
    ready = list(seen.nodes)
    on = {each.name: [p for p in seen.pods if p.node_name == each.name] for each in ready}
    usage = {name: [sum(_asks(p, key) for p in pods) for key in names] for name, pods in on.items()}
    have = {each.name: [each.allocatable.get(key, 0) for key in names] for each in ready}

    def share(name: str, key: str) -> float:
        place = names.index(key)
        return usage[name][place] / have[name][place] * 100 if have[name][place] else 0.0

    little, others = [], []
    for each in ready:
        is_little = all(share(each.name, key) <= most for key, most in arguments.thresholds.items())
        closed = each.unschedulable and not cordoned
        if arguments.empties:
            (little if is_little else [] if closed else others).append(each)
        elif is_little and not closed:
            little.append(each)
        elif any(share(each.name, key) > most for key, most in arguments.targets.items()):
            others.append(each)
    if not little or not others or len(little) <= arguments.number or len(little) == len(ready):
        return {()}
    sources, takers = (little, others) if arguments.empties else (others, little)
    spans = {"cpu": 100, "memory": 100} if arguments.empties else arguments.targets
    cap = {
        n: [int(spans[k] * 0.01 * have[n][i]) if k in spans else have[n][i] for i, k in enumerate(names)] for n in have
    }
    room = [sum(cap[each.name][i] - usage[each.name][i] for each in takers) for i in range(3)]
    found = set()
    sign = 1 if arguments.empties else -1
    for order in _orders(sources, lambda each: sign * sum(usage[each.name])):
        for lists in product(*(list(_orders(on[each.name], lambda p: p.priority)) for each in order)):
            left, gone = list(room), []
            for each, pods in zip(order, lists, strict=True):
                used, number = list(usage[each.name]), 0

                def goes_on(used: list[int], left: list[int], name: str = each.name) -> bool:
                    full = arguments.empties or any(u > c for u, c in zip(used, cap[name], strict=True))
                    return endless or (full and all(amount > 0 for amount in left))

                if not goes_on(used, left):
                    continue
                for p in pods:
                    if arguments.most is not None and number >= arguments.most:
                        break
                    if p.name not in able or p.name in refused or not any(_bears(p, taker) for taker in takers):
                        continue
                    gone.append(p.name)
                    number += 1
                    used = [u - _asks(p, key) for u, key in zip(used, names, strict=True)]
                    left = [amount - _asks(p, key) for amount, key in zip(left, names, strict=True)]
                    if not goes_on(used, left):
                        break
            found.add(tuple(gone))
    return found


def _asks(each: Pod, key: str) -> int:
    if key == "pods":
        return 1
    amount = each.containers[0].requests.get(key, 0)
    return amount // 10**6 if key == "cpu" else amount // 10**9


def _bears(each: Pod, taker: Node) -> bool:
    return len(each.tolerations) >= len(taker.taints)


def _orders(things: Any, key: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the things by their keys, equal ones in every order."""
    tiers = [list(tier) for _, tier in groupby(sorted(things, key=key), key=key)]
    return (
        tuple(each for tier in chosen for each in tier) for chosen in product(*(permutations(tier) for tier in tiers))
    )


def drawn(seed: int) -> tuple[Utilization, Snapshot, frozenset[str], frozenset[str]]:
    """Random arguments, a cluster of 2 or 3 nodes and up to 5 pods, the evictable pods, and those that the API refuses."""
    chance = Random(seed)
    nodes = [
        replace(
            node(f"n{each}", chance.choice([4, 4, 8]), pods=chance.choice([9, 9, 3]), allocatable={"memory": 8}),
            unschedulable=chance.random() < 0.15,
            taints=chance.choice([(), (), (), (Taint("gpu", "NoSchedule"),)]),
        )
        for each in range(chance.randint(2, 3))
    ]
    pods = [
        pod(
            f"p{number}",
            on=chance.choice(nodes).name,
            priority=chance.choice([0, 0, 5]),
            containers=(container(chance.choice([0.5, 1, 2]), memory=chance.choice([0, 1, 2])),),
            tolerations=chance.choice([(), (Toleration(operator="Exists"),)]),
        )
        for number in range(chance.randint(2, 5))
    ]
    low = {"cpu": chance.choice([25.0, 30.0, 50.0]), **chance.choice([{}, {"memory": 40.0}])}
    high = {key: most + chance.choice([0.0, 10.0, 30.0]) for key, most in low.items()}
    number, most = chance.choice([0, 0, 0, 1]), chance.choice([None, None, 1])
    arguments = Utilization(True, low, number=number) if seed % 2 else Utilization(False, low, high, number, most=most)
    able = frozenset(each.name for each in pods if chance.random() < 0.9)
    refused = frozenset(each.name for each in pods if chance.random() < 0.15)
    return arguments, snapshot(*nodes, *pods), able, refused


def test_runs_on_random_clusters_are_those_of_all_orders() -> None:
    evicting = [0, 0]
    for seed in range(600):
        given = drawn(seed)
        found = outcomes(*given)
        assert found == judged(*given), f"seed {seed}: {given}"
        evicting[seed % 2] += found != {()}
    assert min(evicting) > 30


@pytest.mark.parametrize("broken", ["endless", "cordoned"])
def test_a_broken_judge_disagrees_on_some_random_cluster(broken: str) -> None:
    assert any(outcomes(*drawn(seed)) != judged(*drawn(seed), **{broken: True}) for seed in range(600))  # type: ignore[arg-type]


def small(cpu: float, on: str, number: int, **fields: Any) -> Pod:
    """The pod p`number` with this many cpus."""
    return pod(f"p{number}", cpu, on=on, **fields)


def three(*pods: Pod) -> Snapshot:
    """Three nodes of 4 cpus with these pods."""
    nodes = [node(f"n{each}", 4, allocatable={"memory": 8}) for each in range(3)]
    return snapshot(*nodes, *pods)


EMPTIES = Utilization(True, {"cpu": 30.0})
RELIEVES = Utilization(False, {"cpu": 30.0}, {"cpu": 50.0})


def test_the_pods_of_a_little_used_node_leave_while_the_others_have_room() -> None:
    full = three(small(3, "n0", 0), small(2, "n1", 1), small(1, "n2", 2))
    assert outcomes(EMPTIES, full) == {("p2",)}
    # 30 % of 4 cpus are 1.2: the node with 1.3 is not little used.
    assert outcomes(EMPTIES, three(small(3, "n0", 0), small(2, "n1", 1), small(1.3, "n2", 2))) == {()}
    assert outcomes(EMPTIES, three(small(3, "n0", 0), small(2, "n1", 1), small(1.2, "n2", 2))) == {("p2",)}
    # No room on the only other node.
    assert outcomes(EMPTIES, three(small(4, "n0", 0), small(1, "n1", 1), small(1, "n2", 2))) == {()}
    assert outcomes(replace(EMPTIES, number=1), full) == {()}
    assert outcomes(replace(EMPTIES, excluded=frozenset({"default"})), full) == {()}


def test_nodes_that_are_all_little_used_are_left_alone() -> None:
    assert outcomes(EMPTIES, three(small(1, "n0", 0), small(1, "n1", 1))) == {()}


def test_only_thresholding_resources_spares_pods_that_do_not_request_them() -> None:
    seen = three(small(3, "n0", 0), small(2, "n1", 1), small(0, "n2", 2), small(1, "n2", 3))
    assert outcomes(EMPTIES, seen) == {("p2", "p3"), ("p3", "p2")}
    assert outcomes(replace(EMPTIES, only_thresholding=True), seen) == {("p3",)}


def test_a_much_used_node_is_relieved_down_to_its_target() -> None:
    crowd = [small(1, "n0", each) for each in range(4)]
    seen = three(*crowd, small(2, "n1", 4))
    # Two of four cpus are the target; a pod that the API refuses is replaced by the next.
    assert {len(each) for each in outcomes(RELIEVES, seen)} == {2}
    assert outcomes(RELIEVES, seen, refused=frozenset({"p0", "p1"})) == {("p2", "p3"), ("p3", "p2")}
    assert {len(each) for each in outcomes(replace(RELIEVES, most=1), seen)} == {1}
    assert outcomes(replace(RELIEVES, most=0), seen) == {()}
    assert outcomes(replace(RELIEVES, number=1), seen) == {()}


def test_a_destination_with_more_taints_than_the_pod_has_tolerations_does_not_count() -> None:
    bearing = Toleration(operator="Exists")
    taints = (Taint("a", "NoSchedule"), Taint("b", "NoSchedule"))
    tainted = [replace(node(name, 4, allocatable={"memory": 8}), taints=taints) for name in ("n1", "n2")]
    plain = node("n0", 4, allocatable={"memory": 8})
    busy = [small(3, name, number) for number, name in enumerate(("n1", "n2"))]
    once = snapshot(plain, *tainted, *busy, small(1, "n0", 2, tolerations=(bearing,)))
    assert outcomes(EMPTIES, once) == {()}
    twice = snapshot(plain, *tainted, *busy, small(1, "n0", 2, tolerations=(bearing, Toleration("x", "Exists"))))
    assert outcomes(EMPTIES, twice) == {("p2",)}
