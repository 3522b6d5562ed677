"""Worlds that a dry run remembers: a cluster that changes between cycles is answered as the specification answers it"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import pytest

from schedcheck.model.production.preemption import victims
from schedcheck.model.production.preemption.remembered import Remembered, remembered
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.preemption.dry_run import DryRun
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot
from tests.model.production.cluster import Cluster, cluster
from tests.model.production.preemption.test_amounts import Said, answer, drawn, specified
from tests.support.building import pod, selector, snapshot

CASES, TURNS = 40, 5
BUDGETS = (PodDisruptionBudget("x", selector=selector(app="x")),)


def changed(chance: Random, there: Snapshot) -> Snapshot:
    """Return the cluster after a pod has gone, or a pod is nominated, or is not any more, or other budgets apply."""
    bound = [each for each in there.pods if each.node_name]
    nominated = frozenset(each for each in there.pods if each.nominated_node_name)
    match chance.choice(("nothing", "gone", "nominated", "budgets")):
        case "gone" if bound:
            return there - {chance.choice(bound)}
        case "nominated" if nominated:
            return there - nominated
        case "nominated":
            large = pod("large", 1, priority=9, nominated_node_name=chance.choice(there.nodes).name)
            return replace(snapshot(*there.nodes, *there.pods, large), budgets=there.budgets)
        case "budgets":
            return replace(there, budgets=() if there.budgets else BUDGETS)
    return there


@cache
def histories() -> list[list[tuple[Pod, Snapshot, Said]]]:
    """Return clusters as they change, each with what the specification says where the pod fits on no node."""
    return [list(_history(Random(seed), *drawn(seed))) for seed in range(CASES)]


def _history(chance: Random, asked: Pod, there: Snapshot) -> Iterator[tuple[Pod, Snapshot, Said]]:
    for _ in range(TURNS):
        run = DryRun(cycle(asked, there, DEFAULT_PLUGINS))
        if all(each.refusal for each in run.verdicts.values()):
            yield asked, there, specified(asked, there)
        there = changed(chance, there)


def follow(here: Cluster, there: Snapshot, asked: Pod) -> None:
    """Tell the running scheduler of a cluster whose bound pods are some of those before."""
    left = {each.identity for each in there.pods if each.node_name}
    for identity in [each for each in here.cache.pods if each not in left]:
        here.cache.remove_pod(identity)
    waiting = [(each.nominated_node_name, PodInfo(each)) for each in there.pods if each.nominated_node_name]
    here.handle.nominations = lambda: waiting
    here.handle.listers.budgets = there.budgets
    here.handle.listers.pods = {each.key: each for each in (*there.pods, asked)}
    here.cache.update(here.handle.snapshot)


def differing() -> int:
    """Return how many answers of running schedulers differ from the specification."""
    wrong = 0
    for history in filter(None, histories()):
        asked, first, _ = history[0]
        here = cluster(first, pending=[asked])
        for asked, there, expected in history:
            follow(here, there, asked)
            wrong += answer(here, asked) != expected
    return wrong


def test_a_cluster_that_changes_is_answered_as_the_specification_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    new = []
    stale = Remembered.stale

    def counting(self: Remembered, *given: Any) -> Any:
        found = stale(self, *given)
        new.extend(found.tolist())
        return found

    monkeypatch.setattr(Remembered, "stale", counting)
    assert differing() == 0
    assert new.count(False) > 10 and new.count(True) > 30


FAULTS: dict[str, tuple[Any, str, Any]] = {
    "pods that went are still there": (Remembered, "stale", lambda self, rows, left: self._versions[rows] < 0),
    "what is left does not matter": (
        Remembered, "stale", lambda self, rows, left: self._versions[rows] != self._lower.versions[rows]
    ),
    "budgets do not matter": (victims, "Remembered", lambda lower, resources: remembered(lower, "every", resources)),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_memory_differs(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*FAULTS[fault])
    assert differing()
