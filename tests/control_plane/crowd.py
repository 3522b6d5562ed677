"""A long run of a control plane, drawn from a seed: `run`

2,000 pods on 200 nodes by default: workloads with spread constraints, affinities and budgets, pods that complete, pods that
preempt, and nodes that are cordoned, fail, come back, or are deleted; some are dedicated.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from tests.control_plane.api import Api
from tests.control_plane.objects import budget, node, pod, pod_spec, priority_class, replica_set
from tests.control_plane.plane import ControlPlane
from tests.control_plane.waiting import nodes_ready, settled, wait_for

Json = dict[str, Any]
ZONES: Final = 4
RACKS: Final = 20
SIZES: Final = (("4", "16Gi"), ("8", "32Gi"), ("16", "48Gi"))
PRIORITIES: Final = {"low": 100, "middle": 1000, "high": 10_000}
DEDICATED: Final = {"key": "dedicated", "value": "batch", "effect": "NoSchedule"}
WAVES: Final = 5
LEAST: Final = 4
"""The least number of replicas of a workload."""


@dataclass(frozen=True)
class Size:
    """How many nodes and pods a run has."""

    nodes: int = 200
    pods: int = 2000


@dataclass
class Told:
    """What has been done in a run, with the number of each."""

    pods: int = 0
    budgets: int = 0
    failed: int = 0
    deleted: int = 0
    cordoned: int = 0
    bound: int = 0
    pending: int = 0
    seconds: float = 0.0


def priorities() -> Iterator[Json]:
    """Yield the priority classes; the pods of one never preempt."""
    for name, value in PRIORITIES.items():
        yield priority_class(name, value)
    yield priority_class("patient", PRIORITIES["high"], preemptionPolicy="Never")


def nodes(drawn: Random, number: int) -> Iterator[Json]:
    """Yield nodes of several sizes in zones and racks, some of them dedicated to batch pods."""
    for each in range(number):
        cpu, memory = drawn.choice(SIZES)
        labels = {"topology.kubernetes.io/zone": f"zone-{each % ZONES}", "rack": f"rack-{each % RACKS}"}
        spec = {"taints": [DEDICATED]} if drawn.random() < 0.1 else {}
        yield node(f"n{each:03}", {"cpu": cpu, "memory": memory}, labels, **spec)


def requests(drawn: Random) -> dict[str, str]:
    """Return what a pod asks for."""
    cpu = drawn.choice((250, 500, 750, 1000, 1500, 2000))
    return {"cpu": f"{cpu}m", "memory": f"{drawn.choice((256, 512, 1024, 3072))}Mi"}


def constraints(drawn: Random, name: str) -> Json:
    """Return where the pods of a workload may be: spread, apart, near, or anywhere."""
    selector = {"labelSelector": {"matchLabels": {"app": name}}}
    zone = {"topologyKey": "topology.kubernetes.io/zone", **selector}
    host = {"topologyKey": "kubernetes.io/hostname", **selector}
    match drawn.randrange(6):
        case 0:
            return {"topologySpreadConstraints": [{"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", **zone}]}
        case 1:
            return {"topologySpreadConstraints": [{"maxSkew": 2, "whenUnsatisfiable": "ScheduleAnyway", **host}]}
        case 2:
            return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [host]}}}
        case 3:
            near = [{"weight": 50, "podAffinityTerm": {**zone, "topologyKey": "rack"}}]
            return {"affinity": {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": near}}}
        case 4:
            return {"nodeSelector": {"topology.kubernetes.io/zone": f"zone-{drawn.randrange(ZONES)}"}}
    return {}


def workloads(drawn: Random, wave: int, pods: int) -> Iterator[Json]:
    """Yield ReplicaSets with about as many pods, and budgets for two thirds of them. Later waves are more important."""
    left, number = pods, 0
    while left > 0:
        replicas = min(left, drawn.randint(LEAST, 24))
        name = f"w{wave}-{number}"
        important = drawn.choice(("low", "low", "middle") if wave < WAVES - 2 else ("middle", "high"))
        spec = pod_spec(requests(drawn), priorityClassName=important, **constraints(drawn, name))
        if drawn.random() < 0.3:
            spec["tolerations"] = [{"key": "dedicated", "operator": "Exists"}]
        kind = drawn.randrange(3)
        if kind == 0:
            yield budget(name, maxUnavailable=1)
        elif kind == 1:
            yield budget(name, minAvailable="70%")
        yield replica_set(name, replicas, spec)
        left, number = left - replicas, number + 1


def single_pods(drawn: Random, wave: int, pods: int) -> Iterator[Json]:
    """Yield pods without owner, half of which complete."""
    for number in range(pods):
        name = f"p{wave}-{number}"
        important = drawn.choice(("low", "middle", "high", "patient") if wave else ("low", "middle"))
        runs_for = f"{drawn.randint(10, 60)}s" if drawn.random() < 0.5 else ""
        extra: Json = {"tolerations": [{"key": "dedicated", "operator": "Exists"}]} if drawn.random() < 0.2 else {}
        yield pod(name, requests(drawn), {"app": f"single-{wave}"}, runs_for, priorityClassName=important, **extra)


def run(plane: ControlPlane, seed: int, size: Size = Size()) -> Told:
    """Drive a control plane through a run, and return what was done. Its audit log has the rest."""
    drawn, told, began = Random(seed), Told(), time.monotonic()
    api = plane.api
    api.create_all(priorities())
    api.create_all(nodes(drawn, size.nodes))
    wait_for(lambda: nodes_ready(api), "the nodes are ready")
    alive, silent = [f"n{each:03}" for each in range(size.nodes)], list[str]()
    for wave in range(WAVES):
        singles = size.pods // WAVES // 3
        made = [*single_pods(drawn, wave, singles), *workloads(drawn, wave, size.pods // WAVES - singles)]
        told.budgets += sum(each["kind"] == "PodDisruptionBudget" for each in made)
        api.create_all(each for each in made if each["kind"] == "PodDisruptionBudget")
        rest = [each for each in made if each["kind"] != "PodDisruptionBudget"]
        drawn.shuffle(rest)
        api.create_all(rest)
        told.pods += size.pods // WAVES
        disturb(plane, drawn, wave, alive, silent, told)
        time.sleep(3)
    wait_for(lambda: all(unreachable(api, each) for each in silent), "silent nodes are unreachable")
    found = settled(api, 600, silent={f"n{each:03}" for each in range(size.nodes)} - set(alive))
    told.bound = sum(bool(each["spec"].get("nodeName")) for each in found)
    told.pending = len(found) - told.bound
    told.seconds = time.monotonic() - began
    return told


def unreachable(api: Api, name: str) -> bool:
    """Whether pods are evicted from a node."""
    return any(each["effect"] == "NoExecute" for each in api.get("Node", name)["spec"].get("taints", ()))


def disturb(plane: ControlPlane, drawn: Random, wave: int, alive: list[str], silent: list[str], told: Told) -> None:
    """Let something happen to some of the nodes: cordon, fail, or delete them."""
    some: Sequence[str] = drawn.sample(alive, max(1, len(alive) // 40))
    match wave:
        case 0:
            for each in some:
                plane.cordon(each)
            told.cordoned += len(some)
        case 1 | 2:
            for each in some:
                plane.fail(each)
                alive.remove(each)
                silent.append(each)
            told.failed += len(some)
        case 3:
            for each in some:
                alive.remove(each)
                plane.api.delete("Node", each)
            told.deleted += len(some)
            for each in sorted(silent)[: len(silent) // 3]:
                plane.recover(each)
                silent.remove(each)
                alive.append(each)
