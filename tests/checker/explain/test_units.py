"""The explanation of a pod without a group that may evict pods of PodGroups: its nominations are those of the definition"""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from schedcheck.checker.explain import candidates, kubernetes
from schedcheck.checker.explain.kubernetes import cycle_explanation
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.spec.decisions import Bind, Nominate, Unknown
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.preemption import of_units
from schedcheck.spec.objects import Node, Pod, Snapshot
from tests.live.grouping import read
from tests.live.intruding import intruding
from tests.support.building import node, pod
from tests.support.gangs import rooms
from tests.support.pod_groups import GROUPED, IN_1_36, group, one_of

Ways = set[tuple[Node, frozenset[Pod]]]


def cluster(number: int) -> tuple[Snapshot, Pod]:
    """A random cluster, and the pod without a group."""
    snapshot = read(intruding(Random(f"explain/{number}"), number))
    return snapshot, next(each for each in snapshot.pods if each.name == "p")


def explained(snapshot: Snapshot, one: Pod) -> Ways:
    """Where the pod may be nominated, with the victims."""
    found = cycle_explanation(one, snapshot, GROUPED)
    assert found is not None
    if found.evictions is None:
        return set()
    return {(each.node, frozenset(each.victims)) for each in found.evictions.selected}


def once(snapshot: Snapshot, one: Pod) -> bool:
    """Whether each way is told once, and among the candidates."""
    found = cycle_explanation(one, snapshot, GROUPED)
    if found is None or found.evictions is None:
        return True
    told = [(each.node, frozenset(each.victims), each.violations) for each in found.evictions.candidates]
    return len(told) == len(set(told)) and set(found.evictions.selected) <= set(found.evictions.candidates)


def allowed(snapshot: Snapshot, one: Pod) -> Ways | None:
    """The same by the definition; None if it is unknown."""
    found = decision(one, snapshot, GROUPED)
    if any(isinstance(each, Unknown) for each in found):
        return None
    return {(each.node, each.victims) for each in found if isinstance(each, Nominate)}


def differing(numbers: range) -> tuple[list[int], Counter[str]]:
    """Which of these clusters are explained otherwise than specified, and what occurs in them."""
    wrong, said = [], Counter[str]()
    for number in numbers:
        snapshot, one = cluster(number)
        expected = allowed(snapshot, one)
        if expected is None:
            continue
        wrong += [number] if explained(snapshot, one) != expected or not once(snapshot, one) else []
        said["preempts"] += bool(expected)
        said["elsewhere"] += any(len({each.node_name for each in victims}) > 1 for _, victims in expected)
        said["several ways"] += len(expected) > 1
    return wrong, said


def test_the_nominations_are_those_of_the_specification() -> None:
    wrong, said = differing(range(50))
    assert wrong == []
    assert said["preempts"] >= 10 and said["elsewhere"] >= 2 and said["several ways"] >= 2, said


def test_to_evict_them_one_by_one_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "in_units", lambda _: False)
    assert differing(range(50))[0]


def pair(*, whole: bool = True) -> Snapshot:
    """A pod that fits on no node, and a pod of a group on each of two nodes."""
    low = (one_of("low", 1, "n1"), one_of("low", 2, "n2"))
    there = Snapshot.of((pod("p", 1, priority=5), *low), rooms(2))
    return replace(there, pod_groups=(group("low", disrupted_together=whole),))


def test_a_way_is_told_once_whichever_victim_leads() -> None:
    snapshot = pair()
    high = next(each for each in snapshot.pods if each.name == "p")
    mixed = tuple(replace(each, priority=int(each.name == "low-2")) for each in snapshot.pods if each != high)
    there = replace(Snapshot.of((high, *mixed), rooms(2)), pod_groups=snapshot.pod_groups)
    assert once(there, high) and explained(there, high) == allowed(there, high)


def test_a_way_that_is_told_for_each_leader_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "once", tuple)
    monkeypatch.setattr(kubernetes, "once", tuple)
    assert not all(once(*cluster(number)) for number in range(50))


def test_with_too_many_orders_not_all_ways_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = pair()
    monkeypatch.setattr(of_units, "MOST_ORDERS", 0)
    found = cycle_explanation(snapshot.pods[-1], snapshot, GROUPED)
    assert found is not None and found.evictions is not None and not found.evictions.all_orders


def test_many_nodes_at_once_are_not_judged_where_units_are_evicted() -> None:
    snapshot = pair(whole=False)
    high = next(each for each in snapshot.pods if each.name == "p")
    assert not CycleJudge(snapshot).judges(high, GROUPED)
    assert CycleJudge(snapshot).judges(high, IN_1_36)
    alone = Snapshot.of((high, pod("v", 1, "n1")), (node("n1", 1),))
    assert CycleJudge(alone).judges(high, GROUPED)
    assert not any(isinstance(each, Bind) for each in decision(high, alone, GROUPED))
