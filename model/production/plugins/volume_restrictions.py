"""The plugin VolumeRestrictions: a disk is not mounted twice on a node, a claim for one pod alone is used by one alone.

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
from schedcheck.model.production.snapshot.labels import Mask, Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.model.production.volumes.claims import FOR_ONE_POD, not_found
from schedcheck.model.production.volumes.mounts import clashing, restricted
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
    """The claims that the pod wants for itself alone, how many of them are used, and how many more in each world of a trial.

    A pod that is tried or taken away changes the number whatever its namespace, as in kube-scheduler.
    """

    alone: frozenset[str]
    used: int
    changes: dict[int, int] = field(default_factory=dict)

    def clone(self) -> "FilterState":
        """A state with changes of its own."""
        return FilterState(self.alone, self.used, dict(self.changes))

    def change(self, nodes: Nodes, infos: Sequence[PodInfo], sign: int) -> None:
        """Reckon with (1) or without (-1) each of the pods in the world of its node."""
        assert nodes.worlds is not None
        for world, info in zip(nodes.worlds, infos, strict=True):
            uses = sum(name in self.alone for name in info.claims)
            if uses:
                self.changes[int(world)] = self.changes.get(int(world), 0) + sign * uses

    def at(self, nodes: Nodes) -> Numbers:
        """How many of the claims are used, as each of the nodes has it."""
        found = np.full(len(nodes), self.used, np.int64)
        if nodes.worlds is not None and self.changes:
            found += [self.changes.get(int(world), 0) for world in nodes.worlds]
        return found


class VolumeRestrictions:
    """Refuses nodes on which a disk of the pod is mounted, and all of them while its own claims are used."""

    name = "VolumeRestrictions"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._handle = handle

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """A skip if the pod has no disk that another could hold and no claim that is in use; a refusal if one is not there."""
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
        """Counts what each of the pods uses."""
        state.read(KEY, FilterState).change(nodes, infos, 1)

    def remove_pods(self, state: CycleState, pod: PodInfo, nodes: Nodes, infos: Sequence[PodInfo]) -> None:
        """Counts what each of the pods uses no more."""
        state.read(KEY, FilterState).change(nodes, infos, -1)

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Whether a disk of the pod is mounted on each node, or a claim of its own is used."""
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
        """A pod that leaves what this one wants, a node that is new, and a claim that comes."""
        return (
            EventOfInterest(ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE), frees_a_volume),
            EventOfInterest(ClusterEvent(Resource.NODE, Action.ADD)),
            EventOfInterest(ClusterEvent(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD), names),
        )


def _mounted(pod: PodInfo, nodes: Nodes) -> Mask:
    """For each node whether a disk of the pod is mounted there so that it cannot be mounted for the pod."""
    if not pod.mounts:
        return np.zeros(len(nodes), bool)
    found: Mask = np.isin(nodes.rows, list(nodes.table.volume_users.keeping_out(pod.mounts)))
    if nodes.trial is not None and nodes.worlds is not None:
        for place in np.flatnonzero(np.isin(nodes.worlds, list(nodes.trial.volume_users))):
            held = (mount for info in nodes.volume_users(int(place)) for mount in info.mounts)
            found[place] = clashing(pod.mounts, held)
    return found


def frees_a_volume(pod: Pod, before: Pod, after: Any) -> bool:
    """Whether the pod that is gone had a disk or a claim that this one wants; one of another namespace is overlooked."""
    if pod.namespace != before.namespace:
        return False
    wanted, held = PodInfo(pod), PodInfo(before)
    return clashing(wanted.mounts, held.mounts) or not set(wanted.claims).isdisjoint(held.claims)


def names(pod: Pod, before: Any, after: PersistentVolumeClaim) -> bool:
    """Whether the pod names the claim."""
    return pod.namespace == after.namespace and after.name in PodInfo(pod).claims
