"""Rolling updates and scaling down beside pods that preempt: proofs are those of an exploration of everything"""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from frozendict import frozendict

from schedcheck.checker.deploying import anywhere as proofs
from schedcheck.checker.deploying import deployed as answers
from schedcheck.checker.deploying.anywhere import anywhere
from schedcheck.checker.deploying.question import Deploying
from schedcheck.checker.recovery import shares
from schedcheck.checker.recovery.recovery import Recovery
from schedcheck.checker.result import Verdict
from schedcheck.model.controllers.deployment import fenceposts
from schedcheck.spec.objects import Pod
from tests.checker.deploying.test_deployed import (
    AWAY,
    PORT,
    ZONE,
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
from tests.support.building import node, pod, selector, term

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


def test_stateful_sets_that_delete_pods_are_not_proved() -> None:
    old = [running("web-0", "n0", priority=5)]
    assert anywhere(stateful(old, form(priority=5), 1, hosts(3, cpu=9))) == {}


def crowded(cpu: int, surge: int = 0) -> Deploying:
    """An update of a DaemonSet on two full nodes, with a pod of lower priority on each; a third node has `cpu` cpus."""
    low = (pod(f"x-{each}", cpu=1, on=f"n{each}", **OWN) for each in range(2))
    question = daemons(form(priority=5, cpu=2), hosts(2), *low, surge=surge, unavailable=0 if surge else 1)
    scene = question.scenario
    return replace(question, scenario=replace(scene, nodes=(*scene.nodes, node("n2", cpu=cpu))))


@pytest.mark.parametrize(("cpu", "well"), [(9, True), (0, False), (1, False)])
def test_an_update_of_a_daemon_set_that_evicts_pods_is_proved_if_they_find_room(cpu: int, well: bool) -> None:
    question = crowded(cpu)
    assert ends_well(question) is well
    assert (anywhere(question) != {}) is well
    found = answer(question)
    assert found.verdict is (Verdict.HOLDS if well else Verdict.VIOLATED)
    assert not well or found.by == "counting"


def kept_apart() -> Deploying:
    """An update of a DaemonSet whose pods exclude each other from the one zone of both nodes."""
    labels = frozendict(app="web")
    nodes = [node(f"n{each}", cpu=2, labels={ZONE: "a"}) for each in range(2)]
    question = daemons(form(priority=5), nodes, pod("x", cpu=1, on="n0", **OWN))
    scene, away = question.scenario, (term(ZONE, selector(app="web")),)

    def excluding(each: Pod) -> Pod:
        if each.name.startswith("new"):
            each = replace(each, affinity=replace(each.affinity, anti_required=away))
        return each if each.name == "x" else replace(each, labels=labels, priority=5)

    (rollout,) = scene.rollouts
    forms, former = (tuple(map(excluding, each)) for each in (rollout.forms, rollout.former))
    rollout, pods = replace(rollout, forms=forms, former=former), tuple(map(excluding, scene.pods))
    return replace(question, scenario=replace(scene, pods=pods, rollouts=(rollout,)))


def test_pods_of_a_daemon_set_that_exclude_each_other_are_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    question = kept_apart()
    assert ends_well(question) is False and anywhere(question) == {}
    monkeypatch.setattr(proofs, "_apart", lambda rollout: True)
    assert anywhere(question) != {}


def test_an_update_of_a_daemon_set_with_a_surge_or_without_any_step_is_not_proved() -> None:
    """The API server refuses maxSurge and maxUnavailable that are both 0."""
    assert anywhere(crowded(9, 1)) == {}
    question = crowded(9)
    (rollout,) = question.scenario.rollouts
    stuck = replace(question, scenario=replace(question.scenario, rollouts=(replace(rollout, unavailable=0),)))
    assert anywhere(stuck) == {} and ends_well(stuck) is False


def starting(number: int) -> Deploying:
    """A new StatefulSet with OrderedReady beside two pods of lower priority, one of them on a node that it may need."""
    low = (pod("x", cpu=2, on="n0", **OWN), pod("y", cpu=1, on="n1", **OWN))
    return stateful([], form(priority=5, cpu=2), number, hosts(3), *low, ordered=True)


def test_a_new_stateful_set_whose_pods_evict_others_is_proved_if_these_find_room() -> None:
    found = answer(starting(1))
    assert ends_well(starting(1)) is True and anywhere(starting(1)) != {}
    assert found.verdict is Verdict.HOLDS and found.by == "counting"
    assert ends_well(starting(2)) is False and anywhere(starting(2)) == {}
    assert answer(starting(2)).verdict is Verdict.VIOLATED


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


def drawn_by_pods(seed: int) -> Deploying:
    """An update of a DaemonSet or a new StatefulSet beside others that are created again once evicted."""
    chance = Random(seed)
    nodes = hosts(chance.randint(2, 3), cpu=chance.randint(2, 3))
    nodes[-1] = node(nodes[-1].name, cpu=chance.choice((1, 5)))
    names = [each.name for each in nodes]
    others = tuple(
        pod(f"x-{each}", cpu=chance.choice((1, 1, 2)), on=chance.choice(names), priority=chance.choice((0, 0, 4)), **OWN)
        for each in range(chance.randint(1, 2))
    )  # fmt: skip
    new = form(cpu=chance.choice((1, 2)), priority=chance.choice((3, 5)))
    if chance.random() < 0.5:
        return stateful([], new, chance.randint(1, 2), nodes, *others, ordered=chance.random() < 0.7)
    question = daemons(new, nodes[:-1], *others, surge=chance.choice((0, 0, 1)), unavailable=chance.randint(0, 2))
    return replace(question, scenario=replace(question.scenario, nodes=tuple(nodes)))


def agree(seed: int, proved: list[int], drawn: Callable[[int], Deploying] = drawn) -> None:
    question = drawn(seed)
    counted = answers.counted(question)
    question = replace(question, others=all(each.key in question.keys for each in counted.evicting))
    if counted.evicting and anywhere(question):
        # What is not acyclic has evictions without end, which the proof excludes.
        well = ends_well(question, 3000, evicted=question.others)
        assert well is not False, seed
        if well:
            proved.append(seed)


def test_random_proofs_about_daemon_sets_and_stateful_sets_are_those_of_an_exploration_of_everything() -> None:
    proved: list[int] = []
    for seed in range(150):
        agree(seed, proved, drawn_by_pods)
    kinds = {drawn_by_pods(seed).scenario.rollouts[0].kind for seed in proved}
    assert len(proved) >= 6 and len(kinds) == 2, proved


@pytest.mark.medium
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


@pytest.mark.sampled(1)
@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_proof_is_detected(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    BROKEN[broken](monkeypatch)
    with pytest.raises(AssertionError):
        for seed in range(400):
            agree(seed, [])
    with pytest.raises(AssertionError):
        for seed in range(400):
            agree(seed, [], drawn_by_pods)
