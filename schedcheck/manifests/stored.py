"""Objects as the API server stores them, to the cluster that a scheduler sees: `stored`.

Nothing is added to a pod that has no uid, no workload makes pods, and the status of a budget counts as it is.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from operator import attrgetter
from typing import Any, TypeVar

from schedcheck.errors import printable
from schedcheck.manifests.budgets import budget
from schedcheck.manifests.devices import devices
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.manifests.identities import GROUPS, Identity, object_identity, objects_of
from schedcheck.manifests.nodes import namespace, node
from schedcheck.manifests.objects import Cluster
from schedcheck.manifests.pods import pod
from schedcheck.manifests.priorities import PriorityClasses, priority_class, priority_classes
from schedcheck.manifests.selecting import SELECTING, selecting, service
from schedcheck.manifests.storage import storage
from schedcheck.manifests.validity import validated
from schedcheck.spec.objects import Pod

Made = TypeVar("Made")


def stored(documents: Iterable[Document]) -> Cluster:
    """Return the cluster of these objects, each as the API server stores it.

    A pod that names a class and has no priority has that of the class.

    Raises: InputError, also for two objects of one kind and name.
    """
    found: dict[Identity, Field] = {}
    kinds: dict[str, list[Field]] = {kind: [] for kind in GROUPS}
    unread: dict[str, int] = {}
    for document in documents:
        for kind, field in objects_of(Field(document, document.value)):
            identity = object_identity(kind, field)
            if identity is None:
                unread[kind] = unread.get(kind, 0) + 1
                continue
            validated(kind, field)
            if identity in found:
                raise field["metadata"]["name"].error(f"another {kind} has this name")
            found[identity] = field
            kinds[kind].append(field)
    classes, _ = priority_classes(tuple(priority_class(field) for field in kinds["PriorityClass"]))
    pods = _in_order(kinds["Pod"], lambda field: _pod(field, classes), "key")
    notes = [f"not read: {', '.join(f'{number} {kind}' for kind, number in sorted(unread.items()))}"] if unread else []
    return Cluster(
        pods=pods,
        nodes=_in_order(kinds["Node"], node, "name"),
        namespaces=_in_order(kinds["Namespace"], namespace, "name"),
        live=frozenset(each.key for each in pods),
        notes=tuple(map(printable, notes)),
        budgets=_in_order(kinds["PodDisruptionBudget"], budget, "key"),
        gated=frozenset(each.key for each in pods if each.scheduling_gates and not each.node_name),
        kinds=frozenset(unread).union(kind for kind, fields in kinds.items() if fields),
        services=_in_order(kinds["Service"], service, "namespace", "name"),
        controllers=tuple(
            sorted(
                (selecting(kind, field) for kind in SELECTING for field in kinds[kind]),
                key=attrgetter("namespace", "name", "kind"),
            )
        ),
        storage=storage(kinds),
        devices=devices(kinds),
    )


def _pod(field: Field, classes: PriorityClasses) -> Pod:
    spec = field["spec"]
    made = pod(field["metadata"], spec, field["status"])
    if spec["priority"] or not spec["priorityClassName"]:
        return made
    priority, policy, _ = classes.of(spec)
    return replace(made, priority=priority, preemption_policy=policy)


def _in_order(fields: Iterable[Field], made: Callable[[Field], Made], *key: str) -> tuple[Made, ...]:
    get: Any = attrgetter(*key)
    return tuple(sorted(map(made, fields), key=get))
