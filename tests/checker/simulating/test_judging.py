"""Every decision of drawn simulations is allowed by the specification; planted defects are found"""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from schedcheck.checker.simulating.judging import Judged, Sampled, judged
from schedcheck.checker.simulating.running import Asked, run
from schedcheck.model.production.cycle import algorithm
from schedcheck.model.production.plugins.node_resources_fit import NodeResourcesFit
from schedcheck.model.production.preemption import evaluator
from schedcheck.model.simulation.simulation import Simulation
from schedcheck.model.simulation.timeline import Arrive, Start, Traits
from tests.model.simulation.drawn import a_node, a_pod, drawn_start, of_owner, once, start_of

ALL = 10**6


def all_judged(start: Start, seed: int = 0, size: int = ALL) -> list[Judged]:
    simulation = Simulation(start)
    sampled = Sampled(simulation.scheduling, start.plugins, size, Random(seed))
    simulation.scheduling.beginning = sampled.beginning
    simulation.seed(seed, 0)
    while simulation.step():
        pass
    assert len(sampled.kept) == min(size, simulation.scheduling.cycles)
    return [judged(each) for each in sampled.in_order()]


def wrong(found: list[Judged]) -> list[Judged]:
    assert found and not any(each.unknown for each in found)
    return [each for each in found if each.difference is not None and not each.difference.excused]


def large(seed: int, nodes: int = 130) -> Start:
    """A cluster in which the scheduler does not look at all nodes, with pods to be preempted on all of them."""
    chance = Random(f"large {seed}")
    made = [a_node(f"n{each}", 4) for each in range(nodes)]
    pods = [
        a_pod(f"old-{each}", chance.choice([1, 2, 3]), node_name=f"n{each}", phase="Running", start_time=each)
        for each in range(nodes)
    ]
    small = Arrive(tuple(of_owner("ReplicaSet", "small", 40, 0.5)))
    vip = Arrive(tuple(a_pod(f"vip-{each}", 4, priority=10) for each in range(3)), Traits(runs=10.0))
    return start_of(made, pods, once(1.0, small), once(20.0, vip), until=60.0)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(25))
def test_every_decision_in_a_small_cluster_is_allowed(seed: int) -> None:
    assert wrong(all_judged(drawn_start(seed, 500.0), seed)) == []


@pytest.mark.parametrize("seed", range(2))
def test_every_decision_among_a_part_of_the_nodes_is_allowed(seed: int) -> None:
    found = all_judged(large(seed), seed)
    assert len(found) > 40 and wrong(found) == []


def test_more_preemption_candidates_than_are_sought_are_judged() -> None:
    found = all_judged(large(0), 0)
    assert any("Nominate" in str(each.difference) for each in found) is False
    simulation = Simulation(large(0))
    report = run(simulation, 0, Asked(judge=ALL))
    assert report.evicted["EvictVictim"] >= 3 and report.judged == report.decisions and report.findings == ()


Break = Callable[[pytest.MonkeyPatch], None]


def more_than_fits(patch: pytest.MonkeyPatch) -> None:
    whole = NodeResourcesFit.filter

    def lenient(self: NodeResourcesFit, state: object, pod: object, nodes: object) -> object:
        said = whole(self, state, pod, nodes)  # type: ignore[arg-type]
        return replace(said, codes=np.zeros_like(said.codes))  # type: ignore[type-var]

    patch.setattr(NodeResourcesFit, "filter", lenient)


def the_fullest_node(patch: pytest.MonkeyPatch) -> None:
    whole = NodeResourcesFit.score
    patch.setattr(NodeResourcesFit, "score", lambda *given: 100 - whole(*given))


def too_few_nodes(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(algorithm, "nodes_to_find", lambda nodes, percentage: 20)


def any_candidate(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(evaluator, "best", lambda kept: [sorted(kept)[-1]])


@pytest.mark.parametrize("broken", [more_than_fits, the_fullest_node, too_few_nodes, any_candidate])
def test_a_planted_defect_is_found(broken: Break, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch)
    assert wrong(all_judged(large(1), 1))


def test_the_sample_does_not_change_the_run() -> None:
    start = drawn_start(5, 300.0)
    reports = [run(Simulation(start), 0, Asked(judge=judge)) for judge in (0, 3, ALL)]
    assert len({(each.decisions, each.actions, each.ended) for each in reports}) == 1
    assert [each.judged for each in reports] == [0, 3, reports[2].decisions]


@pytest.mark.medium
def test_each_decision_is_equally_often_in_the_sample() -> None:
    few = start_of([a_node("n1", 10)], [a_pod(f"p{each}") for each in range(10)], until=2.0)
    counts = np.zeros(10, int)
    for seed in range(300):
        simulation = Simulation(few)
        sampled = Sampled(simulation.scheduling, few.plugins, 3, Random(seed))
        simulation.scheduling.beginning = sampled.beginning
        simulation.seed(0, 0)
        while simulation.step():
            pass
        counts[[each.number - 1 for each in sampled.kept]] += 1
    # Each of 10 decisions is in a sample of 3 with probability 0.3: 90 of 300, with a standard deviation of 8.
    assert counts.sum() == 900 and counts.min() > 58 and counts.max() < 122
