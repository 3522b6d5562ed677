"""What an autoscaler may read, and what it may recommend then: `recommendations`.

Kubernetes 1.34: pkg/controller/podautoscaler/replica_calculator.go, groupPods and getReadyPodsCount.

Differs: time is abstract. A pod that has started may count as unready, for cpu, or lack metrics until it has settled;
one that has settled has metrics and is ready. All pods that are read alike use the same share of their requests. A pod
that is being deleted may be ready or not. The status of the workload counts the pods that are there.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from schedcheck.model.autoscaling import Autoscaler, Metric
from schedcheck.model.controllers.autoscaler.replicas import average, by_share, by_value, joined, proposed
from schedcheck.spec.objects import Pod
from schedcheck.spec.quantities import Quantity

Proposal = tuple[int | None, int | None]
"""The replicas that a metric proposes, None if it is invalid; and what is read for it, None if nothing is."""


@dataclass(frozen=True)
class Counts:
    """The pods of a workload.

    `settled` and `fresh` ones run, `pending` ones do not yet, `ended` ones have no metrics, `leaving` ones run and are being
    deleted, and `others` are failed or being deleted before they run.
    """

    settled: int = 0
    fresh: int = 0
    pending: int = 0
    ended: int = 0
    leaving: int = 0
    others: int = 0

    @property
    def any(self) -> bool:
        """Whether there is a pod at all."""
        return self != Counts()

    @property
    def active(self) -> int:
        """The replicas by the status of the workload."""
        return self.settled + self.fresh + self.pending


def counted(pods: Iterable[tuple[Pod, bool]]) -> Counts:
    """Return the counts of pods, each with whether it is fresh."""
    return Counts(**Counter(_kind(pod, fresh=fresh) for pod, fresh in pods))


def _kind(pod: Pod, *, fresh: bool) -> str:
    if pod.terminating:
        return "leaving" if pod.phase == "Running" else "others"
    if pod.phase == "Running":
        return "fresh" if fresh else "settled"
    return {"Pending": "pending", "Failed": "others"}.get(pod.phase, "ended")


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
                    _said([(metric, read) for metric, (_, read) in zip(autoscaler.metrics, each, strict=True)]),
                )


def _said(read: Sequence[tuple[Metric, int | None]]) -> str:
    if len(read) == 1:
        return _text(*read[0])
    return ", ".join(f"{metric.name} {_text(metric, value)}" for metric, value in read)


def _text(metric: Metric, value: int | None) -> str:
    if value is None:
        return "unknown"
    return f"{value}%" if metric.aim == "Utilization" else str(Quantity(value, -3, "DecimalSI").canonical())


def _of_metric(
    metric: Metric, autoscaler: Autoscaler, current: int, counts: Counts, missing: int
) -> Iterator[Proposal]:
    """Yield the proposals of a metric, each with one value that is read; `missing` fresh pods lack metrics."""
    seen = set[int | None]()
    for number, read in _proposals(metric, autoscaler, current, counts, missing):
        if number not in seen:
            seen.add(number)
            yield number, read


def _proposals(
    metric: Metric, autoscaler: Autoscaler, current: int, counts: Counts, missing: int
) -> Iterator[Proposal]:
    if metric.aim == "Value":
        own = counts.settled + (0 if autoscaler.probed else counts.fresh)
        for value, ready in product(metric.values, range(own, own + counts.leaving + 1)):
            among = ready if counts.any else None
            yield by_value(current, metric.target, value, among, autoscaler.tolerances), value
    elif metric.aim == "ValuePerReplica":
        for value in metric.values:
            yield by_share(counts.active, metric.target, value, autoscaler.tolerances), value
    else:
        yield from _of_pods(metric, autoscaler, current, counts, missing)


def _of_pods(metric: Metric, autoscaler: Autoscaler, current: int, counts: Counts, missing: int) -> Iterator[Proposal]:
    if not metric.measurable:
        yield None, None
        return
    known = counts.fresh - missing
    most_unready = known if metric.skips_unready else 0
    for unready in range(most_unready if autoscaler.probed else 0, most_unready + 1):
        for measured in _measured(metric, autoscaler, counts.settled, known - unready):
            lacking, left_out = missing + counts.ended, unready + counts.pending
            number = proposed(current, metric, measured, lacking, left_out, autoscaler.tolerances)
            yield number, average(measured) if measured else None


def _measured(metric: Metric, autoscaler: Autoscaler, settled: int, fresh: int) -> Iterator[tuple[int, ...]]:
    """Yield the uses of the measured pods. Only utilizations may differ while pods start."""
    if metric.aim != "Utilization":
        yield from ((each,) * (settled + fresh) for each in metric.values)
        return
    readings: Sequence[int] = autoscaler.readings if autoscaler.readings is not None else every(metric, autoscaler)
    if autoscaler.starting is None:
        yield from ((each,) * (settled + fresh) for each in readings)
        return
    for each in readings if settled else (0,):
        yield from ((each,) * settled + (start,) * fresh for start in (autoscaler.starting if fresh else (0,)))


def every(metric: Metric, autoscaler: Autoscaler) -> range:
    """Return the utilizations that stand for any: from the last on, one pod alone calls for maxReplicas."""
    return range(metric.target * (autoscaler.most + 1) + 1)
