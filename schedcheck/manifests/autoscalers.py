"""HorizontalPodAutoscalers of the input: `Scaled`, an object with its target; `autoscaler`, its meaning.

Kubernetes 1.34: pkg/apis/autoscaling/v1 and v2, defaults.go; pkg/apis/autoscaling/validation/validation.go.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from schedcheck.manifests.autoscaler_metrics import Measured, Readings, metrics
from schedcheck.manifests.fields import INT32, Field, Place
from schedcheck.model.autoscaling import DOWN, TOLERANCE, UP, Autoscaler, Behavior, Direction, Policy
from schedcheck.model.scenario import AUTOSCALER as NAME
from schedcheck.spec.objects import Pod

KIND = "HorizontalPodAutoscaler"
VERSIONS = ("autoscaling/v2", "autoscaling/v1")
ANNOTATED = ("autoscaling.alpha.kubernetes.io/metrics", "autoscaling.alpha.kubernetes.io/behavior")
"""The annotations in which autoscaling/v1 has the fields of autoscaling/v2."""
TARGETS = ("Deployment", "ReplicaSet", "StatefulSet")
MOST_SECONDS = 3600
MOST_PERIOD = 1800
MOST_CHANGE = 1_000_000
"""The most pods or per cent of a policy: with it 100,000 replicas stay below 2^31."""
PROBES = ("readinessProbe", "startupProbe")


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


def autoscaler(scaled: Scaled, forms: Sequence[Pod], readings: Readings, place: Place) -> Autoscaler:
    """Return what an object means for pods of these forms; `place` is where the readings are given.

    Raises: InputError for what is not modelled.
    """
    field = scaled.autoscaler
    if field["apiVersion"].text() not in ("", *VERSIONS):
        raise field["apiVersion"].error(f"expected {' or '.join(VERSIONS)}")
    for name in ANNOTATED:
        if field["metadata"]["annotations"][name]:
            raise field["metadata"]["annotations"][name].error("not modelled: give the object as autoscaling/v2")
    spec = field["spec"]
    least = spec["minReplicas"].integer(0) if spec["minReplicas"] else 1
    if least == 0 or _scaled_to_zero(field):
        raise (spec["minReplicas"] if least == 0 else field["status"]["conditions"]).error(
            "scaling to 0 is not modelled"
        )
    most = spec["maxReplicas"].integer(1)
    if most < least:
        raise spec["maxReplicas"].error("expected at least minReplicas")
    assert scaled.workload is not None, "a target that the input lacks is refused before"
    template = scaled.workload["spec"]["template"]["spec"]
    return Autoscaler(
        name=field["metadata"]["name"].text(),
        least=least,
        most=most,
        metrics=tuple(metrics(spec, Measured(forms, template), readings, place)),
        behavior=_behavior(spec["behavior"]) if spec["behavior"] else None,
        readings=readings.settled,
        starting=readings.starting,
        probed=any(each[probe] for each in template["containers"].items() for probe in PROBES),
    )


def _scaled_to_zero(field: Field) -> bool:
    """Whether an autoscaler has scaled the workload to 0 replicas, so that it may scale it up again."""
    conditions = field["status"]["conditions"].items()
    return any(each["type"].text() == "ScaledToZero" and each["status"].text() == "True" for each in conditions)


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
        tolerance=_float(field["tolerance"].quantity()) if field["tolerance"] else TOLERANCE,
    )


def _float(billionths: int) -> float:
    """Return a tolerance as the float that the autoscaler reads from its canonical form.

    Kubernetes 1.34: apimachinery, pkg/api/resource/quantity.go, AsApproximateFloat64.
    """
    digits, exponent = billionths, -9
    while digits and digits % 1000 == 0 and exponent < 0:
        digits, exponent = digits // 1000, exponent + 3
    return digits * float(f"1e{exponent}")


def _policy(field: Field) -> Policy:
    field.only("type", "value", "periodSeconds")
    kind = field["type"].one_of(("Pods", "Percent"))
    if not kind:
        raise field["type"].error("expected Pods or Percent")
    value = field["value"].integer(1, INT32 - 1)
    if value > MOST_CHANGE:
        raise field["value"].error(
            f"more than {MOST_CHANGE:,} may exceed the integers of the autoscaler, which is not modelled"
        )
    seconds = field["periodSeconds"].integer(1, MOST_PERIOD)
    return Policy("Pods" if kind == "Pods" else "Percent", value, seconds)
