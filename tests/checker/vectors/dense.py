"""Clusters whose pods are identical except for one thing, and full enough that it matters: `dense`."""

from dataclasses import replace
from random import Random

from frozendict import frozendict

from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import (
    Container,
    HostPort,
    Namespace,
    Node,
    NodeImage,
    Pod,
    PodDisruptionBudget,
    Service,
    Snapshot,
    SpreadConstraint,
    Taint,
    Toleration,
)
from schedcheck.spec.storage import (
    CSI,
    WAIT_FOR_FIRST_CONSUMER,
    ClaimReference,
    ClaimSource,
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    Ephemeral,
    GCEPersistentDisk,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    Volume,
    VolumeAttachment,
)
from schedcheck.spec.terms import (
    NO_AFFINITY,
    Affinity,
    LabelSelector,
    NodeSelectorTerm,
    PodAffinityTerm,
    PreferredPodTerm,
    Requirement,
)
from tests.support.building import HOSTNAME, UNIT, stored

DRIVERS = ("csi.example.com", "unlimited.example.com")
GCE_DRIVER = "pd.csi.storage.gke.io"
ZONE = "topology.kubernetes.io/zone"
SELECTORS = (
    LabelSelector(frozendict(app="a")),
    LabelSelector(frozendict(app="b")),
    LabelSelector(match_expressions=(Requirement("app", "In", ("a", "b")),)),
    LabelSelector(match_expressions=(Requirement("app", "Exists"),)),
)


def dense(seed: int) -> tuple[Snapshot, Plugins]:
    """A cluster of a few nodes with three to six pods each, and three pending pods."""
    chance = Random(seed)
    nodes = [_node(f"n{number}", chance) for number in range(4)]
    there = [
        replace(
            _pod(f"{node.name}-{number}", chance, 0.2),
            node_name=node.name,
            start_time=chance.choice((1, 1, 2)),
            terminating=chance.random() < 0.15,
            priority=chance.choice((0, 0, 1)),
        )
        for node in nodes
        for number in range(chance.randrange(2, 6))
    ]
    waiting = [replace(_pod(f"w{number}", chance, 0.7), priority=chance.choice((0, 5, 5))) for number in range(3)]
    budgets = tuple(
        PodDisruptionBudget(f"b{number}", "x", chance.choice(SELECTORS), max_unavailable=1, disruptions_allowed=number)
        for number in range(chance.randrange(3))
    )
    services = (Service("s", "x", frozendict(app="a")),) if chance.random() < 0.3 else ()
    namespaces = (Namespace("x", frozendict(team="1")), Namespace("y"))
    made = Snapshot.of((*there, *waiting), nodes, namespaces)
    return replace(made, budgets=budgets, services=services), DEFAULT_PLUGINS


def with_volumes() -> tuple[Snapshot, Plugins]:
    """Nodes in two zones, and pods whose volumes exist, or can be provisioned, in only one of them."""
    nodes = [Node(f"n{number}", frozendict({HOSTNAME: f"n{number}", ZONE: "ab"[number % 2]})) for number in range(4)]
    nodes = [replace(each, allocatable=frozendict(pods=5)) for each in nodes]
    in_b = Requirement(ZONE, "In", ("b",))
    made = {
        "kept": StorageClass("kept", "kubernetes.io/no-provisioner", WAIT_FOR_FIRST_CONSUMER),
        "allowed": StorageClass("allowed", "driver", WAIT_FOR_FIRST_CONSUMER, ((in_b,),)),
        "roomy": StorageClass("roomy", "telling", WAIT_FOR_FIRST_CONSUMER),
    }
    claims = [PersistentVolumeClaim(name, request=1, storage_class=name, access_modes=()) for name in made]
    begun = replace(claims[1], name="begun", selected_node="n1")
    bound = replace(claims[0], name="bound", volume_name="v2", bind_completed=True)
    there = NodeSelectorTerm((in_b,))
    volumes = [
        PersistentVolume("v", capacity=1, storage_class="kept", node_affinity=(there,)),
        PersistentVolume("v2", claim=ClaimReference("default", "bound"), phase="Bound", node_affinity=(there,)),
    ]
    capacity = CSIStorageCapacity("c", "x", "roomy", LabelSelector(frozendict({ZONE: "b"})), capacity=1)
    waiting = [
        Pod(f"p-{each.name}", volumes=(Volume("data", ClaimSource(each.name)),)) for each in (*claims, begun, bound)
    ]
    storage = stored(*volumes, *made.values(), *claims, begun, bound, CSIDriver("telling", True), capacity)
    return replace(Snapshot.of(waiting, nodes), storage=storage), DEFAULT_PLUGINS


def limited(seed: int) -> tuple[Snapshot, Plugins]:
    """Nodes with CSINodes of few kinds, on which pods share volumes, and pods that want more of them."""
    chance = Random(seed)
    names = [f"n{number}" for number in range(12)]
    volumes = [PersistentVolume(f"v{each}", source=CSI(DRIVERS[each % 2], f"h{each}")) for each in range(5)]
    volumes.append(PersistentVolume("v5", source=GCEPersistentDisk("disk")))
    claims = [
        PersistentVolumeClaim(f"c{each}", "x", volume_name=volume.name, bind_completed=True)
        for each, volume in enumerate(volumes)
    ]
    there = [_claiming(f"{name}-{number}", chance, name) for name in names for number in range(chance.randrange(3))]
    waiting = [_claiming(f"w{number}", chance) for number in range(3)]
    others = [PersistentVolumeClaim(f"{each.name}-own", "x", owner_uid="another") for each in (*there, *waiting)]
    attachments = [
        VolumeAttachment(f"a{number}", DRIVERS[0], name, f"v{chance.choice((0, 2, 4))}")
        for number, name in enumerate(names)
        if chance.random() < 0.4
    ]
    storage = stored(*volumes, *claims, *others, *filter(None, (_limits(name, chance) for name in names)), *attachments)
    nodes = [Node(name, frozendict({HOSTNAME: name}), frozendict(pods=chance.choice((3, 9)))) for name in names]
    made = replace(Snapshot.of((*there, *waiting), nodes, (Namespace("x"),)), storage=storage)
    fewer = DEFAULT_PLUGINS.departures - {Departure.ATTACHED_COUNTS_TWICE}
    return made, replace(DEFAULT_PLUGINS, departures=fewer) if seed % 2 else DEFAULT_PLUGINS


def _limits(name: str, chance: Random) -> CSINode | None:
    """A CSINode, one in two of them with a limit of one volume and nothing else; or none."""
    if chance.random() < 0.5:
        return CSINode(name, allocatable=frozendict({DRIVERS[0]: 1}))
    limits = {DRIVERS[0]: chance.choice((1, 2))} | ({GCE_DRIVER: 1} if chance.random() < 0.5 else {})
    migrated = frozenset({"kubernetes.io/gce-pd"}) if chance.random() < 0.5 else frozenset()
    made = CSINode(name, allocatable=frozendict(limits if chance.random() < 0.8 else {}), migrated=migrated)
    return made if chance.random() < 0.8 else None


def _claiming(name: str, chance: Random, on: str = "") -> Pod:
    """A pod of some priority that wants one or two of the volumes; few claims of its own are another pod's."""
    names = [f"c{chance.randrange(6)}" for _ in range(chance.randrange(1, 3))]
    names += ["own"] if chance.random() < 0.1 else []
    volumes = tuple(Volume(each, _source(each)) for each in dict.fromkeys(names))
    return Pod(name, "x", volumes=volumes, node_name=on, priority=0 if on else chance.choice((0, 1)), start_time=1)


def _source(claim: str) -> ClaimSource | Ephemeral | GCEPersistentDisk:
    if claim == "c3":
        return GCEPersistentDisk("inline", read_only=True)
    return Ephemeral("mine") if claim == "own" else ClaimSource(claim)


def _node(name: str, chance: Random) -> Node:
    labels = {HOSTNAME: name, "arch": chance.choice(("x", "y"))}
    if chance.random() < 0.8:
        labels[ZONE] = chance.choice("ab")
    taints = ((), (), (), (Taint("t", "NoSchedule"),), (Taint("t", "PreferNoSchedule"),))
    return Node(
        name,
        frozendict(labels),
        frozendict(cpu=chance.choice((6, 8)) * 1000, memory=8 * 1024, pods=chance.choice((5, 6, 10))),
        chance.choice(taints),
        images=(NodeImage(("i:1",), 500 * 1024**2),) if chance.random() < 0.5 else (),
    )


def _pod(name: str, chance: Random, picky: float) -> Pod:
    """A pod that with this probability depends on the places of other pods."""
    cpu = chance.choice((1, 1, 2))
    small, large = frozendict(cpu=UNIT * cpu, memory=UNIT), frozendict(cpu=3 * UNIT)
    running = Container(small, image="i:1", ports=chance.choice(((), (), (), (HostPort(80),))))
    made = Pod(
        name,
        chance.choice("xxy"),
        frozendict(app=chance.choice("aab")),
        containers=(running,),
        tolerations=(Toleration("t", "Exists"),) if chance.random() < 0.3 else (),
        affinity=_affinity(chance) if chance.random() < picky else NO_AFFINITY,
        spread=tuple(_spread(chance) for _ in range(chance.randrange(1, 3))) if chance.random() < picky / 2 else (),
        node_selector=frozendict(arch="x") if chance.random() < picky / 4 else frozendict(),
    )
    match chance.randrange(10):
        case 0:
            return replace(made, init_containers=(Container(large),))
        case 1:
            return replace(made, overhead=frozendict(cpu=2 * UNIT))
        case 2:
            return replace(made, pod_requests=frozendict(cpu=4 * UNIT))
        case 3 | 4:
            resized = (replace(running, requests=large, allocated=chance.choice((frozendict(), large)), actual=small),)
            return replace(made, containers=resized, resize_infeasible=chance.random() < 0.5)
        case 5:
            return replace(made, containers=(replace(running, requests=frozendict()),))
        case 6:
            whole, more = frozendict(cpu=2 * UNIT), frozendict(cpu=5 * UNIT)
            status = {"pod_allocated": chance.choice((frozendict(), more)), "pod_actual": chance.choice((whole, more))}
            return replace(made, pod_requests=whole, **status)
    return made


def _affinity(chance: Random) -> Affinity:
    term = PodAffinityTerm(chance.choice((HOSTNAME, ZONE)), chance.choice(SELECTORS))
    preferred = (PreferredPodTerm(chance.randrange(1, 100), term),)
    match chance.randrange(4):
        case 0:
            return Affinity(pod_required=(term,))
        case 1:
            return Affinity(anti_required=(term,))
        case 2:
            return Affinity(pod_preferred=preferred)
    return Affinity(anti_preferred=preferred)


def _spread(chance: Random) -> SpreadConstraint:
    return SpreadConstraint(
        chance.choice((1, 2)),
        chance.choice((HOSTNAME, ZONE)),
        chance.random() < 0.6,
        chance.choice(SELECTORS),
        affinity_honored=chance.random() < 0.5,
        taints_honored=chance.random() < 0.5,
    )
