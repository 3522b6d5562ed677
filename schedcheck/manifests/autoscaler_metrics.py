"""The metrics of HorizontalPodAutoscalers, and what may be read of them: `metrics`, `Readings`.

Kubernetes 1.34: pkg/controller/podautoscaler/horizontal.go, computeReplicasForMetric;
pkg/apis/autoscaling/v1/conversion.go and v2/defaults.go.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.errors import InputError
from schedcheck.manifests.fields import INT32, Field, Place
from schedcheck.model.autoscaling import Aim, Metric
from schedcheck.model.scenario import AUTOSCALER
from schedcheck.spec.kubernetes.requests import wanted
from schedcheck.spec.objects import Pod

TARGET_UTILIZATION = 80
MOST_TIMES = 20_000
"""The most times the target that a reading may be: 100,000 replicas with it stay below 2^31."""
MOST_TARGET = 2**62 // (MOST_TIMES * 100_000)
"""The greatest target of which the autoscaler adds so many without exceeding 64 bits."""

Percentages = tuple[int, ...] | None


@dataclass(frozen=True)
class Readings:
    """What autoscalers may read.

    The utilizations of pods that have settled, those of pods that have just started, and values in thousandths by the names of
    metrics; `Autoscaler` and `Metric` say how.
    """

    settled: Percentages = None
    starting: Percentages = None
    values: Mapping[str, tuple[int, ...]] = frozendict()


@dataclass(frozen=True)
class Measured:
    """The pods that an autoscaler measures: their forms, and the spec of the template that they are made from."""

    forms: Sequence[Pod]
    template: Field


def metrics(spec: Field, pods: Measured, readings: Readings, place: Place) -> Iterator[Metric]:
    """Yield the metrics, by default the utilization of cpu; `place` is where the readings are given.

    Raises: InputError for metrics that are not modelled, or without readings.
    """
    own = spec["targetCPUUtilizationPercentage"]
    if own or not spec["metrics"].items():
        target = own.integer(1) if own else TARGET_UTILIZATION
        yield _utilization("cpu", target, spec["container"], spec, pods, readings)
    for each in spec["metrics"].items() if not own else ():
        kind = each["type"].one_of(tuple(FIELDS))
        if not kind:
            raise each["type"].error(f"expected one of {', '.join(FIELDS)}")
        source = each[FIELDS[kind]]
        if kind in ("Resource", "ContainerResource"):
            yield _of_resource(source, kind == "ContainerResource", pods, readings, place)
        elif kind == "Pods":
            yield _of_values(source, source["target"]["averageValue"], "AverageValue", readings, place)
        else:
            yield _of_object(source, kind, readings, place)


def _of_resource(source: Field, within: bool, pods: Measured, readings: Readings, place: Place) -> Metric:
    name, target = source["name"].required("the name of a resource"), source["target"]
    if within:
        source["container"].required("the name of a container")
    if target["averageValue"]:
        return _with_values(name, target["averageValue"], "AverageValue", True, readings, place)
    return _utilization(
        name, target["averageUtilization"].integer(1), source["container"], source["name"], pods, readings
    )


def _of_object(source: Field, kind: str, readings: Readings, place: Place) -> Metric:
    """Return a metric of an object, whose type of target counts, or of something external, whose average value does."""
    target = source["target"]
    named = target["type"].text()
    average = named == "AverageValue" if kind == "Object" else bool(target["averageValue"])
    if kind == "Object" and named not in ("Value", "AverageValue"):
        raise target["type"].error("expected Value or AverageValue")
    given = target["averageValue"] if average else target["value"]
    return _of_values(source, given, "ValuePerReplica" if average else "Value", readings, place)


def _of_values(source: Field, target: Field, aim: Aim, readings: Readings, place: Place) -> Metric:
    name = source["metric"]["name"].required("the name of a metric")
    return _with_values(name, target, aim, False, readings, place)


def _with_values(name: str, target: Field, aim: Aim, resource: bool, readings: Readings, place: Place) -> Metric:
    """Return a metric whose values are read. Raises: InputError without readings."""
    thousandths = -(-target.quantity() // 10**6)
    if not 0 < thousandths <= MOST_TARGET:
        raise target.error(f"expected a quantity above 0 and up to {MOST_TARGET // 1000:,}")
    values = readings.values.get(name, ())
    if not values:
        said = f"the controller {AUTOSCALER} needs values for the metric {name}, as values: {{{name}: [1, 5]}}"
        raise InputError(said, **place)
    _refuse_great(values, thousandths, target)
    return Metric(name, thousandths, aim=aim, resource=resource, values=values)


def _utilization(
    resource: str, target: int, container: Field, field: Field, pods: Measured, readings: Readings
) -> Metric:
    """Return a metric that is a share of the requests; it is always invalid if one is missing, or if all are 0.

    Kubernetes 1.34: replica_calculator.go, calculateRequests; metrics/utilization.go, GetResourceUtilizationRatio.
    """
    if container:
        requests = {_of_container(form, resource, container, pods.template) for form in pods.forms}
    else:
        requests = {_requested(form, resource) for form in pods.forms}
    if len(requests) > 1:
        raise field.error(f"its pods request different amounts of {resource}, which is not modelled")
    _refuse_great((*(readings.settled or ()), *(readings.starting or ())), target, field)
    return Metric(resource, target, not requests & {None, 0})


def _refuse_great(readings: Sequence[int], target: int, field: Field) -> None:
    """Raises: InputError for readings at which the integers of the autoscaler may overflow."""
    if readings and not max(readings) <= min(MOST_TIMES * target, INT32 * 1000):
        said = f"a reading of more than {MOST_TIMES:,} times the target may exceed the integers of the autoscaler"
        raise field.error(f"{said}, which is not modelled")


def _requested(pod: Pod, resource: str) -> int | None:
    """Return the amount that a pod requests; None if a container lacks the request, unless the pod as a whole has some."""
    if pod.pod_requests:
        return wanted(pod).get(resource)
    own = [*pod.containers, *(each for each in pod.init_containers if each.sidecar)]
    return sum(each.requests[resource] for each in own) if all(resource in each.requests for each in own) else None


def _of_container(pod: Pod, resource: str, container: Field, template: Field) -> int | None:
    """Return the amount that the container of this name requests, None if it lacks the request.

    Raises: InputError if the pod has other containers than the template, which alone has their names.
    """
    for kind, own in (("containers", pod.containers), ("initContainers", pod.init_containers)):
        names = [each["name"].text() for each in template[kind].items()]
        if len(names) != len(own):
            raise container.error(f"pod {pod} has other containers than the template, which is not modelled")
        if container.text() in names:
            found = own[names.index(container.text())]
            return found.requests.get(resource) if kind == "containers" or found.sidecar else None
    return None


FIELDS = {
    "Resource": "resource",
    "ContainerResource": "containerResource",
    "Pods": "pods",
    "Object": "object",
    "External": "external",
}
"""The field of each type of metric."""
