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
    room = {
        "cpu": str(chance.choice((2, 3, 4))),
        "memory": f"{chance.choice((2, 4))}Gi",
        "pods": str(chance.choice((3, 10))),
    }
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
    drained = any(each["spec"].get("nodeName") == name and _must_leave(each) for each in pods)
    return {"draining": [name] if drained else [], "deleting": [] if drained else [name]}


def _must_leave(pod: Json) -> bool:
    """Whether a pod is neither of a DaemonSet nor a mirror pod."""
    kinds = [each["kind"] for each in pod["metadata"]["ownerReferences"]]
    return kinds != ["DaemonSet"] and "kubernetes.io/config.mirror" not in pod["metadata"].get("annotations", {})


def drawn_evenly(seed: int) -> Json:
    """Return a cluster whose pods are spread over hostnames, so that one node or pod changes what others may do."""
    chance = Random(seed)
    pool = _pool("a", chance)
    pool |= {"min": chance.choice((0, 0, 1)), "max": chance.choice((3, 4, 5)), "scaleDownUtilizationThreshold": 0.75}
    pool["template"]["spec"]["taints"] = []
    nodes = [_node(f"a-{number}", pool, chance) for number in range(1, chance.choice((1, 2, 3, 3)) + 1)]
    nodes += [_node("x-1", pool, chance, outside=True)] if chance.random() < 0.3 else []
    for node in nodes:
        node["spec"] |= _some(chance, 0.3, {"unschedulable": True})
    owners = [_even(number, chance) for number in range(3)]
    pods = [_pod(f"p{place}", node["metadata"]["name"], owners, chance) for place, node in enumerate(nodes)]
    pods += [_pod(f"w{number}", "", owners, chance, []) for number in range(chance.choice((0, 0, 1, 3, 4, 5)))]
    budget = _budget(0, chance)
    budget["spec"]["selector"] = {}
    budgets = [budget] if chance.random() < 0.6 else []
    return {
        "id": f"even-{seed}",
        "objects": [*nodes, *[each for each in pods if chance.random() < 0.8], *budgets],
        "pools": {"apiVersion": "schedcheck/v1alpha1", "kind": "NodePools", "pools": [pool]},
        "draining": [],
        "deleting": [],
    }


def _even(number: int, chance: Random) -> Json:
    """An owner whose pods are mostly spread over hostnames."""
    made = _owner(number, chance)
    own = {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": f"o{number}",
        "uid": f"uid-o{number}",
        "controller": True,
    }
    constraint = {
        "maxSkew": 1,
        "topologyKey": HOST,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "a"}},
        **_some(chance, 0.6, {"nodeTaintsPolicy": "Honor"}),
        **_some(chance, 0.3, {"minDomains": chance.choice((2, 3))}),
    }
    spec = {
        "containers": [
            {"name": "c", "image": "i", "resources": {"requests": {"cpu": chance.choice(("100m", "500m", "1"))}}}
        ]
    }
    spec |= {"priority": 0, **_some(chance, 0.7, {"topologySpreadConstraints": [constraint]})}
    return {**made, "owner": [own], "namespace": "default", "app": chance.choice("aaab"), "shape": spec}


def made() -> list[Json]:
    """Return two clusters that chance hardly makes: an old node counts as needed, and budgets bind one removal to another."""
    room = {"cpu": "4", "memory": "4Gi", "pods": "10"}
    pool = {"name": "a", "min": 0, "max": 9, "scaleDownUtilizationThreshold": 0.5}
    pool["template"] = {"metadata": {"labels": {}}, "spec": {"taints": []}, "status": {"allocatable": room}}
    chance = Random(0)
    nodes = [_node(f"a-{number}", pool, chance) for number in (1, 2, 3)]
    for node in nodes:
        node["metadata"].pop("annotations", None)
        node["spec"] = {"unschedulable": True} if node["metadata"]["name"] == "a-3" else {}
        node["status"]["conditions"][0]["status"] = "True"

    def web(name: str, on: str, cpu: str, app: str, **constraint: Any) -> Json:
        spread = {"maxSkew": 1, "topologyKey": HOST, "whenUnsatisfiable": "DoNotSchedule", **constraint}
        spread["labelSelector"] = {"matchLabels": {"app": "web"}}
        shape: Json = {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": cpu}}}]}
        shape |= {"topologySpreadConstraints": [spread]} if constraint else {}
        own = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": app, "uid": f"uid-{app}", "controller": True}
        given = {"namespace": "default", "owner": [own], "app": app, "shape": shape}
        pod = _pod(name, on, [given], Random(2))
        pod["metadata"].pop("annotations", None)
        pod["metadata"].pop("deletionTimestamp", None)
        pod["status"].pop("nominatedNodeName", None)
        return pod

    pools = {"apiVersion": "schedcheck/v1alpha1", "kind": "NodePools", "pools": [pool]}
    waits = [web(f"w{number}", "", "1", "web", minDomains=2) for number in range(5)]
    budget = _budget(0, chance)
    budget["spec"]["selector"], budget["status"]["disruptionsAllowed"] = {}, 1
    spread = [web(f"p{number}", f"a-{number}", "1", "web", nodeTaintsPolicy="Honor") for number in (1, 2)]
    rest: Json = {"pools": pools, "draining": [], "deleting": []}
    return [
        {"id": "old-node", "objects": [nodes[0], web("p1", "a-1", "500m", "web"), *waits], **rest},
        {"id": "budget", "objects": [*nodes, *spread, web("q", "a-3", "1", "other"), budget], **rest},
    ]
