"""Random HorizontalPodAutoscalers, and what several synchronizations of each find: `drawn`."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any, Final

Json = dict[str, Any]

BEGAN: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""The beginning of the clock on which the program runs the autoscaler."""
REQUEST: Final = {"cpu": 200, "memory": 100_000}
"""What the container `main` requests, in thousandths; the container `side` requests half of it."""
RUNNING: Final = ("settled", "settled", "settled", "settled", "young", "unready", "missing")
KINDS: Final = (*RUNNING, *RUNNING, "pending", "pending", "leaving", "failed", "ended")
TOLERANCES: Final = ("0", "50m", "0.05", "0.2", "57e-2", "0.57", "0.7", "0.7", "700m", "1", "333333n")
"""700 thousandths and seven tenths are different floats; the autoscaler reads the former."""
MOST: Final = (4, 6, 10, 20)


def drawn(seed: int) -> Json:
    """Return an autoscaler, its workload, and synchronizations, with the seed as `id`."""
    chance = Random(seed)
    most = chance.choice(MOST)
    containers = [_container("main", 1, chance), *([_container("side", 2, chance)] if chance.random() < 0.4 else [])]
    metrics = [_metric(containers, chance) for _ in range(chance.choice((1, 1, 1, 2, 2, 3)))]
    names = {each[FIELDS[each["type"]]].get("metric", {}).get("name", "") for each in metrics}
    least = chance.choice((1, 1, 1, 2, 3))
    spec: Json = {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}, "maxReplicas": most}
    spec |= {"minReplicas": least} if least > 1 or chance.random() < 0.3 else {}
    spec |= {"metrics": metrics} if chance.random() < 0.95 else {}
    spec |= {"behavior": _behavior(chance)} if chance.random() < 0.6 else {}
    replicas = chance.choice((0, 1, 2, 3, most, *range(1, most + 1), *range(1, most + 1), most + 2))
    at, syncs = 0, []
    for _ in range(chance.randint(3, 8)):
        syncs.append(_sync(at, most, containers, spec.get("metrics", [DEFAULT]), names, chance))
        at += chance.choice((15, 15, 15, 30, 45, 60, 61, 120, 180, 299, 300, 301, 600))
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": containers}}
    return {
        "id": str(seed),
        "autoscaler": {
            "apiVersion": "autoscaling/v2",
            "kind": "HorizontalPodAutoscaler",
            "metadata": {"name": "web", "namespace": "default"},
            "spec": spec,
        },
        "workload": {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "web", "namespace": "default"},
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template},
        },
        "replicas": replicas,
        "syncs": syncs,
    }


DEFAULT: Final = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
}
FIELDS: Final = {
    "Resource": "resource",
    "ContainerResource": "containerResource",
    "Pods": "pods",
    "Object": "object",
    "External": "external",
}


def _container(name: str, share: int, chance: Random) -> Json:
    """Return a container; few lack a request, or request nothing."""
    requests = {}
    if chance.random() < 0.96:
        requests["cpu"] = "0" if chance.random() < 0.03 else f"{REQUEST['cpu'] // share}m"
    if chance.random() < 0.85:
        requests["memory"] = str(REQUEST["memory"] // share // 1000)
    return {"name": name, "image": "image", "resources": {"requests": requests}}


def _metric(containers: list[Json], chance: Random) -> Json:
    kind = chance.choice(("Resource",) * 9 + ("ContainerResource",) * 3 + ("Pods",) * 3 + ("Object", "External") * 3)
    if kind in ("Pods", "Object", "External"):
        name = chance.choice(("queue", "rate"))
        source: Json = {"metric": {"name": name}, "target": _target(chance, plain=kind != "Pods")}
        if kind == "Object":
            source["describedObject"] = {"apiVersion": "v1", "kind": "Service", "name": "web"}
        return {"type": kind, FIELDS[kind]: source}
    name = chance.choice(("cpu", "cpu", "cpu", "memory"))
    target: Json = {
        "type": "Utilization",
        "averageUtilization": chance.choice((30, 50, 50, 70, 80, 100, 120, 157, 200, 200)),
    }
    if chance.random() < 0.3:
        value = chance.choice((50, 90, 100, 150)) * REQUEST[name] // 100
        target = {"type": "AverageValue", "averageValue": f"{value}m"}
    source = {"name": name, "target": target}
    if kind == "ContainerResource":
        source["container"] = chance.choice([each["name"] for each in containers])
    return {"type": kind, FIELDS[kind]: source}


def _target(chance: Random, *, plain: bool) -> Json:
    amount = chance.choice(("1", "3", "10", "500m", "2500m", "1k", "7"))
    if plain and chance.random() < 0.55:
        return {"type": "Value", "value": amount}
    return {"type": "AverageValue", "averageValue": amount}


def _behavior(chance: Random) -> Json:
    return {name: _rules(chance) for name in ("scaleUp", "scaleDown") if chance.random() < 0.7}


def _rules(chance: Random) -> Json:
    rules: Json = {}
    if chance.random() < 0.6:
        rules["stabilizationWindowSeconds"] = chance.choice((0, 0, 15, 30, 60, 300, 600))
    if chance.random() < 0.4:
        rules["selectPolicy"] = chance.choice(("Max", "Min", "Min", "Disabled"))
    if chance.random() < 0.6:
        rules["policies"] = [_policy(chance) for _ in range(chance.choice((1, 1, 2)))]
    if chance.random() < 0.35:
        rules["tolerance"] = chance.choice(TOLERANCES)
    return rules


def _policy(chance: Random) -> Json:
    kind = chance.choice(("Pods", "Percent"))
    value = chance.choice((1, 1, 2, 4)) if kind == "Pods" else chance.choice((10, 33, 50, 100, 150, 200))
    return {"type": kind, "value": value, "periodSeconds": chance.choice((15, 30, 60, 120, 300, 600))}


def _sync(at: int, most: int, containers: list[Json], metrics: list[Json], names: set[str], chance: Random) -> Json:
    """Return what a synchronization finds: pods with their kinds, and readings."""
    number = chance.choice((0, *range(1, most + 2), *range(1, most + 2)))
    alike = chance.random() < 0.6
    kinds = [chance.choice(KINDS if chance.random() < 0.6 else ("settled",)) for _ in range(number)]
    named = {f"web-{place}": kind for place, kind in enumerate(kinds)}
    lag = {name: chance.choice((0, 0, 5, 10)) for name in named}
    pods = [_pod(name, kind, at - lag[name], containers, chance) for name, kind in named.items()]
    sync: Json = {
        "at": at,
        "pods": pods,
        "kinds": named,
        "status": chance.choice((number, number, 0, chance.randint(0, most))),
    }
    if chance.random() < 0.08:
        sync["set"] = chance.randint(0, most + 2)
    sync["readings"] = {}
    for metric in metrics:
        name, one = reading_of(metric), _unit(metric, containers, chance)
        if name in sync["readings"]:
            continue
        if metric["type"] in ("Object", "External"):
            values = [one() for _ in range(1 if metric["type"] == "Object" else chance.choice((1, 1, 2)))]
            sync["readings"][name] = {"values": values if chance.random() < 0.93 else []}
            continue
        settled, young = one(), one()
        samples = {}
        for pod, kind in named.items():
            if kind in ("missing", "ended") or (kind in ("pending", "leaving", "failed") and chance.random() < 0.5):
                continue
            value = (young if kind in ("young", "unready") else settled) if alike else one()
            samples[pod] = {"value": value, "time": at - lag[pod], "window": 30}
        sync["readings"][name] = {"pods": samples}
    return sync


def reading_of(metric: Json) -> str:
    """Return the name under which a metric is read."""
    source = metric[FIELDS[metric["type"]]]
    if metric["type"] == "ContainerResource":
        return f"{source['name']}/{source['container']}"
    return str(
        source["name"] if metric["type"] == "Resource" else f"{metric['type'].lower()}-{source['metric']['name']}"
    )


def request_of(metric: Json, containers: list[Json]) -> int:
    """Return what a pod, or the container of the metric, requests of the resource, in thousandths; 0 if one lacks a request."""
    source = metric[FIELDS[metric["type"]]]
    own = [each for each in containers if source.get("container", each["name"]) == each["name"]]
    requests = [each["resources"]["requests"].get(source["name"]) for each in own]
    return 0 if None in requests else sum(map(thousandths, requests))


def _unit(metric: Json, containers: list[Json], chance: Random) -> Any:
    """Return a function that draws a reading of a metric, often near the target."""
    source = metric[FIELDS[metric["type"]]]
    target = source["target"]
    share = chance.choice((1, 1, 0))

    def percent(of: int) -> int:
        near = chance.choice((0.3, 0.3, 0.5, 0.8, 0.9, 0.93, 1, 1.07, 1.1, 1.2, 1.57, 2, 3))
        return round(of * near) if share or chance.random() < 0.5 else chance.randint(0, 4 * of)

    if "name" in source:
        request = request_of(metric, containers) or REQUEST[source["name"]]
        value = target.get("averageUtilization") or 100 * thousandths(target["averageValue"]) // request
        return lambda: percent(value) * request // 100
    value = thousandths(target.get("averageValue", target.get("value")))
    most = chance.choice((1, 3, 6)) if metric["type"] in ("Object", "External") and "averageValue" in target else 1
    return lambda: percent(value * most)


def thousandths(quantity: str) -> int:
    """Return a quantity of those that are drawn, in thousandths."""
    units = {"m": 1, "k": 1_000_000}
    return int(quantity[:-1]) * units[quantity[-1]] if quantity[-1] in units else int(quantity) * 1000


def _pod(name: str, kind: str, read: int, containers: list[Json], chance: Random) -> Json:
    """Return a pod of a kind, whose metrics were read at this time."""
    meta: Json = {"name": name, "namespace": "default", "labels": {"app": "web"}}
    if kind == "leaving":
        meta |= {"deletionTimestamp": _time(read), "finalizers": ["example.com/kept"]}
    phase = {"pending": "Pending", "failed": "Failed", "ended": "Succeeded"}.get(kind, "Running")
    status: Json = {"phase": phase, "startTime": _time(read - 5000)}
    ready, since = "True", read - 4990
    if kind in ("failed", "ended", "pending"):
        ready, since = "False", read - 1000
    elif kind == "young":
        # It has been ready for one window of its metrics.
        status["startTime"], since = _time(read - 100), read - chance.choice((30, 31, 90))
    elif kind == "unready":
        case = chance.choice(("new", "window", "never", "bare", "unstarted"))
        if case == "new":
            ready, since, status["startTime"] = "False", read - 60, _time(read - 100)
        elif case == "window":
            since, status["startTime"] = read - chance.choice((0, 10, 29)), _time(read - 100)
        elif case == "never":
            ready, since = "False", read - 5000 + chance.choice((0, 29))
        elif case == "unstarted":
            del status["startTime"]
        if case == "bare":
            return _made(meta, containers, status)
    elif kind == "settled" and chance.random() < 0.15:
        # It was ready for long, and is not any more: its metrics count.
        ready, since = "False", read - 5000 + chance.choice((30, 31, 2000))
    status["conditions"] = [{"type": "Ready", "status": ready, "lastTransitionTime": _time(since)}]
    return _made(meta, containers, status)


def _made(meta: Json, containers: list[Json], status: Json) -> Json:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {"containers": containers}, "status": status}


def _time(at: int) -> str:
    return (BEGAN + timedelta(seconds=at)).strftime("%Y-%m-%dT%H:%M:%SZ")
