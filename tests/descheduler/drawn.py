"""Random clusters and policies for the descheduler, as manifests: `drawn`."""

from collections.abc import Sequence
from random import Random
from typing import Any, Final

Json = dict[str, Any]

ZONE: Final = "topology.kubernetes.io/zone"
HOST: Final = "kubernetes.io/hostname"
PLUGINS: Final = (
    "RemoveDuplicates",
    "RemovePodsViolatingNodeAffinity",
    "RemovePodsViolatingNodeTaints",
    "RemovePodsViolatingInterPodAntiAffinity",
    "RemovePodsViolatingTopologySpreadConstraint",
    "HighNodeUtilization",
    "LowNodeUtilization",
    "PodLifeTime",
    "RemovePodsHavingTooManyRestarts",
)
ENDLESS: Final = {"PodLifeTime", "RemovePodsHavingTooManyRestarts"}
"""The plugins whose model leaves out pods that have ended."""
BALANCE: Final = (
    "RemoveDuplicates",
    "RemovePodsViolatingTopologySpreadConstraint",
    "HighNodeUtilization",
    "LowNodeUtilization",
)
TAINTS: Final = (("dedicated", "batch", "NoSchedule"), ("old", "", "PreferNoSchedule"), ("broken", "", "NoExecute"))


def drawn(seed: int, given: Sequence[str] = ()) -> Json:
    """Return a cluster and a policy with some plugins, or the given ones: `objects` and `policy`, with the seed as `id`."""
    chance = Random(seed)
    names = [f"n{number}" for number in range(chance.choice((2, 2, 3, 3, 4)))]
    some = chance.sample(PLUGINS, chance.choice((1, 1, 1, 2, 3)))
    plugins = [*given] or some
    nodes = [_node(name, chance) for name in names]
    owners = [_owner(number, plugins, chance) for number in range(chance.choice((1, 1, 2, 3)))]
    pods = [_pod(number, names, owners, not ENDLESS & {*plugins}, chance) for number in range(chance.randint(3, 9))]
    budgets = [_budget(number, chance) for number in range(chance.choice((0, 0, 1, 2)))]
    spaces = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"team": name}}}
        for name in ("default", "shop")
    ]
    return {"id": str(seed), "objects": [*spaces, *nodes, *pods, *budgets], "policy": _policy(plugins, chance)}


def _some(chance: Random, often: float, given: Json) -> Json:
    return given if chance.random() < often else {}


def _node(name: str, chance: Random) -> Json:
    labels = {HOST: name, **_some(chance, 0.8, {ZONE: chance.choice("ab")})}
    labels |= _some(chance, 0.5, {"disk": chance.choice(("ssd", "hdd"))})
    taints = [
        {"key": key, "effect": effect, **({"value": value} if value else {})}
        for key, value, effect in TAINTS
        if chance.random() < 0.12
    ]
    spec = {"taints": taints} if taints else {}
    spec |= _some(chance, 0.08, {"unschedulable": True})
    room = {"cpu": str(chance.choice((1, 2, 4))), "memory": f"{chance.choice((2, 4))}Gi"}
    room["pods"] = str(chance.choice((3, 5, 10)))
    ready = "True" if chance.random() < 0.93 else "False"
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
        "status": {"allocatable": room, "capacity": room, "conditions": [{"type": "Ready", "status": ready}]},
    }


def _owner(number: int, plugins: list[str], chance: Random) -> Json:
    kind = chance.choice(("ReplicaSet",) * 6 + ("StatefulSet", "StatefulSet", "Job", "DaemonSet"))
    version = "batch/v1" if kind == "Job" else "apps/v1"
    own = {"apiVersion": version, "kind": kind, "name": f"o{number}", "uid": f"uid-o{number}", "controller": True}
    app = chance.choice("ab")
    return {
        "owner": own,
        "namespace": chance.choice(("default", "default", "shop")),
        "app": app,
        "shape": _shape(app, plugins, chance),
    }


def _shape(app: str, plugins: list[str], chance: Random) -> Json:
    """What the pods of an owner have in common; more often what one of the plugins looks at."""

    def likely(plugin: str) -> float:
        return 0.8 if f"RemovePodsViolating{plugin}" in plugins else 0.25

    spec: Json = {"containers": [_container(number, chance) for number in range(chance.choice((1, 1, 2)))]}
    spec["priority"] = chance.choice((0, 0, 0, 10, 10, 2_000_000_000))
    affinity: Json = {}
    if chance.random() < likely("NodeAffinity"):
        affinity["nodeAffinity"] = _node_affinity(chance)
    if chance.random() < likely("InterPodAntiAffinity"):
        term = {
            "topologyKey": chance.choice((HOST, ZONE)),
            "labelSelector": {"matchLabels": {"app": chance.choice("ab")}},
        }
        affinity["podAntiAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
    spec |= {"affinity": affinity} if affinity else {}
    if chance.random() < likely("TopologySpreadConstraint"):
        spec["topologySpreadConstraints"] = [
            {
                "maxSkew": chance.choice((1, 1, 2)),
                "topologyKey": chance.choice((ZONE, ZONE, HOST)),
                "whenUnsatisfiable": chance.choice(("DoNotSchedule", "ScheduleAnyway")),
                "labelSelector": {"matchLabels": {"app": chance.choice((app, app, app, "a", "b"))}},
            }
        ]
    if chance.random() < 0.2:
        spec["tolerations"] = [{"key": chance.choice(("dedicated", "old", "broken")), "operator": "Exists"}]
    spec |= _some(chance, 0.15, {"nodeSelector": {"disk": chance.choice(("ssd", "hdd"))}})
    spec |= _some(chance, 0.1, {"volumes": [{"name": "tmp", "emptyDir": {}}]})
    return spec


def _container(number: int, chance: Random) -> Json:
    requests = _some(chance, 0.8, {"cpu": chance.choice(("100m", "500m", "1"))})
    requests |= _some(chance, 0.5, {"memory": chance.choice(("128Mi", "512Mi", "1Gi"))})
    limits = {"limits": requests} if requests and chance.random() < 0.3 else {}
    return {
        "name": f"c{number}",
        "image": f"image-{chance.choice('xy')}",
        "resources": {"requests": requests, **limits},
    }


def _node_affinity(chance: Random) -> Json:
    match = {"matchExpressions": [{"key": "disk", "operator": "In", "values": [chance.choice(("ssd", "hdd"))]}]}
    if chance.random() < 0.6:
        return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [match]}}
    return {
        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": chance.choice((1, 50)), "preference": match}]
    }


def _pod(number: int, names: list[str], owners: list[Json], ends: bool, chance: Random) -> Json:
    made = chance.choice(owners)
    # Most pods of a crowded node make the plugins work.
    on = "" if chance.random() < 0.07 else chance.choice((names[0], names[0], *names))
    labels = {"app": made["app"] if chance.random() < 0.95 else "c"}
    meta: Json = {"name": f"p{number}", "namespace": made["namespace"], "uid": f"uid-p{number}", "labels": labels}
    meta["creationTimestamp"] = chance.choice(("2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"))
    meta |= {"ownerReferences": [made["owner"]]} if chance.random() < 0.93 else {}
    if chance.random() < 0.08:
        meta["annotations"] = {
            chance.choice(
                ("descheduler.alpha.kubernetes.io/evict", "descheduler.alpha.kubernetes.io/prefer-no-eviction")
            ): "true"
        }
    spec = {**made["shape"], **({"nodeName": on} if on else {})}
    phase = "Running" if on else "Pending"
    phase = "Succeeded" if on and ends and chance.random() < 0.06 else phase
    status = {"phase": phase, **({"containerStatuses": _statuses(chance), "initContainerStatuses": _statuses(chance)})}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": status}


def _statuses(chance: Random) -> list[Json]:
    return [
        {"name": f"c{number}", "image": "i", "imageID": "", "restartCount": chance.choice((0, 0, 1, 2, 5))}
        for number in range(chance.choice((0, 1, 1, 2)))
    ]


def _budget(number: int, chance: Random) -> Json:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": f"b{number}", "namespace": chance.choice(("default", "shop"))},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": chance.choice("ab")}}},
        "status": {
            "disruptionsAllowed": chance.choice((0, 1, 2)),
            "currentHealthy": 3,
            "desiredHealthy": 1,
            "expectedPods": 3,
        },
    }


def _policy(plugins: list[str], chance: Random) -> Json:
    evictor: Json = _some(chance, 0.3, {"nodeFit": True})
    evictor |= _some(chance, 0.15, {"minReplicas": 2})
    evictor |= _some(chance, 0.1, {"labelSelector": {"matchLabels": {"app": "a"}}})
    evictor |= _some(chance, 0.1, {"priorityThreshold": {"value": 10}})
    evictor |= _some(chance, 0.1, {"noEvictionPolicy": "Mandatory"})
    evictor |= _some(chance, 0.1, {"namespaceLabelSelector": {"matchLabels": {"team": "shop"}}})
    evictor |= _some(chance, 0.1, {"nodeSelector": "disk=ssd"})
    if chance.random() < 0.15:
        evictor["podProtections"] = chance.choice(
            (
                {"defaultDisabled": ["PodsWithLocalStorage"]},
                {"defaultDisabled": ["SystemCriticalPods", "DaemonSetPods"]},
                {"extraEnabled": ["PodsWithoutPDB"]},
            )
        )
    config = [{"name": "DefaultEvictor", "args": evictor}] if evictor else []
    config += [{"name": name, "args": ARGUMENTS[name](chance)} for name in plugins]
    points = {"deschedule": [], "balance": []}
    for name in plugins:
        points["balance" if name in BALANCE else "deschedule"].append(name)
    enabled = {point: {"enabled": names} for point, names in points.items() if names}
    limits = _some(chance, 0.12, {"maxNoOfPodsToEvictPerNode": chance.choice((1, 2))})
    limits |= _some(chance, 0.08, {"maxNoOfPodsToEvictPerNamespace": chance.choice((1, 2))})
    limits |= _some(chance, 0.08, {"maxNoOfPodsToEvictTotal": chance.choice((1, 2))})
    selected = _some(chance, 0.06, {"nodeSelector": chance.choice(("disk=ssd", "disk!=hdd"))})
    return {
        "apiVersion": "descheduler/v1alpha2",
        "kind": "DeschedulerPolicy",
        "profiles": [{"name": "drawn", "pluginConfig": config, "plugins": enabled}],
        **limits,
        **selected,
    }


def _scope(chance: Random) -> Json:
    scope = _some(chance, 0.1, {"labelSelector": {"matchLabels": {"app": chance.choice("ab")}}})
    return scope | _namespaces(chance)


def _namespaces(chance: Random) -> Json:
    which = chance.choice(("include", "exclude"))
    return _some(chance, 0.1, {"namespaces": {which: [chance.choice(("default", "shop"))]}})


def _duplicates(chance: Random) -> Json:
    kinds = _some(chance, 0.15, {"excludeOwnerKinds": [chance.choice(("ReplicaSet", "StatefulSet"))]})
    return kinds | _namespaces(chance)


def _affinity(chance: Random) -> Json:
    kinds = [f"{each}DuringSchedulingIgnoredDuringExecution" for each in ("required", "preferred")]
    return {"nodeAffinityType": chance.choice((kinds[:1], kinds[1:], kinds))} | _scope(chance)


def _taints(chance: Random) -> Json:
    args = _some(chance, 0.4, {"includePreferNoSchedule": True})
    args |= _some(
        chance,
        0.2,
        {chance.choice(("excludedTaints", "includedTaints")): [chance.choice(("dedicated", "dedicated=batch", "old"))]},
    )
    return args | _scope(chance)


def _spread(chance: Random) -> Json:
    args = _some(chance, 0.6, {"constraints": chance.choice((["DoNotSchedule"], ["DoNotSchedule", "ScheduleAnyway"]))})
    args |= _some(chance, 0.4, {"topologyBalanceNodeFit": False})
    return args | _scope(chance)


def _high(chance: Random) -> Json:
    args: Json = {"thresholds": _percentages(chance, (40, 60, 80))}
    args |= _some(chance, 0.1, {"numberOfNodes": 1})
    args |= _some(chance, 0.15, {"evictionModes": ["OnlyThresholdingResources"]})
    return args | _some(chance, 0.1, {"evictableNamespaces": {"exclude": ["shop"]}})


def _low(chance: Random) -> Json:
    low = _percentages(chance, (10, 20, 40))
    args: Json = {
        "thresholds": low,
        "targetThresholds": {name: each + chance.choice((0, 20, 40)) for name, each in low.items()},
    }
    args |= _some(chance, 0.1, {"numberOfNodes": 1})
    args |= _some(chance, 0.15, {"evictionLimits": {"node": chance.choice((1, 2))}})
    return args | _some(chance, 0.1, {"evictableNamespaces": {"exclude": ["shop"]}})


def _percentages(chance: Random, sizes: tuple[int, ...]) -> Json:
    names = chance.choice((("cpu",), ("cpu",), ("cpu", "memory"), ("pods",), ("cpu", "memory", "pods")))
    return {name: chance.choice(sizes) for name in names}


def _life_time(chance: Random) -> Json:
    args: Json = {"maxPodLifeTimeSeconds": 86400}
    args |= _some(chance, 0.2, {"ownerKinds": {chance.choice(("include", "exclude")): ["ReplicaSet"]}})
    return args | _scope(chance)


def _restarts(chance: Random) -> Json:
    args: Json = {"podRestartThreshold": chance.choice((1, 2, 3, 6))}
    return args | _some(chance, 0.5, {"includingInitContainers": True}) | _scope(chance)


ARGUMENTS: Final = {
    "RemoveDuplicates": _duplicates,
    "RemovePodsViolatingNodeAffinity": _affinity,
    "RemovePodsViolatingNodeTaints": _taints,
    "RemovePodsViolatingInterPodAntiAffinity": _scope,
    "RemovePodsViolatingTopologySpreadConstraint": _spread,
    "HighNodeUtilization": _high,
    "LowNodeUtilization": _low,
    "PodLifeTime": _life_time,
    "RemovePodsHavingTooManyRestarts": _restarts,
}
