"""The plugins for pods that violate node affinity, taints or anti-affinity, against expectations by hand and a judge"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations, product
from random import Random
from typing import Any

import pytest

from schedcheck.model.controllers.descheduler.plan import Done, Work
from schedcheck.model.controllers.descheduler.plugins import works
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import (
    Arguments,
    Descheduler,
    Facts,
    InterPodAntiAffinity,
    Namespaces,
    NodeAffinity,
    NodeTaints,
)
from schedcheck.spec.objects import Pod, Snapshot, Taint, Toleration
from schedcheck.spec.terms import Affinity, Requirement
from tests.support.building import apart, node, node_term, pod, preferring, selector, snapshot, term

EVERY_POD = frozenset(f"p{number}" for number in range(9))
SSD = node_term(Requirement("disk", "In", ("ssd",)))
GPU, OLD = Taint("gpu", "NoSchedule", "big"), Taint("old", "PreferNoSchedule")


def stages(
    arguments: Arguments, seen: Snapshot, able: frozenset[str] = EVERY_POD, done: Done = (), **facts: Facts
) -> dict[tuple[int, str], Work]:
    """The parts of a run that may be next."""
    slots = {each.key: place for place, each in enumerate(seen.pods)}
    given = Descheduler((), facts={("default", name): each for name, each in facts.items()})
    found = works(
        arguments,
        View(seen, given),
        lambda each: True,
        lambda each: each.name in able,
        lambda each: slots[each.key],
        done,
    )
    return dict(found)


def evicted(arguments: Arguments, seen: Snapshot, able: frozenset[str] = EVERY_POD) -> dict[tuple[int, str], set[str]]:
    """The pods that each part evicts."""
    return {
        stage: {seen.pods[slot].name for slot in work.pods()} for stage, work in stages(arguments, seen, able).items()
    }


REQUIRED, PREFERRED = NodeAffinity(("required",)), NodeAffinity(("preferred",))
WANTS = Affinity(node_required=(SSD,))


@pytest.mark.parametrize(
    ("arguments", "fields", "found"),
    [
        (REQUIRED, {"affinity": WANTS}, {"p0"}),
        (REQUIRED, {}, set()),
        # A nodeSelector alone is no node affinity.
        (REQUIRED, {"node_selector": {"disk": "ssd"}}, set()),
        (REQUIRED, {"affinity": Affinity(node_required=(node_term(Requirement("disk", "Exists", ())),))}, set()),
        (REQUIRED, {"affinity": Affinity(node_required=(node_term(Requirement("gpu", "Exists", ())),))}, set()),
        (PREFERRED, {"affinity": WANTS}, set()),
        (PREFERRED, {"affinity": preferring(1, SSD)}, {"p0"}),
        (PREFERRED, {"affinity": preferring(1, node_term(Requirement("disk", "Exists", ())))}, set()),
        (REQUIRED, {"affinity": WANTS, "phase": "Succeeded"}, set()),
        (NodeAffinity(("required",), Namespaces(exclude=frozenset({"default"}))), {"affinity": WANTS}, set()),
        (NodeAffinity(("required",), selector=selector(app="web")), {"affinity": WANTS}, set()),
    ],
)
def test_pods_on_a_node_against_their_affinity_leave_if_another_has_room(
    arguments: NodeAffinity, fields: dict[str, Any], found: set[str]
) -> None:
    nodes = [node("n1", 4, labels={"disk": "hdd"}), node("n2", 4, labels={"disk": "ssd"})]
    seen = snapshot(*nodes, pod("p0", 1, on="n1", **fields))
    assert evicted(arguments, seen) == ({(0, "n1"): found} if found else {})
    assert evicted(arguments, seen, frozenset()) == {}
    full = snapshot(nodes[0], replace(nodes[1], unschedulable=True), pod("p0", 1, on="n1", **fields))
    assert evicted(arguments, full) == ({} if arguments.kinds == ("required",) else evicted(arguments, seen))


def test_the_nodes_follow_in_any_order_and_the_kinds_in_theirs() -> None:
    nodes = [node(f"n{each}", 4, labels={"disk": "hdd"}) for each in range(2)] + [node("n2", 4, labels={"disk": "ssd"})]
    both = replace(WANTS, node_preferred=preferring(1, SSD).node_preferred)
    seen = snapshot(*nodes, pod("p0", on="n0", affinity=both), pod("p1", on="n1", affinity=both))
    arguments = NodeAffinity(("required", "preferred"))
    assert set(stages(arguments, seen)) == {(0, "n0"), (0, "n1"), (1, "n0"), (1, "n1")}
    assert set(stages(arguments, seen, done=((0, "n0"),))) == {(0, "n1"), (1, "n0"), (1, "n1")}
    assert set(stages(arguments, seen, done=((0, "n0"), (1, "n0")))) == {(1, "n1")}


@pytest.mark.parametrize(
    ("arguments", "fields", "found"),
    [
        (NodeTaints(), {}, True),
        (NodeTaints(), {"tolerations": (Toleration("gpu", "Exists"),)}, False),
        (NodeTaints(excluded=frozenset({"gpu"})), {}, False),
        (NodeTaints(excluded=frozenset({"gpu=big"})), {}, False),
        (NodeTaints(excluded=frozenset({"gpu=small"})), {}, True),
        (NodeTaints(included=frozenset({"old"})), {}, False),
        (NodeTaints(included=frozenset({"gpu=big"})), {}, True),
        (NodeTaints(included=frozenset()), {}, False),
        (NodeTaints(prefer_no_schedule=True), {"tolerations": (Toleration("gpu", "Exists"),)}, True),
        (NodeTaints(selector=selector(app="web")), {}, False),
    ],
)
def test_pods_that_do_not_tolerate_the_taints_of_their_node_leave(
    arguments: NodeTaints, fields: dict[str, Any], found: bool
) -> None:
    seen = snapshot(replace(node("n1", 4), taints=(GPU, OLD)), node("n2", 4), pod("p0", on="n1", **fields))
    assert evicted(arguments, seen) == ({(0, "n1"): {"p0"}} if found else {})
    assert evicted(arguments, seen, frozenset()) == {}


def test_no_execute_taints_are_left_to_the_node_lifecycle_controller() -> None:
    tainted = replace(node("n1", 4), taints=(Taint("gone", "NoExecute"),))
    assert evicted(NodeTaints(prefer_no_schedule=True), snapshot(tainted, node("n2", 4), pod("p0", on="n1"))) == {}


def runs(work: Work, refused: frozenset[int]) -> Iterator[tuple[int, ...]]:
    """Yield the evictions of each behaviour in which the API refuses those pods."""
    if not work:
        yield ()
        return
    for slot, left, otherwise in work.next():
        if slot in refused:
            yield from runs(otherwise, refused)
        else:
            yield from ((slot, *rest) for rest in runs(left, refused))


def judged(
    seen: Snapshot, able: frozenset[str], refused: frozenset[int], *, forget: bool = True
) -> set[tuple[int, ...]]:
    """The evictions for each order of the lists, as the descheduler's code makes them; `forget` False breaks the judge."""
    slots = {each.name: place for place, each in enumerate(seen.pods)}
    labels = {each.name: dict(each.labels) for each in seen.nodes}
    on = {name: [each for each in seen.pods if each.node_name == name] for name in labels}

    def sortings(pods: list[Pod]) -> Iterator[tuple[Pod, ...]]:
        return (
            order for order in permutations(pods) if [p.priority for p in order] == sorted(p.priority for p in pods)
        )

    found = set()
    for names in permutations(labels):
        for orders in product(*(list(sortings(on[name])) for name in names)):
            left, gone = list(seen.pods), []
            for order in orders:
                for each in order:
                    if each.name not in able or not any(
                        _repels(each, other, labels) for other in left if other is not each
                    ):
                        continue
                    if slots[each.name] not in refused:
                        gone.append(slots[each.name])
                        left = [other for other in left if other is not each] if forget else left
            found.add(tuple(gone))
    return found


def _repels(each: Pod, other: Pod, labels: dict[str, dict[str, str]]) -> bool:
    here, there = labels[each.node_name], labels[other.node_name]
    for one in each.affinity.anti_required:
        wanted = one.label_selector.match_labels if one.label_selector else {"": ""}
        near = each.node_name == other.node_name or (
            one.topology_key in here and here[one.topology_key] == there.get(one.topology_key)
        )
        if near and all(other.labels.get(key) == value for key, value in wanted.items()):
            return True
    return False


def drawn(seed: int) -> tuple[Snapshot, frozenset[str], frozenset[int]]:
    """A random cluster of 2 or 3 nodes and up to 4 pods, the evictable pods, and the slots that the API refuses."""
    chance = Random(seed)
    nodes = [
        node(f"n{each}", 9, labels=chance.choice([{}, {"zone": "a"}, {"zone": "a"}, {"zone": "b"}]))
        for each in range(chance.randint(2, 3))
    ]
    pods = []
    for number in range(chance.randint(2, 4)):
        terms = [
            term(chance.choice(["zone", "rack"]), selector(app=chance.choice("ab")))
            for _ in range(chance.randint(0, 2))
        ]
        pods.append(
            pod(
                f"p{number}", on=chance.choice(nodes).name, labels={"app": chance.choice("ab")},
                priority=chance.choice([0, 0, 5]), affinity=apart(*terms),
            )
        )  # fmt: skip
    able = frozenset(each.name for each in pods if chance.random() < 0.9)
    return snapshot(*nodes, *pods), able, frozenset(slot for slot in range(len(pods)) if chance.random() < 0.2)


def visits(seen: Snapshot, able: frozenset[str], refused: frozenset[int]) -> set[tuple[int, ...]]:
    """The evictions of the model's visit."""
    found = stages(InterPodAntiAffinity(), seen, able)
    return {each for work in found.values() for each in runs(work, refused)} or {()}


def test_visits_for_anti_affinity_on_random_clusters_are_those_of_all_orders() -> None:
    evicting = 0
    for seed in range(300):
        seen, able, refused = drawn(seed)
        found = visits(seen, able, refused)
        assert found == judged(seen, able, refused), f"seed {seed}: {seen}"
        evicting += found != {()}
    assert evicting > 50


def test_a_judge_that_does_not_forget_evicted_pods_disagrees() -> None:
    assert any(visits(*drawn(seed)) != judged(*drawn(seed), forget=False) for seed in range(300))


def test_of_two_pods_that_repel_each_other_the_less_important_leaves() -> None:
    both = {"on": "n0", "labels": {"app": "a"}, "affinity": apart(term("zone", selector(app="a")))}
    seen = snapshot(node("n0", 9), node("n1", 9), pod("p0", priority=5, **both), pod("p1", **both))
    assert visits(seen, EVERY_POD, frozenset()) == {(1,)}
    assert visits(seen, EVERY_POD, frozenset({1})) == {(0,)}
    equal = snapshot(node("n0", 9), node("n1", 9), pod("p0", **both), pod("p1", **both))
    assert visits(equal, EVERY_POD, frozenset()) == {(0,), (1,)}
    guaranteed = {"p0": Facts(qos=2), "p1": Facts(qos=1)}
    (work,) = stages(InterPodAntiAffinity(), equal, **guaranteed).values()
    assert set(runs(work, frozenset())) == {(1,)}
