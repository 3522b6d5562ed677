"""The plugin NodeVolumeLimits: a CSI driver attaches a limited number of volumes to a node.

Existing pods with volumes are counted only on nodes with a limit, and only for an incoming pod with attachable volumes.
The count of a node is cached until its pods, its CSINode or the storage change.

Kubernetes 1.34: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.status import SKIP, SUCCESS, Status
from schedcheck.model.production.framework.verdicts import FAILED, PASSED, REFUSED, UNRESOLVED, Verdicts
from schedcheck.model.production.snapshot.claims import claims_of
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.model.production.volumes.attached import Attached, NoClaimError, UncountableError, attached
from schedcheck.model.production.volumes.attachments import Attachments, counted, csi_node
from schedcheck.model.production.volumes.migration import UntranslatableError, handle, plugin_of
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import ClaimSource, CSINode, Ephemeral, PersistentVolumeClaim, Storage, VolumeAttachment

EXCEEDED = "node(s) exceed max volume count"


Reason = tuple[int, str]
"""The number of a code, and the reason if it is no success."""
GOOD: Reason = (PASSED, "")
FULL: Reason = (REFUSED, EXCEEDED)


class Said:
    """The verdicts on some nodes, a success where nothing was put; the last one put counts."""

    def __init__(self) -> None:
        self._put: list[tuple[Numbers, Reason]] = []

    def put(self, places: Numbers, reason: Reason) -> None:
        """Put a verdict on the nodes at these indices."""
        self._put.append((places, reason))

    def verdicts(self, size: int) -> Verdicts:
        """Return the verdicts on all of the nodes."""
        codes, reasons = np.full(size, PASSED, np.int8), np.zeros(size, np.int64)
        for number, (places, (code, _)) in enumerate(self._put):
            codes[places], reasons[places] = code, number
        return Verdicts(codes, reasons, lambda number: (self._put[number][1][1],))


class NodeVolumeLimits:
    """A plugin that rejects nodes to which a driver would have to attach more volumes than it can."""

    name = "NodeVolumeLimits"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._handle = handle
        self._attachments = Attachments(handle.departures)
        self._drivers_may_lack = Departure.MISSING_DRIVERS_IGNORED in handle.departures

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """Skip if the pod has neither a claim nor an inline disk that a CSI driver may attach."""
        return (SUCCESS if attachable(pod.pod) else SKIP), None

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Reject nodes on which a driver's limit would be exceeded.

        A missing claim is a rejection too; volumes that cannot be counted are an error.
        """
        storage, there = self._handle.listers.storage, self._attachments
        there.update(nodes.table, storage)
        shapes, said = there.shape_of[nodes.rows], Said()
        # The pod's volumes depend on the node only by the shape of its CSINode.
        for shape in np.unique(shapes).tolist():
            node, mine = there.shapes[shape], np.flatnonzero(shapes == shape)
            new = _new(pod.pod, node, storage)
            if isinstance(new, tuple):
                said.put(mine, new)
                continue
            lacking = None if self._drivers_may_lack else lacking_driver(new, node, storage)
            if lacking is not None:
                said.put(mine, (REFUSED, f"{lacking} CSI driver is not installed on the node"))
            elif new and node is not None and node.allocatable:
                self._put(said, nodes, mine, new, node.allocatable)
        return said.verdicts(len(nodes))

    def _put(self, said: "Said", nodes: Nodes, mine: Numbers, new: set[Attached], limits: Mapping[str, int]) -> None:
        """Put the verdicts on the nodes at the indices `mine`, which have these limits."""
        there, rows = self._attachments, nodes.rows[mine]
        said.put(mine[there.exceeded_by(new, limits, rows)], FULL)
        for place in mine[np.isin(rows, list(there.failures))].tolist():
            said.put(np.array([place]), (FAILED, there.failures[int(nodes.rows[place])]))
        if nodes.trial is not None and nodes.worlds is not None:
            for place in mine[np.isin(nodes.worlds[mine], list(nodes.trial.volume_users))].tolist():
                said.put(np.array([place]), self._tried(nodes, place, new))

    def _tried(self, nodes: Nodes, place: int, new: set[Attached]) -> "Reason":
        """Return the verdict on a node whose pods have changed in a trial."""
        storage = self._handle.listers.storage
        node = csi_node(nodes.table.node(int(nodes.rows[place])).name, storage, self._handle.departures)
        assert node is not None
        there = counted(nodes.volume_users(place), node, storage)
        if there.failure:
            return FAILED, there.failure
        return FULL if there.exceeded_by(new) else GOOD

    def events(self) -> Sequence[EventOfInterest]:
        """Return the events of interest: CSINode added or raised, pod or attachment deleted, claim added."""
        return (
            EventOfInterest(ClusterEvent(Resource.CSI_NODE, Action.ADD)),
            EventOfInterest(ClusterEvent(Resource.CSI_NODE, Action.UPDATE), raises_a_limit),
            EventOfInterest(ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE), may_be_detached),
            EventOfInterest(ClusterEvent(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD), has_claim),
            EventOfInterest(ClusterEvent(Resource.VOLUME_ATTACHMENT, Action.DELETE), may_be_attached),
        )


def _new(pod: Pod, node: CSINode | None, storage: Storage) -> set[Attached] | Reason:
    """Return the volumes that drivers attach to the node for the pod, or why they are not known."""
    try:
        return attached(pod, node, storage, new=True)
    except NoClaimError as missing:
        return UNRESOLVED, str(missing)
    except UncountableError as wrong:
        return FAILED, str(wrong)


def lacking_driver(new: set[Attached], node: CSINode | None, storage: Storage) -> str | None:
    """Return a driver of these volumes that the node lacks and must not lack, the first by name; None if there is none."""
    there = frozenset() if node is None else node.drivers
    for driver in sorted({driver for driver, *_ in new} - there):
        known = storage.driver(driver)
        if known is not None and known.required_on_nodes:
            return driver
    return None


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
