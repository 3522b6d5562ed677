"""Realistic clusters, as `kubectl get -A -o json` writes them: `realistic`, `write`.

Deployments have 10 to 60 pods. A third of them spreads over zones, a fifth over hosts; a tenth requires anti-affinity,
a tenth affinity, and most prefer anti-affinity. A quarter of the nodes is tainted for a tenth of the deployments. Every
deployment has a disruption budget. A twentieth are StatefulSets with volumes. A fiftieth of the pods is pending.
"""

import json
import random
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.reading import TIMES, metadata, node

Json = dict[str, Any]
SEED = 7
PENDING = 0.02
TAINT = {"key": "dedicated", "value": "batch", "effect": "NoSchedule"}
ZONES = 3


def realistic(nodes: int, pods: int) -> Iterator[Json]:
    """Yield the objects of a cluster with these numbers of nodes and pods, the same for the same numbers."""
    chance = random.Random(SEED)
    yield from (namespace(each) for each in range(50))
    yield {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}
    for number in range(nodes):
        made = node(number, chance)
        if number % 4 == 0:
            made["spec"]["taints"] = [TAINT]
        yield made
    yield from waiting()
    numbers = count()
    for number in count():
        size = min(chance.randrange(10, 61), pods - next(numbers))
        for _ in range(size - 1):
            next(numbers)
        if size <= 0:
            return
        yield from application(number, size, nodes, chance)


def namespace(number: int) -> Json:
    labels = {"kubernetes.io/metadata.name": f"team-{number}", "tier": f"{number % 3}"}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"team-{number}", "labels": labels}}


def application(number: int, size: int, nodes: int, chance: random.Random) -> Iterator[Json]:
    """Yield a ReplicaSet or StatefulSet with its pods, its budget, and its volumes."""
    name, space = f"app-{number}", f"team-{number % 50}"
    labels = {"app": name, "tier": f"{number % 3}"}
    stateful, batch = number % 20 == 0, number % 10 == 1
    kind = "StatefulSet" if stateful else "ReplicaSet"
    selector = {"matchLabels": {"app": name}}
    own = metadata(kind, name, number, namespace=space)
    yield {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata("budget", name, number, namespace=space),
        "spec": {"maxUnavailable": "10%", "selector": selector},
        "status": {
            "disruptionsAllowed": size // 10,
            "expectedPods": size,
            "currentHealthy": size,
            "desiredHealthy": size,
        },
    }
    requests = {"cpu": f"{chance.choice([50, 100, 250, 500, 1000])}m", "memory": f"{chance.choice([64, 256, 1024])}Mi"}
    spec: Json = {
        "containers": [
            {"name": "main", "image": f"registry.example/{number % 40}:1", "resources": {"requests": requests}}
        ],
        "priority": 1000 if number % 7 == 0 else 0,
        "preemptionPolicy": "PreemptLowerPriority",
        "schedulerName": "default-scheduler",
        "tolerations": [{"key": "dedicated", "operator": "Exists"}] if batch else [],
        **constraints(number, selector),
    }
    template = {"metadata": {"labels": labels}, "spec": spec}
    maker = {"replicas": size, "selector": selector, "template": template}
    yield {"apiVersion": "apps/v1", "kind": kind, "metadata": own, "spec": maker}
    for each in range(size):
        yield pod(each, number, {**spec}, labels, space, kind, nodes, chance)
        if stateful:
            yield claim(f"data-{name}-{each}", space)


def waiting() -> Iterator[Json]:
    """Yield two pods of high priority: one that needs preemption, and one for which no node is large enough."""
    for name, cpus in (("large", "30"), ("huge", "300")):
        requests = {"cpu": cpus, "memory": "1Gi"}
        labels = {"app": name}
        spread = {
            "maxSkew": 1,
            "topologyKey": "topology.kubernetes.io/zone",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": labels},
        }
        spec = {
            "containers": [{"name": "main", "image": "registry.example/x:1", "resources": {"requests": requests}}],
            "priority": 100_000,
            "topologySpreadConstraints": [spread],
        }
        own = metadata("pod", name, 1, namespace="team-0", labels=labels)
        yield {"apiVersion": "v1", "kind": "Pod", "metadata": own, "spec": spec, "status": {"phase": "Pending"}}


def constraints(number: int, selector: Json) -> Json:
    """Return the affinity and spread constraints of an application's pods."""

    def spread(key: str, skew: int, then: str) -> Json:
        return {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": then, "labelSelector": selector}

    zone, host = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
    match number % 10:
        case 0 | 1 | 2:
            return {"topologySpreadConstraints": [spread(zone, 1, "DoNotSchedule"), spread(host, 5, "ScheduleAnyway")]}
        case 3:
            term = {"topologyKey": host, "labelSelector": selector}
            return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}
        case 4:
            term = {"topologyKey": zone, "labelSelector": {"matchLabels": {"app": f"app-{number - 1}"}}}
            return {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}
    preferred = {"weight": 100, "podAffinityTerm": {"topologyKey": host, "labelSelector": selector}}
    return {"affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [preferred]}}}


def pod(
    each: int, number: int, spec: Json, labels: dict[str, str], space: str, kind: str, nodes: int, chance: random.Random
) -> Json:
    bound = chance.random() >= PENDING
    name = f"app-{number}-{each}"
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": f"app-{number}", "uid": f"app-{number}", "controller": True}
    if kind == "StatefulSet":
        spec["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": f"data-{name}"}}]
    if bound:
        spec["nodeName"] = f"node-{(number * 17 + each * 7) % nodes}"
    own = metadata("pod", name, number * 100 + each, namespace=space, labels=labels, ownerReferences=[owner])
    status = {"phase": "Running" if bound else "Pending", "startTime": "2026-01-01T00:00:00Z"}
    ready = [{"type": "Ready", "status": "True", **TIMES}] if bound else []
    return {"apiVersion": "v1", "kind": "Pod", "metadata": own, "spec": spec, "status": {**status, "conditions": ready}}


def claim(name: str, space: str) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": space},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "standard",
            "resources": {"requests": {"storage": "1Gi"}},
        },
        "status": {"phase": "Pending"},
    }


def storage_class() -> Json:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "standard"},
        "provisioner": "example.com/disk",
        "volumeBindingMode": "WaitForFirstConsumer",
    }


def pending(items: Iterable[Json]) -> list[str]:
    """Return the names of the pods without a node, in order."""
    return [each["metadata"]["name"] for each in items if _pending(each)]


def _pending(item: Json) -> bool:
    return item["kind"] == "Pod" and "nodeName" not in item["spec"]


def write(path: Path, nodes: int, pods: int, only: str | None = None) -> None:
    """Write a List of the objects, as kubectl does. Of the pending pods write all, or `only` the one of this name."""
    items = [*realistic(nodes, pods), storage_class()]
    kept = [each for each in items if only is None or not _pending(each) or each["metadata"]["name"] == only]
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": kept}, indent=2), encoding="utf-8")
