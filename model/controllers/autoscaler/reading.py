"""What an autoscaler may read of its pods, and what it may recommend then: `recommendations`.

Kubernetes 1.34: pkg/controller/podautoscaler/replica_calculator.go, groupPods.

Differs: time is abstract. A pod that has started may count as unready, for cpu, or lack metrics until it has settled;
one that has settled has metrics and is ready. All pods that are read alike use the same share of their requests.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from schedcheck.model.autoscaling import Autoscaler, Metric
from schedcheck.model.controllers.autoscaler.replicas import joined, proposed, utilization
from schedcheck.spec.objects import Pod

CPU = "cpu"


@dataclass(frozen=True)
class Counts:
    """The pods of a workload: `settled` and `fresh` ones that run, `pending` ones, and `ended` ones without metrics."""

    settled: int = 0
    fresh: int = 0
    pending: int = 0
    ended: int = 0


def counted(pods: Iterable[tuple[Pod, bool]]) -> Counts:
    """Return the counts of pods, each with whether it is fresh. Terminating and failed pods do not count."""
    kinds = Counter(
        "settled" if pod.phase == "Running" and not fresh else "fresh" if pod.phase == "Running"
        else "pending" if pod.phase == "Pending" else "ended"
        for pod, fresh in pods
        if not pod.terminating and pod.phase != "Failed"
    )  # fmt: skip
    return Counts(**kinds)


def recommendations(autoscaler: Autoscaler, current: int, counts: Counts) -> Iterator[tuple[int, str]]:
    """Yield each recommendation that some reading gives, within minReplicas and maxReplicas, with one such reading."""
    seen = set[int]()
    for missing in range(counts.fresh + 1):
        ways = [list(_of_metric(metric, autoscaler, current, counts, missing)) for metric in autoscaler.metrics]
        for each in product(*ways):
            most = joined(current, (number for number, _ in each))
            wanted = None if most is None else max(autoscaler.least, min(most, autoscaler.most))
            if wanted is not None and wanted not in seen:
                seen.add(wanted)
                yield (
                    wanted,
                    _said(
                        [(metric.resource, read) for metric, (_, read) in zip(autoscaler.metrics, each, strict=True)]
                    ),
                )


def _said(read: Sequence[tuple[str, int | None]]) -> str:
    if len(read) == 1:
        return f"{read[0][1]}%"
    return ", ".join(f"{name} {'unknown' if value is None else f'{value}%'}" for name, value in read)


def _of_metric(
    metric: Metric, autoscaler: Autoscaler, current: int, counts: Counts, missing: int
) -> Iterator[tuple[int | None, int | None]]:
    """Yield the proposals of a metric, each with one utilization that is read; `missing` fresh pods lack metrics."""
    if not metric.measurable:
        yield None, None
        return
    known, seen = counts.fresh - missing, set[int | None]()
    most_unready = known if metric.resource == CPU else 0
    for unready in range(most_unready if autoscaler.probed else 0, most_unready + 1):
        for measured in _measured(metric, autoscaler, counts.settled, known - unready):
            number = proposed(
                current,
                metric.target,
                measured,
                missing + counts.ended,
                unready + counts.pending,
                autoscaler.tolerances,
            )
            if number not in seen:
                seen.add(number)
                yield number, utilization(measured) if measured else None


def _measured(metric: Metric, autoscaler: Autoscaler, settled: int, fresh: int) -> Iterator[tuple[int, ...]]:
    """Yield the utilizations of the measured pods."""
    readings: Sequence[int] = autoscaler.readings if autoscaler.readings is not None else every(metric, autoscaler)
    if autoscaler.starting is None:
        yield from ((each,) * (settled + fresh) for each in readings)
        return
    for each in readings if settled else (0,):
        yield from ((each,) * settled + (start,) * fresh for start in (autoscaler.starting if fresh else (0,)))


def every(metric: Metric, autoscaler: Autoscaler) -> range:
    """Return the utilizations that stand for any: from the last on, one pod alone calls for maxReplicas."""
    return range(metric.target * (autoscaler.most + 1) + 1)
