"""The objects as they were delivered, except nodes: `Listers`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from schedcheck.model.production.framework.indexer import Indexer
from schedcheck.model.production.snapshot.labels import BySelector
from schedcheck.spec.device_objects import NO_DEVICES, Devices
from schedcheck.spec.objects import Controller, Pod, PodDisruptionBudget, Service
from schedcheck.spec.storage import NO_STORAGE, Storage
from schedcheck.spec.values import Labels
from schedcheck.spec.workload_objects import GangWorkload, PodGroup

Key = tuple[str, str]
Budgets = dict[str, BySelector[PodDisruptionBudget]]
Owners = dict[tuple[str, Key], list[Controller]]


def _by_namespace(services: Iterable[Service]) -> dict[str, list[Service]]:
    found: dict[str, list[Service]] = {}
    for service in services:
        found.setdefault(service.namespace, []).append(service)
    return found


def _by_owner(controllers: Iterable[Controller]) -> Owners:
    found: Owners = {}
    for controller in controllers:
        found.setdefault((controller.namespace, (controller.kind, controller.name)), []).append(controller)
    return found


def _by_selector(budgets: Iterable[PodDisruptionBudget]) -> Budgets:
    found: Budgets = {}
    for budget in budgets:
        found.setdefault(budget.namespace, BySelector()).put(budget.selector, budget)
    return found


@dataclass
class Listers:
    """The objects as they were delivered, except nodes."""

    pods: dict[Key, Pod] = field(default_factory=dict)
    """Every delivered pod by namespace and name."""
    namespaces: Mapping[str, Labels] = field(default_factory=dict)
    """The labels of each namespace."""
    budgets: tuple[PodDisruptionBudget, ...] = ()
    services: tuple[Service, ...] = ()
    controllers: tuple[Controller, ...] = ()
    storage: Storage = NO_STORAGE
    devices: Devices = NO_DEVICES
    """Claims with assumed allocations and reservations, slices and classes."""
    workloads: tuple[GangWorkload, ...] = ()
    pod_groups: tuple[PodGroup, ...] = ()
    _services: Indexer[Service, dict[str, list[Service]]] = field(default_factory=lambda: Indexer(_by_namespace))
    _owners: Indexer[Controller, Owners] = field(default_factory=lambda: Indexer(_by_owner))
    _budgets: Indexer[PodDisruptionBudget, Budgets] = field(default_factory=lambda: Indexer(_by_selector))

    def services_in(self, namespace: str) -> Sequence[Service]:
        """Return the services of a namespace."""
        return self._services.over(self.services).get(namespace, ())

    def owners_of(self, pod: Pod) -> Sequence[Controller]:
        """Return the controllers that the pod's controller reference names."""
        return self._owners.over(self.controllers).get((pod.namespace, pod.owner), ())

    def budgets_that_may_protect(self, pod: Pod) -> Iterable[PodDisruptionBudget]:
        """Return the budgets of the pod's namespace, except those that require a label it lacks."""
        found = self._budgets.over(self.budgets).get(pod.namespace)
        return () if found is None else found.that_may_select(pod.labels)
