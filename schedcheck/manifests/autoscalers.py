"""HorizontalPodAutoscalers of the input: `Scaled`, an object with its target; `autoscaler`, its meaning.

Kubernetes 1.34: pkg/apis/autoscaling/v1 and v2, defaults.go; pkg/apis/autoscaling/validation/validation.go.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from schedcheck.manifests.fields import INT32, Field
from schedcheck.model.autoscaling import DOWN, TOLERANCE, UP, Autoscaler, Behavior, Direction, Metric, Policy
from schedcheck.model.scenario import AUTOSCALER as NAME
from schedcheck.spec.objects import Pod

KIND = "HorizontalPodAutoscaler"
VERSIONS = ("autoscaling/v2", "autoscaling/v1")
TARGETS = ("Deployment", "ReplicaSet", "StatefulSet")
TARGET_UTILIZATION = 80
MOST_SECONDS = 3600
PROBES = ("readinessProbe", "startupProbe")

Percentages = tuple[int, ...] | None


@dataclass(frozen=True)
class Scaled:
    """A HorizontalPodAutoscaler, and the workload that it names; None if the input lacks that."""

    autoscaler: Field
    workload: Field | None

    @property
    def target(self) -> tuple[str, str, str]:
        """The namespace, kind and name of the workload."""
        named = self.autoscaler["spec"]["scaleTargetRef"]
        return (
            self.autoscaler["metadata"]["namespace"].text() or "default",
            named["kind"].text(),
            named["name"].text(),
        )

    def __str__(self) -> str:
        namespace, kind, name = self.target
        return f"{'' if namespace == 'default' else f'{namespace}/'}{kind.lower()}/{name}"


def scaled_by(autoscalers: Collection[Field], workloads: Iterable[tuple[str, Field]]) -> Iterator[Scaled]:
    """Yield the autoscalers with their workloads, given with their kinds, in the order of the workloads' names."""
    there = {
        (each["metadata"]["namespace"].text() or "default", kind, each["metadata"]["name"].text()): each
        for kind, each in workloads
    }
    found = [Scaled(each, None) for each in autoscalers]
    for scaled in sorted(found, key=lambda each: (each.target, each.autoscaler["metadata"]["name"].text())):
        yield Scaled(scaled.autoscaler, there.get(scaled.target))


def autoscalers_named(spec: Field) -> list[Field]:
    """Return the items among the controllers of a scenario that name autoscalers."""
    named = spec["controllers"].items()
    return [each for each in named if each.value == NAME or (isinstance(each.value, dict) and NAME in each.value)]


def names_autoscaler(scenario: Field | None) -> bool:
    """Whether a scenario has autoscalers among its controllers."""
    return scenario is not None and autoscalers_named(scenario["spec"]) != []


def autoscaler(scaled: Scaled, forms: Sequence[Pod], readings: Percentages, starting: Percentages) -> Autoscaler:
    """Return what an object means for pods of these forms. Raises: InputError for what is not modelled."""
    field = scaled.autoscaler
    if field["apiVersion"].text() not in ("", *VERSIONS):
        raise field["apiVersion"].error(f"expected {' or '.join(VERSIONS)}")
    spec = field["spec"]
    least = spec["minReplicas"].integer(1) if spec["minReplicas"] else 1
    most = spec["maxReplicas"].integer(1)
    if most < least:
        raise spec["maxReplicas"].error("expected at least minReplicas")
    assert scaled.workload is not None, "a target that the input lacks is refused before"
    containers = scaled.workload["spec"]["template"]["spec"]["containers"].items()
    return Autoscaler(
        name=field["metadata"]["name"].text(),
        least=least,
        most=most,
        metrics=tuple(_metrics(spec, forms)),
        behavior=_behavior(spec["behavior"]) if spec["behavior"] else None,
        readings=readings,
        starting=starting,
        probed=any(each[probe] for each in containers for probe in PROBES),
    )


def _metrics(spec: Field, forms: Sequence[Pod]) -> Iterator[Metric]:
    """Yield the metrics, by default the utilization of cpu."""
    own = spec["targetCPUUtilizationPercentage"]
    if own or not spec["metrics"].items():
        yield _metric("cpu", own.integer(1) if own else TARGET_UTILIZATION, spec, forms)
        return
    for each in spec["metrics"].items():
        if each["type"].text() != "Resource":
            raise each["type"].error("only metrics of type Resource are modelled")
        resource, target = each["resource"], each["resource"]["target"]
        if target["type"].text() != "Utilization":
            raise target["type"].error("only the target type Utilization is modelled")
        name = resource["name"].required("the name of a resource")
        yield _metric(name, target["averageUtilization"].integer(1), resource["name"], forms)


def _metric(resource: str, target: int, field: Field, forms: Sequence[Pod]) -> Metric:
    """Return a metric. It is measurable if each container requests the resource, or the pod as a whole does.

    Kubernetes 1.34: replica_calculator.go, calculatePodRequests.
    """
    requests = {_requested(form, resource) for form in forms}
    if len(requests) > 1:
        raise field.error(f"its pods request different amounts of {resource}, which is not modelled")
    return Metric(resource, target, None not in requests)


def _requested(pod: Pod, resource: str) -> int | None:
    if resource in pod.pod_requests:
        return pod.pod_requests[resource]
    own = [each.requests for each in (*pod.containers, *(each for each in pod.init_containers if each.sidecar))]
    return sum(each[resource] for each in own) if all(resource in each for each in own) else None


def _behavior(field: Field) -> Behavior:
    field.only("scaleUp", "scaleDown")
    return Behavior(_direction(field["scaleUp"], UP), _direction(field["scaleDown"], DOWN))


def _direction(field: Field, default: Direction) -> Direction:
    """Return the rules of one direction, with the defaults for what they lack."""
    field.only("stabilizationWindowSeconds", "selectPolicy", "policies", "tolerance")
    window = field["stabilizationWindowSeconds"]
    select = field["selectPolicy"].one_of(("Max", "Min", "Disabled"), "Max")
    return Direction(
        policies=tuple(map(_policy, field["policies"].items())) or default.policies,
        select="Min" if select == "Min" else "Disabled" if select == "Disabled" else "Max",
        waits=window.integer(0, MOST_SECONDS) > 0 if window else default.waits,
        tolerance=field["tolerance"].quantity() / 10**9 if field["tolerance"] else TOLERANCE,
    )


def _policy(field: Field) -> Policy:
    field.only("type", "value", "periodSeconds")
    kind = field["type"].one_of(("Pods", "Percent"))
    if not kind:
        raise field["type"].error("expected Pods or Percent")
    return Policy("Pods" if kind == "Pods" else "Percent", field["value"].integer(1, INT32 - 1))
