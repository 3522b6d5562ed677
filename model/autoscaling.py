"""HorizontalPodAutoscalers as plain data: `Autoscaler`, `Scaling`. `model.controllers.autoscaler` gives them their meaning.

Kubernetes 1.34: staging/src/k8s.io/api/autoscaling/v2/types.go; pkg/apis/autoscaling/v2/defaults.go.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

TOLERANCE = 0.1
"""The flag --horizontal-pod-autoscaler-tolerance of kube-controller-manager, by default."""


@dataclass(frozen=True)
class Policy:
    """The most pods, or per cent of the pods, by which one period changes the replicas."""

    unit: Literal["Pods", "Percent"]
    value: int
    seconds: int = 15
    """The length of the period."""


@dataclass(frozen=True)
class Direction:
    """The rules of scaling up, or of scaling down, in `behavior`."""

    policies: tuple[Policy, ...]
    select: Literal["Max", "Min", "Disabled"] = "Max"
    waits: bool = False
    """Whether there is a stabilization window."""
    tolerance: float = TOLERANCE


UP = Direction((Policy("Pods", 4), Policy("Percent", 100)))
DOWN = Direction((Policy("Percent", 100),), waits=True)


@dataclass(frozen=True)
class Behavior:
    """The field `behavior`; a direction that it does not name has the defaults."""

    up: Direction = UP
    down: Direction = DOWN


Aim = Literal["Utilization", "AverageValue", "Value", "ValuePerReplica"]


@dataclass(frozen=True)
class Metric:
    """A metric with its target: of type Resource with averageUtilization, if nothing else is said.

    The aim AverageValue is the average over pods; an object or something external has the aim Value, or ValuePerReplica for
    its averageValue.
    """

    name: str
    """The resource, or the name of the metric."""
    target: int
    """In per cent of the requests for the aim Utilization, in thousandths otherwise."""
    measurable: bool = True
    """Whether all requests are there of which a utilization is a share; otherwise the metric is always invalid."""
    aim: Aim = "Utilization"
    resource: bool = True
    """Whether it is the use of a resource, by the pods or by one container of each."""
    values: tuple[int, ...] = ()
    """The values that may be read, in thousandths; for the aim Utilization the autoscaler has readings instead."""

    @property
    def skips_unready(self) -> bool:
        """Whether running pods that are not ready are left out."""
        return self.resource and self.name == "cpu"


@dataclass(frozen=True)
class Autoscaler:
    """An autoscaler of one workload, and what it may read.

    - `readings`: the utilizations of pods that have settled, in per cent; None for any. - `starting`: those of pods that
    have just started; None if they are the same. - `probed`: the pods have a readiness or startup probe, and are not ready
    before they have settled. - `given`: the manifest that was applied last has the field `replicas`.
    """

    name: str
    least: int
    most: int
    metrics: tuple[Metric, ...]
    behavior: Behavior | None = None
    readings: tuple[int, ...] | None = None
    starting: tuple[int, ...] | None = None
    probed: bool = False
    given: bool = False

    @property
    def tolerances(self) -> tuple[float, float]:
        """The tolerances of scaling down and of scaling up."""
        if self.behavior is None:
            return TOLERANCE, TOLERANCE
        return self.behavior.down.tolerance, self.behavior.up.tolerance


class Scaling(NamedTuple):
    """What changes of an autoscaled workload.

    - `replicas`: the field of its spec. - `given`: the manifest that was applied last has that field. - `highs`, `lows`:
    the earlier recommendations that may still count, descending and ascending. - `fresh`: the slots of the pods that have
    started and not settled.
    """

    replicas: int
    given: bool = False
    highs: tuple[int, ...] = ()
    lows: tuple[int, ...] = ()
    fresh: tuple[int, ...] = ()
