"""Random clusters with node pools, as manifests: `drawn`."""

from random import Random
from typing import Any, Final

Json = dict[str, Any]

ZONE: Final = "topology.kubernetes.io/zone"
HOST: Final = "kubernetes.io/hostname"
POOL: Final = "node-pool"
CA: Final = "cluster-autoscaler.kubernetes.io"
LONG_AGO: Final = "2020-01-01T00:00:00Z"
LATER: Final = "2100-01-01T00:00:00Z"
DRAINED: Final = {"key": "ToBeDeletedByClusterAutoscaler", "value": "1", "effect": "NoSchedule"}


def drawn(seed: int) -> Json:
    """Return a cluster and its pools: `objects` and `pools`, with the seed as `id`, and the nodes that are drained."""
    chance = Random(seed)
    grows = chance.random() < 0.5
    pools = [_pool(name, chance) for name in "ab"[: chance.choice((1, 1, 2))]]
    nodes = [
        _node(f"{pool['name']}-{number}", pool, chance)
        for pool in pools
        for number in range(1, min(pool["max"], chance.choice((0, 1, 2) if grows else (1, 2, 3, 3))) + 1)
    ]
    if chance.random() < 0.4:
        nodes.append(_node("x-1", chance.choice(pools), chance, outside=True))
    names = [each["metadata"]["name"] for each in nodes]
    owners = [_owner(number, chance) for number in range(chance.choice((1, 2, 2, 3)))]
    bound = range(chance.choice((0, 1, 2, 3) if grows else (1, 2, 3, 4, 5))) if names else ()
    pods = [_pod(f"p{number}", chance.choice(names), owners, chance) for number in bound]
    waits = chance.choice((1, 2, 3, 4, 5) if grows else (0, 0, 0, 1, 2))
    pods += [_pod(f"w{number}", "", owners, chance, names) for number in range(waits)]
    budgets = [_budget(number, chance) for number in range(chance.choice((0, 0, 1, 2)))]
    return {
        "id": str(seed),
        "objects": [*nodes, *pods, *budgets],
        "pools": {"apiVersion": "schedcheck/v1alpha1", "kind": "NodePools", "pools": pools},
        **_deletions(nodes, pods, chance),
    }


def _some(chance: Random, often: float, given: Json) -> Json:
    return given if chance.random() < often else {}


def _pool(name: str, chance: Random) -> Json:
    most = chance.choice((1, 2, 3, 3, 4))
    labels = {ZONE: chance.choice("uv")}
    taints = [{"key": "dedicated", "value": "x", "effect": "NoSchedule"}] if chance.random() < 0.1 else []
    room = {"cpu": str(chance.choice((2, 3, 4))), "memory": f"{chance.choice((2, 4))}Gi", "pods": str(chance.choice((3, 10)))}
    return {
        "name": name,
        "min": chance.choice((0, 0, 1, most)) if most < 3 else chance.choice((0, 0, 1)),
        "max": most,
        "scaleDownUtilizationThreshold": chance.choice((0.5, 0.5, 0.75)),
        "template": {"metadata": {"labels": labels}, "spec": {"taints": taints}, "status": {"allocatable": room}},
    }


def _node(name: str, pool: Json, chance: Random, *, outside: bool = False) -> Json:
    """A node like the template of a pool, which it is not in if it is `outside`."""
    template = pool["template"]
    labels = {**template["metadata"]["labels"], HOST: name, **({} if outside else {POOL: pool["name"]})}
    meta: Json = {"name": name, "labels": labels, "creationTimestamp": LONG_AGO}
    meta |= _some(chance, 0.06, {"annotations": {f"{CA}/scale-down-disabled": "true"}})
    spec: Json = {"taints": template["spec"]["taints"]} | _some(chance, 0.05, {"unschedulable": True})
    ready = {"type": "Ready", "status": chance.choice(("True",) * 15 + ("False",)), "lastTransitionTime": LONG_AGO}
    room = template["status"]["allocatable"]
    status = {"allocatable": room, "capacity": room, "conditions": [ready]}
    return {"apiVersion": "v1", "kind": "Node", "metadata": meta, "spec": spec, "status": status}


def _owner(number: int, chance: Random) -> Json:
    kind = chance.choice(("ReplicaSet",) * 8 + ("StatefulSet", "Job", "DaemonSet", "Widget", ""))
    version = {"Job": "batch/v1", "Widget": "example.com/v1"}.get(kind, "apps/v1")
    own = {"apiVersion": version, "kind": kind, "name": f"o{number}", "uid": f"uid-o{number}", "controller": True}
    app = chance.choice("ab")
    return {
        "owner": [own] if kind else [],
        "namespace": chance.choice(("default",) * 6 + ("kube-system",)),
        "app": app,
        "shape": _shape(app, chance),
    }


def _shape(app: str, chance: Random) -> Json:
    """What the pods of an owner have in common."""
    spec: Json = {"containers": [_container(chance)], "priority": chance.choice((0, 0, 0, 0, 10))}
    selector = {"matchLabels": {"app": chance.choice((app, app, app, "a", "b"))}}
    affinity: Json = {}
    if chance.random() < 0.15:
        term = {"topologyKey": chance.choice((HOST, HOST, ZONE)), "labelSelector": selector}
        affinity["podAntiAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    if chance.random() < 0.1:
        term = {"topologyKey": chance.choice((HOST, ZONE, ZONE)), "labelSelector": selector}
        affinity["podAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    spec |= {"affinity": affinity} if affinity else {}
    if chance.random() < 0.4:
        spec["topologySpreadConstraints"] = [
            {
                "maxSkew": chance.choice((1, 1, 2)),
                "topologyKey": chance.choice((HOST, HOST, ZONE)),
                "whenUnsatisfiable": chance.choice(("DoNotSchedule",) * 5 + ("ScheduleAnyway",)),
                "labelSelector": selector,
                **_some(chance, 0.3, {"nodeTaintsPolicy": "Honor"}),
            }
        ]
    if chance.random() < 0.15:
        spec["tolerations"] = [{"key": "dedicated", "operator": "Exists"}]
    spec |= _some(chance, 0.12, {"nodeSelector": {ZONE: chance.choice("uv")}})
    spec |= _some(chance, 0.06, {"volumes": [{"name": "tmp", "emptyDir": {}}]})
    return spec


def _container(chance: Random) -> Json:
    requests = {"cpu": chance.choice(("100m", "500m", "1", "1", "1500m", "2"))}
    requests |= _some(chance, 0.5, {"memory": chance.choice(("256Mi", "1Gi", "1536Mi"))})
    made: Json = {"name": "c", "image": "i", "resources": {"requests": requests}}
    return made | _some(chance, 0.08, {"ports": [{"containerPort": 80, "hostPort": 80}]})


def _pod(name: str, on: str, owners: list[Json], chance: Random, names: list[str] | None = None) -> Json:
    made = chance.choice(owners)
    meta: Json = {"name": name, "namespace": made["namespace"], "uid": f"uid-{name}", "labels": {"app": made["app"]}}
    meta |= {"creationTimestamp": LONG_AGO, "ownerReferences": made["owner"]}
    annotations = _some(chance, 0.06, {f"{CA}/safe-to-evict": chance.choice(("true", "false"))})
    annotations |= _some(chance, 0.03, {"kubernetes.io/config.mirror": "x"}) if on else {}
    meta |= {"annotations": annotations} if annotations else {}
    spec = {**made["shape"], **({"nodeName": on} if on else {})}
    status: Json = {"phase": "Running" if on else "Pending"}
    if not on:
        status["conditions"] = [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]
        status |= _some(chance, 0.06, {"nominatedNodeName": chance.choice([*(names or ()), "gone"])})
    elif chance.random() < 0.07:
        meta |= {"deletionTimestamp": chance.choice((LONG_AGO, LATER)), "deletionGracePeriodSeconds": 30}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": status}


def _budget(number: int, chance: Random) -> Json:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": f"b{number}", "namespace": "default"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": chance.choice("ab")}}},
        "status": {"disruptionsAllowed": chance.choice((0, 1, 1, 2)), "currentHealthy": 3, "desiredHealthy": 1, "expectedPods": 3},
    }  # fmt: skip


def _deletions(nodes: list[Json], pods: list[Json], chance: Random) -> Json:
    """Mark a node now and then; it is drained if it has pods."""
    ours = [each for each in nodes if POOL in each["metadata"]["labels"]]
    if not ours or chance.random() > 0.25:
        return {"draining": [], "deleting": []}
    node = chance.choice(ours)
    node["spec"] = {**node["spec"], "taints": [*node["spec"]["taints"], DRAINED], "unschedulable": True}
    name = node["metadata"]["name"]
    drained = any(
        each["spec"].get("nodeName") == name
        and each["metadata"]["ownerReferences"] != []
        and each["metadata"]["ownerReferences"][0]["kind"] != "DaemonSet"
        and "kubernetes.io/config.mirror" not in each["metadata"].get("annotations", {})
        for each in pods
    ) or any(each["spec"].get("nodeName") == name and each["metadata"]["ownerReferences"] == []
             and "kubernetes.io/config.mirror" not in each["metadata"].get("annotations", {}) for each in pods)
    return {"draining": [name] if drained else [], "deleting": [] if drained else [name]}
