"""HorizontalPodAutoscalers with their workloads as the records of tla/AutoscalerReplicas.tla: `scaler_constants`.

The modules compute with integers. A scenario for which the floats of the autoscaler could give other numbers, or which has
too many readings to be sure of that, is refused.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from schedcheck.model.autoscaling import Autoscaler, Direction, Metric
from schedcheck.model.controllers.autoscaler.autoscaling import waits
from schedcheck.model.controllers.autoscaler.reading import every
from schedcheck.model.controllers.autoscaler.replicas import full, within
from schedcheck.model.rollouts import Rollout
from schedcheck.model.scenario import Scenario
from schedcheck.tla_export.amounts import within as countable
from schedcheck.tla_export.text import NotExportable, Record, Set, Value

MOST_AVERAGES = 200_000
"""The most averages of which rounding is tried."""


def scaler_constants(scenario: Scenario) -> dict[str, Value]:
    """Return the constants of tla/KubeScaledCluster.tla; none without autoscalers. Raises: NotExportable."""
    if not scenario.autoscalers:
        return {}
    if "owners" in scenario.controllers:
        raise NotExportable("the controllers owners and autoscaler together have no module in tla/")
    pairs = zip(scenario.rollouts, scenario.autoscalers, strict=True)
    return {"Scalers": tuple(_scaler(rollout, autoscaler) for rollout, autoscaler in pairs)}


def _scaler(rollout: Rollout, autoscaler: Autoscaler) -> Record:
    tolerances = (_fraction(autoscaler.tolerances[0]), _fraction(autoscaler.tolerances[1]))
    for metric in autoscaler.metrics:
        _refuse_rounding(metric, autoscaler, len(rollout.forms), tolerances)
    down, up = waits(autoscaler)
    behavior = autoscaler.behavior
    most = max(autoscaler.most, len(rollout.forms))
    return Record(
        {
            "Workload": str(rollout),
            "Kind": rollout.kind,
            "Ordered": rollout.ordered,
            "Forms": tuple(form.key for form in rollout.forms),
            "Costs": Set(tuple(sorted((key, cost) for key, cost in rollout.costs.items()))),
            "Replicas": rollout.replicas,
            "Given": autoscaler.given,
            "Least": autoscaler.least,
            "Most": autoscaler.most,
            "Metrics": tuple(_metric(each, autoscaler) for each in autoscaler.metrics),
            "Starting": Set(autoscaler.starting or ()),
            "Probed": autoscaler.probed,
            "Down": _direction(None if behavior is None else behavior.down, tolerances[0], most),
            "Up": _direction(None if behavior is None else behavior.up, tolerances[1], most),
            "Behaves": behavior is not None,
            "WaitsDown": down,
            "WaitsUp": up,
        }
    )


def _fraction(tolerance: float) -> Fraction:
    return Fraction(tolerance).limit_denominator(10**9)


def _metric(metric: Metric, autoscaler: Autoscaler) -> Record:
    return Record(
        {
            "Aim": metric.aim,
            "Target": metric.target,
            "Measurable": metric.measurable,
            "SkipsUnready": metric.skips_unready,
            "Full": full(metric),
            "Values": Set(tuple(_values(metric, autoscaler))),
        }
    )


def _values(metric: Metric, autoscaler: Autoscaler) -> Sequence[int]:
    """Return the values that may be read of pods that have settled."""
    if metric.aim != "Utilization":
        return metric.values
    return every(metric, autoscaler) if autoscaler.readings is None else autoscaler.readings


def _direction(direction: Direction | None, tolerance: Fraction, most: int) -> Record:
    policies = () if direction is None else direction.policies
    for policy in policies:
        for current in range(most + 1) if policy.unit == "Percent" else ():
            share = policy.value / 100
            floats = math.ceil(current * (1 + share)), int(current * (1 - share))
            exact = -(-current * (100 + policy.value) // 100), current * (100 - policy.value) // 100
            if floats[0] != exact[0] or (policy.value <= 100 and floats[1] != exact[1]):
                raise NotExportable(f"{policy.value} per cent of {current} replicas are rounded as floats")
        countable((most + 1) * (100 + policy.value), "the replicas of a policy")
    return Record(
        {
            "Select": "Max" if direction is None else direction.select,
            "Policies": tuple(Record({"Unit": each.unit, "Value": each.value}) for each in policies),
            "Tolerance": (tolerance.numerator, tolerance.denominator),
        }
    )


def _refuse_rounding(metric: Metric, autoscaler: Autoscaler, pods: int, tolerances: tuple[Fraction, Fraction]) -> None:
    """Raises: NotExportable if floats could give other replicas than integers, or integers beyond those of TLC."""
    down, up = tolerances
    seen = set[int]()
    for number, use in enumerate(_averages(metric, autoscaler, pods)):
        if number > MOST_AVERAGES:
            raise NotExportable(f"the metric {metric.name} has too many readings to be sure of their rounding")
        seen.add(use)
    for use in sorted(seen):
        targets = (
            [metric.target * each for each in range(1, pods + 1)]
            if metric.aim == "ValuePerReplica"
            else [metric.target]
        )
        for target in targets:
            most = max(use, target) * (max(down.denominator, up.denominator) + max(down.numerator, up.numerator))
            countable(max(most, use * (pods + 1)), f"a reading of the metric {metric.name}")
            exactly = 1 - down <= Fraction(use, target) <= 1 + up
            rounded = any(math.ceil(use / target * each) != -(-use * each // target) for each in range(1, pods + 1))
            if rounded or exactly != within(use / target, autoscaler.tolerances):
                raise NotExportable(f"{use} by {target} of the metric {metric.name} is rounded as a float")


def _averages(metric: Metric, autoscaler: Autoscaler, pods: int) -> Iterator[int]:
    """Yield every average of the uses of pods, and every value of an object."""
    values = _values(metric, autoscaler)
    if metric.aim in ("Value", "ValuePerReplica"):
        yield from values
        return
    starting = autoscaler.starting if metric.aim == "Utilization" and autoscaler.starting is not None else (0,)
    for use, start in product(values, starting):
        for settled, fresh, whole, idle in product(range(pods + 1), repeat=4):
            count = settled + fresh + whole + idle
            if 0 < count <= pods:
                yield (use * settled + start * fresh + full(metric) * whole) // count
