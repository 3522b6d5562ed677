"""The cost of production's decisions compared with the optimum: never less, and more only where the specification costs
it too
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings

from docs.cases import stored
from schedcheck.checker.differential.decisions import concluded
from schedcheck.checker.differential.optimality import Damage, Rest, at_rest, damage, optimality, rating
from schedcheck.checker.divergences.row import Row
from schedcheck.checker.divergences.rows import ROWS
from schedcheck.checker.divergences.victims import CHOOSING, choices
from schedcheck.checker.drawing.questions import FAMILIES
from schedcheck.checker.drawing.volumes import Question
from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.search import breadth_first
from schedcheck.checker.limits.effort import Effort, Spent
from schedcheck.checker.placement.worth import Worth
from schedcheck.checker.refinement.stranded import Watched
from schedcheck.checker.result import Verdict
from schedcheck.model.production.framework.extender import Victims
from schedcheck.model.production.framework.verdicts import verdicts
from schedcheck.model.production.plugins.node_resources_fit import NodeResourcesFit
from schedcheck.model.production.preemption.worlds import World
from schedcheck.model.scenario import Scenario
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from tests.checker.differential.scenarios import CHOOSES, EVICTS_ONE_OF_TWO, KUBERNETES, SCENARIOS, machine
from tests.checker.differential.test_exploring import from_the_worst_node, second_best, sparing_the_least_first
from tests.checker.differential.test_random import SLOW
from tests.checker.divergences.clusters import larger
from tests.checker.liveness.waiting import waiting
from tests.support.building import node, pod, scenario, snapshot

EVICTING = ("evicts_one_of_two", "spares_the_protected", "evicts_an_anti_affine_pod", "nominated")


def crowded(number: int) -> Iterator[Question]:
    """Yield random clusters in which the pod may have to preempt."""
    for row in CHOOSING:
        for case in larger(row.domain, number):
            yield case.pod, case.snapshot, DEFAULT_PLUGINS


def damage_of(question: Question) -> Damage | None:
    _, there, plugins = question
    return damage(concluded(*question), there, plugins)


def accounted(question: Question) -> None:
    _, there, plugins = question
    made = concluded(*question)
    for found in (damage(made, there, plugins), rating(made, there, plugins)):
        assert found is None or found.accounted, found


# Cost.


@pytest.mark.medium
def test_casualty_and_score_are_explained_on_random_clusters() -> None:
    settings(max_examples=150, suppress_health_check=SLOW)(given(FAMILIES["contests"])(accounted))()


@pytest.mark.medium
def test_the_score_is_the_highest_for_pods_and_plugins_of_every_kind() -> None:
    settings(max_examples=80, suppress_health_check=SLOW)(given(FAMILIES["questions"])(accounted))()


@pytest.mark.medium
def test_some_nominations_have_the_least_cost_and_others_do_not() -> None:
    counted = Counter(found.equal for each in crowded(150) if (found := damage_of(each)) is not None)
    assert min(counted[True], counted[False]) > 0


@pytest.mark.parametrize("each", CHOOSING, ids=[each.name for each in CHOOSING])
def test_the_smallest_case_of_a_row_costs_more_and_the_row_covers_it(each: Row) -> None:
    case = stored(each)
    found = damage_of((case.pod, case.snapshot, DEFAULT_PLUGINS))
    assert found is not None
    assert not found.equal
    assert found.accounted
    assert each.name in found.rows


def test_the_least_cost_is_the_minimum_over_all_choices() -> None:
    compared = 0
    for asked, there, _ in crowded(60):
        found = damage_of((asked, there, DEFAULT_PLUGINS))
        if found is not None:
            assert found.least == min(each.damage for each in choices(asked, there))
            compared += 1
    assert compared > 10


@pytest.mark.parametrize("name", EVICTING)
def test_the_cost_is_explained_in_every_state(name: str) -> None:
    of, faults = SCENARIOS[name]
    made = machine(of, faults)
    assert breadth_first(Exploration(Watched(made), optimality(made))).verdict is Verdict.HOLDS


def test_a_nominated_pod_may_go_to_a_node_of_lower_score() -> None:
    there = snapshot(node("n1", 4), node("n2", 8), pod("a", 2, "n1"))
    asked = pod("p", 1, nominated_node_name="n1")
    found = rating(concluded(asked, there, DEFAULT_PLUGINS), there, DEFAULT_PLUGINS)
    assert found is not None
    assert (found.mode, found.accounted) == ("nominated", True)
    assert found.lost > 0
    assert not replace(found, mode="scored").accounted


def test_a_useless_nomination_is_excused_by_a_departure() -> None:
    """One of two pods that hold the port is evicted, and the port counts as free."""
    (row,) = (each for each in ROWS if each.name == "ports-are-a-set")
    case = stored(row)
    found = damage_of((case.pod, case.snapshot, DEFAULT_PLUGINS))
    assert found is not None
    assert (found.least, found.rows, found.accounted) == (None, (row.name,), True)
    assert not replace(found, allowed=False).accounted
    assert not replace(found, rows=()).accounted


def test_if_the_least_cost_is_unknown_nothing_is_claimed() -> None:
    case = stored(CHOOSING[0])
    made = concluded(case.pod, case.snapshot, DEFAULT_PLUGINS)
    found = damage(made, case.snapshot, DEFAULT_PLUGINS, Spent(Effort(rounds=0)))
    assert found is not None
    assert (found.proved, found.accounted, found.rows) == (False, True, ())


# Final states.


def rest_of(seed: int) -> Rest:
    there = waiting(seed, 3)
    of = Scenario("waiting", there.pods, there.nodes, profile="kubernetes")
    return at_rest(machine(of), KUBERNETES, Random(seed), Spent())


def test_the_final_state_is_one_of_the_specification_and_no_better_than_the_optimum() -> None:
    found = [rest_of(seed) for seed in range(12)]
    assert all(each.proved and each.accounted for each in found)
    assert {each.equal for each in found} == {True, False}


def test_a_final_state_with_an_eviction_is_one_of_the_specification() -> None:
    of = scenario(node("n1", 1), pod("low", 1, "n1"), pod("p", 1, priority=5), profile="kubernetes")
    found = at_rest(machine(of), KUBERNETES, Random(0), Spent())
    assert (found.made, found.best.placed, found.evicted) == (Worth(((5, 1),), found.made.score), ((5, 0),), 1)
    assert found.accounted
    assert not replace(found, evicted=0).accounted, "without an eviction no result is better than the optimum"


# Broken twins.


def evicting_too_few(patch: pytest.MonkeyPatch) -> None:
    """The last of several victims is not evicted."""
    told = World.told

    def fewer(self: World) -> Victims:
        found = told(self)
        return replace(found, pods=found.pods[:-1]) if len(found.pods) > 1 else found

    patch.setattr(World, "told", fewer)


FILLED = scenario(node("n1", 2), pod("a", 1, "n1"), pod("b", 1, "n1", priority=1), pod("p", 2, priority=5))


TWINS: tuple[tuple[Callable[[pytest.MonkeyPatch], None], Scenario, str], ...] = (
    (from_the_worst_node, EVICTS_ONE_OF_TWO, "damage_accounted"),
    (sparing_the_least_first, EVICTS_ONE_OF_TWO, "damage_accounted"),
    (evicting_too_few, FILLED, "damage_accounted"),
    (second_best, CHOOSES, "rating_accounted"),
)
"""Each twin with a scenario, and the property violated in the first cycle."""


@pytest.mark.parametrize("place", range(len(TWINS)), ids=lambda place: TWINS[place][0].__name__)
def test_a_broken_twin_is_detected_by_its_cost(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    twin, of, name = TWINS[place]
    twin(monkeypatch)
    made = machine(of)
    result = breadth_first(Exploration(Watched(made), optimality(made)))
    assert [each.property.name for each in result.violations] == [name]
    assert len(result.violations[0].trace) == 2


def test_evicting_too_few_pods_costs_less_than_the_least(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = next(each for each in FILLED.pods if each.name == "p")
    there = snapshot(*FILLED.nodes, *(each for each in FILLED.pods if each != asked))
    right = damage_of((asked, there, DEFAULT_PLUGINS))
    assert right is not None
    assert right.equal
    evicting_too_few(monkeypatch)
    wrong = damage_of((asked, there, DEFAULT_PLUGINS))
    assert wrong is not None
    assert wrong.least == right.least
    assert wrong.made < right.made


def test_a_final_state_that_the_specification_cannot_reach_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    of = scenario(node("n1", 4), node("n2", 8), pod("p", 1), profile="kubernetes")
    assert at_rest(machine(of), KUBERNETES, Random(0), Spent()).equal
    second_best(monkeypatch)
    found = at_rest(machine(of), KUBERNETES, Random(0), Spent())
    assert (found.proved, found.reachable, found.accounted, found.missing) == (True, False, False, 0)


def test_a_final_state_better_than_the_optimum_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """If resources are ignored, every pod is placed."""
    of = scenario(node("n1", 1), pod("p", 1), pod("q", 1), profile="kubernetes")
    monkeypatch.setattr(
        NodeResourcesFit, "filter", lambda self, state, pod, nodes: verdicts(np.zeros(len(nodes), np.int8))
    )
    found = at_rest(machine(of), KUBERNETES, Random(0), Spent())
    assert (found.missing, found.reachable, found.accounted) == (-1, False, False)
    assert not replace(found, reachable=True).accounted
