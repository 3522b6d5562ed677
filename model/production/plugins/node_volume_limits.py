"""The plugin NodeVolumeLimits: a CSI driver attaches a limited number of volumes to a node.

Existing pods with volumes are counted only on nodes with a limit, and only for an incoming pod with attachable volumes.
The count of a node is cached until its pods, its CSINode or the storage change.

Kubernetes 1.34: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.status import SKIP, SUCCESS, Status
from schedcheck.model.production.framework.verdicts import FAILED, PASSED, REFUSED, UNRESOLVED, Verdicts
from schedcheck.model.production.snapshot.claims import claims_of
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.model.production.volumes.attached import (
    Attached,
    NoClaimError,
    UncountableError,
    attached,
    by_attachments,
)
from schedcheck.model.production.volumes.migration import UntranslatableError, handle, plugin_of
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import ClaimSource, CSINode, Ephemeral, PersistentVolumeClaim, Storage, VolumeAttachment

EXCEEDED = "node(s) exceed max volume count"


@dataclass(frozen=True)
class Said:
    """The number of a code, and the reason if it is no success."""

    code: int = PASSED
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Counted:
    """The volumes attached to a node for these pods, and the number of attached volumes of each driver.

    The numbers include volumes that only VolumeAttachments attach. `failure` is why the pods cannot be counted, else
    empty.
    """

    users: Sequence[PodInfo]
    node: CSINode
    storage: Storage
    attached: frozenset[Attached] = frozenset()
    number: Mapping[str, int] = field(default_factory=dict)
    failure: str = ""

    def is_of(self, users: Sequence[PodInfo], node: CSINode, storage: Storage) -> bool:
        """Whether exactly these pods, CSINode and storage were counted."""
        return self.users is users and self.node is node and self.storage is storage


class NodeVolumeLimits:
    """A plugin that rejects nodes to which a driver would have to attach more volumes than it can."""

    name = "NodeVolumeLimits"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._handle = handle
        self._counted: dict[int, Counted] = {}
        """The last count of each row."""

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """Skip if the pod has neither a claim nor an inline disk that a CSI driver may attach."""
        return (SUCCESS if attachable(pod.pod) else SKIP), None

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Reject nodes on which a driver's limit would be exceeded.

        A missing claim is a rejection too; volumes that cannot be counted are an error.
        """
        storage = self._handle.listers.storage
        # The pod's volumes depend on the node only by the migrated plugins.
        alike: dict[frozenset[str] | None, set[Attached] | Said] = {}
        said = []
        for place, name in enumerate(nodes.names()):
            node = storage.node(name)
            replaced = None if node is None else node.migrated
            if replaced not in alike:
                alike[replaced] = _new(pod.pod, node, storage)
            new = alike[replaced]
            if isinstance(new, Said):
                said.append(new)
            elif not new or node is None or not node.allocatable:
                said.append(Said())
            else:
                said.append(_said(new, self._there(nodes, place, node, storage)))
        numbers = {each: number for number, each in enumerate(dict.fromkeys(said))}
        told = list(numbers)
        codes = np.array([each.code for each in said], np.int8)
        reasons = np.array([numbers[each] for each in said], np.int64)
        return Verdicts(codes, reasons, lambda reason: (told[reason].reason,))

    def _there(self, nodes: Nodes, place: int, node: CSINode, storage: Storage) -> Counted:
        """Return the volumes attached to the node at this index."""
        users, row = nodes.volume_users(place), int(nodes.rows[place])
        known = self._counted.get(row)
        if known is None or not known.is_of(users, node, storage):
            known = counted(users, node, storage)
            if nodes.trial is None:
                self._counted[row] = known
        return known

    def events(self) -> Sequence[EventOfInterest]:
        """Return the events of interest: CSINode added or raised, pod or attachment deleted, claim added."""
        return (
            EventOfInterest(ClusterEvent(Resource.CSI_NODE, Action.ADD)),
            EventOfInterest(ClusterEvent(Resource.CSI_NODE, Action.UPDATE), raises_a_limit),
            EventOfInterest(ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE), may_be_detached),
            EventOfInterest(ClusterEvent(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD), has_claim),
            EventOfInterest(ClusterEvent(Resource.VOLUME_ATTACHMENT, Action.DELETE), may_be_attached),
        )


def _new(pod: Pod, node: CSINode | None, storage: Storage) -> set[Attached] | Said:
    """Return the volumes that drivers attach to the node for the pod, or why they are not known."""
    try:
        return attached(pod, node, storage, new=True)
    except NoClaimError as missing:
        return Said(UNRESOLVED, str(missing))
    except UncountableError as wrong:
        return Said(FAILED, str(wrong))


def counted(users: Sequence[PodInfo], node: CSINode, storage: Storage) -> Counted:
    """Return the volumes attached to the node for these pods and by VolumeAttachments."""
    try:
        found = frozenset[Attached]().union(*(attached(info.pod, node, storage) for info in users))
    except UncountableError as wrong:
        return Counted(users, node, storage, failure=str(wrong))
    number = Counter(driver for driver, *_ in found | by_attachments(node.name, storage))
    return Counted(users, node, storage, found, number)


def _said(new: set[Attached], there: Counted) -> Said:
    """Return the verdict on a node for these additional volumes."""
    if there.failure:
        return Said(FAILED, there.failure)
    return Said(REFUSED, EXCEEDED) if _exceeds(new, there, there.node.allocatable) else Said()


def _exceeds(new: set[Attached], there: Counted, limits: Mapping[str, int]) -> bool:
    """Whether a driver would exceed its limit.

    A new volume that is already attached by a VolumeAttachment alone counts twice, as in kube-scheduler.
    """
    more = Counter(driver for driver, *_ in new - there.attached)
    return any(
        there.number.get(driver, 0) + count > limits[driver]
        for driver, count in more.items()
        if driver in limits
    )  # fmt: skip


def attachable(pod: Pod) -> bool:
    """Whether the pod has a claim, or an inline disk of a plugin that a CSI driver has replaced."""
    return any(
        isinstance(volume.source, (ClaimSource, Ephemeral)) or plugin_of(volume.source) is not None
        for volume in pod.volumes
    )


def raises_a_limit(pod: Pod, before: CSINode, after: CSINode) -> bool:
    """Whether a driver has a higher limit than before; a missing limit counts as 0."""
    return any(limit > before.allocatable.get(driver, 0) for driver, limit in after.allocatable.items())


def may_be_detached(pod: Pod, before: Pod, after: Any) -> bool:
    """Whether the deleted pod was bound or nominated, and had attachable volumes."""
    return (before.node_name != "" or before.nominated_node_name != "") and attachable(before)


def has_claim(pod: Pod, before: Any, after: PersistentVolumeClaim) -> bool:
    """Whether the claim is one of the pod's, including claims made for ephemeral volumes."""
    return pod.namespace == after.namespace and any(name == after.name for _, name in claims_of(pod))


def may_be_attached(pod: Pod, before: VolumeAttachment, after: Any) -> bool:
    """Whether the pod names a claim, or has an inline disk that may belong to the attachment's driver."""
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
