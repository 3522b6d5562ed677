"""Proofs where nodes may close among the events are confirmed by explorations of everything."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from schedcheck.checker.recovery import evictors as evicting
from schedcheck.checker.recovery.disturbances import Disturbances
from schedcheck.checker.recovery.evictors import Evictors
from schedcheck.checker.recovery.recovery import Recovery
from schedcheck.checker.result import Verdict
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.budgets import protects
from schedcheck.spec.objects import Taint
from tests.checker.recovery.test_evictors import contested, small, web
from tests.checker.recovery.test_recovery import agree, drawn, explored, preempting
from tests.support.building import node, on_nodes, on_pods, pod

Make = Callable[[int], Scenario]
Patch = Callable[[pytest.MonkeyPatch], None]


def closing(make: Make) -> Make:
    """Clusters like these, in which events close nodes and nothing opens them again."""

    def made(seed: int) -> Scenario:
        scene, chance = make(seed), Random(-seed - 1)
        rules: list[Rule] = [rule for rule in scene.rules if rule.event in ("complete", "delete", "arrive")]
        controllers = {"owners"} | ({"lifecycle"} if chance.random() < 0.7 else set())
        for event in chance.sample(("fail", "cordon", "unready", "taint"), chance.choice((1, 1, 2))):
            chosen = " ".join(each.name for each in scene.nodes if chance.random() < 0.7)
            if not chosen:
                continue
            taint: dict[str, Any] = {}
            if event == "taint":
                taint = {"taint": Taint("soft", chance.choice(("NoExecute", "NoSchedule")))}
            rules.append(on_nodes(event, chosen, chance.choice((None, 1)), **taint))
            controllers |= {"podgc"} if event == "fail" else set()
        return replace(scene, rules=tuple(rules), controllers=frozenset(controllers))

    return made


@pytest.mark.parametrize("make", [pytest.param(contested, marks=pytest.mark.medium), preempting, drawn])
def test_random_proofs_are_confirmed_by_exploring_everything(make: Make) -> None:
    proved: list[str] = []
    for seed in range(16):
        agree(seed, proved, closing(make))
    assert proved.count("recovers") >= 2, Counter(proved)


def closed_in_turn() -> Scenario:
    """A node closes after a pod has evicted for it, so that this pod evicts another one."""
    scene = small(web(0, "n0"), web(1, "n1"), pod("top", cpu=1, priority=5), *_two(1), least=1)
    return replace(scene, rules=(on_nodes("cordon", "n0 n1", 1),))


def _two(*sizes: int) -> list[Any]:
    return [node(f"n{place}", cpu=size) for place, size in enumerate(sizes * 2 if len(sizes) == 1 else sizes)]


def failed_besides() -> Scenario:
    """A node that no evictor fits on fails with a pod of the budget, beside the one that is evicted."""
    scene = small(web(0, "n0"), web(1, "n1"), pod("top", cpu=2, priority=5), *_two(1, 2), least=1)
    return replace(scene, rules=(on_nodes("fail", "n0", 1),), controllers=scene.controllers | {"podgc"})


def only_evicted(patch: pytest.MonkeyPatch) -> None:
    """No pod leaves its node with the node."""
    patch.setattr(Disturbances, "moved", lambda self, pods, closings: 0)
    patch.setattr(Evictors, "_left", None)


BROKEN: dict[str, tuple[Callable[[], Scenario], Patch]] = {
    "how often": (
        closed_in_turn,
        lambda patch: patch.setattr(evicting, "_times", lambda found, disturbed: (1,) * len(disturbed.cases)),
    ),
    "pods on lost nodes": (failed_besides, only_evicted),
    "nodes left": (
        closed_in_turn,
        lambda patch: patch.setattr(Evictors, "_left", property(lambda self: (len(self.pods),) * len(self.times))),
    ),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_budget_is_not_proved_but_by_a_broken_count(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, breaks = BROKEN[broken]
    scene = make()
    (budget,) = scene.budgets

    def proved() -> bool:
        pods = [each for each in scene.pods if protects(budget, each)]
        return Recovery(scene, 1).spares(pods, budget=budget) is not None

    assert explored(scene, 1, "budget_kept(pdb)") is Verdict.VIOLATED
    assert not proved()
    breaks(monkeypatch)
    assert proved(), "the broken count proves nothing, so that this test says nothing about it"


def befallen_or_deleted(least: int) -> Scenario:
    """One event deletes the evictor, which preempts again, or a pod of the budget; it does not do both."""
    top = pod("top", cpu=1, priority=5, owner=("ReplicaSet", "top"))
    scene = small(*(web(place, f"n{place}") for place in range(3)), top, *_two(1, 1, 1), least=least)
    return replace(scene, rules=(on_pods("delete", "top w0 w1 w2"),))


@pytest.mark.parametrize(("least", "proved"), [(2, False), (1, True)])
def test_an_event_befalls_an_evictor_or_another_pod(least: int, proved: bool) -> None:
    scene = befallen_or_deleted(least)
    (budget,) = scene.budgets
    pods = [each for each in scene.pods if protects(budget, each)]
    assert (Recovery(scene, 1).spares(pods, budget=budget) is not None) is proved
    assert explored(scene, 1, "budget_kept(pdb)") is (Verdict.HOLDS if proved else Verdict.VIOLATED)
