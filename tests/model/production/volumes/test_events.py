"""Storage events move the pods that they may help, and no others"""

from dataclasses import replace
from typing import Any

import pytest
from frozendict import frozendict

from schedcheck.checker.drawing.storage import ZONE
from schedcheck.model.production.framework.events import Action, ClusterEvent, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.plugins.node_volume_limits import NodeVolumeLimits
from schedcheck.model.production.plugins.volume_binding import VolumeBinding
from schedcheck.model.production.plugins.volume_events import moves_plugins
from schedcheck.model.production.plugins.volume_restrictions import VolumeRestrictions
from schedcheck.model.production.plugins.volume_zone import VolumeZone
from schedcheck.spec.kubernetes.plugins import DEFAULT_ARGUMENTS
from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import (
    CSI,
    IMMEDIATE,
    WAIT_FOR_FIRST_CONSUMER,
    AWSElasticBlockStore,
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
from schedcheck.spec.terms import Requirement
from tests.model.production.api_server import started
from tests.support.building import claiming, node, pod

EBS = "ebs.csi.aws.com"
CLAIMS = claiming("c", name="p")
EPHEMERAL = pod("p", volumes=(Volume("own", Ephemeral("1")),))
DISK = pod("p", volumes=(Volume("v", GCEPersistentDisk("d")),))
INLINE = pod("p", volumes=(Volume("v", CSI("csi.example.com")),))
BLOCK = pod("p", volumes=(Volume("v", AWSElasticBlockStore("vol-1")),))
UNKNOWN = pod("p", volumes=(Volume("v", AWSElasticBlockStore("aws://eu/x")),))
C, OTHER = PersistentVolumeClaim("c"), PersistentVolumeClaim("d")
IN_A = PersistentVolume("v", frozendict({ZONE: "a"}))
LATE, EARLY = StorageClass("s", "made", WAIT_FOR_FIRST_CONSUMER), StorageClass("s", "made", IMMEDIATE)
SOME_PLACES = replace(LATE, allowed_topologies=((Requirement(ZONE, "In", ("a",)),),))
HAS_TWO = CSINode("n", allocatable=frozendict({EBS: 2}))
ROOM = CSIStorageCapacity("k", capacity=2)
TELLS = CSIDriver("csi.example.com", True)
GONE = Action.DELETE


@pytest.mark.parametrize(
    ("plugin", "pod", "kind", "action", "before", "after", "wakes"),
    [
        (VolumeRestrictions, CLAIMS, Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD, None, C, True),
        (VolumeRestrictions, CLAIMS, Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD, None, OTHER, False),
        (VolumeRestrictions, CLAIMS, Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD, None, replace(C, namespace="x"), False),
        (VolumeRestrictions, CLAIMS, Resource.PERSISTENT_VOLUME_CLAIM, Action.UPDATE, C, C, False),
        (VolumeRestrictions, CLAIMS, Resource.ASSIGNED_POD, GONE, claiming("c", name="q"), None, True),
        (VolumeRestrictions, CLAIMS, Resource.ASSIGNED_POD, GONE, claiming("d", name="q"), None, False),
        (VolumeRestrictions, DISK, Resource.ASSIGNED_POD, GONE, replace(DISK, name="q"), None, True),
        (VolumeRestrictions, DISK, Resource.ASSIGNED_POD, GONE, BLOCK, None, False),
        # As in kube-scheduler, although a disk belongs to no namespace.
        (VolumeRestrictions, DISK, Resource.ASSIGNED_POD, GONE, replace(DISK, namespace="x"), None, False),
        (VolumeRestrictions, DISK, Resource.NODE, Action.ADD, None, node("n"), True),
        (NodeVolumeLimits, CLAIMS, Resource.CSI_NODE, Action.ADD, None, HAS_TWO, True),
        (NodeVolumeLimits, CLAIMS, Resource.CSI_NODE, Action.UPDATE, replace(HAS_TWO, allocatable=frozendict({EBS: 1})), HAS_TWO, True),
        (NodeVolumeLimits, CLAIMS, Resource.CSI_NODE, Action.UPDATE, HAS_TWO, HAS_TWO, False),
        (NodeVolumeLimits, CLAIMS, Resource.CSI_NODE, Action.UPDATE, HAS_TWO, CSINode("n"), False),
        (NodeVolumeLimits, CLAIMS, Resource.ASSIGNED_POD, GONE, claiming("d", name="q", on="n"), None, True),
        (NodeVolumeLimits, CLAIMS, Resource.ASSIGNED_POD, GONE, claiming("d", name="q"), None, False),
        (NodeVolumeLimits, CLAIMS, Resource.ASSIGNED_POD, GONE, claiming("d", name="q", nominated_node_name="n"), None, True),
        (NodeVolumeLimits, CLAIMS, Resource.ASSIGNED_POD, GONE, replace(INLINE, name="q", node_name="n"), None, False),
        (NodeVolumeLimits, EPHEMERAL, Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD, None, PersistentVolumeClaim("p-own"), True),
        (NodeVolumeLimits, EPHEMERAL, Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD, None, C, False),
        (NodeVolumeLimits, CLAIMS, Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD, None, C, True),
        (NodeVolumeLimits, CLAIMS, Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD, None, replace(C, namespace="a"), False),
        (NodeVolumeLimits, CLAIMS, Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD, None, replace(C, namespace="x"), False),
        (NodeVolumeLimits, CLAIMS, Resource.VOLUME_ATTACHMENT, GONE, VolumeAttachment("a", "x", "n"), None, True),
        (NodeVolumeLimits, BLOCK, Resource.VOLUME_ATTACHMENT, GONE, VolumeAttachment("a", EBS, "n"), None, True),
        (NodeVolumeLimits, BLOCK, Resource.VOLUME_ATTACHMENT, GONE, VolumeAttachment("a", "x", "n"), None, False),
        (NodeVolumeLimits, UNKNOWN, Resource.VOLUME_ATTACHMENT, GONE, VolumeAttachment("a", "x", "n"), None, True),
        (NodeVolumeLimits, CLAIMS, Resource.NODE, Action.ADD, None, node("n"), False),
        (VolumeBinding, EPHEMERAL, Resource.PERSISTENT_VOLUME_CLAIM, Action.UPDATE, C, PersistentVolumeClaim("p-own"), True),
        (VolumeBinding, CLAIMS, Resource.PERSISTENT_VOLUME_CLAIM, Action.UPDATE, C, OTHER, False),
        (VolumeBinding, CLAIMS, Resource.PERSISTENT_VOLUME, Action.UPDATE, IN_A, IN_A, True),
        (VolumeBinding, CLAIMS, Resource.PERSISTENT_VOLUME, GONE, IN_A, None, False),
        (VolumeBinding, CLAIMS, Resource.STORAGE_CLASS, Action.ADD, None, EARLY, True),
        (VolumeBinding, CLAIMS, Resource.STORAGE_CLASS, Action.UPDATE, LATE, SOME_PLACES, True),
        (VolumeBinding, CLAIMS, Resource.STORAGE_CLASS, Action.UPDATE, LATE, replace(LATE, default=True), False),
        (VolumeBinding, CLAIMS, Resource.CSI_NODE, Action.ADD, None, HAS_TWO, True),
        (VolumeBinding, CLAIMS, Resource.CSI_NODE, Action.UPDATE, HAS_TWO, CSINode("n"), False),
        (VolumeBinding, CLAIMS, Resource.CSI_NODE, Action.UPDATE, HAS_TWO, replace(HAS_TWO, migrated=frozenset({"x"})), True),
        (VolumeBinding, INLINE, Resource.CSI_DRIVER, Action.UPDATE, TELLS, replace(TELLS, storage_capacity=False), True),
        (VolumeBinding, INLINE, Resource.CSI_DRIVER, Action.UPDATE, replace(TELLS, storage_capacity=False), TELLS, False),
        (VolumeBinding, CLAIMS, Resource.CSI_DRIVER, Action.UPDATE, TELLS, replace(TELLS, storage_capacity=False), False),
        (VolumeBinding, CLAIMS, Resource.CSI_STORAGE_CAPACITY, Action.ADD, None, ROOM, True),
        (VolumeBinding, CLAIMS, Resource.CSI_STORAGE_CAPACITY, Action.UPDATE, ROOM, replace(ROOM, capacity=3), True),
        (VolumeBinding, CLAIMS, Resource.CSI_STORAGE_CAPACITY, Action.UPDATE, ROOM, replace(ROOM, capacity=None), False),
        (VolumeBinding, CLAIMS, Resource.CSI_STORAGE_CAPACITY, Action.UPDATE, ROOM, replace(ROOM, maximum_volume_size=1), False),
        (VolumeBinding, CLAIMS, Resource.NODE, Action.UPDATE_NODE_LABEL, node("n"), node("n"), True),
        (VolumeBinding, CLAIMS, Resource.NODE, Action.UPDATE_NODE_TAINT, node("n"), node("n"), False),
        (VolumeZone, CLAIMS, Resource.STORAGE_CLASS, Action.ADD, None, LATE, True),
        (VolumeZone, CLAIMS, Resource.STORAGE_CLASS, Action.ADD, None, EARLY, False),
        (VolumeZone, CLAIMS, Resource.PERSISTENT_VOLUME_CLAIM, Action.UPDATE, C, C, True),
        (VolumeZone, EPHEMERAL, Resource.PERSISTENT_VOLUME_CLAIM, Action.UPDATE, C, PersistentVolumeClaim("p-own"), False),
        (VolumeZone, CLAIMS, Resource.PERSISTENT_VOLUME, Action.ADD, None, PersistentVolume("v"), True),
        (VolumeZone, CLAIMS, Resource.PERSISTENT_VOLUME, Action.UPDATE, PersistentVolume("v"), IN_A, True),
        (VolumeZone, CLAIMS, Resource.PERSISTENT_VOLUME, Action.UPDATE, IN_A, replace(IN_A, capacity=1), False),
    ],
)  # fmt: skip
def test_a_storage_event_wakes_exactly_the_pods_it_may_help(plugin: Any, pod: Pod, kind: Resource, action: Action, before: Any, after: Any, wakes: bool) -> None:  # fmt: skip
    event = ClusterEvent(kind, action)
    interests = [each for each in plugin(DEFAULT_ARGUMENTS, Handle()).events() if each.event.covers(event)]
    assert any(each.hint is None or each.hint(pod, before, after) for each in interests) == wakes


def test_a_pod_waits_until_its_claim_exists_and_is_bound() -> None:
    running = started(node("n1", 1), CLAIMS)
    running.step()
    assert running.place("p") == ["unschedulable"]
    unbound = PersistentVolumeClaim("c", storage_class="now")
    running.delivery.stored(None, StorageClass("now", EBS))
    assert running.place("p") == ["unschedulable"]
    running.delivery.stored(None, unbound)
    assert running.place("p") == ["backing off"]
    running.wait(10)
    running.step()
    assert running.place("p") == ["unschedulable"]
    running.delivery.stored(None, PersistentVolume("v"))
    running.delivery.stored(unbound, replace(unbound, volume_name="v", bind_completed=True))
    running.wait(10)
    running.step()
    assert running.server.pod("p").node_name == "n1"


def test_a_delivered_object_replaces_the_assumed_one() -> None:
    running = started(node("n1", 1), CLAIMS)
    waiting = PersistentVolumeClaim("c", storage_class="s")
    for each in (replace(LATE, provisioner="none"), waiting):
        running.delivery.stored(None, each)
    running.wait(10)
    running.cycle()
    assumed, storage = running.scheduler.handle.assumed, running.scheduler.handle.listers.storage
    (made,) = assumed.over(storage).claims
    assert made == replace(waiting, selected_node="n1") and storage.claims == (waiting,)
    bound = replace(waiting, volume_name="v", bind_completed=True)
    running.delivery.stored(waiting, bound)
    assert assumed.claims == {} and assumed.over(running.scheduler.handle.listers.storage).claims == (bound,)
    running.delivery.stored(bound, None)
    assert running.scheduler.handle.listers.storage.claims == ()


@pytest.mark.parametrize(("before", "after", "wakes"), [
    (None, (), True), ((), ("a",), True), (("a",), (), True), (("a",), ("a",), False), (("a", "b"), ("b", "a"), False),
])  # fmt: skip
def test_a_csi_node_wakes_pods_only_if_other_plugins_are_migrated(
    before: tuple[str, ...] | None, after: tuple[str, ...], wakes: bool
) -> None:
    was = None if before is None else CSINode("n", migrated=frozenset(before))
    assert moves_plugins(pod(), was, CSINode("n", migrated=frozenset(after))) is wakes
