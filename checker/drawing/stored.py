"""A drawn snapshot changed to one that the API server could have stored: `as_stored`.

The other strategies draw values in which fields contradict each other, or which the API server refuses: two volumes of
one name, a request for half a device, a budget that allows -1 disruptions. Here each such value becomes a valid one.

Kubernetes 1.34: pkg/apis/core/validation, pkg/apis/policy/validation.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from frozendict import frozendict

from schedcheck.checker.drawing.objects import UNIT, admitted, admitted_selector
from schedcheck.spec.budgets import healthy, protects
from schedcheck.spec.objects import (
    Container,
    HostPort,
    Namespace,
    Node,
    Pod,
    PodDisruptionBudget,
    Snapshot,
    SpreadConstraint,
    Toleration,
)
from schedcheck.spec.storage import (
    ISCSI,
    NO_STORAGE,
    AzureDisk,
    Ephemeral,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    Volume,
)
from schedcheck.spec.values import Amounts

IMAGE = "pause"
"""The image of a container without one."""

NATIVE = frozenset({"cpu", "memory"})
"""The resources of which a container may request a fraction of the smallest unit, and that a pod may request."""

NAME_LABEL = "kubernetes.io/metadata.name"
SINGLE_POD = "ReadWriteOncePod"


def as_stored(snapshot: Snapshot) -> Snapshot:
    """Return the snapshot with valid objects, in which every pod has its namespace, and every bound pod runs."""
    nodes = tuple(map(_node, snapshot.nodes))
    pods = tuple(_pod(each) for each in snapshot.pods)
    labels = {each.name: each.labels for each in snapshot.namespaces}
    spaces = sorted({*labels, *(pod.namespace for pod in pods)})
    stored = Snapshot(
        pods,
        nodes,
        tuple(Namespace(name, frozendict({**labels.get(name, {}), NAME_LABEL: name})) for name in spaces),
        storage=_storage(snapshot.storage, pods),
    )
    return replace(stored, budgets=tuple(_budget(each, stored) for each in snapshot.budgets))


def uid(pod: Pod) -> str:
    """Return the uid that the stored pod has."""
    return f"{pod.namespace}-{pod.name}"


def _node(node: Node) -> Node:
    taints = {(each.key, each.effect): each for each in reversed(node.taints)}
    return replace(node, phase="", taints=tuple(each for each in node.taints if taints[each.key, each.effect] is each))


def _pod(pod: Pod) -> Pod:
    main = tuple(replace(_container(each), sidecar=False) for each in pod.containers) or (Container(image=IMAGE),)
    taken: set[HostPort] = set()
    containers = (*map(_container, pod.init_containers), *main)
    held = tuple(replace(each, ports=_untaken(each.ports, taken)) for each in containers)
    return replace(
        pod,
        phase="Running" if pod.node_name else "Pending",
        affinity=admitted(pod.affinity),
        tolerations=tuple(map(_toleration, pod.tolerations)),
        spread=_constraints(pod.spread),
        init_containers=held[: len(pod.init_containers)],
        containers=held[len(pod.init_containers) :],
        overhead=_whole(pod.overhead),
        pod_requests=_above(pod.pod_requests, held),
        pod_allocated=_whole(pod.pod_allocated),
        pod_actual=None if pod.pod_actual is None else _whole(pod.pod_actual),
        volumes=tuple(_volume(place, each, pod) for place, each in enumerate(pod.volumes)),
        resource_claims=(),
    )


def _container(container: Container) -> Container:
    return replace(
        container,
        requests=_whole(container.requests),
        allocated=_whole(container.allocated),
        actual=None if container.actual is None else _whole(container.actual),
        image=container.image or IMAGE,
    )


def _whole(amounts: Amounts) -> Amounts:
    """Return the amounts with those of devices rounded up to whole ones."""
    return frozendict({name: each if name in NATIVE else -(-each // UNIT) * UNIT for name, each in amounts.items()})


def _above(amounts: Amounts, containers: Iterable[Container]) -> Amounts:
    """Return the amounts that a pod may request for all of its containers together: no less than these request."""
    sums = {name: sum(each.requests.get(name, 0) for each in containers) for name in NATIVE}
    return frozendict({name: each for name, each in amounts.items() if name in NATIVE and each >= sums[name]})


def _untaken(ports: Iterable[HostPort], taken: set[HostPort]) -> tuple[HostPort, ...]:
    """Return the ports that no container of the pod has taken yet, and take them."""
    free = tuple(each for each in dict.fromkeys(ports) if each not in taken)
    taken.update(free)
    return free


def _toleration(toleration: Toleration) -> Toleration:
    operator = toleration.operator if toleration.key else "Exists"
    return replace(toleration, operator=operator, value="" if operator == "Exists" else toleration.value)


def _constraints(constraints: Iterable[SpreadConstraint]) -> tuple[SpreadConstraint, ...]:
    """Return one constraint for each topology key and action; a preferred one has no minDomains."""
    first: dict[tuple[str, bool], SpreadConstraint] = {}
    for each in constraints:
        domains = each.min_domains if each.required else 1
        valid = replace(each, min_domains=domains, selector=admitted_selector(each.selector))
        first.setdefault((each.topology_key, each.required), valid)
    return tuple(first.values())


def _volume(place: int, volume: Volume, pod: Pod) -> Volume:
    if isinstance(volume.source, Ephemeral):
        return replace(volume, source=Ephemeral(uid(pod)))
    return Volume(f"{volume.name}{place}", _disk(volume.source))


def _disk(source: Any) -> Any:
    match source:
        case ISCSI():
            return replace(source, iqn=f"iqn.2026-01.com.example:{source.iqn}")
        case AzureDisk():
            return replace(source, disk_uri="/subscriptions/d" if source.kind == "Managed" else "https://example.com/d")
    return source


def _budget(budget: PodDisruptionBudget, snapshot: Snapshot) -> PodDisruptionBudget:
    """Return the budget with a minAvailable to which its status fits."""
    valid = replace(budget, selector=admitted_selector(budget.selector))
    allowed = max(0, budget.disruptions_allowed)
    return replace(
        valid,
        disruptions_allowed=allowed,
        min_available=max(0, len(healthy(valid, snapshot, kubelet=False)) - allowed),
        expected=sum(protects(valid, pod) for pod in snapshot.pods),
    )


def _storage(storage: Storage, pods: Iterable[Pod]) -> Storage:
    """Return the storage in order, with a name and a uid of its own for each object."""
    if storage == NO_STORAGE:
        return storage
    owners = {f"{pod.name}-{each.name}": uid(pod) for pod in pods for each in pod.volumes}
    return Storage(
        volumes=_sorted(map(_persistent_volume, storage.volumes)),
        claims=tuple(sorted((_claim(each, owners) for each in storage.claims), key=lambda each: each.key)),
        classes=_sorted(storage.classes),
        nodes=_sorted(storage.nodes),
        drivers=_sorted(storage.drivers),
        capacities=_numbered(storage.capacities),
        attachments=_numbered(storage.attachments),
    )


def _sorted(things: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(sorted(things, key=lambda each: each.name))


def _numbered(things: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(replace(each, name=f"{each.name}{place}") for place, each in enumerate(things))


def _modes(modes: tuple[str, ...]) -> tuple[str, ...]:
    """Return access modes that may stand together; at least one."""
    if modes[:1] == (SINGLE_POD,):
        return (SINGLE_POD,)
    return tuple(dict.fromkeys(each for each in modes if each != SINGLE_POD)) or ("ReadWriteOnce",)


def _persistent_volume(volume: PersistentVolume) -> PersistentVolume:
    return replace(volume, access_modes=_modes(volume.access_modes), source=_disk(volume.source))


def _claim(claim: PersistentVolumeClaim, owners: dict[str, str]) -> PersistentVolumeClaim:
    return replace(
        claim,
        uid=f"claim-{claim.namespace}-{claim.name}",
        access_modes=_modes(claim.access_modes),
        request=max(1, claim.request),
        selector=admitted_selector(claim.selector),
        owner_uid=claim.owner_uid and owners.get(claim.name),
    )
