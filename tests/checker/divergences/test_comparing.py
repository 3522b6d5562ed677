"""The smallest cluster on which two schedulers differ: against every smaller cluster, and against the known divergences"""

from collections.abc import Callable
from dataclasses import replace

import pytest
from frozendict import frozendict

from docs.cases import stored
from schedcheck.checker.divergences.case import Case
from schedcheck.checker.divergences.comparing import (
    COMPARED,
    FILTERING,
    SCORING,
    Decides,
    differs,
    first_difference,
    ordered,
)
from schedcheck.checker.divergences.domain import cases
from schedcheck.checker.divergences.rows import DEPARTING
from schedcheck.checker.limits.timer import LimitReached
from schedcheck.spec.decisions import Decision, Unknown
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins

SMALL = (FILTERING, SCORING)


def by(plugins: Plugins) -> Decides:
    return lambda case: decision(case.pod, case.snapshot, plugins)


def without(*names: str) -> Plugins:
    points = {
        point: tuple(each for each in some if each not in names) for point, some in DEFAULT_PLUGINS.points.items()
    }
    weights = {name: weight for name, weight in DEFAULT_PLUGINS.weights.items() if name not in names}
    return replace(DEFAULT_PLUGINS, points=frozendict(points), weights=frozendict(weights))


DEFAULT = by(DEFAULT_PLUGINS)
PLUGINS = (
    "NodeUnschedulable", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit", "InterPodAffinity",
    "NodeResourcesBalancedAllocation", "ImageLocality",
)  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", [*PLUGINS, pytest.param("PodTopologySpread", marks=pytest.mark.slow)])
def test_each_plugin_that_is_disabled_makes_a_difference_on_a_smallest_cluster(name: str) -> None:
    other = by(without(name))
    found = first_difference(DEFAULT, other, SMALL)
    assert found.case is not None
    assert DEFAULT(found.case) != other(found.case)
    smaller = [each for domain in SMALL for each in cases(domain) if each.size < found.case.size]
    assert all(set(map(str, DEFAULT(each))) == set(map(str, other(each))) for each in smaller)
    assert len(set(smaller)) <= found.before


def test_equal_schedulers_differ_on_no_cluster_and_all_are_counted() -> None:
    found = first_difference(DEFAULT, by(replace(DEFAULT_PLUGINS, scheduler_name="default-scheduler")), (FILTERING,))
    every = set(cases(FILTERING))
    assert (found.case, found.before, found.size) == (None, len(every), max(each.size for each in every))


def test_the_profile_and_its_documentation_differ_first_where_the_smallest_divergence_does() -> None:
    found = first_difference(DEFAULT, by(DEFAULT_PLUGINS.departing(NO_DEPARTURES)))
    assert found.case is not None
    assert found.case.size == min(stored(row).size for row in DEPARTING)


def test_cases_are_in_the_order_of_size_and_each_is_there_once() -> None:
    sizes = [each.size for each in ordered(COMPARED[:5])]
    assert sizes == sorted(sizes)
    listed = list(ordered((FILTERING, FILTERING)))
    assert len(listed) == len(set(listed)) == len(set(cases(FILTERING)))


def unknown(case: Case) -> frozenset[Decision]:
    return frozenset({Unknown(case.pod, "nothing is known")})


def stopping(after: int) -> Callable[[Case], frozenset[Decision]]:
    left = [after]

    def decided(case: Case) -> frozenset[Decision]:
        left[0] -= 1
        if left[0] < 0:
            raise LimitReached("--time 1")
        return DEFAULT(case)

    return decided


def test_what_is_unknown_is_no_difference_and_is_counted() -> None:
    found = first_difference(DEFAULT, unknown, (FILTERING,))
    assert (found.case, found.unknown) == (None, found.before)
    assert differs(next(iter(cases(FILTERING))), DEFAULT, unknown) is None


def test_a_limit_leaves_a_bound_below_which_every_cluster_was_compared() -> None:
    found = first_difference(DEFAULT, stopping(300), (FILTERING,))
    assert (found.case, found.before, found.stopped) == (None, 300, "--time 1")
    first = list(ordered((FILTERING,)))[:300]
    up_to = [each for each in cases(FILTERING) if each.size <= found.size]
    assert set(up_to) <= set(first)
