"""The plugin VolumeRestrictions: disks that cannot be mounted twice on a node, and claims for a single pod.

Kubernetes 1.34: pkg/scheduler/framework/plugins/volumerestrictions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState, NotFoundError
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.status import SKIP, SUCCESS, Status, unresolvable
from schedcheck.model.production.framework.verdicts import FAILED, PASSED, REFUSED, Verdicts
from schedcheck.model.production.snapshot.claims import FOR_ONE_POD, not_found
from schedcheck.model.production.snapshot.labels import Mask, Numbers
from schedcheck.model.production.snapshot.mounts import clashing, restricted
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import PersistentVolumeClaim

KEY = "PreFilterVolumeRestrictions"
REASONS = (
    "node(s) had no available disk",
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
    f'cannot read "{KEY}" from cycleState',
)


@dataclass
class FilterState:
    """The pod's ReadWriteOncePod claims, how many of them are in use, and how many more in each world of a trial.

    A pod that is added or removed in a trial changes the number whatever its namespace, as in kube-scheduler.
    """

    alone: frozenset[str]
    used: int
    changes: dict[int, int] = field(default_factory=dict)

    def clone(self) -> "FilterState":
        """Return a copy with changes of its own."""
        return FilterState(self.alone, self.used, dict(self.changes))

    def change(self, nodes: Nodes, infos: Sequence[PodInfo], sign: int) -> None:
        """Add (1) or remove (-1) each of the pods in the world of its node."""
        assert nodes.worlds is not None
        for world, info in zip(nodes.worlds, infos, strict=True):
            uses = sum(name in self.alone for name in info.claims)
            if uses:
                self.changes[int(world)] = self.changes.get(int(world), 0) + sign * uses

    def at(self, nodes: Nodes) -> Numbers:
        """Return for each node how many of the claims are in use, in its world."""
        found = np.full(len(nodes), self.used, np.int64)
        if nodes.worlds is not None and self.changes:
            found += [self.changes.get(int(world), 0) for world in nodes.worlds]
        return found


class VolumeRestrictions:
    """A plugin that rejects nodes on which a disk of the pod is mounted.

    It rejects all nodes while a ReadWriteOncePod claim of the pod is in use.
    """

    name = "VolumeRestrictions"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._handle = handle

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """Skip without restricted disks and claims in use; reject if a claim does not exist."""
        if not pod.pod.volumes:
            return SKIP, None
        storage, namespace = self._handle.listers.storage, pod.pod.namespace
        alone = set()
        for name in pod.claims:
            claim = storage.claim(namespace, name)
            if claim is None:
                return unresolvable(not_found("persistentvolumeclaim", name)), None
            if FOR_ONE_POD in claim.access_modes:
                alone.add(name)
        used = sum(snapshot.table.volume_users.claims[namespace, name] > 0 for name in alone)
        if not used and not any(restricted(volume.source) for volume in pod.pod.volumes):
            return SKIP, None
        state.write(KEY, FilterState(frozenset(alone), used))
        return SUCCESS, None

    def add_pods(self, state: CycleState, pod: PodInfo, nodes: Nodes, infos: Sequence[PodInfo]) -> None:
        """Count the claims that each of the pods uses."""
        state.read(KEY, FilterState).change(nodes, infos, 1)

    def remove_pods(self, state: CycleState, pod: PodInfo, nodes: Nodes, infos: Sequence[PodInfo]) -> None:
        """Stop counting the claims that each of the pods uses."""
        state.read(KEY, FilterState).change(nodes, infos, -1)

    def elsewhere(self, state: CycleState, pod: PodInfo, nodes: Nodes, infos: Sequence[PodInfo], sign: int) -> None:
        """Count the claims that each of the pods uses, or stop counting them, in every world."""
        found = state.read(KEY, FilterState)
        found.used += sign * sum(name in found.alone for info in infos for name in info.claims)

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Reject nodes on which a disk of the pod is mounted, or a ReadWriteOncePod claim of it is in use."""
        mounted = _mounted(pod, nodes)
        codes = np.where(mounted, REFUSED, PASSED).astype(np.int8)
        reasons = np.where(mounted, 0, 1)
        try:
            used = state.read(KEY, FilterState).at(nodes) > 0
        except NotFoundError:
            codes[~mounted] = FAILED
            reasons[~mounted] = 2
        else:
            codes[used] = REFUSED
        return Verdicts(codes, reasons, lambda reason: (REASONS[reason],))

    def events(self) -> Sequence[EventOfInterest]:
        """Return the events of interest: a deleted pod that frees a volume, nodes added, claims added."""
        return (
            EventOfInterest(ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE), frees_a_volume),
            EventOfInterest(ClusterEvent(Resource.NODE, Action.ADD)),
            EventOfInterest(ClusterEvent(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD), names),
        )


def _mounted(pod: PodInfo, nodes: Nodes) -> Mask:
    """Return for each node whether a disk is mounted there so that the pod cannot mount it too."""
    if not pod.mounts:
        return np.zeros(len(nodes), bool)
    found: Mask = np.isin(nodes.rows, list(nodes.table.volume_users.keeping_out(pod.mounts)))
    if nodes.trial is not None and nodes.worlds is not None:
        for place in np.flatnonzero(np.isin(nodes.worlds, list(nodes.trial.volume_users))):
            held = (mount for info in nodes.volume_users(int(place)) for mount in info.mounts)
            found[place] = clashing(pod.mounts, held)
    return found


def frees_a_volume(pod: Pod, before: Pod, after: Any) -> bool:
    """Whether the deleted pod had a disk or a claim that this pod wants; pods of other namespaces are ignored."""
    if pod.namespace != before.namespace:
        return False
    wanted, held = PodInfo(pod), PodInfo(before)
    return clashing(wanted.mounts, held.mounts) or not set(wanted.claims).isdisjoint(held.claims)


def names(pod: Pod, before: Any, after: PersistentVolumeClaim) -> bool:
    """Whether the pod names the claim."""
    return pod.namespace == after.namespace and after.name in PodInfo(pod).claims
