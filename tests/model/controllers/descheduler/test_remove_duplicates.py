"""RemoveDuplicates evicts what the lists of the descheduler, in some order, make it evict

The judge below walks through one order of the lists as the descheduler's code does, without the definitions of the
model. The plans of the model must be the outcomes of all orders.
"""

from collections import defaultdict
from dataclasses import replace
from itertools import permutations, product
from random import Random

import pytest

from schedcheck.model.controllers.descheduler.plan import pods_of
from schedcheck.model.controllers.descheduler.remove_duplicates import plans
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import Descheduler, Namespaces, RemoveDuplicates
from schedcheck.spec.objects import Container, Pod, Snapshot, Taint, Toleration
from tests.support.building import node, pod, snapshot

GPU = Taint("gpu", "NoSchedule")


def outcomes(seen: Snapshot, arguments: RemoveDuplicates, evictable: frozenset[str]) -> set[frozenset[str]]:
    """The sets of names that the plans of the model evict."""
    slots = {each.key: place for place, each in enumerate(seen.pods)}
    found = plans(
        arguments, View(seen, Descheduler(())), lambda each: each.name in evictable, lambda each: slots[each.key]
    )
    return {frozenset(seen.pods[slot].name for slot in pods_of(plan)) for plan in found}


def judged(
    seen: Snapshot,
    arguments: RemoveDuplicates,
    evictable: frozenset[str],
    *,
    all_nodes: bool = False,
    rounded_down: bool = False,
    any_image: bool = False,
) -> set[frozenset[str]]:
    """What one run evicts, for each order of the lists of pods on the nodes; the switches break the judge."""
    ready = [each for each in seen.nodes if each.ready == "True"]
    lists = [
        [each for each in seen.pods if each.node_name == n.name and each.name in evictable and each.phase == "Running"]
        for n in ready
    ]
    found = set()
    for orders in product(*(list(permutations(each)) for each in lists)):
        count: dict[tuple[str, ...], int] = defaultdict(int)
        duplicates: dict[tuple[str, ...], dict[str, list[Pod]]] = defaultdict(lambda: defaultdict(list))
        for n, order in zip(ready, orders, strict=True):
            first = set()
            for each in order:
                if each.owner[0] in ("", *arguments.exclude_owner_kinds):
                    continue
                if arguments.namespaces.include and each.namespace not in arguments.namespaces.include:
                    continue
                if each.namespace in arguments.namespaces.exclude:
                    continue
                images = () if any_image else sorted(c.image for c in each.containers)
                key = (each.namespace, *each.owner, *images)
                count[key] += 1
                if key in first:
                    duplicates[key][n.name].append(each)
                first.add(key)
        gone = set()
        for key, by_node in duplicates.items():
            targets = set()
            for each in (each for listed in by_node.values() for each in listed):
                fitting = {n.name for n in ready if all_nodes or _may_run(each, n)}
                targets |= fitting if len(fitting) > 1 else set()
            if len(targets) < 2:
                continue
            share = count[key] / len(targets)
            most = int(share) if rounded_down else int(share) + (share > int(share))
            for listed in by_node.values():
                if len(listed) + 1 > most:
                    gone |= {each.name for each in listed[max(0, most - 1) :]}
        found.add(frozenset(gone))
    return found


def _may_run(each: Pod, where: object) -> bool:
    labels, taints = where.labels, where.taints  # type: ignore[attr-defined]
    keys = {toleration.key for toleration in each.tolerations}
    selected = all(labels.get(key) == value for key, value in each.node_selector.items())
    return selected and all(taint.key in keys for taint in taints if taint.effect != "PreferNoSchedule")


def drawn(seed: int) -> tuple[Snapshot, RemoveDuplicates, frozenset[str]]:
    """A random cluster of at most 3 nodes and 6 pods, arguments, and the evictable pods."""
    chance = Random(seed)
    nodes = []
    for number in range(chance.randint(2, 3)):
        taints = chance.choice([(), (), (), (GPU,), (Taint("old", "PreferNoSchedule"),)])
        labels = {"disk": chance.choice(["ssd", "hdd"])}
        ready = chance.choice(["True"] * 12 + ["Unknown"])
        nodes.append(replace(node(f"n{number}", 4, labels=labels), taints=taints, ready=ready))
    pods = []
    for number in range(chance.randint(2, 6)):
        owner = chance.choice([("ReplicaSet", "web")] * 9 + [("StatefulSet", "web"), ("", "")])
        images = chance.choice([("a",)] * 5 + [("a", "b"), ("b", "a")])
        pods.append(
            pod(
                f"p{number}",
                on=chance.choice([each.name for each in nodes]),
                namespace=chance.choice(["default"] * 9 + ["shop"]),
                owner=owner,
                phase=chance.choice(["Running"] * 5 + ["Succeeded"]),
                containers=tuple(Container(image=image) for image in images),
                tolerations=chance.choice([(), (), (Toleration("gpu", "Exists"),)]),
                node_selector=chance.choice([{}, {}, {}, {"disk": "ssd"}]),
            )
        )
    excluded = chance.choice([frozenset[str]()] * 3 + [frozenset({"StatefulSet"})])
    namespaces = chance.choice(
        [Namespaces()] * 3 + [Namespaces(include=frozenset({"shop"})), Namespaces(exclude=frozenset({"shop"}))]
    )
    evictable = frozenset(each.name for each in pods if chance.random() < 0.9)
    return snapshot(*nodes, *pods), RemoveDuplicates(namespaces, excluded), evictable


def test_plans_on_random_clusters_are_the_outcomes_of_all_orders() -> None:
    evicting = 0
    for seed in range(400):
        seen, arguments, evictable = drawn(seed)
        found = outcomes(seen, arguments, evictable)
        assert found == judged(seen, arguments, evictable), f"seed {seed}: {seen}"
        evicting += any(found)
    assert evicting > 50


@pytest.mark.parametrize("broken", ["all_nodes", "rounded_down", "any_image"])
def test_a_broken_judge_disagrees_on_some_random_cluster(broken: str) -> None:
    assert any(
        outcomes(*drawn(seed)) != judged(*drawn(seed), **{broken: True})  # type: ignore[arg-type]
        for seed in range(400)
    )


def test_three_of_four_pods_on_one_of_two_nodes_leave_one_too_many() -> None:
    pods = [pod(f"p{each}", on="n1", owner=("ReplicaSet", "web")) for each in range(3)]
    seen = snapshot(node("n1", 4), node("n2", 4), *pods, pod("p3", on="n2", owner=("ReplicaSet", "web")))
    everything = frozenset({"p0", "p1", "p2", "p3"})
    assert outcomes(seen, RemoveDuplicates(), everything) == {frozenset({"p0"}), frozenset({"p1"}), frozenset({"p2"})}


def test_duplicates_that_can_go_nowhere_else_stay() -> None:
    pods = [pod(f"p{each}", on="n1", owner=("ReplicaSet", "web"), node_selector={"gpu": "yes"}) for each in range(2)]
    seen = snapshot(node("n1", 4, labels={"gpu": "yes"}), node("n2", 4), *pods)
    assert outcomes(seen, RemoveDuplicates(), frozenset({"p0", "p1"})) == {frozenset()}
