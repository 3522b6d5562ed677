"""The replicas that an autoscaler computes: `proposed` by one metric, `joined` by several, `stabilized`, `limited`.

Kubernetes 1.34: pkg/controller/podautoscaler/replica_calculator.go and horizontal.go. The arithmetic is that of the Go
code: whole per cents rounded down, and ratios as floats of 64 bits.

Differs: the pods of a workload have equal requests. What was changed before within the period of a policy does not count.
"""

import math
from collections.abc import Iterable, Sequence

from schedcheck.model.autoscaling import Autoscaler, Direction, Policy

SCALE_UP_FACTOR, SCALE_UP_MINIMUM = 2, 4
INVALID = None
"""The proposal of a metric that cannot be measured."""


def utilization(pods: Sequence[int]) -> int:
    """Return the utilization of pods with equal requests, in whole per cent.

    Kubernetes 1.34: metrics/utilization.go, GetResourceUtilizationRatio.
    """
    return sum(pods) // len(pods)


def within(ratio: float, tolerances: tuple[float, float]) -> bool:
    """Whether a ratio of use to target is too close to 1 to matter.

    Kubernetes 1.34: replica_calculator.go, isWithin.
    """
    down, up = tolerances
    return (1.0 - down) <= ratio <= (1.0 + up)


def proposed(
    current: int, target: int, measured: Sequence[int], missing: int, unready: int, tolerances: tuple[float, float]
) -> int | None:
    """Return the replicas that a metric proposes, from the utilization of each measured pod in per cent.

    Pods without metrics count as using everything if fewer pods would do, and as idle if more are needed; then unready
    pods count as idle too. If they turn the direction, nothing changes.

    Kubernetes 1.34: replica_calculator.go, GetResourceReplicas.
    """
    if not measured:
        return INVALID
    ratio = utilization(measured) / target
    fills = unready > 0 and ratio > 1.0
    if not fills and missing == 0:
        return current if within(ratio, tolerances) else math.ceil(ratio * len(measured))
    assumed = (*measured, *_assumed(ratio, target, missing), *((0,) * unready if fills else ()))
    anew = utilization(assumed) / target
    if within(anew, tolerances) or (ratio < 1.0 < anew) or (anew < 1.0 < ratio):
        return current
    number = math.ceil(anew * len(assumed))
    turned = (anew < 1.0 and number > current) or (anew > 1.0 and number < current)
    return current if turned else number


def _assumed(ratio: float, target: int, missing: int) -> tuple[int, ...]:
    """Return the utilizations that pods without metrics are taken to have; none if the others are on target."""
    if ratio == 1.0:
        return ()
    return (max(100, target) if ratio < 1.0 else 0,) * missing


def joined(current: int, proposals: Iterable[int | None]) -> int | None:
    """Return the replicas that several metrics recommend: the most. Invalid metrics forbid fewer than now.

    Kubernetes 1.34: horizontal.go, computeReplicasForMetrics.
    """
    given = list(proposals)
    valid = [each for each in given if each is not None]
    most = max(valid, default=0)
    return INVALID if not valid or (len(valid) < len(given) and most < current) else most


def stabilized(autoscaler: Autoscaler, current: int, wanted: int, high: int, low: int) -> int:
    """Return the recommendation after stabilization; `high` and `low` are the extremes of the windows, with `wanted`.

    Without `behavior` the greatest recommendation of the window counts, even if it exceeds the current replicas.

    Kubernetes 1.34: horizontal.go, stabilizeRecommendation and stabilizeRecommendationWithBehaviors.
    """
    if autoscaler.behavior is None:
        return max(high, wanted)
    return min(max(current, min(low, wanted)), max(high, wanted))


def limited(autoscaler: Autoscaler, current: int, wanted: int) -> int:
    """Return the replicas that are set: within minReplicas, maxReplicas and the limits of one step.

    Kubernetes 1.34: horizontal.go, convertDesiredReplicasWithRules and convertDesiredReplicasWithBehaviorRate.
    """
    least, most, behavior = autoscaler.least, autoscaler.most, autoscaler.behavior
    if behavior is None:
        return max(least, min(wanted, most, max(SCALE_UP_FACTOR * current, SCALE_UP_MINIMUM)))
    if wanted > current:
        return min(wanted, most, max(current, _limit(behavior.up, current, up=True)))
    if wanted < current:
        return max(wanted, least, min(current, _limit(behavior.down, current, up=False)))
    return max(least, min(wanted, most))


def _limit(direction: Direction, current: int, *, up: bool) -> int:
    """Return the replicas that the policies of a direction allow at most, or at least.

    Kubernetes 1.34: horizontal.go, calculateScaleUpLimitWithScalingRules and calculateScaleDownLimitWithBehaviors.
    """
    if direction.select == "Disabled":
        return current
    limits = [_reached(policy, current, up=up) for policy in direction.policies]
    return max(limits) if up == (direction.select == "Max") else min(limits)


def _reached(policy: Policy, current: int, *, up: bool) -> int:
    if policy.unit == "Pods":
        return current + policy.value if up else current - policy.value
    share = policy.value / 100
    return math.ceil(current * (1 + share)) if up else int(current * (1 - share))


def highest(earlier: Sequence[int], wanted: int) -> tuple[int, ...]:
    """Return the recommendations, the newest last, that may be the greatest of a window: each exceeds all that follow."""
    return (*(each for each in earlier if each > wanted), wanted)


def lowest(earlier: Sequence[int], wanted: int) -> tuple[int, ...]:
    """Return the recommendations, the newest last, that may be the least of a window: each is below all that follow."""
    return (*(each for each in earlier if each < wanted), wanted)
