"""Crowded clusters drawn from a seed with everything that a definition may depend on, and changes of them.

Each is built around one concern of the pod to be scheduled, so that every definition is often relevant. Storage objects
come from the strategies of `storage_strategies`.
"""

from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any, TypeVar

from frozendict import frozendict
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from schedcheck.checker.drawing.contests import SELECTORS
from schedcheck.checker.drawing.storage import CLAIMS, ZONE, mounts, storages
from schedcheck.spec.device_objects import Allocation, ResourceClaim
from schedcheck.spec.objects import (
    Container,
    Controller,
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
from schedcheck.spec.storage import AWSElasticBlockStore, ClaimSource, GCEPersistentDisk, Storage, Volume
from schedcheck.spec.terms import (
    NO_AFFINITY,
    Affinity,
    LabelSelector,
    PodAffinityTerm,
    PreferredNodeTerm,
    PreferredPodTerm,
    Requirement,
)
from tests.support.building import HOSTNAME, UNIT, node_term, selector
from tests.support.claiming import random_devices, using

Value = TypeVar("Value")

CONCERNS = (
    "room", "ports", "near", "apart", "liked", "disliked", "spread", "node", "named", "taints", "volumes", "volumes",
    "disks", "owner", "annotated", "rank",
)  # fmt: skip
NAMES = ("m", "n", "o")
BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"
MEBIBYTE = 1024 * 1024
NODE_TERM = node_term(Requirement("zone", "In", ("a",)))


@dataclass(frozen=True)
class Case:
    """A pod to be scheduled, a node to be judged, and a snapshot without the pod."""

    pod: Pod
    node: Node
    snapshot: Snapshot


def drawn(strategy: st.SearchStrategy[Value], number: int) -> tuple[Value, ...]:
    """Some values of a strategy, the same each time."""
    found: list[Value] = []

    @settings(
        max_examples=number, derandomize=True, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(strategy)
    def collect(value: Value) -> None:
        found.append(value)

    collect()
    return tuple(found)


@cache
def stores() -> tuple[Storage, ...]:
    return drawn(storages(), 40)


@cache
def mounted() -> tuple[tuple[Volume, ...], ...]:
    """Volumes for pods, with claims as often as anything else."""
    others = tuple(each for each in drawn(mounts(), 60) if each)
    claims = tuple((Volume("v", ClaimSource(each)),) for each in CLAIMS[:2])
    return (*others, *claims * (len(others) // 2))


def storage(chance: Random) -> Storage:
    """Storage objects; more often than elsewhere a claim has its volume, and a volume its zone."""
    given = chance.choice(stores())
    zoned = {each.name: frozendict({ZONE: chance.choice("ab")}) for each in given.volumes if chance.random() < 0.6}
    bound = {each.key for each in given.claims if chance.random() < 0.4}
    return replace(
        given,
        volumes=tuple(replace(each, labels=zoned.get(each.name, each.labels)) for each in given.volumes),
        claims=tuple(
            replace(each, volume_name="v", bind_completed=True) if each.key in bound else each for each in given.claims
        ),
    )


def maybe(chance: Random, value: Value, otherwise: Value, odds: float = 0.5) -> Value:
    return value if chance.random() < odds else otherwise


def labels(chance: Random) -> frozendict[str, str]:
    return maybe(chance, frozendict(app=chance.choice("ab")), frozendict(), 0.8)


def terms(chance: Random) -> tuple[PodAffinityTerm, ...]:
    return tuple(
        PodAffinityTerm(
            chance.choice((HOSTNAME, "zone")),
            chance.choice(SELECTORS),
            maybe(chance, ("other",), (), 0.2),
            maybe(chance, chance.choice((LabelSelector(), selector(team="x"))), None, 0.3),
        )
        for _ in range(chance.choice((1, 1, 2)))
    )


def preferred(chance: Random) -> tuple[PreferredPodTerm, ...]:
    return tuple(PreferredPodTerm(chance.randint(1, 100), each) for each in terms(chance))


def containers(chance: Random) -> tuple[Container, ...]:
    return tuple(
        Container(
            frozendict(cpu=chance.choice((0, UNIT // 2, UNIT)), memory=chance.choice((0, UNIT))),
            sidecar=False,
            image=chance.choice(("app", "web:1")),
            ports=chance.choice(((), (HostPort(80),), (HostPort(80, ip="10.0.0.1"),))),
            actual=chance.choice((None, None, frozendict(cpu=UNIT))),
        )
        for _ in range(chance.choice((1, 1, 2)))
    )


def pod(name: str, on: str, chance: Random, *, picky: bool) -> Pod:
    """A pod on a node, or pending; a picky one has affinity or anti-affinity."""
    affinity = Affinity(
        pod_required=maybe(chance, terms(chance), (), 0.2),
        anti_required=maybe(chance, terms(chance), (), 0.5 if picky else 0.05),
        pod_preferred=maybe(chance, preferred(chance), (), 0.2),
        anti_preferred=maybe(chance, preferred(chance), (), 0.2),
    )
    made = Pod(
        name,
        namespace=maybe(chance, "other", "default", 0.2),
        labels=labels(chance),
        node_name=on,
        phase=maybe(chance, "Succeeded", "Running", 0.1) if on else "Pending",
        priority=chance.choice((0, 0, 1, 2, 6) if on else (0, 6, 6)),
        affinity=affinity if picky or chance.random() < 0.2 else NO_AFFINITY,
        init_containers=tuple(replace(each, sidecar=chance.random() < 0.5) for each in containers(chance)[:1]),
        containers=containers(chance),
        overhead=maybe(chance, frozendict(cpu=UNIT // 4), frozendict(), 0.2),
        pod_requests=maybe(chance, frozendict(cpu=UNIT), frozendict(), 0.2),
        terminating=bool(on) and chance.random() < 0.2,
        nominated_node_name="" if on else chance.choice(("m", *NAMES)),
        start_time=chance.choice((None, 1, 2)) if on else None,
        owner=("ReplicaSet", "r"),
        resize_infeasible=chance.random() < 0.3,
        volumes=chance.choice(mounted()),
        annotated_affinity=maybe(chance, Affinity(anti_required=terms(chance)), NO_AFFINITY, 0.1),
    )
    return resized(made, Random(f"{name} {on} {chance.getstate()[1][:3]}"))


def resized(whole: Pod, chance: Random) -> Pod:
    """The pod, now and then with amounts in its status beside those in which its containers run."""

    def one(each: Container) -> Container:
        return replace(each, allocated=maybe(chance, frozendict(cpu=UNIT), frozendict(), 0.2))

    return replace(
        whole,
        init_containers=tuple(map(one, whole.init_containers)),
        containers=tuple(map(one, whole.containers)),
        pod_allocated=maybe(chance, frozendict(cpu=UNIT), frozendict(), 0.2),
        pod_actual=maybe(chance, frozendict(cpu=UNIT // 2), None, 0.2),
    )


def concerned(concern: str, chance: Random) -> Pod:
    """The pod to be scheduled, with one concern."""
    first = replace(pod("new", "", chance, picky=False), affinity=NO_AFFINITY, volumes=(), nominated_node_name="")
    one = replace(
        first, priority=5, init_containers=(), containers=(Container(image="app"),), overhead=frozendict(),
        pod_requests=frozendict(), owner=("", ""), annotated_affinity=NO_AFFINITY,
    )  # fmt: skip
    match concern:
        case "room":
            return replace(one, containers=tuple(replace(each, ports=()) for each in containers(chance)))
        case "ports":
            return replace(one, containers=(Container(ports=(HostPort(80),)),))
        case "near":
            return replace(one, affinity=Affinity(pod_required=terms(chance)))
        case "apart":
            return replace(one, affinity=Affinity(anti_required=terms(chance)))
        case "liked":
            return replace(one, affinity=Affinity(pod_preferred=preferred(chance)))
        case "disliked":
            return replace(one, affinity=Affinity(anti_preferred=preferred(chance)))
        case "spread":
            return replace(one, spread=tuple(spread(chance) for _ in range(2)))
        case "node":
            wish = (PreferredNodeTerm(5, NODE_TERM),)
            return replace(one, affinity=Affinity(maybe(chance, (NODE_TERM,), ()), wish))
        case "named":
            return replace(one, node_name="m", node_selector=maybe(chance, frozendict(zone="a"), frozendict()))
        case "taints":
            return replace(one, tolerations=maybe(chance, (Toleration("t", "Exists"),), ()))
        case "volumes":
            return replace(one, namespace="default", volumes=chance.choice(mounted()))
        case "disks":
            disks = (GCEPersistentDisk("d"), GCEPersistentDisk("e"), AWSElasticBlockStore("vol-1"))
            return replace(one, volumes=(Volume("v", chance.choice(disks)),))
        case "owner":
            return replace(one, owner=("ReplicaSet", "r"), labels=frozendict(app="a"))
        case "annotated":
            return replace(one, annotated_affinity=chance.choice((Affinity(pod_required=terms(chance)), NO_AFFINITY)))
    return one


def spread(chance: Random) -> SpreadConstraint:
    return SpreadConstraint(
        1, chance.choice((HOSTNAME, "zone")), chance.random() < 0.6, chance.choice(SELECTORS), chance.choice((1, 2)),
        affinity_honored=chance.random() < 0.7, taints_honored=chance.random() < 0.5,
    )  # fmt: skip


def node(name: str, concern: str, chance: Random) -> Node:
    """A node that usually rejects pods only because of the concern, unless that is room."""
    tight = concern in ("room", "rank") and chance.random() < 0.7
    zones = {key: chance.choice("ab") for key in ("zone", ZONE, BETA_ZONE) if chance.random() < 0.8}
    return Node(
        name,
        labels=frozendict({HOSTNAME: name, **zones}),
        allocatable=frozendict(
            cpu=chance.choice((2000, 3000)) if tight else 90000, memory=90, pods=4 if tight else 110
        ),
        taints=tuple(
            Taint(chance.choice("tu"), chance.choice(("NoSchedule", "PreferNoSchedule", "NoExecute")))
            for _ in range(2 if concern in ("taints", "spread") and chance.random() < 0.5 else 0)
        ),
        unschedulable=chance.random() < 0.1,
        phase=maybe(chance, "Running", ""),
        ready=maybe(chance, "True", "Unknown", 0.9),
        images=tuple(
            NodeImage((each,), chance.choice((30, 500)) * MEBIBYTE) for each in ("app:latest", "app", "web:1")
        ),
        capacity=maybe(chance, frozendict(cpu=2000, memory=90, pods=110), frozendict(), 0.2),
        conditions=frozendict(
            {each: "True" for each in ("MemoryPressure", "DiskPressure", "PIDPressure") if chance.random() < 0.2}
        ),
    )


@cache
def case(seed: int) -> Case:
    """A pod with a concern, and a node of a crowded cluster."""
    chance = Random(seed)
    concern = CONCERNS[seed % len(CONCERNS)]
    nodes = tuple(node(name, concern, chance) for name in NAMES)
    declaring = Random(f"declared {seed}")
    nodes = tuple(replace(each, declared_features=frozenset(declaring.choice(("", "f")))) for each in nodes)
    there = [pod(f"p{i}", chance.choice(NAMES), chance, picky=i == 0) for i in range(chance.randint(1, 6))]
    waiting = [pod(f"w{i}", "", chance, picky=False) for i in range(chance.randint(0, 2))]
    spaces = [Namespace(each, maybe(chance, frozendict(team="x"), frozendict())) for each in ("default", "other")]
    snapshot = replace(
        Snapshot.of([*there, *waiting], nodes, spaces[: chance.randint(0, 2)]),
        budgets=(
            PodDisruptionBudget("b", selector=chance.choice(SELECTORS), disruptions_allowed=chance.randint(-1, 1)),
        ),
        services=(Service("s", selector=labels(chance)),),
        controllers=(Controller("ReplicaSet", "r", selector=chance.choice(SELECTORS)),),
        storage=storage(chance),
    )
    asked, judged = concerned(concern, chance), chance.choice(nodes)
    if seed % 4 == 1:
        asked = replace(asked, required_features=frozenset({"f"}))
    there_too, claims = random_devices(Random(seed), NAMES, "ab")
    known = replace(there_too, claims=tuple(_perhaps_allocated(each, Random(seed)) for each in claims))
    claiming = replace(asked, resource_claims=using(*(each.name for each in claims))) if seed % 3 == 0 else asked
    return Case(claiming, judged, replace(snapshot, devices=known))


def _perhaps_allocated(claim: ResourceClaim, chance: Random) -> ResourceClaim:
    terms = (node_term(Requirement("zone", "In", ("a",))),)
    return replace(claim, allocation=Allocation((), terms)) if chance.random() < 0.3 else claim


def changed(given: Case, seed: int) -> Case:
    """The case after one change, usually to a value from another case; the pod to be scheduled stays."""
    chance = Random(seed)
    there, other = given.snapshot, case(seed).snapshot
    after = chance.choice((_other_pod, _other_pod, _moved_pod, _fewer_pods, _other_node, _other_node, _other_rest))(
        there, other, chance
    )
    return replace(given, node=next(each for each in after.nodes if each.name == given.node.name), snapshot=after)


def _other_pod(there: Snapshot, other: Snapshot, chance: Random) -> Snapshot:
    fields = (
        "labels", "phase", "priority", "affinity", "init_containers", "containers", "overhead", "pod_requests", "owner",
        "terminating", "nominated_node_name", "start_time", "resize_infeasible", "pod_allocated", "pod_actual", "volumes", "annotated_affinity",
    )  # fmt: skip
    return replace(there, pods=_one_changed(there.pods, other.pods, fields, chance))


def _other_node(there: Snapshot, other: Snapshot, chance: Random) -> Snapshot:
    fields = ("labels", "allocatable", "taints", "unschedulable", "phase", "ready", "images", "capacity", "conditions")
    fields = (*fields, "declared_features")
    return replace(there, nodes=_one_changed(there.nodes, other.nodes, fields, chance))


def _one_changed(things: tuple[Any, ...], others: tuple[Any, ...], fields: tuple[str, ...], chance: Random) -> Any:
    """The objects with one field of one of them copied from one of the others."""
    if not things:
        return things
    one, like, field = chance.randrange(len(things)), chance.choice(others), chance.choice(fields)
    return (*things[:one], replace(things[one], **{field: getattr(like, field)}), *things[one + 1 :])


def _moved_pod(there: Snapshot, other: Snapshot, chance: Random) -> Snapshot:
    moved = chance.choice((*there.pods, None))
    pods = (replace(each, node_name=chance.choice(NAMES)) if each == moved else each for each in there.pods)
    return replace(there, pods=tuple(pods))


def _fewer_pods(there: Snapshot, other: Snapshot, chance: Random) -> Snapshot:
    return there - frozenset(chance.sample(there.pods, min(1, len(there.pods))))


def _other_rest(there: Snapshot, other: Snapshot, chance: Random) -> Snapshot:
    field = chance.choice(("namespaces", "budgets", "services", "controllers", "storage", "storage", "storage"))
    if field == "storage":
        kind = chance.choice(tuple(Storage.__dataclass_fields__))
        return replace(there, storage=replace(there.storage, **{kind: getattr(other.storage, kind)}))
    return replace(there, **{field: getattr(other, field)})
