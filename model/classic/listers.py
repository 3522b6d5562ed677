"""The objects beside pods and nodes that predicates, priorities and preemption look up: `Listers`.

Kubernetes 1.17: the listers of PluginFactoryArgs in pkg/scheduler/algorithm_factory.go.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from schedcheck.model.classic.nodes.cache import Cache
from schedcheck.model.production.snapshot.labels import selects
from schedcheck.spec.objects import Controller, Pod, PodDisruptionBudget, Service
from schedcheck.spec.storage import NO_STORAGE, WAIT_FOR_FIRST_CONSUMER, PersistentVolumeClaim, Storage
from schedcheck.spec.terms import LabelSelector

COUNTED = ("ReplicationController", "ReplicaSet")
"""The kinds of controllers whose pods are spread; StatefulSets came later."""


@dataclass
class Listers:
    """Services, controllers, budgets and storage as delivered, and the cache, which lists the pods with a node."""

    cache: Cache
    services: tuple[Service, ...] = ()
    controllers: tuple[Controller, ...] = ()
    budgets: tuple[PodDisruptionBudget, ...] = ()
    storage: Storage = field(default=NO_STORAGE)

    def services_of(self, pod: Pod) -> list[Service]:
        """Return the services that select the pod; one without a selector selects none."""
        return [
            each
            for each in self.services
            if each.namespace == pod.namespace and each.selector and _within(each.selector, pod.labels)
        ]

    def controllers_of(self, pod: Pod) -> list[Controller]:
        """Return the replication controllers and replica sets that select the pod; none for a pod without labels."""
        if not pod.labels:
            return []
        return [
            each
            for each in self.controllers
            if each.kind in COUNTED
            and each.namespace == pod.namespace
            and each.selector != LabelSelector()
            and selects(each.selector, pod.labels)
        ]

    def waits(self, claim: PersistentVolumeClaim) -> bool:
        """Whether the claim is unbound, and its class binds it once a pod that uses it has a node."""
        if claim.volume_name:
            return False
        made_by = self.storage.storage_class(claim.storage_class or "")
        return made_by is not None and made_by.binding_mode == WAIT_FOR_FIRST_CONSUMER


def _within(selector: Mapping[str, str], labels: Mapping[str, str]) -> bool:
    return all(labels.get(key) == value for key, value in selector.items())
