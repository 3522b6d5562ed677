"""What an autoscaler computes, against the cases of Kubernetes' own tests

The numbers of `UPSTREAM` are those of pkg/controller/podautoscaler/replica_calculator_test.go of Kubernetes, whose pods
request 1 cpu; its levels are in millicpu, so that 300 are 30 %. The other numbers are computed by hand.
"""

from fractions import Fraction
from itertools import product
from math import ceil

import pytest

from schedcheck.model.autoscaling import DOWN, UP, Autoscaler, Behavior, Direction, Metric, Policy
from schedcheck.model.controllers.autoscaler.replicas import highest, joined, limited, lowest, proposed, stabilized

USUAL = (0.1, 0.1)

UPSTREAM = [
    # Replicas now, target, levels, pods without metrics, unready pods, replicas expected. The names follow TestReplicaCalc.
    pytest.param(3, 30, (30, 50, 70), 0, 0, 5, id="ScaleUp"),
    pytest.param(3, 30, (50, 70), 0, 1, 4, id="ScaleUpUnreadyLessScale"),
    pytest.param(3, 30, (50, 70), 0, 1, 4, id="ScaleUpHotCpuLessScale"),
    pytest.param(3, 30, (40,), 0, 2, 3, id="ScaleUpUnreadyNoScale"),
    pytest.param(3, 30, (40,), 0, 2, 3, id="ScaleHotCpuNoScale"),
    pytest.param(5, 50, (10, 30, 50, 25, 25), 0, 0, 3, id="ScaleDown"),
    pytest.param(5, 50, (10, 30, 50), 0, 2, 2, id="ScaleDownExcludeUnreadyPods"),
    pytest.param(2, 100, (100,), 1, 0, 2, id="MissingMetricsNoChangeEq"),
    pytest.param(2, 100, (190,), 1, 0, 2, id="MissingMetricsNoChangeGt"),
    pytest.param(2, 100, (60,), 1, 0, 2, id="MissingMetricsNoChangeLt"),
    pytest.param(3, 50, (45,), 1, 1, 3, id="MissingMetricsUnreadyNoChange"),
    pytest.param(3, 50, (45,), 1, 1, 3, id="MissingMetricsHotCpuNoChange"),
    pytest.param(3, 50, (200,), 1, 1, 4, id="MissingMetricsUnreadyScaleUp"),
    pytest.param(3, 50, (200,), 1, 1, 4, id="MissingMetricsHotCpuScaleUp"),
    pytest.param(4, 50, (10, 10), 1, 1, 3, id="MissingMetricsUnreadyScaleDown"),
]


@pytest.mark.parametrize(("current", "target", "levels", "missing", "unready", "expected"), UPSTREAM)
def test_a_metric_proposes_what_kubernetes_tests_expect(
    current: int, target: int, levels: tuple[int, ...], missing: int, unready: int, expected: int
) -> None:
    assert proposed(current, Metric("cpu", target), levels, missing, unready, USUAL) == expected


def test_without_any_measured_pod_there_is_no_proposal() -> None:
    assert proposed(3, Metric("cpu", 50), (), 2, 1, USUAL) is None


def by_hand(current: int, target: int, use: int, measured: int, missing: int, unready: int) -> int:
    """The replicas by exact fractions, from the prose of the documentation of Kubernetes."""

    def close(ratio: Fraction) -> bool:
        return Fraction(9, 10) <= ratio <= Fraction(11, 10)

    ratio = Fraction(use, target)
    counted, idle = measured + missing, unready if ratio > 1 else 0
    if missing == 0 and idle == 0:
        return current if close(ratio) else ceil(ratio * measured)
    full = max(100, target) if ratio < 1 else 0
    if ratio == 1:
        counted = measured
    per_cent = (use * measured + full * (counted - measured)) // (counted + idle)
    anew = Fraction(per_cent, target)
    if close(anew) or (ratio - 1) * (anew - 1) < 0:
        return current
    wanted = ceil(anew * (counted + idle))
    return current if (anew - 1) * (wanted - current) < 0 else wanted


def test_proposals_are_those_of_exact_fractions_unless_the_floats_round_up() -> None:
    compared = rounded = 0
    cases = product(range(1, 7), (30, 50, 80, 120), range(0, 301, 7), range(1, 4), range(3), range(3))
    for current, target, use, measured, missing, unready in cases:
        found = proposed(current, Metric("cpu", target), (use,) * measured, missing, unready, USUAL)
        expected = by_hand(current, target, use, measured, missing, unready)
        assert found in (expected, expected + 1), (current, target, use, measured, missing, unready)
        compared, rounded = compared + 1, rounded + (found != expected)
    assert compared == 6 * 4 * 43 * 3 * 3 * 3
    assert rounded == 0


def test_of_several_metrics_the_most_counts_and_an_invalid_one_forbids_fewer() -> None:
    assert [joined(3, each) for each in ((2, 5), (None, 5), (None, 2), (2, 1), (None, None), (None, 3))] == [
        5, 5, None, 2, None, 3,
    ]  # fmt: skip


def scaler(least: int, most: int, behavior: Behavior | None = None) -> Autoscaler:
    return Autoscaler("web", least, most, (Metric("cpu", 50),), behavior)


@pytest.mark.parametrize(
    ("current", "wanted", "expected"),
    [(1, 9, 4), (2, 9, 4), (3, 9, 6), (3, 5, 5), (6, 99, 10), (6, 1, 2), (3, 3, 3), (4, 3, 3)],
)
def test_by_default_a_step_at_most_doubles_the_replicas_or_reaches_four(
    current: int, wanted: int, expected: int
) -> None:
    assert limited(scaler(2, 10), current, wanted) == expected


def test_a_step_stays_within_the_limits_as_kubernetes_tests_expect() -> None:
    """horizontal_test.go, TestConvertDesiredReplicasWithRules: 7 are within the range, 1 is less than minReplicas."""
    assert limited(scaler(3, 8), 5, 7) == 7
    assert limited(scaler(2, 8), 3, 1) == 2


POLICIES = [
    pytest.param(UP, DOWN, 3, 99, 7, id="the defaults: 4 pods or 100 per cent more"),
    pytest.param(UP, DOWN, 5, 99, 10, id="the defaults: 100 per cent more"),
    pytest.param(Direction((Policy("Pods", 2),)), DOWN, 3, 99, 5, id="2 pods more"),
    pytest.param(Direction((Policy("Percent", 10),)), DOWN, 3, 99, 4, id="10 per cent more, rounded up"),
    pytest.param(
        Direction((Policy("Percent", 10), Policy("Pods", 3)), "Min"), DOWN, 20, 99, 22, id="the lesser of two"
    ),
    pytest.param(Direction((Policy("Pods", 9),), "Disabled"), DOWN, 3, 99, 3, id="scaling up disabled"),
    pytest.param(UP, DOWN, 9, 1, 1, id="the defaults: all but minReplicas may go"),
    pytest.param(UP, Direction((Policy("Pods", 2),)), 9, 1, 7, id="2 pods fewer"),
    pytest.param(UP, Direction((Policy("Percent", 50),)), 9, 1, 4, id="50 per cent fewer, rounded down"),
    pytest.param(UP, Direction((Policy("Percent", 50), Policy("Pods", 2)), "Min"), 9, 1, 7, id="the lesser change"),
    pytest.param(UP, Direction((Policy("Percent", 50), Policy("Pods", 2))), 9, 1, 4, id="the greater change"),
    pytest.param(UP, Direction((Policy("Pods", 2),), "Disabled"), 9, 1, 9, id="scaling down disabled"),
]


@pytest.mark.parametrize(("up", "down", "current", "wanted", "expected"), POLICIES)
def test_policies_bound_a_step(up: Direction, down: Direction, current: int, wanted: int, expected: int) -> None:
    assert limited(scaler(1, 50, Behavior(up, down)), current, wanted) == expected


def test_earlier_recommendations_count_in_windows_of_any_length() -> None:
    """Every suffix of a history is a window; its extremes are the newest recommendation and those that are kept."""
    for history in product(range(1, 4), repeat=4):
        highs, lows = (history[0],), (history[0],)
        for each in history[1:]:
            highs, lows = highest(highs, each), lowest(lows, each)
        ends = [history[first:] for first in range(len(history))]
        assert set(highs) == {max(each) for each in ends}
        assert set(lows) == {min(each) for each in ends}


def test_without_behavior_an_earlier_recommendation_may_scale_up_and_with_it_only_delay() -> None:
    plain, own = scaler(1, 10), scaler(1, 10, Behavior(Direction(UP.policies, waits=True), DOWN))
    assert stabilized(plain, 1, 1, 3, 1) == 3
    assert stabilized(own, 1, 1, 3, 1) == 1
    assert stabilized(own, 5, 1, 3, 1) == 3
    assert stabilized(own, 2, 6, 6, 2) == 2
    assert stabilized(own, 2, 6, 6, 4) == 4
