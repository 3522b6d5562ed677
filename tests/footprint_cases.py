"""Hypothesis strategies for snapshots in which everything occurs that a definition may look at, and changes of them."""

from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

from frozendict import frozendict
from hypothesis import strategies as st

from schedcheck.spec.objects import (
    Controller,
    HostPort,
    Node,
    NodeImage,
    Pod,
    PodDisruptionBudget,
    Service,
    Snapshot,
    SpreadConstraint,
)
from schedcheck.spec.storage import Storage
from tests.building import HOSTNAME, UNIT
from tests.preempting import SELECTORS
from tests.storage_strategies import ZONE, mounts, storages
from tests.strategies import NAMESPACES, affinities, labels, rarely, snapshots, tuples

CONDITIONS = ("MemoryPressure", "DiskPressure", "PIDPressure", "OutOfDisk")
ZONES = (ZONE, "failure-domain.beta.kubernetes.io/zone")
IMAGES = ("app:latest", "web:1")
MEBIBYTE = 1024 * 1024
PLACES = frozendict(n1="m", n2="n", n3="o")
"""What the nodes of other strategies are called where storage is."""


@dataclass(frozen=True)
class Case:
    """A pod that is to be placed, a node that is asked about, and a snapshot without the pod."""

    pod: Pod
    node: Node
    snapshot: Snapshot


@cache
def spreads() -> st.SearchStrategy[tuple[SpreadConstraint, ...]]:
    return tuples(
        st.builds(
            SpreadConstraint,
            st.integers(1, 2),
            st.sampled_from((HOSTNAME, "zone")),
            st.booleans(),
            st.sampled_from(SELECTORS),
            st.integers(1, 2),
            st.booleans(),
            st.booleans(),
        )
    )


@st.composite
def furnished_pods(draw: st.DrawFn, pod: Pod) -> Pod:
    """The pod with what other strategies leave out."""
    ports = st.sampled_from(((), (HostPort(80),), (HostPort(80, ip="10.0.0.1"),)))
    running = rarely(None, st.sampled_from((frozendict(), frozendict(cpu=2 * UNIT))))
    furnished = (
        replace(each, ports=draw(ports), running=draw(running), image=draw(st.sampled_from(("", "app", "web:1"))))
        for each in pod.containers
    )
    started = (
        replace(each, ports=draw(ports), running=draw(running) if each.sidecar else None)
        for each in pod.init_containers
    )
    there = pod.node_name != ""
    return replace(
        pod,
        node_name=PLACES.get(pod.node_name, pod.node_name),
        phase=draw(rarely("Running", st.just(pod.phase))),
        containers=tuple(furnished),
        init_containers=tuple(started),
        spread=draw(rarely((), spreads())),
        volumes=draw(rarely((), mounts())),
        terminating=there and draw(rarely(False, st.booleans())),
        resize_infeasible=draw(rarely(False, st.booleans())),
        nominated_node_name="" if there else draw(rarely("", st.sampled_from(("m", "n")))),
        start_time=draw(st.sampled_from((None, 1, 2))) if there else None,
        owner=draw(st.sampled_from((("", ""), ("ReplicaSet", "r")))),
        annotated_affinity=draw(rarely(pod.annotated_affinity, affinities())),
    )


@st.composite
def furnished_nodes(draw: st.DrawFn, node: Node) -> Node:
    """The node with what other strategies leave out."""
    sizes = st.sampled_from((10, 300, 2000)).map(lambda size: size * MEBIBYTE)
    images = tuples(st.builds(NodeImage, st.sampled_from(IMAGES).map(lambda name: (name,)), sizes))
    zones = st.dictionaries(st.sampled_from(ZONES), st.sampled_from("ab"))
    name = PLACES[node.name]
    given = {key: name if key == HOSTNAME else value for key, value in node.labels.items()}
    return replace(
        node,
        name=name,
        labels=frozendict({**given, **draw(zones)}),
        images=draw(images),
        ready=draw(rarely("True", st.just("Unknown"))),
        conditions=frozendict(draw(st.dictionaries(st.sampled_from(CONDITIONS), st.sampled_from(("True", "Unknown"))))),
        capacity=draw(rarely(frozendict(), st.just(frozendict(cpu=1000, pods=3)))),
    )


@st.composite
def clusters(draw: st.DrawFn) -> Snapshot:
    """A snapshot in which everything occurs, on one to three nodes."""
    plain = draw(snapshots(6))
    budgets = st.builds(
        PodDisruptionBudget, st.just("b"), st.sampled_from(NAMESPACES), st.sampled_from(SELECTORS),
        disruptions_allowed=st.integers(-1, 1),
    )  # fmt: skip
    services = st.builds(Service, st.just("s"), st.sampled_from(NAMESPACES), labels())
    owners = st.builds(Controller, st.just("ReplicaSet"), st.just("r"), st.just("default"), st.sampled_from(SELECTORS))
    return replace(
        Snapshot.of(
            [draw(furnished_pods(each)) for each in plain.pods],
            [draw(furnished_nodes(each)) for each in plain.nodes],
            plain.namespaces,
        ),
        budgets=draw(tuples(budgets, 1)),
        services=draw(tuples(services, 1)),
        controllers=draw(tuples(owners, 1)),
        storage=draw(storages()),
    )


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """One of the pods of a cluster, which is not there yet, asked of one of the nodes."""
    there = draw(clusters().filter(lambda each: each.pods != ()))
    one = draw(st.sampled_from(there.pods))
    pending = replace(one, node_name="", phase="Pending", terminating=False, priority=max(one.priority, 1))
    return Case(pending, draw(st.sampled_from(there.nodes)), there - {one})


def changed(case: Case, other: Snapshot, chance: Random) -> Case:
    """The case after one change, or with one thing as it is in another snapshot; the pod to be placed stays."""
    there = case.snapshot
    changes = (_other_pod, _other_pod, _moved_pod, _fewer_pods, _other_node, _other_node, _fewer_nodes, _other_rest)
    after = chance.choice(changes)(there, other, chance)
    return Case(case.pod, next((each for each in after.nodes if each.name == case.node.name), after.nodes[0]), after)


def _other_pod(there: Snapshot, other: Snapshot, chance: Random) -> Snapshot:
    fields = (
        "labels", "phase", "priority", "affinity", "init_containers", "containers", "overhead", "pod_requests", "owner",
        "terminating", "spread", "nominated_node_name", "start_time", "resize_infeasible", "volumes", "tolerations",
        "annotated_affinity", "node_selector",
    )  # fmt: skip
    return replace(there, pods=_one_changed(there.pods, other.pods, fields, chance))


def _other_node(there: Snapshot, other: Snapshot, chance: Random) -> Snapshot:
    fields = ("labels", "allocatable", "taints", "unschedulable", "phase", "ready", "images", "capacity", "conditions")
    return replace(there, nodes=_one_changed(there.nodes, other.nodes, fields, chance))


def _one_changed(things: tuple[Any, ...], others: tuple[Any, ...], fields: tuple[str, ...], chance: Random) -> Any:
    """The things with a field of one of them as it is in one of the others."""
    if not things or not others:
        return things
    one, like, field = chance.randrange(len(things)), chance.choice(others), chance.choice(fields)
    return (*things[:one], replace(things[one], **{field: getattr(like, field)}), *things[one + 1 :])


def _moved_pod(there: Snapshot, other: Snapshot, chance: Random) -> Snapshot:
    places = ["", "gone", *(each.name for each in there.nodes)]
    moved = chance.randrange(len(there.pods)) if there.pods else 0
    pods = (
        replace(each, node_name=chance.choice(places)) if number == moved else each
        for number, each in enumerate(there.pods)
    )
    return replace(there, pods=tuple(pods))


def _fewer_pods(there: Snapshot, other: Snapshot, chance: Random) -> Snapshot:
    return there - frozenset(chance.sample(there.pods, min(1, len(there.pods))))


def _fewer_nodes(there: Snapshot, other: Snapshot, chance: Random) -> Snapshot:
    gone = chance.choice(there.nodes)
    return replace(there, nodes=tuple(each for each in there.nodes if each != gone) or there.nodes)


def _other_rest(there: Snapshot, other: Snapshot, chance: Random) -> Snapshot:
    field = chance.choice(("namespaces", "budgets", "services", "controllers", "storage", "storage"))
    if field == "storage":
        kind = chance.choice(tuple(Storage.__dataclass_fields__))
        return replace(there, storage=replace(there.storage, **{kind: getattr(other.storage, kind)}))
    return replace(there, **{field: getattr(other, field)})
