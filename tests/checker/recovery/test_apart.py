"""Proofs about replicas that exclude each other, of which few can move at a time, are confirmed by explorations."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from schedcheck.checker.recovery.disturbances import Disturbances
from schedcheck.checker.recovery.recovery import Recovery
from schedcheck.checker.result import Verdict
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.objects import Pod, PodDisruptionBudget, SpreadConstraint
from schedcheck.spec.terms import Affinity, PodAffinityTerm
from schedcheck.spec.values import Labels
from tests.checker.recovery.test_recovery import ZONE, agree, explored
from tests.support.building import node, on_nodes, on_pods, pod, scenario, selector

HOST = "kubernetes.io/hostname"


def replica(name: str, on: str = "", key: str = HOST, priority: int = 0, **labels: str) -> Pod:
    """A pod that excludes the other replicas from its node, or its zone."""
    term = PodAffinityTerm(key, selector(app="web"))
    return pod(
        name,
        cpu=1,
        on=on,
        labels={"app": "web"},
        priority=priority,
        owner=("ReplicaSet", "web"),
        phase="Running" if on else "Pending",
        affinity=Affinity(anti_required=(term,)),
        node_selector=Labels(labels),
    )


def apart(seed: int) -> Scenario:
    """Replicas that exclude each other, mostly bound, a pod that may evict one, and events about some of them."""
    chance = Random(seed)
    names = [f"n{number}" for number in range(chance.randint(3, 5))]
    nodes = [
        node(
            name, cpu=chance.choice((1, 1, 2)), labels={HOST: name, ZONE: "abc"[place % 3], "disk": chance.choice("xy")}
        )
        for place, name in enumerate(names)
    ]
    taken = chance.sample(names, chance.randint(1, len(names) - 1))
    key = chance.choice((HOST, HOST, ZONE))
    selected = {"disk": chance.choice("xy")} if chance.random() < 0.4 else {}
    pods = [replica(f"w{place}", name, key) for place, name in enumerate(taken)]
    pods.append(replica("late", key=chance.choice((HOST, ZONE)), priority=chance.choice((0, 0, 1)), **selected))
    if chance.random() < 0.4:
        spread = (SpreadConstraint(1, ZONE, True, selector(app="top")),) if chance.random() < 0.5 else ()
        pods.append(
            pod(
                "top",
                labels={"app": "top"},
                spread=spread,
                cpu=chance.choice((1, 2)),
                priority=5,
                node_selector=Labels({HOST: chance.choice(names)}),
            )
        )
    pods += [pod("vast", cpu=9, owner=("ReplicaSet", "vast"))] if chance.random() < 0.3 else []
    moved = " ".join(each.name for each in pods if each.node_name and chance.random() < 0.8)
    rules: list[Rule] = [on_pods("delete", moved, chance.choice((None, 1)))] if moved else []
    if chance.random() < 0.4:
        closed = " ".join(name for name in names if chance.random() < 0.6)
        rules += [on_nodes(chance.choice(("cordon", "fail")), closed, 1)] if closed else []
    failing = any(rule.event == "fail" for rule in rules)
    return scenario(
        *pods,
        *nodes,
        rules=rules,
        profile="kubernetes",
        controllers=frozenset({"owners", "podgc"} if failing else {"owners"}),
        budgets=(PodDisruptionBudget("pdb", selector=selector(app="web"), min_available=1, disruptions_allowed=1),),
    )


@pytest.mark.medium
@pytest.mark.parametrize(("seeds", "fewest"), [(range(20), 1), pytest.param(range(60), 5, marks=pytest.mark.slow)])
def test_random_proofs_are_confirmed_by_exploring_everything(seeds: range, fewest: int) -> None:
    proved: list[str] = []
    for seed in seeds:
        agree(seed, proved, apart)
    assert proved.count("recovers") >= fewest, Counter(proved)


@pytest.mark.medium
def test_waiting_pods_that_are_not_counted_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Recovery, "_comers", ())
    with pytest.raises(AssertionError):
        for seed in range(60):
            agree(seed, [], apart)


def test_a_pod_that_fits_nowhere_is_not_counted() -> None:
    scene = crowd()
    many = [pod(f"vast{number}", cpu=9) for number in range(3)]
    pods = tuple(sorted((*scene.pods, *many), key=lambda each: each.key))
    (late,) = (each for each in pods if each.name == "late")
    assert Recovery(replace(scene, pods=pods), 1).recovers(late) is not None
    assert explored(replace(scene, pods=pods), 1, "eventually_bound(late)") is Verdict.HOLDS


def crowd() -> Scenario:
    """Three replicas are bound, and two nodes are left for a fourth; any replica may be deleted."""
    bound = [replica(f"w{number}", f"n{number}") for number in range(3)]
    nodes = [
        node(f"n{number}", cpu=1 if number < 3 else 3, labels={HOST: f"n{number}", "disk": "xy"[number > 2]})
        for number in range(5)
    ]
    return scenario(
        *bound,
        replica("late", disk="y"),
        *nodes,
        rules=[on_pods("delete", "w0 w1 w2")],
        profile="kubernetes",
        controllers=frozenset({"owners"}),
    )


def test_only_replicas_that_can_move_at_a_time_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = crowd()
    (late,) = (each for each in scene.pods if each.name == "late")
    assert Recovery(scene, 1).recovers(late) is not None
    assert explored(scene, 1, "eventually_bound(late)") is Verdict.HOLDS
    assert Recovery(scene, 2).recovers(late) is None
    assert explored(scene, 2, "eventually_bound(late)") is Verdict.VIOLATED
    monkeypatch.setattr(Disturbances, "placed", lambda self, pods: 1)
    assert Recovery(scene, 2).recovers(late) is not None, "the broken count proves nothing"


def test_replicas_that_one_preemption_evicts_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = crowd()
    both = [replace(each, node_name="n0") if each.name in ("w0", "w1") else each for each in scene.pods]
    nodes = [
        replace(each, allocatable=each.allocatable | {"cpu": 2000}) if each.name == "n0" else each
        for each in scene.nodes
    ]
    top = pod("top", cpu=2, priority=5, node_selector=Labels({HOST: "n0"}))
    pods = tuple(sorted((*both, top), key=lambda each: each.key))
    evicting = replace(scene, pods=pods, nodes=tuple(nodes), rules=())
    (late,) = (each for each in pods if each.name == "late")
    assert explored(evicting, 0, "eventually_bound(late)") is Verdict.VIOLATED
    assert Recovery(evicting, 0).recovers(late) is None
