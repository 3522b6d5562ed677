"""The plugin NodeVolumeLimits: a CSI driver attaches so many volumes to a node and no more.

The pods with volumes are looked at on those nodes alone that have a limit, and only for a pod for which a driver attaches
something.

Kubernetes 1.34: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.status import SKIP, SUCCESS, Status
from schedcheck.model.production.framework.verdicts import FAILED, PASSED, REFUSED, UNRESOLVED, Verdicts
from schedcheck.model.production.nodes.pod_info import PodInfo
from schedcheck.model.production.nodes.snapshot import Nodes, Snapshot
from schedcheck.model.production.volumes.attached import (
    Attached,
    NoClaimError,
    UncountableError,
    attached,
    by_attachments,
)
from schedcheck.model.production.volumes.claims import claims_of
from schedcheck.model.production.volumes.migration import UntranslatableError, handle, plugin_of
from schedcheck.spec.objects import Pod
from schedcheck.spec.plugins import Arguments
from schedcheck.spec.storage import ClaimSource, CSINode, Ephemeral, PersistentVolumeClaim, Storage, VolumeAttachment

EXCEEDED = "node(s) exceed max volume count"


@dataclass(frozen=True)
class Said:
    """The number of a code, and the reason where it is no success."""

    code: int = PASSED
    reason: str = ""


class NodeVolumeLimits:
    """Refuses nodes to which a driver would have to attach more volumes than it can."""

    name = "NodeVolumeLimits"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._handle = handle

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """A skip if the pod has neither a claim nor a disk of which a driver may be in charge."""
        return (SUCCESS if attachable(pod.pod) else SKIP), None

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Whether the limit of a driver is exceeded on each node; a claim that is not there, or cannot be counted, is told."""
        storage = self._handle.listers.storage
        # What is new depends on a node only by the plugins that were replaced there.
        alike: dict[frozenset[str] | None, set[Attached] | Said] = {}
        said = []
        for place, name in enumerate(nodes.names()):
            node = storage.node(name)
            replaced = None if node is None else node.migrated
            if replaced not in alike:
                alike[replaced] = _new(pod.pod, node, storage)
            new = alike[replaced]
            said.append(new if isinstance(new, Said) else _said(new, node, nodes.volume_users(place), storage))
        numbers = {each: number for number, each in enumerate(dict.fromkeys(said))}
        told = list(numbers)
        codes = np.array([each.code for each in said], np.int8)
        reasons = np.array([numbers[each] for each in said], np.int64)
        return Verdicts(codes, reasons, lambda reason: (told[reason].reason,))

    def events(self) -> Sequence[EventOfInterest]:
        """A CSINode that comes or has a higher limit, a pod, a claim or an attachment less or more that may matter."""
        return (
            EventOfInterest(ClusterEvent(Resource.CSI_NODE, Action.ADD)),
            EventOfInterest(ClusterEvent(Resource.CSI_NODE, Action.UPDATE), raises_a_limit),
            EventOfInterest(ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE), may_be_detached),
            EventOfInterest(ClusterEvent(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD), has_claim),
            EventOfInterest(ClusterEvent(Resource.VOLUME_ATTACHMENT, Action.DELETE), may_be_attached),
        )


def _new(pod: Pod, node: CSINode | None, storage: Storage) -> set[Attached] | Said:
    """What drivers attach to the node for the pod, or why that is not known."""
    try:
        return attached(pod, node, storage, new=True)
    except NoClaimError as missing:
        return Said(UNRESOLVED, str(missing))
    except UncountableError as wrong:
        return Said(FAILED, str(wrong))


def _said(new: set[Attached], node: CSINode | None, users: Sequence[PodInfo], storage: Storage) -> Said:
    """What is said of a node with these pods."""
    if not new or node is None or not node.allocatable:
        return Said()
    try:
        before = set[Attached]().union(*(attached(info.pod, node, storage) for info in users))
    except UncountableError as wrong:
        return Said(FAILED, str(wrong))
    exceeds = _exceeds(new, before, by_attachments(node.name, storage), node)
    return Said(REFUSED, EXCEEDED) if exceeds else Said()


def _exceeds(new: set[Attached], before: set[Attached], alone: set[Attached], node: CSINode) -> bool:
    """Whether a driver would exceed its limit, by what pods use `before` and what attachments alone keep attached.

    As in kube-scheduler a new volume that an attachment keeps attached counts beside itself.
    """
    there = Counter(driver for driver, *_ in before | alone)
    more = Counter(driver for driver, *_ in new - before)
    return any(
        there[driver] + count > node.allocatable[driver]
        for driver, count in more.items()
        if driver in node.allocatable
    )  # fmt: skip


def attachable(pod: Pod) -> bool:
    """Whether the pod has a claim, or a disk of a plugin that a driver has replaced."""
    return any(
        isinstance(volume.source, (ClaimSource, Ephemeral)) or plugin_of(volume.source) is not None
        for volume in pod.volumes
    )


def raises_a_limit(pod: Pod, before: CSINode, after: CSINode) -> bool:
    """Whether a driver may attach more than it could; one without a limit counts as one of none."""
    return any(limit > before.allocatable.get(driver, 0) for driver, limit in after.allocatable.items())


def may_be_detached(pod: Pod, before: Pod, after: Any) -> bool:
    """Whether the pod that is gone was on a node or nominated to one, and had something that a driver attaches."""
    return (before.node_name != "" or before.nominated_node_name != "") and attachable(before)


def has_claim(pod: Pod, before: Any, after: PersistentVolumeClaim) -> bool:
    """Whether the claim is one of the pod's, be it made for it."""
    return pod.namespace == after.namespace and any(name == after.name for _, name in claims_of(pod))


def may_be_attached(pod: Pod, before: VolumeAttachment, after: Any) -> bool:
    """Whether the pod names a claim, or has a disk of the driver that detaches; if that is not known, yes."""
    for volume in pod.volumes:
        if isinstance(volume.source, ClaimSource):
            return True
        plugin = plugin_of(volume.source)
        if plugin is not None:
            try:
                handle(volume.source)
            except UntranslatableError:
                return True
            if plugin.driver == before.attacher:
                return True
    return False
