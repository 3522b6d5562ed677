"""The order of placements: the highest priority in which they differ decides, and then the score"""

from frozendict import frozendict

from schedcheck.spec.placement import no_better, placed_at, viable_placements
from schedcheck.spec.profiles import CORRECTED
from tests.support.building import node, pod, snapshot

HIGH, LOW, OTHER = pod("high", 1, priority=2), pod("low", 1, priority=1), pod("other", 1, priority=1)
FULL, EMPTY = node("full", 4), node("empty", 8)
THERE = snapshot(HIGH, LOW, OTHER, FULL, EMPTY)


def test_the_placed_pods_of_a_priority_are_counted() -> None:
    placement = frozendict({HIGH: FULL, LOW: FULL, OTHER: EMPTY})
    assert [placed_at(priority, placement) for priority in (0, 1, 2)] == [0, 2, 1]


def test_one_pod_of_higher_priority_outweighs_two_of_lower_priority() -> None:
    few, many = frozendict({HIGH: FULL}), frozendict({LOW: FULL, OTHER: EMPTY})
    assert no_better(many, few, THERE, CORRECTED)
    assert not no_better(few, many, THERE, CORRECTED)


def test_more_pods_of_a_priority_are_better_and_then_the_score_decides() -> None:
    one, two = frozendict({LOW: EMPTY}), frozendict({LOW: FULL, OTHER: FULL})
    assert no_better(one, two, THERE, CORRECTED) and not no_better(two, one, THERE, CORRECTED)
    crowded, roomy = frozendict({LOW: FULL}), frozendict({LOW: EMPTY})
    assert no_better(crowded, roomy, THERE, CORRECTED) and not no_better(roomy, crowded, THERE, CORRECTED)
    assert no_better(roomy, roomy, THERE, CORRECTED)


def test_the_best_placements_place_the_most_important_pods() -> None:
    there = snapshot(HIGH, LOW, node("n", 1))
    assert viable_placements(frozenset({HIGH, LOW}), there, CORRECTED) == {frozendict({HIGH: node("n", 1)})}
