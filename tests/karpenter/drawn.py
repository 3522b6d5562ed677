"""Random clusters with NodePools and catalogues of instance types, as manifests: `drawn`."""

from random import Random
from typing import Any, Final

Json = dict[str, Any]

ZONE: Final = "topology.kubernetes.io/zone"
HOST: Final = "kubernetes.io/hostname"
TYPE: Final = "node.kubernetes.io/instance-type"
CAPACITY: Final = "karpenter.sh/capacity-type"
POOL: Final = "karpenter.sh/nodepool"
FAMILY: Final = "example.com/family"
TEAM: Final = "team"
CLASS: Final = {"group": "karpenter.test.sh", "kind": "TestNodeClass", "name": "default"}
TAINTS: Final = (
    {"key": "dedicated", "value": "batch", "effect": "NoSchedule"},
    {"key": "soft", "effect": "PreferNoSchedule"},
)
STARTUP: Final = {"key": "starting", "effect": "NoSchedule"}


def drawn(seed: int) -> Json:
    """Return a cluster: `objects`, `pools` and `catalogue`, with the seed as `id`."""
    chance = Random(seed)
    catalogue = [_type(number, chance) for number in range(chance.choice((1, 2, 2, 3, 4)))]
    pools = [_pool(name, catalogue, chance) for name in "pqr"[: chance.choice((1, 1, 1, 2, 2, 3))]]
    # In half of the clusters hardly anything stands in the way of consolidation.
    quiet = chance.random() < 0.5
    for pool in pools if quiet else ():
        pool["spec"]["disruption"]["budgets"] = [{"nodes": chance.choice(("100%", "100%", "2"))}]
    count = chance.choice((2, 2, 3, 3, 4) if quiet else (0, 1, 2, 2, 3, 3, 4))
    nodes = [_node(number, pools, catalogue, chance) for number in range(count)]
    shapes = [_shape(number, chance) for number in range(chance.choice((1, 1, 2, 3)))]
    names = [each["metadata"]["name"] for each in nodes if not _in_flight(each)]
    bound = 0.97 if quiet else 0.65
    pods = [_pod(number, names, shapes, bound, chance) for number in range(chance.randint(1, 7))]
    budgets = [_budget(number, chance) for number in range(chance.choice((0, 0, 0) if quiet else (0, 0, 1, 2)))]
    return {"id": str(seed), "objects": [*nodes, *pods, *budgets], "pools": pools, "catalogue": catalogue}


def _some(chance: Random, often: float, given: Json) -> Json:
    return given if chance.random() < often else {}


def _type(number: int, chance: Random) -> Json:
    cpu = chance.choice((1, 2, 2, 4, 8))
    # The first type always has the label of the provider, so that pods may ask for it.
    labels = {FAMILY: chance.choice("xy")} if number == 0 or chance.random() < 0.6 else {}
    labels |= _some(chance, 0.5, {"kubernetes.io/arch": chance.choice(("amd64", "arm64"))})
    room = {"cpu": str(cpu), "memory": f"{cpu * chance.choice((1, 2))}Gi", "pods": str(chance.choice((2, 4, 10)))}
    spots = [(zone, kind) for zone in "abc" for kind in ("on-demand", "spot")]
    base = cpu * chance.choice((1.0, 1.0, 0.8, 1.5))
    offerings = [
        {"zone": zone, "capacityType": kind, "price": round(base * (0.5 if kind == "spot" else 1.0), 4)}
        | _some(chance, 0.1, {"available": False})
        for zone, kind in sorted(chance.sample(spots, chance.choice((1, 2, 3, 4, 6))))
    ]
    more = {"capacity": {**room, "cpu": str(cpu + 1)}} if chance.random() < 0.3 else {}
    return {"name": f"t{number}", "labels": labels, "allocatable": room, "offerings": offerings, **more}


def _pool(name: str, catalogue: list[Json], chance: Random) -> Json:
    requirements = [
        *([_in(ZONE, chance.sample("abc", chance.choice((1, 2))))] if chance.random() < 0.35 else []),
        *([_in(CAPACITY, [chance.choice(("spot", "on-demand", "on-demand"))])] if chance.random() < 0.5 else []),
        *([_about_family(chance)] if chance.random() < 0.2 else []),
        *([_in(TYPE, [chance.choice(catalogue)["name"]])] if chance.random() < 0.12 else []),
    ]
    template: Json = {"nodeClassRef": CLASS, "requirements": requirements, "expireAfter": "Never"}
    taints = [taint for taint in TAINTS if chance.random() < 0.12]
    template |= {"taints": taints} if taints else {}
    template |= _some(chance, 0.25, {"startupTaints": [STARTUP]})
    limits = {"cpu": str(chance.choice((2, 4, 8)))} if chance.random() < 0.2 else {}
    limits |= {"memory": f"{chance.choice((4, 8, 16))}Gi"} if chance.random() < 0.08 else {}
    limits |= {"nodes": str(chance.choice((1, 2, 3)))} if chance.random() < 0.15 else {}
    disruption = {
        "consolidationPolicy": chance.choice(("WhenEmpty", *("WhenEmptyOrUnderutilized",) * 5)),
        "consolidateAfter": chance.choice(("Never", *("0s",) * 11)),
        "budgets": [_nodes(chance) for _ in range(chance.choice((0, 0, 1, 1, 2)))],
    }
    metadata = {"labels": {TEAM: chance.choice("uv")}} if chance.random() < 0.4 else {}
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": name, "uid": f"uid-{name}"},
        "spec": {
            "template": {"metadata": metadata, "spec": template},
            "disruption": disruption,
            **({"limits": limits} if limits else {}),
            **_some(chance, 0.4, {"weight": chance.choice((1, 10, 10))}),
        },
    }


def _nodes(chance: Random) -> Json:
    nodes = chance.choice(("0", "1", "1", "2", "50%", "100%", "34%"))
    return {"nodes": nodes, **_some(chance, 0.4, {"reasons": [chance.choice(("Empty", "Underutilized", "Drifted"))]})}


def _in(key: str, values: list[str], operator: str = "In") -> Json:
    return {"key": key, "operator": operator, **({"values": sorted(values)} if values else {})}


def _about_family(chance: Random) -> Json:
    operator = chance.choice(("In", "In", "NotIn", "Exists", "DoesNotExist"))
    return _in(FAMILY, [chance.choice("xy")] if operator in ("In", "NotIn") else [], operator)


def _in_flight(node: Json) -> bool:
    labels = node["metadata"]["labels"]
    return POOL in labels and "karpenter.sh/initialized" not in labels


def _node(number: int, pools: list[Json], catalogue: list[Json], chance: Random) -> Json:
    pool, type_ = chance.choice(pools), chance.choice(catalogue)
    offering = chance.choice(type_["offerings"])
    labels = {HOST: f"n{number}", ZONE: offering["zone"]}
    taints: list[Json] = []
    spec: Json = {}
    if chance.random() < 0.9:
        labels |= {POOL: pool["metadata"]["name"], TYPE: type_["name"], CAPACITY: offering["capacityType"]}
        labels |= {**type_["labels"], **pool["spec"]["template"]["metadata"].get("labels", {})}
        labels["karpenter.test.sh/testnodeclass"] = "default"
        taints += pool["spec"]["template"]["spec"].get("taints", [])
        if chance.random() < 0.12:
            taints += [*pool["spec"]["template"]["spec"].get("startupTaints", [])]
            taints += [{"key": "karpenter.sh/unregistered", "effect": "NoExecute"}]
        else:
            labels |= {"karpenter.sh/registered": "true", "karpenter.sh/initialized": "true"}
            if chance.random() < 0.1:
                taints += [{"key": "karpenter.sh/disrupted", "effect": "NoSchedule"}]
    if chance.random() < 0.06:
        spec["unschedulable"] = True
        taints += [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]
    spec |= {"taints": taints} if taints else {}
    room = type_["allocatable"]
    ready = "True" if chance.random() < 0.94 else "False"
    metadata: Json = {"name": f"n{number}", "uid": f"uid-n{number}", "labels": labels}
    metadata |= _some(chance, 0.06, {"annotations": {"karpenter.sh/do-not-disrupt": chance.choice(("true", "false"))}})
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata,
        "spec": spec,
        "status": {
            "allocatable": room,
            "capacity": type_.get("capacity", room),
            "conditions": [{"type": "Ready", "status": ready}],
        },
    }


def _shape(number: int, chance: Random) -> Json:
    """What the pods of an owner have in common."""
    app = chance.choice("ab")
    cpu = chance.choice(("100m", "500m", "500m", "1", "1500m"))
    requests = {"cpu": cpu, **_some(chance, 0.5, {"memory": chance.choice(("256Mi", "1Gi", "3Gi"))})}
    spec: Json = {"containers": [{"name": "main", "image": "i", "resources": {"requests": requests}}]}
    spec["priority"] = chance.choice((0, 0, 0, 0, 1000, 10_000_000, -100_000_000))
    affinity: Json = {}
    spread = chance.random() < 0.35
    # Karpenter tells the constraints of two owners apart by the keys of their selectors alone.
    selective = not spread or number == 0
    if selective and chance.random() < 0.25:
        spec["nodeSelector"] = chance.choice(
            ({ZONE: "a"}, {ZONE: "b"}, {FAMILY: "x"}, {TEAM: "u"}, {CAPACITY: "on-demand"}, {POOL: "p"})
        )
    if selective and chance.random() < 0.3:
        affinity["nodeAffinity"] = _node_affinity(not spread, chance)
    if chance.random() < 0.3:
        affinity["podAntiAffinity"] = _apart(app, chance)
    spec |= {"affinity": affinity} if affinity else {}
    if spread:
        constraints = [_spread(app, number == 0, chance) for _ in range(chance.choice((1, 1, 2)))]
        spec["topologySpreadConstraints"] = _told_apart(constraints)
    spec |= _some(chance, 0.2, {"tolerations": [{"key": chance.choice(("dedicated", "soft")), "operator": "Exists"}]})
    kind = chance.choice(("ReplicaSet", "ReplicaSet", "ReplicaSet", "ReplicaSet", "StatefulSet", "DaemonSet"))
    own = {"apiVersion": "apps/v1", "kind": kind, "name": f"o{number}", "uid": f"uid-o{number}", "controller": True}
    return {"owner": own, "app": app, "spec": spec, "namespace": chance.choice(("default", "default", "shop"))}


def _node_affinity(several: bool, chance: Random) -> Json:
    def term() -> Json:
        expression = chance.choice(
            (
                _in(ZONE, chance.sample("abc", chance.choice((1, 2)))),
                _in(ZONE, [chance.choice("abc")], "NotIn"),
                _about_family(chance),
                _in(TEAM, ["u"]),
                _in(CAPACITY, ["spot"]),
            )
        )
        return {"matchExpressions": [expression]}

    made: Json = {}
    if chance.random() < 0.6:
        terms = [term() for _ in range(chance.choice((1, 2)) if several else 1)]
        made["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": terms}
    if not made or chance.random() < 0.4:
        made["preferredDuringSchedulingIgnoredDuringExecution"] = [
            {"weight": chance.choice((1, 50, 50)), "preference": term()} for _ in range(chance.choice((1, 2)))
        ]
    return made


def _apart(app: str, chance: Random) -> Json:
    def term() -> Json:
        selected = {"matchLabels": {"app": chance.choice((app, app, "a", "b"))}}
        return {"topologyKey": chance.choice((HOST, HOST, ZONE)), "labelSelector": selected}

    made: Json = {}
    if chance.random() < 0.55:
        made["requiredDuringSchedulingIgnoredDuringExecution"] = [term()]
    if not made or chance.random() < 0.3:
        made["preferredDuringSchedulingIgnoredDuringExecution"] = [
            {"weight": chance.choice((1, 100)), "podAffinityTerm": term()} for _ in range(chance.choice((1, 2)))
        ]
    return made


def _spread(app: str, first: bool, chance: Random) -> Json:
    made: Json = {
        "maxSkew": chance.choice((1, 1, 2)),
        "topologyKey": chance.choice((ZONE, ZONE, HOST, CAPACITY)),
        "whenUnsatisfiable": chance.choice(("DoNotSchedule", "ScheduleAnyway")),
        "labelSelector": {"matchLabels": {"app": chance.choice((app, app, app, "a", "b"))}},
    }
    if first and made["whenUnsatisfiable"] == "DoNotSchedule":
        # Nor does minDomains tell constraints apart, so that such a constraint has a selector of its own.
        more = [{"key": "app", "operator": "Exists"}]
        selector = {**made["labelSelector"], "matchExpressions": more}
        made |= _some(chance, 0.2, {"minDomains": chance.choice((2, 3)), "labelSelector": selector})
    made |= _some(chance, 0.15, {"nodeTaintsPolicy": "Honor"})
    return made | _some(chance, 0.15, {"nodeAffinityPolicy": "Ignore"})


def _told_apart(constraints: list[Json]) -> list[Json]:
    """The constraints with each topology key and whenUnsatisfiable once, as the API server has them."""
    return list({(each["topologyKey"], each["whenUnsatisfiable"]): each for each in constraints}.values())


def _pod(number: int, names: list[str], shapes: list[Json], bound: float, chance: Random) -> Json:
    made = chance.choice(shapes)
    on = chance.choice(names) if names and chance.random() < bound else ""
    labels = {"app": made["app"] if chance.random() < 0.95 else "c"}
    metadata: Json = {"name": f"w{number}", "namespace": made["namespace"], "uid": f"uid-w{number}", "labels": labels}
    metadata["creationTimestamp"] = chance.choice(("2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"))
    metadata |= {"ownerReferences": [made["owner"]]}
    metadata |= _some(chance, 0.05, {"annotations": {"karpenter.sh/do-not-disrupt": "true"}})
    if on and chance.random() < 0.06:
        metadata |= {"deletionTimestamp": "2021-02-01T00:00:00Z", "finalizers": ["example.com/kept"]}
    # The input leaves out pods that have ended, which Karpenter still moves if they are terminating and of a StatefulSet.
    ended = bool(on) and "deletionTimestamp" not in metadata and chance.random() < 0.05
    status: Json = {"phase": "Succeeded" if ended else "Running" if on else "Pending"}
    if not on and chance.random() < 0.9:
        status["conditions"] = [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]
    spec = {**made["spec"], **({"nodeName": on} if on else {})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec, "status": status}


def _budget(number: int, chance: Random) -> Json:
    limit: Json = chance.choice(
        ({"minAvailable": 1}, {"maxUnavailable": 1}, {"maxUnavailable": 0}, {"minAvailable": "100%"})
    )
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": f"b{number}", "namespace": chance.choice(("default", "shop"))},
        "spec": {**limit, "selector": {"matchLabels": {"app": chance.choice("ab")}}},
        "status": {
            "disruptionsAllowed": chance.choice((0, 1, 1, 2)),
            "currentHealthy": 3,
            "desiredHealthy": 1,
            "expectedPods": 3,
        },
    }
