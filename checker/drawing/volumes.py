"""Hypothesis strategies for questions about pods with volumes, also with preemption and with other features"""

from dataclasses import replace
from functools import cache
from typing import Any

from frozendict import frozendict
from hypothesis import strategies as st

from schedcheck.checker.drawing.objects import rarely
from schedcheck.checker.drawing.storage import DRIVERS, ZONE, ZONES, crowds, hosts, mounts, storages, users
from schedcheck.checker.drawing.storage import stored as in_storage
from schedcheck.spec.device_objects import PodClaim
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.storage import (
    CSI,
    RBD,
    WAIT_FOR_FIRST_CONSUMER,
    AWSElasticBlockStore,
    ClaimSource,
    CSINode,
    GCEPersistentDisk,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    StorageClass,
    Volume,
    VolumeAttachment,
)
from schedcheck.spec.terms import NodeSelectorTerm, Requirement

Question = tuple[Pod, Snapshot, Plugins]
CLAIMS_THERE = ("c", "d", "e")
IN_ZONE_A = ((Requirement(ZONE, "In", ("a",)),),)


@st.composite
def stored(draw: st.DrawFn) -> Question:
    """A pod with volumes, nodes with such pods and little room, and pods that are nominated there."""
    nodes = [replace(draw(hosts(name)), allocatable=frozendict(pods=draw(st.sampled_from((2, 110))))) for name in "mn"]
    priorities = st.integers(0, 2)
    pods = [replace(each, node_name=name, priority=draw(priorities)) for name in "mn" for each in draw(crowds(name))]
    waiting = draw(rarely((), crowds("w")))
    pods += [replace(each, nominated_node_name=draw(st.sampled_from("mn")), priority=1) for each in waiting]
    pod = replace(draw(users("p")), priority=draw(priorities), nominated_node_name=draw(st.sampled_from(("", "m"))))
    claims = draw(rarely((), st.just((PodClaim("gpu"),))))
    storage = draw(storages())
    return replace(pod, resource_claims=claims), replace(Snapshot.of(pods, nodes), storage=storage), DEFAULT_PLUGINS


@st.composite
def storing(draw: st.DrawFn, questions: st.SearchStrategy[Question]) -> Question:
    """A question in which the pods also have volumes."""
    asked, snapshot, plugins = draw(questions)
    named = replace(asked, name="p", volumes=draw(mounts()))
    pods = [replace(each, volumes=draw(mounts())) if draw(st.booleans()) else each for each in snapshot.pods]
    others = [each for each in pods if each.key != named.key]
    nodes = [_somewhere(each, draw(st.sampled_from((None, *ZONES)))) for each in snapshot.nodes]
    storage = on_nodes(draw(storages()), {old: node.name for old, node in zip("mn", nodes, strict=False)})
    there = replace(snapshot, pods=Snapshot.of(others).pods, nodes=tuple(nodes), storage=storage)
    return named, there, plugins


def _somewhere(node: Node, zone: str | None) -> Node:
    return node if zone is None else replace(node, labels=frozendict({**node.labels, ZONE: zone}))


def on_nodes(storage: Storage, names: dict[str, str]) -> Storage:
    """The storage with other names of nodes."""
    return replace(
        storage,
        nodes=tuple(replace(each, name=names.get(each.name, each.name)) for each in storage.nodes),
        claims=tuple(
            each if each.selected_node is None else replace(each, selected_node=names.get(each.selected_node, "gone"))
            for each in storage.claims
        ),
        attachments=tuple(
            replace(each, node_name=names.get(each.node_name, each.node_name)) for each in storage.attachments
        ),
    )


@cache
def sources() -> st.SearchStrategy[Volume]:
    """A volume that other pods are likely to use as well."""
    claims = st.builds(ClaimSource, st.sampled_from(CLAIMS_THERE))
    disks = (
        AWSElasticBlockStore("vol-1"),
        GCEPersistentDisk("d"),
        GCEPersistentDisk("d", read_only=True),
        RBD(("a", "b"), "image"),
        RBD(("b",), "image", read_only=True),
    )
    return st.builds(Volume, st.just("v"), claims | claims | st.sampled_from(disks))


@st.composite
def claims_in_order(draw: st.DrawFn) -> Storage:
    """Storage in which every claim is bound or may wait, and drivers attach few volumes."""
    modes = st.sampled_from((("ReadWriteOnce",), ("ReadWriteOncePod",)))
    volumes, claims = [], []
    for name in CLAIMS_THERE:
        source = CSI(draw(st.sampled_from(DRIVERS)), draw(st.sampled_from(("h", "i", f"of-{name}"))))
        where = draw(rarely(None, st.sampled_from(ZONES)))
        reach = where and (NodeSelectorTerm((Requirement(ZONE, "In", (where,)),)),)
        size, mode = draw(st.integers(1, 3)), draw(modes)
        labels = frozendict(
            {ZONE: draw(st.sampled_from((*ZONES, "a__b")))} if draw(rarely(False, st.just(True))) else {}
        )
        volumes.append(
            PersistentVolume(
                f"for-{name}",
                labels,
                capacity=size,
                storage_class="local",
                node_affinity=reach,
                source=source,
                access_modes=mode,
            )
        )
        if draw(st.booleans()):
            claims.append(
                PersistentVolumeClaim(name, volume_name=f"for-{name}", bind_completed=True, access_modes=mode)
            )
        else:
            made_by, request = draw(st.sampled_from(("local", "made"))), draw(st.integers(1, 3))
            claims.append(PersistentVolumeClaim(name, storage_class=made_by, access_modes=draw(modes), request=request))
    taken = {claim.volume_name for claim in claims}
    nodes = (
        CSINode(name, frozenset(DRIVERS), frozendict({driver: draw(st.integers(0, 2)) for driver in DRIVERS}))
        for name in "mn"
    )
    attached = draw(rarely((), st.just((VolumeAttachment("a", DRIVERS[0], "m", "for-c"),))))
    return in_storage(
        *(replace(each, phase="Bound" if each.name in taken else "Available") for each in volumes),
        *claims,
        *nodes,
        *attached,
        StorageClass("made", DRIVERS[0], WAIT_FOR_FIRST_CONSUMER, draw(rarely((), st.just(IN_ZONE_A)))),
        StorageClass("local", "kubernetes.io/no-provisioner", WAIT_FOR_FIRST_CONSUMER),
    )


@st.composite
def contested(draw: st.DrawFn) -> Question:
    """A pod that needs volumes in use by pods of lower priority, or the last free attachments."""

    def some(name: str, **fields: Any) -> Pod:
        namespace = draw(rarely("default", st.just("other")))
        volumes = tuple(draw(st.lists(sources(), min_size=1, max_size=2)))
        return Pod(name, namespace, volumes=volumes, **fields)

    nodes = [draw(hosts(name)) for name in "mn"[: draw(st.integers(1, 2))]]
    nodes = [replace(each, allocatable=frozendict(pods=110)) for each in nodes]
    names = st.sampled_from([each.name for each in nodes])
    pods = [
        some(f"on-{number}", node_name=draw(names), priority=draw(st.integers(0, 2)))
        for number in range(draw(st.integers(1, 4)))
    ]
    if draw(st.integers(0, 3)) == 3:
        pods.append(some("w", nominated_node_name=draw(names), priority=draw(st.integers(2, 4))))
    asked = replace(some("p", priority=3), namespace="default")
    return asked, replace(Snapshot.of(pods, nodes), storage=draw(claims_in_order())), DEFAULT_PLUGINS
