"""Initially nominated pods under schedulers without nominations: both explorers agree on the properties"""

from dataclasses import replace
from random import Random

import pytest

from schedcheck.checker.check import Checked, Disagreement, check
from schedcheck.checker.result import Bounds
from schedcheck.checker.tabulated.answers import printed
from schedcheck.model.scenario import Scenario
from schedcheck.spec.classic.policy import Classic as Policy
from tests.checker.tabulated.test_agreement import early
from tests.support.building import node, on_nodes, on_pods, pod, replays, scenario
from tests.tla.random_scenarios import random_scenario

ASKED = ("room_kept", "room_left_to_the_nominated")
FEW = Bounds(max_states=500)


def nominated(seed: int) -> Scenario:
    """A scenario with many features in which some pods are initially nominated."""
    random = Random(seed)
    made = early(seed) if seed % 2 else random_scenario(seed)
    names = ["", *(each.name for each in made.nodes)]
    pods = tuple(
        each
        if each.node_name
        else replace(each, nominated_node_name=random.choice(names), priority=random.choice((0, 5)))
        for each in made.pods
    )
    here = frozenset(each.key for each in pods if random.random() < 0.5)
    return replace(made, pods=pods, absent=made.absent - here, constraints=(), properties=(*ASKED, "no_overcommit"))


def both(scene: Scenario) -> Checked:
    """Check the scenario with both explorers, which must agree."""
    checked = check(scene, engine="both")
    assert checked.engine == "tabulated"
    assert all(not each.trace or replays(checked.machine, each.trace) for each in checked.result.violations)
    return checked


@pytest.mark.medium
def test_both_explorers_agree_on_random_scenarios_with_nominations() -> None:
    broken: set[str] = set()
    for seed in (*range(500, 524), 540):
        scene = nominated(seed)
        if not check(scene, bounds=FEW).result.stopped.startswith("limits.states"):
            broken |= {each.property.name for each in both(scene).result.violations}
    assert set(ASKED) <= broken, "each claim is violated somewhere"


def one_of_two() -> Scenario:
    """Pod b may take the room of the nominated pod a once the other node is cordoned."""
    return scenario(
        pod("a", 1, priority=5, nominated_node_name="n1"),
        pod("b", 1, priority=5),
        node("n1", 1),
        node("n2", 1),
        rules=[on_pods("delete", "a"), on_nodes("cordon", "n2"), on_pods("arrive", "a b"), on_pods("delete", "b")],
        properties=("room_kept",),
    )


def test_taking_the_room_of_a_nominated_pod_is_found() -> None:
    scene = one_of_two()
    checked = both(scene)
    assert [(each.property.name, len(each.trace)) for each in checked.result.violations] == [("room_kept", 2)]
    away = replace(scene, pods=tuple(replace(each, nominated_node_name="") for each in scene.pods))
    assert both(away).result.violations == ()


def test_the_classic_scheduler_leaves_the_room_of_a_nominated_pod() -> None:
    checked = both(replace(one_of_two(), profile="classic", policy=Policy(by_allocatable=True)))
    assert checked.result.violations == ()
    assert checked.result.coverage["Bind"] > 0


def small_for_all() -> Scenario:
    """Two of three pods fit on the node by their number, and a is nominated; they request nothing else.

    The answers for b and c are first computed before the first place is taken, when both may be bound.
    """
    return scenario(
        pod("a", 0, priority=5, nominated_node_name="n"),
        pod("b", 0, priority=5),
        pod("c", 0, priority=5),
        node("n", 10, pods=2),
        absent="c",
        rules=[on_pods("arrive", "c")],
        properties=("room_kept",),
    )


def test_leaving_nominations_out_of_the_answers_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = small_for_all()
    checked = both(scene)
    assert [(each.property.name, len(each.trace)) for each in checked.result.violations] == [("room_kept", 4)]
    monkeypatch.setattr(printed, "OF_NOMINATIONS", frozenset())
    with pytest.raises(Disagreement):
        both(scene)
