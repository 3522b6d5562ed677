"""Objects as the records of tla/Snapshots.tla and tla/KubeSnapshots.tla: in which units, and of which of the two forms.

An object is converted once. What the records do not hold, no definition of tla/ looks at; what they cannot hold,
volumes, resource claims and fractions of a smallest unit, is refused by name.
"""

from collections.abc import Callable, Sequence
from functools import cache

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
    """How objects become records. With `kubernetes` they have the fields that tla/KubeSnapshots.tla adds.

    `scale` says what amounts and priorities are divided by, `image_unit` the same of the sizes of images, in bytes;
    a start time becomes its place among `starts`, which are all there are, in order. The printed model does not look at
    disruption budgets; with `budgets` a snapshot has them all the same, for those who evict.
    """

    def __init__(
        self,
        scale: Scale,
        *,
        kubernetes: bool,
        starts: Sequence[int] = (),
        image_unit: int = 1,
        budgets: bool = False,
    ) -> None:
        self.scale = scale
        self.kubernetes = kubernetes
        self.budgets = kubernetes or budgets
        self.starts = tuple(starts)
        self.image_unit = image_unit
        self.object: Callable[[Object], Value] = cache(lambda given: evaluated(self.written(given)))

    def written(self, given: Object) -> Record:
        """The record of an object, as it is to be written."""
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
                    kubernetes_node_record(given, self.scale, self.image_unit)
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
        """The set of the records of the objects."""
        return FiniteSet(map(self.object, self._objects(snapshot)))

    def written_snapshot(self, snapshot: Snapshot) -> Set:
        """The same, as it is to be written."""
        return Set(tuple(map(self.written, self._objects(snapshot))))

    def _objects(self, snapshot: Snapshot) -> list[Object]:
        objects: list[Object] = [*snapshot.pods, *snapshot.nodes, *snapshot.namespaces]
        if self.budgets:
            objects += snapshot.budgets
        if self.kubernetes:
            objects += [*snapshot.services, *snapshot.controllers]
        return objects


def exactly(scenario: Scenario, *, kubernetes: bool) -> Records:
    """The records of a scenario's objects in smallest units, nothing divided. Raises: NotExportable for fractions of one."""
    resources = {scenario.rated_resource}.union(*(named(pod) for pod in scenario.pods))
    for pod in scenario.pods:
        for resource in sorted(resources):
            whole(resource, pod)
    return Records(Scale(dict.fromkeys(resources, 1), 1), kubernetes=kubernetes, starts=_starts(scenario))


def scaled(scenario: Scenario, *, kubernetes: bool) -> Records:
    """The records in which amounts and priorities fit 32 bits, divided. Raises: NotExportable where they do not."""
    return Records(scale(scenario), kubernetes=kubernetes, starts=_starts(scenario), image_unit=1)


def _starts(scenario: Scenario) -> list[int]:
    return sorted({pod.start_time for pod in scenario.pods if pod.start_time is not None})
