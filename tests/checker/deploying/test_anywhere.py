"""Deployments beside pods that preempt: proofs by counting are those of an exploration of everything"""

from dataclasses import replace
from random import Random

import pytest

from schedcheck.checker.deploying import anywhere as proofs
from schedcheck.checker.deploying import deployed as answers
from schedcheck.checker.deploying.anywhere import anywhere
from schedcheck.checker.deploying.behaviours import Followed, Seen
from schedcheck.checker.deploying.question import Deploying
from schedcheck.checker.recovery.recovery import Recovery
from schedcheck.checker.result import Verdict
from tests.checker.deploying.test_deployed import ZONE, added, answer, ends_well, form
from tests.support.building import apart, node, pod, selector, term

OWN = {"owner": ("ReplicaSet", "x"), "phase": "Running"}


def beside(cpu: int, *, asks_others: bool = False, **fields: object) -> Deploying:
    """A new pod, and one that evicts two others on the only node that it selects; two other nodes have `cpu` cpus each."""
    nodes = [node("n0", cpu=2, labels={"disk": "ssd"}), node("n1", cpu=cpu), node("n2", cpu=cpu)]
    bound = (pod("x-1", cpu=1, on="n0", **OWN), pod("x-2", cpu=1, on="n0", **OWN))
    if asks_others:
        return added([form(cpu=2, priority=5, node_selector={"disk": "ssd"}, **fields)], nodes, *bound)
    return added([form(**fields)], nodes, pod("big", cpu=2, priority=5, node_selector={"disk": "ssd"}), *bound)


@pytest.mark.parametrize("asks_others", [False, True])
@pytest.mark.parametrize(("cpu", "expected"), [(3, True), (0, False)])
def test_a_pod_is_placed_where_pods_that_are_evicted_leave_room(cpu: int, expected: bool, asks_others: bool) -> None:
    question = beside(cpu, asks_others=asks_others)
    found = answers.deployed(question, lambda scene, asked: scene)
    assert (found.counted.anywhere != {} or found.counted.peace != "") == expected
    well = ends_well(question, evicted=found.asked.others)
    assert well == expected and found.verdict is (Verdict.HOLDS if expected else Verdict.VIOLATED)
    assert found.by == ("counting" if expected else "exploration")


def test_a_single_pod_that_may_be_evicted_is_not_proved() -> None:
    question = beside(3)
    alone = Deploying(replace(question.scenario, rollouts=()), (("default", "web"),))
    alone = replace(alone, scenario=replace(alone.scenario, absent=frozenset()))
    assert anywhere(alone) == {}
    (key,) = alone.singles
    raised = tuple(replace(each, priority=5) if each.key == key else each for each in alone.scenario.pods)
    assert set(anywhere(replace(alone, scenario=replace(alone.scenario, pods=raised)))) == {key}


def drawn(seed: int) -> Deploying:
    """New pods beside pods of other priorities, some of which wait and evict others."""
    chance = Random(seed)
    nodes = [node(f"n{each}", cpu=chance.randint(2, 5), labels={ZONE: chance.choice("ab")}) for each in range(2)]
    others = [
        pod(f"x-{each}", cpu=chance.choice((1, 1, 2)), on=chance.choice(("n0", "n1", "")), phase="Running",
            owner=chance.choice((("ReplicaSet", "x"), ("", ""))), priority=chance.choice((0, 3, 9)),
            labels={"app": chance.choice(("web", "x"))},
            affinity=chance.choice((*[apart()] * 5, apart(term(ZONE, selector(app="web"))))))
        for each in range(chance.randint(1, 3))
    ]  # fmt: skip
    others = [each if each.node_name else replace(each, phase="Pending") for each in others]
    label = chance.choice(({}, {"labels": {"app": "web"}}))
    new = form(cpu=1, priority=chance.choice((0, 5)), **label)
    return added([replace(new, name=f"web-{each}") for each in range(chance.randint(1, 2))], nodes, *others)


def agree(seed: int, proved: list[int]) -> None:
    question = drawn(seed)
    counted = answers.counted(question)
    question = replace(question, others=all(each.key in question.keys for each in counted.evicting))
    if anywhere(question):
        # What is not acyclic has evictions without end, which the proof excludes.
        well = ends_well(question, 3000, evicted=question.others)
        assert well is not False, seed
        if well:
            proved.append(seed)


def test_random_proofs_are_those_of_an_exploration_of_everything() -> None:
    proved: list[int] = []
    for seed in range(60):
        agree(seed, proved)
    assert len(proved) >= 5, proved


def test_a_proof_that_every_pod_has_a_place_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Recovery, "placed", lambda self, pod: object())
    with pytest.raises(AssertionError):
        for seed in range(400):
            agree(seed, [])


def test_a_proof_without_the_pods_that_must_be_bound_again_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    question = beside(0, asks_others=True)
    assert anywhere(question) == {} and ends_well(question) is False
    monkeypatch.setattr(proofs, "_evictable", lambda *given: iter(()))
    assert anywhere(question) != {}


def test_a_proof_is_enough_without_behaviours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "followed", lambda *given: Followed(0, Seen(), None))
    assert answer(beside(3)).verdict is Verdict.HOLDS
