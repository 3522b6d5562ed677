"""The binding of volumes: each claim of a pod has, or can get, a volume that the node can use.

The plugin VolumeBinding and the predicate CheckVolumeBinding of the early scheduler judge by it.

The node must match the node affinity of the volume of each bound claim. A claim with WaitForFirstConsumer takes the
smallest suitable volume, or has one provisioned if there is none. Any other claim must be bound before the pod is
scheduled.

Kubernetes 1.34: pkg/scheduler/framework/plugins/volumebinding (volume_binding.go, binder.go).

Not modelled: Reserve and PreBind, which bind the claims; volumes that are assumed for other pods and not stored yet.
"""

from dataclasses import dataclass

from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.refusal import Code, Refusal, failed, unresolvable
from schedcheck.spec.storage import (
    WAIT_FOR_FIRST_CONSUMER,
    CSINode,
    Ephemeral,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    Volume,
)
from schedcheck.spec.volumes.claims import claim_name, made_for, not_found, not_made_for
from schedcheck.spec.volumes.csi_migration import (
    MOVED_BY_NODE,
    MOVED_EVERYWHERE,
    affinity,
    handle,
    plugin_of,
    why_no_handle,
)
from schedcheck.spec.volumes.matching import Wanted, matches, to_provision, wanted
from schedcheck.spec.volumes.provisioning import NO_SPACE, NONE_TO_BIND, why_not_made

NAME = "VolumeBinding"
UNBOUND = "pod has unbound immediate PersistentVolumeClaims"
OUT_OF_REACH = "node(s) didn't match PersistentVolume's node affinity"
NO_VOLUME = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
ORDER = (OUT_OF_REACH, NONE_TO_BIND, NO_SPACE, NO_VOLUME)
"""The order in which the reasons are reported."""


@dataclass(frozen=True)
class Claims:
    """The claims of a pod, in the order of its volumes: bound ones, and those that wait until the pod has a node."""

    bound: tuple[PersistentVolumeClaim, ...] = ()
    waiting: tuple[Wanted, ...] = ()


def fully_bound(claim: PersistentVolumeClaim) -> bool:
    """Whether the claim names its volume and has the annotation bind-completed."""
    return claim.volume_name != "" and claim.bind_completed


def waits(claim: PersistentVolumeClaim, storage: Storage) -> bool:
    """Whether an unbound claim may wait until the pod has a node (WaitForFirstConsumer)."""
    storage_class = storage.storage_class(claim.storage_class or "")
    return (
        claim.volume_name == ""
        and storage_class is not None
        and storage_class.binding_mode == WAIT_FOR_FIRST_CONSUMER
    )  # fmt: skip


def claims_of(pod: Pod, storage: Storage) -> Claims:
    """Return the claims of `pod` that exist, bound or waiting."""
    names = (claim_name(volume, pod) for volume in pod.volumes)
    found = [claim for name in names if name is not None and (claim := storage.claim(pod.namespace, name)) is not None]
    return Claims(
        tuple(claim for claim in found if fully_bound(claim)),
        tuple(wanted(claim, storage) for claim in found if not fully_bound(claim) and waits(claim, storage)),
    )


def driven(volume: PersistentVolume, node: CSINode | None) -> str | None:
    """Return the in-tree plugin of a volume if the node's CSINode lists it as migrated to CSI, else None."""
    plugin = plugin_of(volume.source)
    known = plugin in MOVED_EVERYWHERE | MOVED_BY_NODE and node is not None and plugin in node.migrated
    return plugin if known else None


def within_reach(volume: PersistentVolume, node: Node, storage: Storage) -> bool:
    """Whether the node matches the node affinity of a bound volume, translated to CSI if the plugin is migrated."""
    plugin = driven(volume, storage.node(node.name))
    if plugin is None:
        return matches(volume.node_affinity, node)
    return handle(volume.source, volume.labels) is not None and matches(affinity(volume, plugin), node)


def why_out_of_reach(claim: PersistentVolumeClaim, node: Node, storage: Storage) -> Refusal | None:
    """Return the refusal if the node cannot use the volume to which the claim is bound; None if it can."""
    volume = storage.volume(claim.volume_name)
    if volume is None:
        return unresolvable(NAME, NO_VOLUME)
    if within_reach(volume, node, storage):
        return None
    if driven(volume, storage.node(node.name)) and handle(volume.source, volume.labels) is None:
        return failed(NAME, f"could not translate pv: {why_no_handle(volume.source, volume.labels)}")
    return unresolvable(NAME, OUT_OF_REACH)


def begun_elsewhere(waiting: tuple[Wanted, ...], node: Node) -> bool:
    """Whether a volume of these claims is already being provisioned for another node."""
    return any(each.claim.selected_node not in (None, node.name) for each in waiting)


def volume_binding(node: Node, claims: Claims, storage: Storage) -> bool:
    """Whether the node can use every bound volume, and each waiting claim finds a volume or can get one provisioned."""
    volumes = [storage.volume(claim.volume_name) for claim in claims.bound]
    return (
        all(volume is not None and within_reach(volume, node, storage) for volume in volumes)
        and not begun_elsewhere(claims.waiting, node)
        and all(why_not_made(claim, node, storage) is None for claim in to_provision(claims.waiting, node))
    )


@looks_at("node.labels", "storage")
def refusal(node: Node, claims: Claims, storage: Storage) -> Refusal | None:
    """Return the refusal of the node by VolumeBinding; None if it passes. `claims` is the result of `claims_of`."""
    unreachable = (why_out_of_reach(claim, node, storage) for claim in claims.bound)
    bound = next((each for each in unreachable if each is not None), None)
    if bound is not None and bound.code == Code.ERROR:
        return bound
    if begun_elsewhere(claims.waiting, node):
        waiting: str | None = NONE_TO_BIND
    else:
        unmade = (why_not_made(claim, node, storage) for claim in to_provision(claims.waiting, node))
        waiting = next((each for each in unmade if each is not None), None)
    reasons = {*(bound.reasons if bound is not None else ()), *([waiting] if waiting is not None else [])}
    return unresolvable(NAME, *sorted(reasons, key=ORDER.index)) if reasons else None


def why_unusable(volume: Volume, pod: Pod, storage: Storage) -> str | None:
    """Return why a volume of `pod` cannot be used on any node; None if its claim is usable or none is named."""
    name = claim_name(volume, pod)
    if name is None:
        return None
    claim = storage.claim(pod.namespace, name)
    if claim is None and isinstance(volume.source, Ephemeral):
        return f'waiting for ephemeral volume controller to create the persistentvolumeclaim "{name}"'
    if claim is None:
        return not_found("persistentvolumeclaim", name)
    if claim.phase == "Lost":
        return f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{claim.volume_name}"'
    if claim.terminating:
        return f'persistentvolumeclaim "{name}" is being deleted'
    return None if made_for(volume, claim) else not_made_for(pod, claim)


@looks_at("storage.claims", "storage.classes")
def rejection(pod: Pod, storage: Storage) -> Refusal | None:
    """Return the rejection of `pod` for every node: a claim is unusable, or unbound without WaitForFirstConsumer."""
    unusable = (why_unusable(volume, pod, storage) for volume in pod.volumes)
    reason = next((each for each in unusable if each is not None), None)
    if reason is not None:
        return unresolvable(NAME, reason)
    names = (claim_name(volume, pod) for volume in pod.volumes)
    there = (storage.claim(pod.namespace, name) for name in names if name is not None)
    unbound = (claim for claim in there if claim is not None and not fully_bound(claim))
    return None if all(waits(claim, storage) for claim in unbound) else unresolvable(NAME, UNBOUND)


def skipped(pod: Pod) -> bool:
    """Whether `pod` has no claims."""
    return all(claim_name(volume, pod) is None for volume in pod.volumes)
