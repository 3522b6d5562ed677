"""The predicate CheckVolumeBinding: bound claims are in reach, and unbound ones find or get a volume on the node.

Kubernetes 1.17: VolumeBindingChecker in pkg/scheduler/algorithm/predicates/predicates.go; FindPodVolumes,
checkBoundClaims, findMatchingVolumes and checkVolumeProvisions in pkg/controller/volume/scheduling/scheduler_binder.go;
FindMatchingVolume in pkg/controller/volume/persistentvolume/util. Differs: the errors have the words of 1.34; classes
of attributes are compared; of several volumes of one size the first by name is taken.
"""

from typing import Final

from schedcheck.model.classic.listers import Listers
from schedcheck.model.classic.matching import reaches
from schedcheck.model.classic.metadata import Metadata
from schedcheck.model.classic.nodes.node_info import NodeInfo
from schedcheck.model.classic.predicates.arguments import Arguments
from schedcheck.model.classic.reasons import NO_VOLUME, VOLUME_ELSEWHERE, PredicateError, Reason, Reasons
from schedcheck.model.production.snapshot.claims import claims_of, not_found, not_made_for
from schedcheck.model.production.snapshot.labels import holds, selects
from schedcheck.model.production.volumes.migration import UntranslatableError, plugin_of, translated
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.storage import Ephemeral, PersistentVolume, PersistentVolumeClaim, Volume

NOT_PROVISIONING: Final = ("", "kubernetes.io/no-provisioner")
GONE: Final = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"


def check_volume_binding(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
    """Reject a node that a bound volume does not reach, or where an unbound claim gets no volume."""
    bound, unbound = _claims(meta.info.pod, arguments.listers)
    reasons: list[Reason] = []
    if not _all_reached(bound, node.there, arguments.listers):
        reasons.append(VOLUME_ELSEWHERE)
    if not _all_served(unbound, node.there, arguments.listers):
        reasons.append(NO_VOLUME)
    return tuple(reasons)


def _claims(pod: Pod, listers: Listers) -> tuple[list[PersistentVolumeClaim], list[PersistentVolumeClaim]]:
    """Return the bound claims of the pod and those that wait for it.

    Raises: PredicateError for a claim that cannot be used, or that is unbound and does not wait.
    """
    bound: list[PersistentVolumeClaim] = []
    unbound: list[PersistentVolumeClaim] = []
    for volume, name in claims_of(pod):
        claim = listers.storage.claim(pod.namespace, name)
        wrong = _wrong(volume, name, claim, pod)
        if claim is None or wrong:
            raise PredicateError(wrong)
        (bound if claim.volume_name and claim.bind_completed else unbound).append(claim)
    if not all(listers.waits(claim) for claim in unbound):
        raise PredicateError("pod has unbound immediate PersistentVolumeClaims")
    return bound, unbound


def _wrong(volume: Volume, name: str, claim: PersistentVolumeClaim | None, pod: Pod) -> str:
    """Return why the claim of this volume cannot be used; empty if it can."""
    if claim is None:
        if isinstance(volume.source, Ephemeral):
            return f'waiting for ephemeral volume controller to create the persistentvolumeclaim "{name}"'
        return not_found("persistentvolumeclaim", name)
    if claim.phase == "Lost":
        return f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume "{claim.volume_name}"'
    if claim.terminating:
        return f'persistentvolumeclaim "{name}" is being deleted'
    return not_made_for(pod, volume, claim)


def _all_reached(bound: list[PersistentVolumeClaim], node: Node, listers: Listers) -> bool:
    """Whether the node reaches the volume of each bound claim. Raises: PredicateError."""
    on_node = listers.storage.node(node.name)
    for claim in bound:
        volume = listers.storage.volume(claim.volume_name)
        if volume is None:
            raise PredicateError(GONE)
        terms, plugin = volume.node_affinity, plugin_of(volume.source)
        if plugin is not None and plugin.replaced and on_node is not None and plugin.name in on_node.migrated:
            try:
                terms = translated(volume, plugin)
            except UntranslatableError as error:
                raise PredicateError(f"could not translate pv: {error}") from None
        if not reaches(terms, node):
            return False
    return True


def _all_served(unbound: list[PersistentVolumeClaim], node: Node, listers: Listers) -> bool:
    """Whether each waiting claim takes a volume on the node, the smallest claim first, or has one provisioned."""
    if any(claim.selected_node not in (None, node.name) for claim in unbound):
        return False
    taken: set[str] = set()
    for claim in sorted(unbound, key=lambda claim: claim.request):
        volume = None if claim.selected_node is not None else _taken(claim, node, taken, listers)
        if volume is not None:
            taken.add(volume.name)
        elif not _provisions(claim, node, listers):
            return False
    return True


def _taken(
    claim: PersistentVolumeClaim, node: Node, taken: set[str], listers: Listers
) -> PersistentVolume | None:  # fmt: skip
    """Return the volume that the claim takes on the node: one that names it, else the smallest that is free."""
    best: PersistentVolume | None = None
    for volume in listers.storage.volumes:
        if volume.name in taken or not _suits(volume, claim):
            continue
        if volume.claim is not None:
            if (volume.claim.namespace, volume.claim.name) != claim.key or volume.claim.uid not in ("", claim.uid):
                continue
            return volume if reaches(volume.node_affinity, node) else None
        smaller = best is None or volume.capacity < best.capacity
        if smaller and _is_free(volume, claim) and reaches(volume.node_affinity, node):
            best = volume
    return best


def _suits(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Whether the volume is large enough, of the claim's class and mode, and is not being deleted."""
    return (
        volume.capacity >= claim.request
        and volume.storage_class == (claim.storage_class or "")
        and volume.volume_mode == claim.volume_mode
        and volume.attributes_class == claim.attributes_class
        and not volume.terminating
    )


def _is_free(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Whether the claim may take a volume that names no claim."""
    if volume.phase != "Available" or not set(claim.access_modes) <= set(volume.access_modes):
        return False
    return claim.selector is None or selects(claim.selector, volume.labels)


def _provisions(claim: PersistentVolumeClaim, node: Node, listers: Listers) -> bool:
    """Whether the claim's class provisions volumes for the node; a topology term without expressions matches none."""
    made_by = listers.storage.storage_class(claim.storage_class or "")
    if made_by is None or made_by.provisioner in NOT_PROVISIONING:
        return False
    return not made_by.allowed_topologies or any(
        term and all(holds(requirement, node.labels.get(requirement.key)) for requirement in term)
        for term in made_by.allowed_topologies
    )
