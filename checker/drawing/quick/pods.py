"""Random pods and nodes of few values, near the limits of each other: `pod`, `node`"""

from dataclasses import replace

from frozendict import frozendict

from schedcheck.checker.drawing.objects import HOSTNAME, UNIT
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.quick.storage import mounts
from schedcheck.checker.drawing.quick.terms import (
    NAMESPACES,
    affinity_or_none,
    node_labels,
    pod_labels,
    spread,
    taint,
    tolerations,
)
from schedcheck.spec.objects import Container, HostPort, Node, NodeImage, Pod, Taint
from schedcheck.spec.storage import ImageSource, Volume
from schedcheck.spec.values import NO_AMOUNTS, Amounts

GPU = "example.com/gpu"
MIB = 2**20
FEATURE = "RestartAllContainersOnContainerExits"
"""A feature that pods require, and some nodes declare."""
IMAGES = ("a", "a:latest", "b:1", "example.com/c@sha256:1", "d:2")
OWNERS = (("ReplicaSet", "r"), ("StatefulSet", "s"))


def requests(chance: Chance) -> Amounts:
    """Return the requests of a container: a few units of some resources."""
    made: dict[str, int] = {}
    if chance.has("cpu", 0.85):
        made["cpu"] = UNIT * chance.one(0, 1, 1, 1, 2, 3)
        if chance.has("fractions", 0.5):
            made["cpu"] = chance.one(UNIT // 2, UNIT // 10, UNIT // 2000, UNIT + 1)
    if chance.has("memory", 0.7):
        made["memory"] = UNIT * chance.one(0, 1, 2, 100 * MIB, 200 * MIB, 400 * MIB)
    if chance.has("gpu", 0.5):
        made[GPU] = UNIT * chance.one(0, 1, 1, 2)
    if chance.has("fractions", 0.2):
        made["ephemeral-storage"] = UNIT * chance.one(1, 2)
    return frozendict(made)


def container(chance: Chance, *, sidecar: bool = False) -> Container:
    """Return a container with requests, and with an image and ports where these are drawn."""
    made = Container(requests(chance), sidecar, chance.choice(IMAGES) if chance.has("images", 0.8) else "")
    if chance.has("ports", 0.5):
        made = replace(made, ports=chance.list(lambda: port(chance), 1, 2))
    if chance.has("resize", 0.6):
        made = replace(made, allocated=chance.one(NO_AMOUNTS, requests(chance)))
        made = replace(made, actual=chance.one(None, NO_AMOUNTS, requests(chance), requests(chance)))
    return made


def port(chance: Chance) -> HostPort:
    """Return a host port of few addresses and protocols."""
    address = chance.one("", "", "10.0.0.1", "10.0.0.2", "0.0.0.0", "127.0.0.1")
    return HostPort(chance.one(80, 80, 80, 443), chance.one("TCP", "TCP", "TCP", "UDP"), address)


def pod(chance: Chance, name: str, on: str = "") -> Pod:
    """Return a pod of this name, on a node or waiting, with the features of `chance`."""
    inner = chance.has("pod-resources", 0.5)
    made = Pod(
        name,
        namespace=chance.choice(NAMESPACES) if chance.has("namespaces", 0.5) else "default",
        labels=pod_labels(chance),
        node_name=on,
        phase=chance.one("Pending", "Running") if on else "Pending",
        priority=chance.one(-1, 0, 0, 1, 1, 2, 5) if "priorities" in chance.features else 0,
        preemption_policy=chance.one(*["PreemptLowerPriority"] * 9, "Never"),
        node_selector=frozendict({"zone": chance.one("a", "b")}) if chance.has("selectors", 0.4) else frozendict(),
        affinity=affinity_or_none(chance),
        tolerations=tolerations(chance),
        init_containers=chance.list(lambda: container(chance, sidecar=chance.often(0.4)), 0, 3) if inner else (),
        containers=chance.list(lambda: container(chance), 1, chance.one(1, 1, 2)),
        overhead=requests(chance) if chance.has("pod-resources", 0.2) else NO_AMOUNTS,
        spread=spread(chance),
        owner=chance.choice(OWNERS) if chance.has("defaults", 0.6) else ("", ""),
        required_features=frozenset({FEATURE}) if chance.has("declared", 0.4) else frozenset(),
        volumes=mounts(chance),
        start_time=chance.one(None, 1, 1, 2, 3) if on else None,
    )
    if chance.has("pod-resources", 0.2) or chance.has("resize", 0.2):
        made = replace(made, pod_requests=requests(chance))
    if chance.has("resize", 0.3):
        allocated = chance.one(NO_AMOUNTS, requests(chance))
        actual = chance.one(None, NO_AMOUNTS, requests(chance))
        made = replace(made, resize_infeasible=chance.often(0.3), pod_allocated=allocated, pod_actual=actual)
    if chance.has("images", 0.15):
        made = replace(made, volumes=(*made.volumes, Volume("image", ImageSource(chance.choice(IMAGES)))))
    return leaving(chance, made) if on else made


def leaving(chance: Chance, bound: Pod) -> Pod:
    """Return the bound pod, now and then terminating, and then now and then as a victim of preemption."""
    if not chance.has("terminating", 0.25):
        return bound
    return replace(bound, terminating=True, preempted=chance.often(0.5))


def room(chance: Chance) -> Amounts:
    """Return allocatable amounts: little room, or much of all that is not drawn."""
    little = chance.often(0.75)
    made = {
        "cpu": 1000 * chance.one(1, 2, 2, 3, 4, 6) if little and "cpu" in chance.features else 8000,
        "memory": chance.one(1, 2, 4, 200 * MIB, 400 * MIB, 800 * MIB)
        if little and "memory" in chance.features
        else 16 * 1024 * MIB,
        "pods": chance.one(1, 2, 3, 4, 5, 110) if little and chance.often(0.3) else 110,
    }
    if "gpu" in chance.features and chance.often(0.8):
        made[GPU] = chance.one(0, 1, 2, 2, 4)
    if "fractions" in chance.features and chance.often(0.5):
        made["ephemeral-storage"] = chance.one(0, 1, 2, 4)
    return frozendict(made)


def node(chance: Chance, name: str) -> Node:
    """Return a node of this name with the features of `chance`."""
    return Node(
        name,
        labels=node_labels(chance, name),
        allocatable=room(chance),
        taints=taints(chance),
        unschedulable=chance.has("cordons", 0.3),
        images=images(chance) if chance.has("images", 0.8) else (),
        declared_features=frozenset({FEATURE}) if chance.has("declared", 0.6) else frozenset(),
    )


def taints(chance: Chance) -> tuple[Taint, ...]:
    """Return up to two different taints."""
    made = chance.list(lambda: taint(chance), 1, 2) if chance.has("taints", 0.5) else ()
    return tuple({(each.key, each.effect): each for each in made}.values())


def images(chance: Chance) -> tuple[NodeImage, ...]:
    """Return images of a node; each has one size, unless sizes are drawn too: kube-scheduler remembers the first size."""
    listed = (NodeImage(("a:latest", "b:1"), 30 * MIB), NodeImage(("a:latest",), 30 * MIB))
    other = (NodeImage((IMAGES[3],), 500 * MIB), NodeImage(("d:2",), 2000 * MIB))
    made = (*chance.some(listed, 0, 1), *chance.some(other, 0, 2))
    if not chance.has("image-sizes", 0.7):
        return made
    return tuple(replace(each, size=MIB * chance.one(10, 30, 100, 500, 2000)) for each in made)


def named(one: Node, name: str) -> Node:
    """Return the node under another name, with its hostname label if it has one."""
    labels = one.labels.set(HOSTNAME, name) if HOSTNAME in one.labels else one.labels
    return replace(one, name=name, labels=labels)
