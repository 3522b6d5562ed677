"""Matching of claims and volumes on each node, and provisioning: `Waiting`, `matched`, `unmade`.

Kubernetes 1.34: FindMatchingVolume and CheckNodeAffinity in k8s.io/component-helpers/storage/volume,
findMatchingVolumes, checkVolumeProvisions and hasEnoughCapacity in
pkg/scheduler/framework/plugins/volumebinding/binder.go. Differs: of several volumes of one size, or pre-bound to one
claim, the first by name is taken, where kube-scheduler takes any.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from schedcheck.model.production.snapshot.labels import Mask, Numbers, selects
from schedcheck.model.production.snapshot.node_affinity import matching
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.spec.storage import (
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    StorageClass,
)
from schedcheck.spec.terms import NodeSelectorTerm

UNABLE_TO_MAKE = ("", "kubernetes.io/no-provisioner")
MADE, NONE_TO_BIND, NO_SPACE = 0, 1, 2
"""Codes for a claim on a node: can be provisioned, neither found nor provisionable, not enough capacity."""
NO_VOLUME = -1


@dataclass(frozen=True)
class Waiting:
    """A claim that waits for its first consumer, and the volumes that it may take, in the order of preference.

    The first `kept` volumes are pre-bound to the claim. If one of these is free, the claim takes no other.
    """

    claim: PersistentVolumeClaim
    volumes: tuple[PersistentVolume, ...]
    kept: int


def waiting(claim: PersistentVolumeClaim, storage: Storage) -> Waiting:
    """Return the claim with the volumes that it may take: pre-bound ones, then unclaimed ones, the smallest first."""
    suitable = [
        volume
        for volume in storage.volumes
        if volume.storage_class == (claim.storage_class or "")
        and volume.capacity >= claim.request
        and volume.volume_mode == claim.volume_mode
        and volume.attributes_class == claim.attributes_class
        and not volume.terminating
    ]
    kept = [volume for volume in suitable if names(volume, claim)]
    free = [volume for volume in suitable if volume.claim is None and _may_take(claim, volume)]
    return Waiting(claim, (*kept, *sorted(free, key=lambda volume: volume.capacity)), len(kept))


def names(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Whether the volume's claimRef names the claim, with its UID or without one."""
    reference = volume.claim
    return (
        reference is not None
        and (reference.namespace, reference.name) == claim.key
        and reference.uid in ("", claim.uid)
    )  # fmt: skip


def _may_take(claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
    """Whether the claim may take an unclaimed volume."""
    return (
        volume.phase == "Available"
        and (claim.selector is None or selects(claim.selector, volume.labels))
        and set(claim.access_modes) <= set(volume.access_modes)
    )


def matched(claims: Sequence[Waiting], nodes: Nodes) -> list[tuple[Waiting, Numbers]]:
    """Return for each claim, the smallest first, and each node the index of the volume that it takes, or NO_VOLUME.

    No two claims take the same volume on one node.
    """
    taken: dict[str, Mask] = {}
    found = []
    for each in sorted(claims, key=lambda each: each.claim.request):
        places = np.full(len(nodes), NO_VOLUME, np.int64)
        looking = np.ones(len(nodes), bool)
        for place, volume in enumerate(each.volumes):
            there = taken.setdefault(volume.name, np.zeros(len(nodes), bool))
            offered = looking & ~there
            takes = offered & within_reach(volume.node_affinity, nodes)
            places[takes] = place
            there |= takes
            looking &= ~(offered if place < each.kept else takes)
        found.append((each, places))
    return found


def within_reach(terms: tuple[NodeSelectorTerm, ...] | None, nodes: Nodes) -> Mask:
    """Return for each node whether its labels match a term; None means every node. matchFields are ignored."""
    if terms is None:
        return np.ones(len(nodes), bool)
    found = np.zeros(len(nodes), bool)
    for term in terms:
        if term.match_expressions:
            found |= matching(replace(term, match_fields=()), nodes)
        elif term.match_fields:
            found[:] = True
    return found


def unmade(claim: PersistentVolumeClaim, nodes: Nodes, storage: Storage) -> Numbers:
    """Return for each node whether a volume can be provisioned for the claim: MADE, NONE_TO_BIND or NO_SPACE."""
    made_by = storage.storage_class(claim.storage_class or "")
    if made_by is None or made_by.provisioner in UNABLE_TO_MAKE:
        return np.full(len(nodes), NONE_TO_BIND, np.int64)
    found = np.where(_with_room(claim, made_by, nodes, storage), MADE, NO_SPACE)
    found[~_in_topologies(made_by, nodes)] = NONE_TO_BIND
    return found


def _in_topologies(made_by: StorageClass, nodes: Nodes) -> Mask:
    """Return for each node whether the class provisions volumes there; an empty topology term matches no node."""
    if not made_by.allowed_topologies:
        return np.ones(len(nodes), bool)
    found = np.zeros(len(nodes), bool)
    for term in made_by.allowed_topologies:
        if term:
            holding = (nodes.table.labels.holding(requirement, nodes.rows) for requirement in term)
            found |= np.logical_and.reduce(list(holding))
    return found


def _with_room(claim: PersistentVolumeClaim, made_by: StorageClass, nodes: Nodes, storage: Storage) -> Mask:
    """Return for each node whether the driver has enough capacity for the claim; yes if it reports no capacity."""
    driver = storage.driver(made_by.provisioner)
    if claim.request == 0 or driver is None or not driver.storage_capacity:
        return np.ones(len(nodes), bool)
    found = np.zeros(len(nodes), bool)
    for capacity in storage.capacities:
        most = largest(capacity)
        if capacity.storage_class == made_by.name and most is not None and most >= claim.request:
            found |= nodes.table.labels.selected(capacity.node_topology, nodes.rows)
    return found


def room_for(
    claim: PersistentVolumeClaim, nodes: Nodes, storage: Storage
) -> list[tuple[int, Mask]]:  # fmt: skip
    """Return the capacities that are enough for the claim, in bytes, each with the nodes where it is the first."""
    made_by = storage.storage_class(claim.storage_class or "")
    driver = None if made_by is None else storage.driver(made_by.provisioner)
    if claim.request == 0 or made_by is None or driver is None or not driver.storage_capacity:
        return []
    left, found = np.ones(len(nodes), bool), []
    for capacity in storage.capacities:
        most = largest(capacity)
        if capacity.storage_class == made_by.name and most is not None and most >= claim.request:
            there = left & nodes.table.labels.selected(capacity.node_topology, nodes.rows)
            found.append((capacity.capacity or 0, there))
            left &= ~there
    return found


def largest(capacity: CSIStorageCapacity) -> int | None:
    """Return the size of the largest volume that can be provisioned, in bytes, None if unknown."""
    return capacity.capacity if capacity.maximum_volume_size is None else capacity.maximum_volume_size
