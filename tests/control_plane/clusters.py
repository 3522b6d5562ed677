"""Small clusters with workloads, drawn from a seed, for questions about what will happen: `filled`"""

from contextlib import suppress
from random import Random
from typing import Any

from tests.control_plane.api import Api, Missing
from tests.control_plane.objects import budget, node, pod_spec, replica_set
from tests.control_plane.waiting import nodes_ready, settled, wait_for

Json = dict[str, Any]
ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"


def nodes(chance: Random, number: int) -> list[Json]:
    """Return nodes in two or three zones."""
    zones = chance.choice((2, 3))
    shapes = [{"cpu": chance.choice(("2", "3", "4")), "memory": "8Gi"} for _ in range(number)]
    return [node(f"n{each}", shape, {ZONE: f"z{each % zones}"}) for each, shape in enumerate(shapes)]


def template(chance: Random, name: str) -> Json:
    """Return the spec of a workload's pods: anywhere, apart, or spread."""
    selector = {"labelSelector": {"matchLabels": {"app": name}}}
    kind = chance.randrange(4)
    where: Json = {}
    if kind == 0:
        apart = [{"topologyKey": chance.choice((HOST, ZONE)), **selector}]
        where = {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": apart}}}
    elif kind == 1:
        skew = {"maxSkew": chance.choice((1, 2)), "whenUnsatisfiable": "DoNotSchedule"}
        where = {"topologySpreadConstraints": [{**skew, "topologyKey": chance.choice((HOST, ZONE)), **selector}]}
    return pod_spec({"cpu": chance.choice(("250m", "500m", "1")), "memory": "256Mi"}, **where)


def filled(api: Api, seed: int, number: int, workloads: int, most: int) -> Random:
    """Fill a cluster with `number` nodes and with workloads, wait until it is at rest, and return the generator."""
    chance = Random(seed)
    api.create_all(nodes(chance, number))
    wait_for(lambda: nodes_ready(api), "the nodes are ready")
    for each in range(workloads):
        name, replicas = f"w{each}", chance.randint(1, most)
        if chance.random() < 0.6:
            allowed: Json = {"maxUnavailable": 1} if chance.random() < 0.6 else {"minAvailable": max(1, replicas - 1)}
            api.create(budget(name, **allowed))
        api.create(replica_set(name, replicas, template(chance, name)))
    settled(api, quiet=2)
    wait_for(lambda: budgets_current(api), "the budgets are up to date")
    return chance


def budgets_current(api: Api) -> bool:
    """Whether each budget counts the pods that are running now."""
    running: dict[str, int] = {}
    for each in api.list("Pod"):
        if each["status"]["phase"] == "Running" and not each["metadata"].get("deletionTimestamp"):
            app = each["metadata"].get("labels", {}).get("app", "")
            running[app] = running.get(app, 0) + 1
    return all(
        each.get("status", {}).get("currentHealthy", -1) == running.get(each["metadata"]["name"], 0)
        for each in api.list("PodDisruptionBudget")
    )


def cleared(api: Api) -> None:
    """Remove everything that `filled` made."""
    for kind in ("ReplicaSet", "PodDisruptionBudget", "Pod"):
        for each in api.list(kind):
            with suppress(Missing):
                api.delete(kind, each["metadata"]["name"])
    wait_for(lambda: not api.list("Pod"), "the pods have ended")
    for each in api.list("Node"):
        api.delete("Node", each["metadata"]["name"])
