"""Rolling updates and scaling down beside pods that preempt: proofs are those of an exploration of everything"""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from schedcheck.checker.deploying import anywhere as proofs
from schedcheck.checker.deploying import deployed as answers
from schedcheck.checker.deploying.anywhere import anywhere
from schedcheck.checker.deploying.question import Deploying
from schedcheck.checker.recovery import shares
from schedcheck.checker.recovery.recovery import Recovery
from schedcheck.checker.result import Verdict
from schedcheck.model.controllers.deployment import fenceposts
from tests.checker.deploying.test_deployed import (
    AWAY,
    PORT,
    answer,
    daemons,
    ends_well,
    form,
    hosts,
    running,
    shrunk,
    stateful,
    updated,
)
from tests.support.building import node, pod

OWN = {"owner": ("ReplicaSet", "x"), "phase": "Running"}


def full(number: int = 3, **fields: object) -> Deploying:
    """An update with maxSurge 1 of two pods; with three pods of lower priority they fill three nodes but for one cpu."""
    nodes = hosts(number)
    old = [running("web-0", "n0", priority=5, **fields), running("web-1", "n1", priority=5, **fields)]
    low = (pod(f"x-{each}", cpu=1, on=f"n{each}", **OWN) for each in range(number))
    return updated(old, form(priority=5, **fields), nodes, *low, surge=1, unavailable=0)


def test_an_update_that_evicts_pods_on_a_full_cluster_is_proved() -> None:
    found = answer(full())
    assert ends_well(full()) is True
    assert found.verdict is Verdict.HOLDS and found.by == "counting"
    assert found.complete, "a small cluster is explored too, so that the evicted pods are exact"
    assert set(found.seen.evicted) == {"x-0", "x-1", "x-2"}


def test_an_update_without_room_for_the_surge_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    question = full(2, **AWAY)
    assert anywhere(question) == {} and ends_well(question) is False
    # The broken twin takes the former pods for gone before the new ones are bound.
    monkeypatch.setattr(proofs, "Recovery", lambda scenario, events: Recovery(proofs.after(scenario), events))
    assert anywhere(question) != {}


def unready() -> Deploying:
    """An update, one pod after the other, whose first new pod may be bound to a node on which it never starts."""
    nodes = [*hosts(2), node("n2", cpu=2, ready="False")]
    old = [running("web-0", "n0", priority=5), running("web-1", "n1", priority=5)]
    low = (pod(f"x-{each}", cpu=1, on=f"n{each}", **OWN) for each in range(2))
    return updated(old, form(priority=5), nodes, *low)


def test_an_update_of_pods_that_may_never_start_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    assert anywhere(unready()) == {} and ends_well(unready()) is False
    monkeypatch.setattr(proofs, "_all_ready", lambda asked: True)
    assert anywhere(unready()) != {}


def test_stateful_sets_and_daemon_sets_that_delete_pods_are_not_proved() -> None:
    nodes = hosts(3, cpu=9)
    old = [running("web-0", "n0", priority=5)]
    assert anywhere(stateful(old, form(priority=5), 1, nodes)) == {}
    assert anywhere(daemons(form(priority=5), nodes)) == {}


def drawn(seed: int) -> Deploying:
    """A rolling update, a Recreate or a scaling down of pods beside others that are created again once evicted."""
    chance = Random(seed)
    nodes = hosts(chance.randint(2, 3), cpu=chance.randint(2, 4))
    names = [each.name for each in nodes]
    fields = chance.choice(({}, {}, AWAY, PORT))
    priority = chance.choice((5, 5, 3))
    others = tuple(
        pod(f"x-{each}", cpu=chance.choice((1, 1, 2)), on=chance.choice(names), priority=chance.choice((0, 0, 4)), **OWN)
        for each in range(chance.randint(1, 3))
    )  # fmt: skip
    number = chance.randint(1, 2)
    former = chance.choice((priority,) * 3 + (0, 9))
    old = [running(f"web-{each}", chance.choice(names), **fields, priority=former) for each in range(number)]
    if chance.random() < 0.2:
        return shrunk(old, number - 1, nodes, *others, pod("big", cpu=2, priority=chance.choice((3, 5))))
    new = form(**{"cpu": chance.choice((1, 1, 2)), **fields}, priority=priority)
    if chance.random() < 0.2:
        return updated(old, new, nodes, *others, recreate=True)
    surge, unavailable = fenceposts(chance.randint(0, 1), chance.randint(0, 1), number)
    return updated(old, new, nodes, *others, surge=surge, unavailable=unavailable)


def agree(seed: int, proved: list[int]) -> None:
    question = drawn(seed)
    counted = answers.counted(question)
    question = replace(question, others=all(each.key in question.keys for each in counted.evicting))
    if counted.evicting and anywhere(question):
        # What is not acyclic has evictions without end, which the proof excludes.
        well = ends_well(question, 3000, evicted=question.others)
        assert well is not False, seed
        if well:
            proved.append(seed)


def test_random_proofs_are_those_of_an_exploration_of_everything() -> None:
    proved: list[int] = []
    for seed in range(200):
        agree(seed, proved)
    assert len(proved) >= 4, proved


BROKEN: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "pods of others": lambda patch: patch.setattr(proofs, "_evictable", lambda *given: iter(())),
    "places of new pods": lambda patch: patch.setattr(Recovery, "placed", lambda self, pod: object()),
    "what pods occupy together": lambda patch: patch.setattr(shares, "gcd", lambda *sizes: 4 * max(sizes)),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_proof_is_detected(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    BROKEN[broken](monkeypatch)
    with pytest.raises(AssertionError):
        for seed in range(400):
            agree(seed, [])
