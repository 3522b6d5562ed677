"""The best placement with gangs: z3 against brute force, all or nothing, and what the scheduler can reach"""

from dataclasses import replace
from random import Random

import pytest
from frozendict import frozendict

from schedcheck.checker.limits.effort import Spent
from schedcheck.checker.placement.optimum import optimum
from schedcheck.checker.placement.outcomes import outcomes
from schedcheck.model.profiles import profile_of
from schedcheck.spec.binding import unbound
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.placement import feasible_placement, gangs_kept, viable_placements
from schedcheck.spec.profiles import kubernetes
from tests.support.building import node, pod
from tests.support.gangs import BEFORE, GANGS, member, policy, rooms, scenario_of

WITH, WITHOUT = kubernetes("kubernetes-1.35", (GANGS,)), kubernetes("kubernetes-1.35", (BEFORE,))
RED = (member("red", 1), member("red", 2))


def seen(*pods: Pod, nodes: int = 3, least: int = 2) -> Snapshot:
    return replace(Snapshot.of(pods, rooms(nodes)), workloads=(policy("blue"), policy("red", least)))


def drawn(seed: int) -> Snapshot:
    """A few pods of two gangs and of none, some of them bound, on a few nodes."""
    random = Random(seed)
    nodes = [node(f"n{place}", random.choice((1, 1, 2))) for place in range(1, random.randint(1, 3) + 1)]
    pods = [
        member(random.choice(("blue", "red", "none")), each, random.choice(("", "", "", "n1"))) for each in range(3)
    ]
    pods.append(pod("p", random.choice((1, 2)), priority=random.choice((0, 0, 1))))
    workloads = (policy("blue", random.choice((1, 2, None))), policy("red", random.choice((1, 2, 3))))
    return replace(Snapshot.of(pods, nodes), workloads=workloads)


@pytest.mark.medium
def test_the_best_placement_is_one_of_brute_force() -> None:
    kept = 0
    for there in map(drawn, range(24)):
        answer = optimum(there, WITH)
        assert answer.proved
        assert answer.placement in viable_placements(unbound(there, NO_FAULTS), there, WITH)
        free = optimum(there, WITHOUT)
        kept += len(free.placement) > len(answer.placement)
    assert kept >= 4


def test_a_gang_is_placed_as_a_whole_or_not_at_all() -> None:
    there = seen(*RED, member("blue", 1), member("blue", 2))
    placed = optimum(there, WITH).placement
    assert (len(placed), len(optimum(there, WITHOUT).placement)) == (2, 3)
    (workload,) = {each.workload for each in placed}
    assert workload is not None


@pytest.mark.parametrize(
    ("pods", "least", "kept"),
    [
        (RED, 2, True),
        (RED[:1], 1, True),
        ((RED[0], member("red", 2, "n2")), 2, True),
        ((RED[0], member("red", 2, "n2", phase="Failed"), member("red", 3)), 2, False),
        ((RED[0], member("red", 2, replica="1")), 2, False),
        (RED[:1], 2, False),
    ],
)
def test_members_that_are_placed_or_bound_make_up_the_number(pods: tuple[Pod, ...], least: int, kept: bool) -> None:
    there = seen(*pods, least=least)
    together = RED if pods is RED else RED[:1]
    placement = frozendict(zip(together, there.nodes, strict=False))
    assert gangs_kept(placement, there, WITH) == feasible_placement(placement, there, WITH) == kept
    assert feasible_placement(placement, there, WITHOUT)


def test_a_pod_without_its_workload_is_not_placed() -> None:
    there = replace(seen(*RED), workloads=())
    assert optimum(there, WITH).placement == {}
    assert len(optimum(there, WITHOUT).placement) == 2


def test_the_scheduler_rests_only_with_a_whole_gang_and_time_limits_may_end_before() -> None:
    scenario = scenario_of(2, 2, "blue", "red")
    reached = outcomes(scenario, scenario.pods, profile_of(scenario), Spent())
    # Two gangs, each on the two nodes in two ways.
    gangs = sorted(tuple(sorted({str(pod)[:-2] for pod in each.placement})) for each in reached.found)
    assert gangs == [("blue",), ("blue",), ("red",), ("red",)]
    assert all(len(each.placement) == 2 for each in reached.found)
    assert reached.timed_out
    without = scenario_of(2, 2, "blue", "red", gate=False)
    assert not outcomes(without, without.pods, profile_of(without), Spent()).timed_out
