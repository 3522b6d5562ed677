"""Ascending and reprieve: the victims of each, and the equality of reprieve with kube-scheduler's dry run"""

from schedcheck.checker.victims.greedy import ascending, reprieve
from schedcheck.checker.victims.kubernetes_judge import of_kubernetes
from schedcheck.checker.victims.problem import question
from schedcheck.spec.importance import by_importance
from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, tried
from schedcheck.spec.kubernetes.preemption.potential_victims import potential_victims
from schedcheck.spec.objects import Pod
from tests.checker.crowded import crowded
from tests.support.building import pod

A, B, C = (pod(name, size) for name, size in (("a", 1), ("b", 2), ("c", 3)))
SIZES = {A: 1, B: 2, C: 3}


def frees(least: int, gone: frozenset[Pod]) -> bool:
    return sum(SIZES[each] for each in gone) >= least


def test_ascending_evicts_the_least_important_pods_until_the_preemptor_fits() -> None:
    assert ascending((A, B, C), lambda gone: frees(0, gone)) == frozenset()
    assert ascending((A, B, C), lambda gone: frees(3, gone)) == {C}
    assert ascending((A, B, C), lambda gone: frees(4, gone)) == {B, C}
    assert ascending((A, B, C), lambda gone: frees(6, gone)) == {A, B, C}
    assert ascending((A, B, C), lambda gone: frees(7, gone)) is None
    assert ascending((), lambda gone: False) is None


def test_reprieve_spares_in_order_each_pod_that_leaves_enough_room() -> None:
    assert reprieve((A, B, C), lambda gone: frees(0, gone)) == frozenset()
    assert reprieve((A, B, C), lambda gone: frees(3, gone)) == {C}
    assert reprieve((C, B, A), lambda gone: frees(3, gone)) == {A, B}
    assert reprieve((A, B, C), lambda gone: frees(7, gone)) is None


def test_without_departures_reprieve_is_the_dry_run_of_kube_scheduler() -> None:
    """Without the departures of incremental removal, removing a pod equals a snapshot that never had it."""
    plugins = DEFAULT_PLUGINS.departing(frozenset({Departure.BUDGETS_CHARGED_FOR_ALL}))
    judge = of_kubernetes(plugins)
    compared = 0
    for seed in range(200):
        given = crowded(seed, 5)
        made = cycle(given.pod, given.snapshot - {given.pod}, plugins)
        info = next(info for info in made.infos if info.node == given.node)
        order = by_importance(potential_victims(given.pod, info))
        asked = question(given.pod, given.node, given.snapshot, judge)
        if order and not asked.feasible(frozenset()):
            outcome = tried(made, info, order)
            expected = frozenset(outcome.victims) if isinstance(outcome, Candidate) else None
            assert reprieve(judge.reprieve_order(order, given.snapshot), asked.feasible) == expected
            compared += expected is not None
    assert compared > 50
