"""The predicates about the volumes behind claims: NoVolumeZoneConflict and NoVolumeNodeConflict.

Kubernetes 1.6: VolumeZoneChecker in plugin/pkg/scheduler/algorithm/predicates/predicates.go; 1.7: VolumeNodeChecker in
the same file. Differs: labels of zones and regions count under their old and new names, the old one first; an unbound
claim that waits for its first consumer is in no zone, as since 1.9.
"""

from collections.abc import Mapping
from typing import Final

from schedcheck.model.classic.listers import Listers
from schedcheck.model.classic.matching import reaches
from schedcheck.model.classic.metadata import Metadata
from schedcheck.model.classic.nodes.node_info import NodeInfo
from schedcheck.model.classic.predicates.arguments import Arguments
from schedcheck.model.classic.reasons import PASSED, VOLUME_ELSEWHERE, ZONE_CONFLICT, PredicateError, Reasons
from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import ClaimSource, PersistentVolume

ZONE: Final = ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")
REGION: Final = ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region")


def constraints(labels: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """Return the zone and the region that the labels name, as far as they name them."""
    found = {}
    for names in (ZONE, REGION):
        for name in names:
            if name in labels:
                found[names] = labels[name]
                break
    return found


def no_volume_zone_conflict(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
    """Reject a node in another zone or region than a claimed volume; one that names neither passes."""
    there, pod, listers = constraints(node.there.labels), meta.info.pod, arguments.listers
    if not there:
        return PASSED
    for source in _claims(pod):
        claim = listers.storage.claim(pod.namespace, source.claim_name)
        if claim is not None and listers.waits(claim):
            continue
        volume = _volume(pod, source, listers)
        for names, value in constraints(volume.labels).items():
            if there.get(names, "") != value:
                return (ZONE_CONFLICT,)
    return PASSED


def no_volume_node_conflict(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
    """Reject a node that a claimed volume's node affinity excludes."""
    for source in _claims(meta.info.pod):
        if not reaches(_volume(meta.info.pod, source, arguments.listers).node_affinity, node.there):
            return (VOLUME_ELSEWHERE,)
    return PASSED


def _claims(pod: Pod) -> list[ClaimSource]:
    return [volume.source for volume in pod.volumes if isinstance(volume.source, ClaimSource)]


def _volume(pod: Pod, source: ClaimSource, listers: Listers) -> PersistentVolume:
    """Return the volume to which the claim is bound. Raises: PredicateError."""
    claim = listers.storage.claim(pod.namespace, source.claim_name)
    if claim is None:
        raise PredicateError(f'PersistentVolumeClaim was not found: "{source.claim_name}"')
    if not claim.volume_name:
        raise PredicateError(f'PersistentVolumeClaim is not bound: "{source.claim_name}"')
    volume = listers.storage.volume(claim.volume_name)
    if volume is None:
        raise PredicateError(f'PersistentVolume not found: "{claim.volume_name}"')
    return volume
