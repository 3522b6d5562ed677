"""The objects of a snapshot one by one, and the snapshot with some of them: `objects_of`, `with_objects`."""

from collections.abc import Iterable
from dataclasses import replace

from schedcheck.spec.objects import Controller, Namespace, Node, Pod, PodDisruptionBudget, Service, Snapshot
from schedcheck.spec.storage import NO_STORAGE, Storage

Object = Pod | Node | Namespace | PodDisruptionBudget | Service | Controller | Storage
"""An object of a snapshot; all storage objects are one."""


def objects_of(snapshot: Snapshot, pod: Pod) -> tuple[Object, ...]:
    """Return the objects, without the pod."""
    others = (each for each in snapshot.pods if each.key != pod.key)
    storage = () if snapshot.storage == NO_STORAGE else (snapshot.storage,)
    return (
        *snapshot.nodes, *snapshot.budgets, *others, *snapshot.namespaces, *snapshot.services, *snapshot.controllers,
        *storage,
    )  # fmt: skip


def with_objects(snapshot: Snapshot, pod: Pod, objects: Iterable[Object]) -> Snapshot:
    """Return the snapshot with the pod and only these of its objects."""
    kept = frozenset(objects)
    return replace(
        snapshot,
        pods=tuple(each for each in snapshot.pods if each.key == pod.key or each in kept),
        nodes=tuple(each for each in snapshot.nodes if each in kept),
        budgets=tuple(each for each in snapshot.budgets if each in kept),
        namespaces=tuple(each for each in snapshot.namespaces if each in kept),
        services=tuple(each for each in snapshot.services if each in kept),
        controllers=tuple(each for each in snapshot.controllers if each in kept),
        storage=snapshot.storage if snapshot.storage in kept else NO_STORAGE,
    )
