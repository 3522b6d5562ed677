"""Drains and failures beside pods that preempt: what is proved is confirmed by exploring everything."""

from random import Random

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.recovery import of_leaving
from schedcheck.checker.recovery.calm import Calm
from schedcheck.checker.recovery.evictors import Evictors
from schedcheck.checker.recovery.of_leaving import FURTHER, beside_preemption
from schedcheck.checker.relocation.leaving import Leaving, drained, failed
from schedcheck.checker.relocation.questions import questions
from schedcheck.checker.relocation.relocation import counted, relocation
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import PodDisruptionBudget
from tests.checker.recovery.test_evictors import Patch, proved_place
from tests.support.building import node, pod, scenario, selector


def whole(scene: Scenario, asked: object) -> Scenario:
    return scene


def crowded(seed: int) -> Scenario:
    """Pods on the node old, pods of low priority elsewhere, and one or two that wait and need the room of these."""
    chance = Random(seed)
    nodes = [
        node("old", cpu=3),
        *(node(f"n{place}", cpu=chance.randint(2, 4)) for place in range(chance.randint(2, 3))),
    ]
    free = {each.name: each.allocatable["cpu"] // 1000 for each in nodes}
    pods = []
    for number in range(chance.randint(1, 2)):
        pods.append(pod(f"m{number}", cpu=1, on="old", labels={"app": "web"}, owner=("ReplicaSet", "web")))
    for number in range(chance.randint(1, 3)):
        on = chance.choice([name for name in free if name != "old" and free[name]] or [""])
        free[on] = free.get(on, 0) - 1
        owner = {"owner": ("ReplicaSet", "db")} if chance.random() < 0.8 else {}
        pods.append(pod(f"p{number}", cpu=1, on=on, labels={"app": chance.choice(("web", "db"))}, **owner))
    for number in range(chance.choice((1, 1, 1, 2))):
        size, owner = chance.choice((1, 2, 3, 4)), {"owner": ("ReplicaSet", "top")} if chance.random() < 0.5 else {}
        pods.append(pod(f"top{number}", cpu=size, priority=5, labels={"app": "top"}, **owner))
    least, allowed = chance.choice((0, 1, 2)), chance.choice((0, 1, 2))
    budget = PodDisruptionBudget("pdb", selector=selector(app="web"), min_available=least, disruptions_allowed=allowed)
    budgets = (budget,) if chance.random() < 0.5 else ()
    return scenario(*pods, *nodes, profile="kubernetes", budgets=budgets)


def beside(leaving: Leaving) -> bool:
    """Whether all is proved although some pods may preempt, as an exploration of everything confirms."""
    found = counted(leaving)
    proof = None if found.blocked or found.proved else beside_preemption(leaving, found)
    if proof is None:
        return False
    assert proof.verdict is Verdict.HOLDS and proof.counted
    everything = check(leaving.scenario, rules=questions(leaving), alone=True, bounds=Bounds(max_states=6000))
    if everything.result.stopped:
        return False
    assert not everything.result.violations, [each.property.name for each in everything.result.violations]
    return proof.peace != ""


def both(seed: int) -> int:
    scene = crowded(seed)
    return sum(beside(each) for each in (drained(scene, ("old",)), failed(scene, ("old",))))


@pytest.mark.medium
def test_proofs_beside_pods_that_preempt_are_confirmed_by_exploring_everything() -> None:
    assert sum(map(both, range(60))) >= 5


BROKEN: dict[str, Patch] = {
    "places": lambda patch: patch.setattr(Evictors, "place", proved_place),
    "displaced": lambda patch: patch.setattr(Evictors, "displaced", ()),
    "calm": lambda patch: patch.setattr(Calm, "calm", True),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_proof_is_detected(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    BROKEN[broken](monkeypatch)
    with pytest.raises(AssertionError):
        for seed in range(600):
            both(seed)


def test_a_budget_that_preemption_takes_a_pod_from_for_good_may_end_a_drain(monkeypatch: pytest.MonkeyPatch) -> None:
    budget = PodDisruptionBudget("pdb", selector=selector(app="web"), min_available=1, disruptions_allowed=1)
    scene = scenario(
        pod("m0", cpu=1, on="old", labels={"app": "web"}, owner=("ReplicaSet", "web")),
        pod("p0", cpu=1, on="n0", labels={"app": "web"}),
        pod("top", cpu=2, priority=5, node_selector={"disk": "ssd"}),
        node("old", cpu=2),
        node("n0", cpu=2, labels={"disk": "ssd"}),
        node("n1", cpu=4),
        profile="kubernetes",
        budgets=(budget,),
    )
    leaving = drained(scene, ("old",))
    found = relocation(leaving, whole, Bounds(seconds=60), further=FURTHER)
    assert found.verdict is Verdict.VIOLATED and [str(each) for each in found.stuck] == ["m0"]
    monkeypatch.setattr(of_leaving, "RECREATING", frozenset({"ReplicaSet", ""}))
    assert beside_preemption(leaving, counted(leaving)) is not None


def test_it_is_said_who_may_preempt_meanwhile() -> None:
    web, db = {"owner": ("ReplicaSet", "web")}, {"owner": ("ReplicaSet", "db")}
    scene = scenario(
        pod("m0", cpu=1, on="old", **web),
        pod("p0", cpu=1, on="n0", **db),
        pod("top", cpu=2, priority=5, node_selector={"disk": "ssd"}),
        node("old", cpu=2),
        node("n0", cpu=2, labels={"disk": "ssd"}),
        node("n1", cpu=4),
        profile="kubernetes",
    )
    found = relocation(drained(scene, ("old",)), whole, Bounds(seconds=60), further=FURTHER)
    assert found.verdict is Verdict.HOLDS and found.counted and [str(each) for each in found.evicting] == ["top"]
    assert found.peace.startswith("only top may preempt, at most once, which takes at most 1 pod")
