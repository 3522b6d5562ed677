"""Rolling updates whose pods are counted only as far as they are left at rest: as an exploration of everything finds"""

from dataclasses import replace
from random import Random

import pytest

from schedcheck.checker.deploying import counting
from schedcheck.checker.deploying.counting import Counted, counted
from schedcheck.checker.deploying.question import Deploying
from schedcheck.checker.relocation.counting import Counting
from schedcheck.model.controllers.deployment import fenceposts
from tests.checker.deploying.test_deployed import (
    AWAY,
    HOST,
    PORT,
    ZONE,
    ends_well,
    form,
    hosts,
    rolling,
    running,
    updated,
)
from tests.support.building import apart, node, pod, selector, term

OWN = {"owner": ("ReplicaSet", "x"), "phase": "Running"}


def without_limits(question: Deploying) -> Counted:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "limits", lambda rollouts: {})
        return counted(question)


@pytest.mark.parametrize("fields", [AWAY, PORT], ids=["anti-affinity", "host port"])
@pytest.mark.parametrize(("nodes", "proved"), [(10, False), (12, False), (13, True), (19, True)])
def test_an_update_of_ten_pods_that_exclude_each_other_needs_replicas_and_surge_nodes(
    nodes: int, proved: bool, fields: dict[str, object]
) -> None:
    """25% of 10 pods are 3 more, rounded up."""
    question = rolling(10, hosts(nodes), *fenceposts("25%", "25%", 10), **fields)
    assert counted(question).proved == proved
    assert not without_limits(question).proved


def test_an_update_on_one_more_node_than_replicas_completes() -> None:
    question = rolling(2, hosts(3), 1, 0, **AWAY)
    assert counted(question).proved and not without_limits(question).proved
    assert ends_well(question) is True


def test_pods_of_each_revision_with_labels_of_their_own_count_together() -> None:
    """As pods of a Deployment have: each revision has its pod-template-hash."""
    old = [running(f"web-{each}", f"n{each}", **{**AWAY, "labels": {"app": "web", "hash": "old"}}) for each in range(4)]
    new = form(**{**AWAY, "labels": {"app": "web", "hash": "new"}})
    assert counted(updated(old, new, hosts(5), surge=1, unavailable=0)).proved
    assert not counted(updated(old, new, hosts(4), surge=1, unavailable=0)).proved


def test_anti_affinity_about_zones_closes_more_than_one_node(monkeypatch: pytest.MonkeyPatch) -> None:
    away = {"labels": {"app": "web"}, "affinity": apart(term(ZONE, selector(app="web")))}
    nodes = [node(name, cpu=2, labels={HOST: name, ZONE: "a"}) for name in ("n0", "n1")]
    question = updated([running("web-0", "n0", **away)], form(**away), nodes, surge=1, unavailable=0)
    assert ends_well(question) is False and not counted(question).proved
    monkeypatch.setattr(Counting, "_one_node_each", lambda *given: True)
    assert counted(question).proved


def pushing() -> Deploying:
    """A new pod, as long as a former one is being deleted, finds no node but that of a pod of lower priority, which it evicts.

    That pod selects this node, so that it waits forever.
    """
    low = pod("x", cpu=2, on="n2", priority=-1, node_selector={HOST: "n2"}, **OWN)
    old = [running("web-0", "n0", **AWAY), running("web-1", "n1", **AWAY)]
    return updated(old, form(**AWAY), hosts(3), low)


def test_a_pod_that_is_placed_at_rest_alone_may_evict_others(monkeypatch: pytest.MonkeyPatch) -> None:
    question = pushing()
    assert ends_well(question) is False
    found = counted(question)
    assert all(place.proved for place in found.places.values())
    assert found.evicting and not found.proved
    # The broken twin takes the proof for one that holds at all times.
    monkeypatch.setattr(
        counting.Judged, "always", property(lambda each: each.place.proved, lambda each, _: None), raising=False
    )
    assert counted(question).proved


def unready() -> Deploying:
    """A former pod on a node without a kubelet: once it is deleted it may stay there, and keep its zone from others.

    The machine lets it go as soon as its owner replaces it, so that no exploration can show it.
    """
    nodes = [node("n0", cpu=2, labels={ZONE: "a"}), node("n1", cpu=2, labels={ZONE: "a"}, ready="Unknown")]
    nodes[1] = replace(nodes[1], unschedulable=True)
    away = {"labels": {"app": "web"}, "affinity": apart(term(ZONE, selector(app="web")))}
    return updated([running("web-0", "n1", **away)], form(**away), nodes)


def test_a_former_pod_that_never_ends_counts_in_addition(monkeypatch: pytest.MonkeyPatch) -> None:
    question = unready()
    assert not counted(question).proved
    count = counting.Count.__init__

    def all_ready(self: counting.Count, asked: Deploying) -> None:
        count(self, asked)
        self.unready = frozenset()

    monkeypatch.setattr(counting.Count, "__init__", all_ready)
    assert counted(question).proved


def drawn(seed: int) -> Deploying:
    """A rolling update on few nodes beside pods of other priorities."""
    chance = Random(seed)
    number = chance.choice((1, 2, 2))
    nodes = [
        replace(each, ready=chance.choice(("True",) * 5 + ("Unknown",)))
        for each in hosts(chance.randint(number, 4), cpu=chance.randint(1, 3))
    ]
    names = [each.name for each in nodes]
    fields = chance.choice(({}, AWAY, AWAY, PORT))
    own = chance.sample(names, number)
    others = tuple(
        pod(f"x-{each}", cpu=1, on=chance.choice(names), priority=chance.choice((0, 0, -1)), **OWN)
        for each in range(chance.choice((0, 0, 1)))
    )  # fmt: skip
    old = [running(name, on, **fields) for name, on in zip(("web-0", "web-1"), own, strict=False)]
    surge, unavailable = fenceposts(chance.choice((0, 1, 1)), chance.randint(0, 1), number)
    return updated(old, form(**fields), nodes, *others, surge=surge, unavailable=unavailable)


def agree(seed: int) -> bool:
    """Whether it is proved with limits alone; fail if an exploration of everything finds a bad end."""
    question = drawn(seed)
    if not counted(question).proved or without_limits(question).proved:
        return False
    assert ends_well(question, 4000) is not False, seed
    return True


def test_random_proofs_at_rest_are_those_of_an_exploration_of_everything() -> None:
    assert sum(map(agree, range(150))) >= 15


def test_a_proof_without_the_surge_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "limits", lambda rollouts: {str(each): each.replicas for each in rollouts})
    with pytest.raises(AssertionError):
        for seed in range(400):
            agree(seed)
