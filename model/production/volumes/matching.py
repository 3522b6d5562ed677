"""Which volume each claim of a pod takes on each node, and where one can be made: `Waiting`, `matched`, `unmade`.

Kubernetes 1.34: FindMatchingVolume and CheckNodeAffinity in k8s.io/component-helpers/storage/volume, findMatchingVolumes,
checkVolumeProvisions and hasEnoughCapacity in pkg/scheduler/framework/plugins/volumebinding/binder.go. Differs: of several
volumes of one size, or kept for one claim, the first by name is taken, where kube-scheduler takes any.
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
"""What is said of a claim on a node: one can be made, there is none and none can be made, there is no room for it."""
NO_VOLUME = -1


@dataclass(frozen=True)
class Waiting:
    """A claim that waits for its first consumer, and the volumes that it may take, in the order in which it tries them.

    The first `kept` of them name it as theirs. Where it has one of these it takes no other.
    """

    claim: PersistentVolumeClaim
    volumes: tuple[PersistentVolume, ...]
    kept: int


def waiting(claim: PersistentVolumeClaim, storage: Storage) -> Waiting:
    """The claim with what it may take: volumes that name it, then those of nobody, the smallest first."""
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
    """Whether the volume names the claim, be it by name alone."""
    reference = volume.claim
    return (
        reference is not None
        and (reference.namespace, reference.name) == claim.key
        and reference.uid in ("", claim.uid)
    )  # fmt: skip


def _may_take(claim: PersistentVolumeClaim, volume: PersistentVolume) -> bool:
    """Whether the claim may take a volume that is nobody's."""
    return (
        volume.phase == "Available"
        and (claim.selector is None or selects(claim.selector, volume.labels))
        and set(claim.access_modes) <= set(volume.access_modes)
    )


def matched(claims: Sequence[Waiting], nodes: Nodes) -> list[tuple[Waiting, Numbers]]:
    """For each claim, the smallest first, and for each node the place of the volume that it takes there, or NO_VOLUME.

    No two take the same on one node.
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
    """For each node whether its labels match one of the terms; None is every node, and fields are not looked at."""
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
    """For each node whether a volume can be made for the claim there: MADE, NONE_TO_BIND or NO_SPACE."""
    made_by = storage.storage_class(claim.storage_class or "")
    if made_by is None or made_by.provisioner in UNABLE_TO_MAKE:
        return np.full(len(nodes), NONE_TO_BIND, np.int64)
    found = np.where(_with_room(claim, made_by, nodes, storage), MADE, NO_SPACE)
    found[~_in_topologies(made_by, nodes)] = NONE_TO_BIND
    return found


def _in_topologies(made_by: StorageClass, nodes: Nodes) -> Mask:
    """For each node whether the class makes volumes there; a term that says nothing is of no node."""
    if not made_by.allowed_topologies:
        return np.ones(len(nodes), bool)
    found = np.zeros(len(nodes), bool)
    for term in made_by.allowed_topologies:
        if term:
            holding = (nodes.table.labels.holding(requirement, nodes.rows) for requirement in term)
            found |= np.logical_and.reduce(list(holding))
    return found


def _with_room(claim: PersistentVolumeClaim, made_by: StorageClass, nodes: Nodes, storage: Storage) -> Mask:
    """For each node whether the driver says that it has room for the claim, if it says anything of room."""
    driver = storage.driver(made_by.provisioner)
    if claim.request == 0 or driver is None or not driver.storage_capacity:
        return np.ones(len(nodes), bool)
    found = np.zeros(len(nodes), bool)
    for capacity in storage.capacities:
        most = largest(capacity)
        if capacity.storage_class == made_by.name and most is not None and most >= claim.request:
            found |= nodes.table.labels.selected(capacity.node_topology, nodes.rows)
    return found


def largest(capacity: CSIStorageCapacity) -> int | None:
    """The size of the largest volume that can be made, in bytes, None if it is not known."""
    return capacity.capacity if capacity.maximum_volume_size is None else capacity.maximum_volume_size
