"""The volume that a WaitForFirstConsumer claim takes: `Wanted`, `wanted`, `matches`, `to_bind`, `to_provision`.

Kubernetes 1.34: FindMatchingVolume and CheckNodeAffinity in k8s.io/component-helpers/storage/volume,
findMatchingVolumes in pkg/scheduler/framework/plugins/volumebinding/binder.go. Differs: of several volumes of one size,
or pre-bound to one claim, kube-scheduler takes any; here the first by name is taken.
"""

from dataclasses import dataclass

from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node
from schedcheck.spec.selectors import match_ns, selects
from schedcheck.spec.storage import PersistentVolume, PersistentVolumeClaim, Storage
from schedcheck.spec.terms import NodeSelectorTerm


@dataclass(frozen=True)
class Wanted:
    """A claim that waits for its first consumer, the volumes pre-bound to it, and the free volumes that suit it.

    Both lists are ordered by name; the free volumes by size first.
    """

    claim: PersistentVolumeClaim
    kept: tuple[PersistentVolume, ...]
    free: tuple[PersistentVolume, ...]


def kept_for(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Whether the volume is pre-bound to the claim: its claimRef names it."""
    return (
        volume.claim is not None
        and (volume.claim.namespace, volume.claim.name) == claim.key
        and volume.claim.uid in ("", claim.uid)
    )


def suits(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Whether the volume has the class and mode that the claim requests, is large enough and not terminating."""
    return (
        volume.storage_class == (claim.storage_class or "")
        and volume.capacity >= claim.request
        and volume.volume_mode == claim.volume_mode
        and volume.attributes_class == claim.attributes_class
        and not volume.terminating
    )


def free_for(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Whether the volume is available to the claim: without a claimRef, with matching labels and access modes."""
    return (
        volume.claim is None
        and volume.phase == "Available"
        and (claim.selector is None or selects(claim.selector, volume.labels, NO_FAULTS))
        and set(claim.access_modes) <= set(volume.access_modes)
    )


def wanted(claim: PersistentVolumeClaim, storage: Storage) -> Wanted:
    """Return the claim together with the volumes that suit it."""
    suiting = [volume for volume in storage.volumes if suits(volume, claim)]
    return Wanted(
        claim,
        tuple(volume for volume in suiting if kept_for(volume, claim)),
        tuple(sorted((volume for volume in suiting if free_for(volume, claim)), key=lambda each: each.capacity)),
    )


def matches(terms: tuple[NodeSelectorTerm, ...] | None, node: Node) -> bool:
    """Whether the node's labels match one of the terms; None matches every node, and matchFields are ignored."""
    return terms is None or any(
        (term.match_expressions != () or term.match_fields != ())
        and all(match_ns(requirement, node.labels, NO_FAULTS) for requirement in term.match_expressions)
        for term in terms
    )


def taken(wanted: Wanted, node: Node, others: frozenset[str]) -> PersistentVolume | None:
    """Return the volume that a claim takes on the node, not one of `others`: pre-bound, else the smallest free one."""
    for volume in wanted.kept:
        if volume.name not in others:
            return volume if matches(volume.node_affinity, node) else None
    within = (volume for volume in wanted.free if volume.name not in others and matches(volume.node_affinity, node))
    return next(within, None)


Matched = tuple[tuple[PersistentVolumeClaim, PersistentVolume | None], ...]
"""Claims, each with the volume that it takes; None if it finds none."""


def matched(waiting: tuple[Wanted, ...], node: Node, others: frozenset[str] = frozenset()) -> Matched:
    """Return the claims when each in turn takes a volume on the node that is not among `others`."""
    if waiting == ():
        return ()
    first, rest = waiting[0], waiting[1:]
    volume = taken(first, node, others)
    gone = others if volume is None else others | {volume.name}
    return ((first.claim, volume), *matched(rest, node, gone))


def choosing(waiting: tuple[Wanted, ...]) -> tuple[Wanted, ...]:
    """Return the claims that choose among the volumes, in order: smaller requests first, and none already begun."""
    return tuple(sorted((one for one in waiting if one.claim.selected_node is None), key=lambda one: one.claim.request))


def to_bind(waiting: tuple[Wanted, ...], node: Node) -> tuple[tuple[PersistentVolumeClaim, PersistentVolume], ...]:
    """Return the claims that take a volume on the node, each with the volume."""
    found = matched(choosing(waiting), node)
    return tuple((claim, volume) for claim, volume in found if volume is not None)


def to_provision(waiting: tuple[Wanted, ...], node: Node) -> tuple[PersistentVolumeClaim, ...]:
    """Return the claims whose volumes must be provisioned: provisioning has begun, or no volume is left."""
    begun = tuple(each.claim for each in waiting if each.claim.selected_node is not None)
    return begun + tuple(claim for claim, volume in matched(choosing(waiting), node) if volume is None)
