"""Proofs where the pods of the highest priority preempt once each are confirmed by explorations of everything."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from schedcheck.checker.recovery import evictors as evicting
from schedcheck.checker.recovery.evictors import Evictors
from schedcheck.checker.recovery.recovery import Recovery
from schedcheck.checker.recovery.shares import Shares
from schedcheck.checker.relocation.counting import Place
from schedcheck.checker.result import Verdict
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.budgets import protects
from schedcheck.spec.objects import PodDisruptionBudget, SpreadConstraint
from schedcheck.spec.terms import Affinity, PodAffinityTerm
from schedcheck.spec.values import Labels
from tests.checker.recovery.test_recovery import ZONE, agree, explored
from tests.support.building import node, on_pods, pod, scenario, selector

HOST = "kubernetes.io/hostname"


def contested(seed: int) -> Scenario:
    """Pods of a budget, one or two pods of a higher priority that need their room, and sometimes one in between."""
    chance = Random(seed)
    names = [f"n{number}" for number in range(chance.randint(2, 3))]
    nodes = [
        node(name, cpu=chance.randint(2, 4), labels={ZONE: "ab"[place % 2], HOST: name})
        for place, name in enumerate(names)
    ]
    free = {each.name: each.allocatable["cpu"] // 1000 for each in nodes}
    pods = []
    for number in range(chance.randint(2, 3)):
        on = chance.choice(names)
        on = on if free[on] and chance.random() < 0.85 else ""
        if on:
            free[on] -= 1
        owner = {"owner": ("ReplicaSet", "web")} if chance.random() < 0.8 else {}
        phase = "Running" if on else "Pending"
        pods.append(pod(f"w{number}", cpu=1, on=on, labels={"app": "web"}, phase=phase, **owner))
    between: dict[str, Any] = {}
    if chance.random() < 0.4:
        between = {"spread": (SpreadConstraint(1, ZONE, True, selector(app=chance.choice(("mid", "top", "web")))),)}
    elif chance.random() < 0.3:
        term = PodAffinityTerm(ZONE, selector(app=chance.choice(("mid", "web", "none"))))
        between = {"affinity": Affinity(pod_required=(term,))}
    if chance.random() < 0.6:
        on = chance.choice(("", *names))
        on = on if on and free[on] else ""
        phase = "Running" if on else "Pending"
        owner = {"owner": ("ReplicaSet", "mid")}
        pods.append(pod("mid", cpu=1, on=on, labels={"app": "mid"}, priority=3, phase=phase, **owner, **between))
    apart = {"affinity": Affinity(anti_required=(PodAffinityTerm(ZONE, selector(app="top")),))}
    for number in range(chance.choice((1, 1, 2))):
        fields: dict[str, Any] = apart if chance.random() < 0.25 else {}
        fields |= {"node_selector": Labels({HOST: chance.choice(names)})} if chance.random() < 0.3 else {}
        owned = {"owner": ("ReplicaSet", "top")} if chance.random() < 0.7 else {}
        size = chance.randint(2, 3)
        pods.append(pod(f"top{number}", cpu=size, labels={"app": "top"}, priority=5, **owned, **fields))
    ending = " ".join(each.name for each in pods if chance.random() < 0.3)
    event = chance.choice(("complete", "delete"))
    rules: list[Rule] = [on_pods(event, ending, chance.choice((None, 1)))] if ending and chance.random() < 0.6 else []
    budget = PodDisruptionBudget(
        "pdb",
        selector=selector(app="web"),
        min_available=chance.randint(0, 2),
        disruptions_allowed=chance.randint(0, 2),
    )
    return scenario(
        *pods, *nodes, rules=rules, profile="kubernetes", controllers=frozenset({"owners"}), budgets=(budget,)
    )


@pytest.mark.medium
@pytest.mark.parametrize(
    ("seeds", "kinds"),
    [
        (range(20), ("recovers", "never waits")),
        pytest.param(range(40), ("recovers", "kept", "never waits"), marks=pytest.mark.slow),
    ],
)
def test_proofs_where_pods_preempt_once_are_confirmed_by_exploring_everything(
    seeds: range, kinds: tuple[str, ...]
) -> None:
    proved: list[str] = []
    made = 0
    for seed in seeds:
        agree(seed, proved, contested)
        made += Recovery(contested(seed), 1).evictors is not None
    assert made >= len(seeds) / 8, made
    found = Counter(proved)
    assert min(found[each] for each in kinds) >= 1, found


def web(number: int, on: str) -> Any:
    """A bound pod of the budget, which nothing creates again."""
    return pod(f"w{number}", cpu=1, on=on, labels={"app": "web"}, phase="Running")


def small(*parts: Any, least: int) -> Scenario:
    """These pods and nodes, with a budget by which so many pods must stay healthy."""
    budget = PodDisruptionBudget("pdb", selector=selector(app="web"), min_available=least, disruptions_allowed=1)
    return scenario(*parts, profile="kubernetes", controllers=frozenset({"owners"}), budgets=(budget,))


def two_on_a_node() -> Scenario:
    """A pod evicts both pods of a budget that can spare one."""
    return small(
        web(0, "n0"), web(1, "n0"), pod("top", cpu=2, priority=5), node("n0", cpu=2), node("n1", cpu=1), least=1
    )  # fmt: skip


def two_preempt() -> Scenario:
    """Two pods evict one pod each."""
    tops = (pod(f"top{each}", cpu=1, priority=5) for each in "01")
    return small(web(0, "n0"), web(1, "n1"), *tops, node("n0", cpu=1), node("n1", cpu=1), least=1)


def evicted_pod_preempts() -> Scenario:
    """A pod that is evicted evicts a pod of the budget in its turn."""
    between = pod("mid", cpu=1, on="n0", priority=3, phase="Running", owner=("ReplicaSet", "mid"))
    return small(
        between, web(0, "n1"), pod("top", cpu=2, priority=5), node("n0", cpu=2), node("n1", cpu=1), least=1
    )  # fmt: skip


def beside_company() -> Scenario:
    """A pod that must be placed beside a pod of the budget evicts another one."""
    term = PodAffinityTerm(ZONE, selector(app="web"))
    beside = pod("mid", cpu=1, priority=3, affinity=Affinity(pod_required=(term,)))
    nodes = (node(name, cpu=1, labels={ZONE: "a"}) for name in ("n0", "n1"))
    return small(web(0, "n0"), web(1, "n1"), beside, *nodes, least=2)


def nomination_lost() -> Scenario:
    """A nominated pod finds its zone closed by another of its priority, and preempts once more."""
    apart = Affinity(anti_required=(PodAffinityTerm(ZONE, selector(app="top")),))
    fields: dict[str, Any] = {"cpu": 1, "priority": 5, "labels": {"app": "top"}, "affinity": apart}
    labels = [{ZONE: zone, "disk": disk} for zone, disk in (("a", "ssd"), ("a", "hdd"), ("b", "ssd"))]
    return small(
        web(0, "n0"),
        web(1, "n2"),
        pod("top0", node_selector=Labels({"disk": "ssd"}), **fields),
        pod("top1", node_selector=Labels({"disk": "hdd"}), preemption_policy="Never", **fields),
        *(node(f"n{place}", cpu=1, labels=each) for place, each in enumerate(labels)),
        least=1,
    )


def proved_place(self: Evictors, pod: object) -> Place:
    """The claim that each pod finds a place."""
    return Place(1, 1, "")


Patch = Callable[[pytest.MonkeyPatch], None]

BROKEN: dict[str, tuple[Callable[[], Scenario], Patch]] = {
    "evicted pods": (two_on_a_node, lambda patch: patch.setattr(Evictors, "most", lambda self, pods, times: 0)),
    "what is spared": (two_on_a_node, lambda patch: patch.setattr(evicting, "desired_healthy", lambda budget: 0)),
    "candidates": (two_on_a_node, lambda patch: patch.setattr(Evictors, "nodes", frozenset({"n1"}))),
    "how often": (two_preempt, lambda patch: patch.setattr(evicting, "_times", lambda *given: (1,))),
    "places": (evicted_pod_preempts, lambda patch: patch.setattr(Evictors, "place", proved_place)),
    "company": (
        beside_company,
        lambda patch: patch.setattr(Recovery, "_without_company", lambda self, pod, plugins: True),
    ),
    "nominations": (
        nomination_lost,
        lambda patch: patch.setattr(Shares, "lasting", lambda self, pod, among_all=False: True),
    ),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_budget_is_not_proved_but_by_a_broken_count(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, breaks = BROKEN[broken]
    scene = make()
    (budget,) = scene.budgets

    def proved() -> bool:
        pods = [each for each in scene.pods if protects(budget, each)]
        return Recovery(scene, 0).spares(pods, budget=budget) is not None

    assert explored(scene, 0, "budget_kept(pdb)") is Verdict.VIOLATED
    assert not proved()
    breaks(monkeypatch)
    assert proved(), "the broken count proves nothing, so that this test says nothing about it"


def test_a_budget_that_spares_what_is_evicted_is_proved() -> None:
    scene = two_on_a_node()
    spared = replace(scene, budgets=(replace(scene.budgets[0], min_available=0),))
    proof = Recovery(spared, 0).spares(
        (each for each in spared.pods if protects(spared.budgets[0], each)), budget=spared.budgets[0]
    )
    assert proof is not None and "it can spare 2" in proof.why
    assert explored(spared, 0, "budget_kept(pdb)") is Verdict.HOLDS


def displacing(seed: int) -> Scenario:
    """Pods that events may move and that a pod of higher priority evicts all at once, beside one that needs their room."""
    chance = Random(seed)
    crowd = 3
    pods = [
        pod(f"w{number}", cpu=1, on="n0", labels={"app": "web"}, phase="Running", owner=("ReplicaSet", "web"))
        for number in range(crowd)
    ]
    pods.append(pod("top", cpu=crowd, priority=5, node_selector=Labels({HOST: "n0"}), labels={"app": "top"}))
    pods.append(pod("late", cpu=1, labels={"app": "late"}, owner=("ReplicaSet", "late")))
    nodes = [node("n0", cpu=crowd, labels={HOST: "n0"})]
    nodes += [node(f"n{1 + number}", cpu=chance.choice((1, 1, 1, 1, 1, 1, 2))) for number in range(crowd)]
    moved = " ".join(each.name for each in pods if each.node_name and chance.random() < 0.9)
    rules: list[Rule] = [on_pods("delete", moved, chance.choice((None, 1)))] if moved else []
    budget = PodDisruptionBudget("pdb", selector=selector(app="web"), min_available=0, disruptions_allowed=1)
    return scenario(
        *pods, *nodes, rules=rules, profile="kubernetes", controllers=frozenset({"owners"}), budgets=(budget,)
    )


@pytest.mark.medium
@pytest.mark.parametrize("seeds", [(3, 4, 10), pytest.param(range(12), marks=pytest.mark.slow)])
def test_pods_that_events_may_move_are_also_counted_as_evicted(seeds: Iterable[int]) -> None:
    proved: list[str] = []
    for seed in seeds:
        agree(seed, proved, displacing)
    assert "recovers" in proved, Counter(proved)


def crowded_out() -> Scenario:
    """Three pods, each of which an event may delete, are evicted at once and take every place of another one."""
    crowd = [pod(f"w{number}", cpu=1, on="n0", phase="Running", owner=("ReplicaSet", "web")) for number in range(3)]
    top = pod("top", cpu=3, priority=5, node_selector=Labels({HOST: "n0"}))
    late = pod("late", cpu=1, owner=("ReplicaSet", "late"))
    nodes = (node("n0", cpu=3, labels={HOST: "n0"}), *(node(f"n{each}", cpu=1) for each in "123"))
    rules = [on_pods("delete", "w0 w1 w2")]
    return scenario(*crowd, top, late, *nodes, rules=rules, profile="kubernetes", controllers=frozenset({"owners"}))


def test_a_pod_crowded_out_by_pods_that_events_may_move_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = crowded_out()
    (late,) = (each for each in scene.pods if each.name == "late")
    assert explored(scene, 0, "eventually_bound(late)") is Verdict.VIOLATED
    assert Recovery(scene, 0).recovers(late) is None
    monkeypatch.setattr(Evictors, "departures", lambda self, pods: [0] * len(self.times))
    assert Recovery(scene, 0).recovers(late) is not None, "the broken count proves nothing"
