"""Objects as the records of tla/Snapshots.tla and tla/KubeSnapshots.tla, in chosen units.

Each object is converted once. No definition of tla/ reads a field that the records lack. An object with volumes
that are no images, resource claims or fractions of a smallest unit, which records cannot hold, is refused by name.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache

from frozendict import frozendict

from schedcheck.checker.language.values.values import FiniteSet, Value
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import (
    Controller,
    Namespace,
    Node,
    Pod,
    PodDisruptionBudget,
    Service,
    Snapshot,
)
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES, PUBLISHED, Scheduler
from schedcheck.tla_export.amounts import Scale, named, scale, whole
from schedcheck.tla_export.kubernetes_objects import (
    budget_record,
    controller_record,
    kubernetes_node_record,
    kubernetes_pod_record,
    service_record,
)
from schedcheck.tla_export.objects import namespace_record, node_record, pod_record
from schedcheck.tla_export.text import Record, Set
from schedcheck.tla_export.values import evaluated

Object = Pod | Node | Namespace | PodDisruptionBudget | Service | Controller


class Records:
    """The conversion of objects to records. With `kubernetes` they have the fields that tla/KubeSnapshots.tla adds.

    `scale` holds the divisors of amounts and priorities, `image_unit` the divisor of image sizes in bytes. A start time
    becomes its index in `starts`, the sorted start times of all pods. The scheduler of the published model does not
    read disruption budgets; with `budgets` a snapshot includes them, for controllers that evict. `limited` holds the
    divisors of the resources that pools of Karpenter limit, None without it.
    """

    def __init__(
        self,
        scale: Scale,
        *,
        kubernetes: bool,
        starts: Sequence[int] = (),
        image_unit: int = 1,
        budgets: bool = False,
        limited: Mapping[str, int] | None = None,
    ) -> None:
        self.scale = scale
        self.kubernetes = kubernetes
        self.budgets = kubernetes or budgets
        self.starts = tuple(starts)
        self.image_unit = image_unit
        self.limited = limited
        self.object: Callable[[Object], Value] = cache(lambda given: evaluated(self.written(given)))

    def written(self, given: Object) -> Record:
        """Return the record of an object as TLA+ text parts."""
        match given:
            case Pod():
                by_kubernetes = self.kubernetes
                return (
                    kubernetes_pod_record(given, self.scale, self.starts)
                    if by_kubernetes
                    else pod_record(given, self.scale)
                )
            case Node():
                by_kubernetes = self.kubernetes
                return (
                    kubernetes_node_record(given, self.scale, self.image_unit, self.limited)
                    if by_kubernetes
                    else node_record(given, self.scale)
                )
            case Namespace():
                return namespace_record(given)
            case PodDisruptionBudget():
                return budget_record(given)
            case Service():
                return service_record(given)
            case Controller():
                return controller_record(given)

    def snapshot(self, snapshot: Snapshot) -> FiniteSet:
        """Return the set of the records of the snapshot's objects."""
        return FiniteSet(map(self.object, self._objects(snapshot)))

    def written_snapshot(self, snapshot: Snapshot) -> Set:
        """Return the same set as TLA+ text parts."""
        return Set(tuple(map(self.written, self._objects(snapshot))))

    def _objects(self, snapshot: Snapshot) -> list[Object]:
        objects: list[Object] = [*snapshot.pods, *snapshot.nodes, *snapshot.namespaces]
        if self.budgets:
            objects += snapshot.budgets
        if self.kubernetes:
            objects += [*snapshot.services, *snapshot.controllers]
        return objects


IN_KUBERNETES: Mapping[Scheduler, bool] = frozendict({PUBLISHED: False, KUBERNETES: True, CLASSIC: False})
"""Whether the records of states and traces of each scheduler have the fields that kube-scheduler reads."""


def exactly(scenario: Scenario) -> Records:
    """Return the records of a scenario's objects in smallest units, undivided.

    Raises: NotExportable for fractions of one.
    """
    resources = {scenario.rated_resource}.union(*(named(pod) for pod in scenario.pods))
    for pod in scenario.pods:
        for resource in sorted(resources):
            whole(resource, pod)
    return Records(
        Scale(dict.fromkeys(resources, 1), 1), kubernetes=IN_KUBERNETES[scenario.scheduler], starts=_starts(scenario)
    )


def scaled(scenario: Scenario) -> Records:
    """Return the records with amounts and priorities divided to fit 32 bits. Raises: NotExportable if they do not."""
    return Records(
        scale(scenario), kubernetes=IN_KUBERNETES[scenario.scheduler], starts=_starts(scenario), image_unit=1
    )


def _starts(scenario: Scenario) -> list[int]:
    return sorted({pod.start_time for pod in scenario.pods if pod.start_time is not None})
