"""Nodes drained one after another: an order that is proved works in every behaviour that is followed"""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from schedcheck.checker.followed import to_the_end
from schedcheck.checker.limits.clock import Clock
from schedcheck.checker.relocation import turns as module
from schedcheck.checker.relocation.leaving import Leaving, drained
from schedcheck.checker.relocation.turns import Turns, in_turn, turn
from schedcheck.checker.result import Verdict
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import PodDisruptionBudget, Snapshot
from tests.checker.relocation.test_counting import HOST, ZONE, related
from tests.support.building import apart, node, pod, scenario, selector, term

OWNED = {"owner": ("ReplicaSet", "web"), "labels": {"app": "web"}}


def drawn(seed: int) -> tuple[Scenario, list[str]]:
    """A small cluster with two or three nodes to be drained in turn; a few of its pods wait at first."""
    chance = Random(seed)
    number = chance.randint(2, 4)
    nodes = [
        node(f"n{i}", chance.randint(2, 4), labels={ZONE: chance.choice("ab"), HOST: f"n{i}"}, pods=chance.choice((2, 3, 9)))
        for i in range(number)
    ]  # fmt: skip
    pods = []
    for i in range(chance.randint(1, 5)):
        app = chance.choice(("web", "db"))
        fields = related(chance, app) if chance.random() < 0.4 else {}
        on = f"n{chance.randrange(number)}" if chance.random() < 0.85 else ""
        fields |= {"node_selector": {HOST: "n0"}} if not on and chance.random() < 0.5 else {}
        pods.append(pod(f"p{i}", 1, on=on, labels={"app": app}, owner=("ReplicaSet", app), **fields))
    budget = PodDisruptionBudget("pdb", selector=selector(app="web"), min_available=0, disruptions_allowed=1)
    budgets = (budget,) if chance.random() < 0.3 else ()
    names = chance.sample([each.name for each in nodes], chance.randint(2, min(3, number)))
    return scenario(*pods, *nodes, profile="kubernetes", budgets=budgets), names


def followed(scene: Scenario, order: Sequence[str], chance: Random) -> bool:
    """Whether one random behaviour drains the nodes in this order with every pod bound after each of them."""
    now = scene
    for name in order:
        leaving = drained(now, (name,))
        machine = Reference(leaving.scenario, profile_of(leaving.scenario))
        trace = to_the_end(machine, chance, Clock(None))
        assert trace is not None
        end: Snapshot = machine.view(trace[-1].state)
        kept = {each.key for each in (*leaving.movers, *leaving.staying)}
        if any(each.key in kept and (not each.node_name or each.node_name == name) for each in end.pods):
            return False
        now = replace(now, pods=end.pods, budgets=end.budgets)
    return True


def agree(seed: int, counts: list[Turns]) -> None:
    """Follow behaviours in the order that is proved, and in any order if all are."""
    scene, names = drawn(seed)
    found = in_turn(scene, names)
    counts.append(found)
    if found.verdict is not Verdict.HOLDS:
        return
    assert sorted(found.order) == sorted(names)
    chance = Random(seed)
    for _ in range(4):
        order = chance.sample(found.order, len(found.order)) if found.every else found.order
        assert followed(scene, order, chance), (seed, order)


@pytest.mark.medium
def test_a_proved_order_works_in_every_behaviour_that_is_followed() -> None:
    counts: list[Turns] = []
    for seed in range(350):
        agree(seed, counts)
    assert sum(each.every for each in counts) >= 15
    assert sum(each.verdict is Verdict.GAVE_UP for each in counts) >= 15
    assert any(each.verdict is Verdict.HOLDS and not each.every for each in counts)


def alone(scene: Scenario, done: Sequence[str], name: str, others: object) -> Leaving:
    """A turn that forgets the pods of the nodes before it."""
    return drained(scene, (name,))


def open_again(scene: Scenario, done: Sequence[str], name: str, others: object) -> Leaving:
    """A turn in which the node is not cordoned."""
    leaving = drained(scene, done)
    return replace(leaving, scenario=replace(leaving.scenario, nodes=scene.nodes), nodes=())


def without_those_that_wait(scene: Scenario, done: Sequence[str], name: str, others: object) -> Leaving:
    """A turn that forgets the pods that wait at first."""
    return turn(scene, done, name)


@pytest.mark.parametrize("broken", [alone, open_again, without_those_that_wait])
def test_a_turn_that_forgets_something_is_detected(broken: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "turn", broken)
    with pytest.raises(AssertionError):
        for seed in range(400):
            agree(seed, [])


def test_the_order_matters_where_a_node_must_be_empty_of_others() -> None:
    """The pod of n2 fits on n1 alone, and only while nobody of n1 or n3 has moved there."""
    large = pod("large", 4, on="n2", owner=("ReplicaSet", "large"))
    small = pod("small", 1, on="n3", **OWNED)
    scene = scenario(large, small, node("n1", 4), node("n2", 4), node("n3", 1), profile="kubernetes")
    found = in_turn(scene, ["n3", "n2"])
    assert (found.verdict, found.order, found.every) == (Verdict.HOLDS, ("n2", "n3"), False)
    assert not all(followed(scene, ("n3", "n2"), Random(seed)) for seed in range(20))


def test_nodes_that_cannot_be_drained_together_can_be_drained_in_turn() -> None:
    key = term(HOST, selector(app="web"))
    nodes = [node(f"n{i}", 4, labels={HOST: f"n{i}"}) for i in range(3)]
    pods = [pod(f"web-{i}", 1, on=f"n{i}", affinity=apart(key), **OWNED) for i in range(2)]
    scene = scenario(*pods, *nodes, profile="kubernetes")
    found = in_turn(scene, ["n0", "n1"])
    assert (found.verdict, found.every) == (Verdict.HOLDS, True)


def test_a_budget_that_allows_nothing_blocks_every_order() -> None:
    budget = PodDisruptionBudget("pdb", selector=selector(app="web"), min_available=1, disruptions_allowed=0)
    scene = scenario(
        pod("web", 1, on="n0", **OWNED), node("n0", 4), node("n1", 4), profile="kubernetes", budgets=(budget,)
    )
    found = in_turn(scene, ["n0", "n1"])
    assert found.verdict is Verdict.VIOLATED
    assert [each.budget.name for each in found.blocked] == ["pdb"]


def test_the_time_ends_the_search() -> None:
    scene, names = drawn(1)
    found = in_turn(scene, names, 1e-9)
    assert (found.verdict, found.order) == (Verdict.GAVE_UP, ())
    assert found.stopped
