"""Deployments beside pods that preempt once each: proofs by counting are those of an exploration of everything"""

from dataclasses import replace
from random import Random

import pytest

from schedcheck.checker.deploying import beside as proofs
from schedcheck.checker.deploying import deployed as answers
from schedcheck.checker.deploying.beside import beside_preemption
from schedcheck.checker.deploying.question import Deploying
from schedcheck.checker.recovery.calm import Calm
from schedcheck.checker.recovery.evictors import Evictors
from schedcheck.checker.relocation.counting import Place
from tests.checker.deploying.test_anywhere import beside, drawn
from tests.checker.deploying.test_deployed import added, ends_well, form
from tests.checker.recovery.test_evictors import Patch, proved_place
from tests.support.building import node, pod


def crowded(seed: int) -> Deploying:
    """New pods, pods of low priority on the nodes, and pods of high priority that wait, mostly for room that these take."""
    chance = Random(seed)
    nodes = [node("n0", cpu=chance.randint(2, 3), labels={"disk": "ssd"}), node("n1", cpu=chance.randint(2, 6))]
    others = [
        pod(f"x-{each}", cpu=1, on="n0", phase="Running", owner=chance.choice((("ReplicaSet", "x"), ("", ""))))
        for each in range(chance.randint(1, 2))
    ]
    where = chance.choice(({"node_selector": {"disk": "ssd"}}, {}))
    others += [
        pod(f"top-{each}", cpu=chance.choice((1, 2, 2)), priority=9, **where)
        for each in range(chance.choice((1, 1, 2)))
    ]
    new = form(cpu=1, priority=chance.choice((0, 0, 5)))
    return added([replace(new, name=f"web-{each}") for each in range(chance.randint(1, 2))], nodes, *others)


def agree(seed: int, proved: list[bool]) -> None:
    question = (drawn if seed % 2 else crowded)(seed)
    counted = answers.counted(question)
    question = replace(question, others=all(each.key in question.keys for each in counted.evicting))
    if proof := beside_preemption(question, counted):
        assert proof.proved and not proof.at_rest
        well = ends_well(question, 3000, evicted=False)
        assert well is not False, seed
        proved.append(proof.peace != "")


@pytest.mark.medium
def test_random_proofs_are_those_of_an_exploration_of_everything() -> None:
    proved: list[bool] = []
    for seed in range(150):
        agree(seed, proved)
    assert sum(proved) >= 3, len(proved)


BROKEN: dict[str, Patch] = {
    "places": lambda patch: patch.setattr(Calm, "place", lambda self, pod: Place(1, 1, "")),
    "evicted": lambda patch: patch.setattr(Evictors, "place", proved_place),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_proof_is_detected(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    BROKEN[broken](monkeypatch)
    with pytest.raises(AssertionError):
        for seed in range(800):
            agree(seed, [])


def single() -> Deploying:
    """A pod that nothing creates again, which another one could evict."""
    scene = beside(3).scenario
    pods = tuple(replace(each, owner=("", "")) if each.name == "web" else each for each in scene.pods)
    scene = replace(scene, pods=pods, rollouts=(), absent=frozenset())
    return Deploying(scene, (("default", "web"),), others=False)


def test_a_single_pod_that_may_be_evicted_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    question = single()
    counted = answers.counted(question)
    assert counted.evicting and beside_preemption(question, counted) is None
    monkeypatch.setattr(proofs, "_lost_if_evicted", lambda asked: [])
    assert beside_preemption(question, counted) is not None


def test_it_is_said_who_may_preempt_meanwhile() -> None:
    found = answers.deployed(beside(3), lambda scene, asked: scene)
    assert [str(each) for each in found.counted.evicting] == ["big"] and not found.asked.others
    assert found.counted.peace.startswith("only big may preempt, at most once, which takes at most 2 pods")
