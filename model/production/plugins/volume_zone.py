"""The plugin VolumeZone: a volume with zone or region labels can be used only on nodes with these labels.

Kubernetes 1.34: pkg/scheduler/framework/plugins/volumezone; LabelZonesToSet in k8s.io/cloud-provider/volume/helpers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState, NotFoundError
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.status import SKIP, SUCCESS, Status, unresolvable
from schedcheck.model.production.framework.verdicts import UNRESOLVED, Verdicts, verdicts
from schedcheck.model.production.plugins.volume_restrictions import names
from schedcheck.model.production.snapshot.claims import not_found
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.model.production.volumes.migration import BETA_REGION, BETA_ZONE, REGION, SEVERAL, ZONE
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import (
    WAIT_FOR_FIRST_CONSUMER,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
)
from schedcheck.spec.terms import Requirement

KEY = "PreFilterVolumeZone"
LABELS = (BETA_ZONE, BETA_REGION, ZONE, REGION)
BY_NOW = {BETA_ZONE: ZONE, BETA_REGION: REGION}
"""The present names of the beta labels."""


@dataclass(frozen=True)
class Places:
    """Labels with the values of which a node must have one."""

    all: tuple[Requirement, ...] = ()


class VolumeZone:
    """A plugin that rejects nodes whose zone or region labels differ from those of the pod's claimed volumes."""

    name = "VolumeZone"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._handle = handle

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """Skip if no volume has zone or region labels; reject if a volume's place cannot be determined."""
        found = self._places(pod)
        if isinstance(found, Status):
            return found, None
        if not found.all:
            return SKIP, None
        state.write(KEY, found)
        return SUCCESS, None

    def _places(self, pod: PodInfo) -> Places | Status:
        """Return the places of the pod's volumes, or why they cannot be determined."""
        storage = self._handle.listers.storage
        found: list[Requirement] = []
        for name in pod.claims:
            claim = storage.claim(pod.pod.namespace, name)
            if claim is None:
                return unresolvable(not_found("persistentvolumeclaim", name))
            if not claim.volume_name:
                reason = self._why_nowhere(claim)
                if reason:
                    return unresolvable(reason)
                continue
            volume = storage.volume(claim.volume_name)
            if volume is None:
                return unresolvable(not_found("persistentvolume", claim.volume_name))
            found.extend(places_of(volume))
        return Places(tuple(found))

    def _why_nowhere(self, claim: PersistentVolumeClaim) -> str:
        """Return why a claim without a volume is rejected; empty if its class binds for the first consumer."""
        if not claim.storage_class:
            return "PersistentVolumeClaim had no pv name and storageClass name"
        made_by = self._handle.listers.storage.storage_class(claim.storage_class)
        if made_by is None:
            return not_found("storageclass.storage.k8s.io", claim.storage_class)
        return "" if made_by.binding_mode == WAIT_FOR_FIRST_CONSUMER else "PersistentVolume had no name"

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Reject nodes whose labels differ from a volume's; nodes without any zone or region label pass."""
        try:
            found: Places | Status = state.read(KEY, Places)
        except NotFoundError:
            found = self._places(pod)
        if isinstance(found, Status):
            return verdicts(np.full(len(nodes), UNRESOLVED, np.int8), *found.reasons)
        labels, rows = nodes.table.labels, nodes.rows
        says = np.logical_or.reduce([labels.holding(Requirement(key, "Exists"), rows) for key in LABELS])
        elsewhere = np.zeros(len(nodes), bool)
        for place in found.all:
            by_now = Requirement(BY_NOW.get(place.key, place.key), "In", place.values)
            known = labels.holding(Requirement(place.key, "Exists"), rows)
            elsewhere |= ~np.where(known, labels.holding(place, rows), labels.holding(by_now, rows))
        return verdicts((says & elsewhere).astype(np.int8) * UNRESOLVED, "node(s) had no available volume zone")

    def events(self) -> Sequence[EventOfInterest]:
        """Return the events of interest: classes added, nodes added or relabelled, claims and volumes changed."""
        node = ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL)
        claim = ClusterEvent(Resource.PERSISTENT_VOLUME_CLAIM, Action.ADD | Action.UPDATE)
        volume = ClusterEvent(Resource.PERSISTENT_VOLUME, Action.ADD | Action.UPDATE)
        return (
            EventOfInterest(ClusterEvent(Resource.STORAGE_CLASS, Action.ADD), waits),
            EventOfInterest(node),
            EventOfInterest(claim, names),
            EventOfInterest(volume, has_moved),
        )


def places_of(volume: PersistentVolume) -> Iterator[Requirement]:
    """Yield the volume's zone and region labels as requirements; a label with an empty zone is ignored."""
    for key in LABELS:
        if key in volume.labels:
            values = tuple(part.strip() for part in volume.labels[key].split(SEVERAL))
            if all(values):
                yield Requirement(key, "In", values)


def waits(pod: Pod, before: None, after: StorageClass) -> bool:
    """Whether the class binds its volumes for the first consumer."""
    return after.binding_mode == WAIT_FOR_FIRST_CONSUMER


def has_moved(pod: Pod, before: PersistentVolume | None, after: PersistentVolume) -> bool:
    """Whether the volume is new, or its zone and region labels changed."""
    return before is None or _where(before) != _where(after)


def _where(volume: PersistentVolume) -> list[tuple[str, frozenset[str]]]:
    return [(place.key, frozenset(place.values)) for place in places_of(volume)]
