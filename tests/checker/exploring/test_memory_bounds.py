"""A definition over all subsets is not evaluated if it would take too long; the exploration gives up with the reason"""

import time

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.exploring.memo import MOST_IN_JEOPARDY, remembering
from schedcheck.checker.limits.clock import Clock, OutOfTime, TooManySets
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.profiles import CORRECTED
from tests.support.building import apart, node, pod, selector, term
from tests.support.sizes import part_and_whole


def crowded(count: int) -> Snapshot:
    """A node full of `count` pods of priority 0, and a pending pod of priority 1."""
    small = [pod(f"small-{number:02}", 1, on="n") for number in range(count)]
    return Snapshot.of([*small, pod("urgent", 1, priority=1)], [node("n", count)])


@pytest.mark.parametrize("count", part_and_whole(MOST_IN_JEOPARDY - 4, MOST_IN_JEOPARDY))
def test_up_to_the_limit_every_victim_set_is_computed(count: int) -> None:
    snapshot = crowded(count)
    urgent = next(each for each in snapshot.pods if each.name == "urgent")
    sets = remembering(CORRECTED, snapshot.pods).victim_sets(urgent, snapshot.nodes[0], snapshot)
    assert len(sets) == 2**count - 1


def test_one_pod_beyond_the_limit_is_refused_by_name() -> None:
    snapshot = crowded(MOST_IN_JEOPARDY + 1)
    urgent = next(each for each in snapshot.pods if each.name == "urgent")
    with pytest.raises(TooManySets, match="17 pods that urgent may evict from n"):
        remembering(CORRECTED, snapshot.pods).victim_sets(urgent, snapshot.nodes[0], snapshot)


def test_an_exploration_with_too_many_victim_sets_gives_up_and_says_why() -> None:
    snapshot = crowded(MOST_IN_JEOPARDY + 1)
    result = check(Scenario("crowded", snapshot.pods, snapshot.nodes)).result
    assert result.verdict == Verdict.GAVE_UP
    assert result.stopped == "17 pods that urgent may evict from n: 2^17 sets of victims to try"


def test_the_time_limit_applies_within_a_step_and_ends_with_the_search() -> None:
    clock = Clock(0)
    snapshot = crowded(2)
    profile = remembering(CORRECTED, snapshot.pods, clock)
    with pytest.raises(OutOfTime, match=r"limits\.seconds 0"):
        profile.feasibility(snapshot.pods[0], snapshot.nodes[0], snapshot)
    clock.stop()
    assert not profile.feasibility(snapshot.pods[0], snapshot.nodes[0], snapshot)


def test_an_exploration_with_a_slow_first_step_gives_up_in_time() -> None:
    near = apart(term("zone", selector(app="none")))
    pods = [pod(f"p-{number:03}", 1, on=f"n{number % 20}", affinity=near) for number in range(400)]
    waiting = [pod(f"w-{number:03}", 1, affinity=near) for number in range(50)]
    nodes = [node(f"n{number}", 100, labels={"zone": str(number)}) for number in range(20)]
    found = Snapshot.of([*pods, *waiting], nodes)
    begun = time.monotonic()
    result = check(Scenario("slow", found.pods, found.nodes), bounds=Bounds(seconds=0.5), symmetry=False).result
    assert (result.verdict, result.stopped) == (Verdict.GAVE_UP, "limits.seconds 0.5")
    assert time.monotonic() - begun < 10
