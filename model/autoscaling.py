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


@dataclass(frozen=True)
class Metric:
    """A metric of type Resource with the target averageUtilization, in per cent of the requests.

    `measurable`: every container requests the resource; otherwise the metric is always invalid.
    """

    resource: str
    target: int
    measurable: bool = True


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
