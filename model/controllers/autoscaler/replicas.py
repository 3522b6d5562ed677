"""The replicas that an autoscaler computes: `proposed` and others by one metric, `joined` by several, `stabilized`, `limited`.

Kubernetes 1.34: pkg/controller/podautoscaler/replica_calculator.go and horizontal.go. The arithmetic is that of the Go
code: whole per cents rounded down, and ratios as floats of 64 bits.

Differs: the pods of a workload have equal requests. Integers do not overflow.
"""

import math
from collections.abc import Callable, Iterable, Sequence

from schedcheck.model.autoscaling import Autoscaler, Direction, Metric, Policy

SCALE_UP_FACTOR, SCALE_UP_MINIMUM = 2, 4
INVALID = None
"""The proposal of a metric that cannot be measured."""


Tolerances = tuple[float, float]
"""Of scaling down, and of scaling up."""

Changes = Callable[[int], tuple[int, int]]
"""The replicas that an autoscaler has added, and has removed, in the last so many seconds."""


def average(pods: Sequence[int]) -> int:
    """Return the average utilization of pods with equal requests, in whole per cent; or their average use in thousandths.

    Kubernetes 1.34: metrics/utilization.go, GetResourceUtilizationRatio and GetMetricUsageRatio.
    """
    return sum(pods) // len(pods)


def within(ratio: float, tolerances: Tolerances) -> bool:
    """Whether a ratio of use to target is too close to 1 to matter.

    Kubernetes 1.34: replica_calculator.go, isWithin.
    """
    down, up = tolerances
    return (1.0 - down) <= ratio <= (1.0 + up)


def full(metric: Metric) -> int:
    """Return the use of a pod without metrics where fewer pods would do: all of its request, or the target."""
    return max(100, metric.target) if metric.aim == "Utilization" else metric.target


def proposed(
    current: int, metric: Metric, measured: Sequence[int], missing: int, unready: int, tolerances: Tolerances
) -> int | None:
    """Return the replicas that a metric of pods proposes, from the use of each measured pod.

    Pods without metrics count as fully used if fewer pods would do, and as idle if more are needed; then unready
    pods count as idle too. If they turn the direction, nothing changes.

    Kubernetes 1.34: replica_calculator.go, GetResourceReplicas and calcPlainMetricReplicas.
    """
    if not measured or not metric.measurable:
        return INVALID
    ratio = average(measured) / metric.target
    fills = unready > 0 and ratio > 1.0
    if not fills and missing == 0:
        return current if within(ratio, tolerances) else math.ceil(ratio * len(measured))
    assumed = (*measured, *_assumed(ratio, full(metric), missing), *((0,) * unready if fills else ()))
    anew = average(assumed) / metric.target
    if within(anew, tolerances) or (ratio < 1.0 < anew) or (anew < 1.0 < ratio):
        return current
    number = math.ceil(anew * len(assumed))
    turned = (anew < 1.0 and number > current) or (anew > 1.0 and number < current)
    return current if turned else number


def _assumed(ratio: float, most: int, missing: int) -> tuple[int, ...]:
    """Return the uses that pods without metrics are taken to have; none if the others are on target."""
    if ratio == 1.0:
        return ()
    return (most if ratio < 1.0 else 0,) * missing


def by_value(current: int, target: int, value: int, ready: int | None, tolerances: Tolerances) -> int | None:
    """Return the replicas that the value of an object proposes: `ready` pods have led to it. None if the workload has no pod.

    Kubernetes 1.34: replica_calculator.go, getUsageRatioReplicaCount.
    """
    ratio = value / target
    if within(ratio, tolerances):
        return current
    return INVALID if ready is None else math.ceil(ratio * ready)


def by_share(status: int, target: int, value: int, tolerances: Tolerances) -> int:
    """Return the replicas that the value of an object proposes, of which each replica is to have its share.

    `status`: the replicas by the status of the workload.

    Kubernetes 1.34: replica_calculator.go, GetObjectPerPodMetricReplicas and GetExternalPerPodMetricReplicas.
    """
    if status and within(value / (target * float(status)), tolerances):
        return status
    return math.ceil(value / target)


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


def unchanged(seconds: int) -> tuple[int, int]:
    """Return the changes of an autoscaler that has changed nothing for long."""
    return 0, 0


def limited(autoscaler: Autoscaler, current: int, wanted: int, changes: Changes = unchanged) -> int:
    """Return the replicas that are set: within minReplicas, maxReplicas and the limits of one step.

    Kubernetes 1.34: horizontal.go, convertDesiredReplicasWithRules and convertDesiredReplicasWithBehaviorRate.
    """
    least, most, behavior = autoscaler.least, autoscaler.most, autoscaler.behavior
    if behavior is None:
        return max(least, min(wanted, most, max(SCALE_UP_FACTOR * current, SCALE_UP_MINIMUM)))
    if wanted > current:
        return min(wanted, most, max(current, _limit(behavior.up, current, changes, up=True)))
    if wanted < current:
        return max(wanted, least, min(current, _limit(behavior.down, current, changes, up=False)))
    return max(least, min(wanted, most))


def _limit(direction: Direction, current: int, changes: Changes, *, up: bool) -> int:
    """Return the replicas that the policies of a direction allow at most, or at least.

    Kubernetes 1.34: horizontal.go, calculateScaleUpLimitWithScalingRules and calculateScaleDownLimitWithBehaviors.
    """
    if direction.select == "Disabled":
        return current
    limits = [_reached(policy, current, changes, up=up) for policy in direction.policies]
    return max(limits) if up == (direction.select == "Max") else min(limits)


def _reached(policy: Policy, current: int, changes: Changes, *, up: bool) -> int:
    """Return the replicas that a policy allows, which counts from the replicas when its period began."""
    added, removed = changes(policy.seconds)
    begun = current - added + removed
    if policy.unit == "Pods":
        return begun + policy.value if up else begun - policy.value
    share = policy.value / 100
    return math.ceil(begun * (1 + share)) if up else int(begun * (1 - share))


def highest(earlier: Sequence[int], wanted: int) -> tuple[int, ...]:
    """Return the recommendations, the newest last, that may be the greatest of a window: each exceeds all that follow."""
    return (*(each for each in earlier if each > wanted), wanted)


def lowest(earlier: Sequence[int], wanted: int) -> tuple[int, ...]:
    """Return the recommendations, the newest last, that may be the least of a window: each is below all that follow."""
    return (*(each for each in earlier if each < wanted), wanted)
