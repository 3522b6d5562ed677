"""The predicate NoVolumeZoneConflict: the persistent volumes that a pod claims are in the zone of the node.

Kubernetes 1.6: VolumeZoneChecker in plugin/pkg/scheduler/algorithm/predicates/predicates.go.
Differs: since 1.17 nodes and volumes are labelled with topology.kubernetes.io; here a label of either name counts, the
older one first. 1.17 reads `a__b` as two zones. As since 1.9, a claim whose class binds at the first consumer may wait.
"""

from collections.abc import Mapping
from typing import Final

from schedcheck.spec.classic.failures import VOLUME_ZONE_CONFLICT, Failure, error
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.storage import ClaimSource, PersistentVolume
from schedcheck.spec.values import Labels
from schedcheck.spec.volumes.binding import waits

ZONE = "failure-domain.beta.kubernetes.io/zone"
REGION = "failure-domain.beta.kubernetes.io/region"
STABLE: Final[Mapping[str, str]] = {ZONE: "topology.kubernetes.io/zone", REGION: "topology.kubernetes.io/region"}
"""The names of the labels since 1.17."""


def names_place(key: str, labels: Labels) -> bool:
    """Whether the labels hold this zone or region label, under either name."""
    return key in labels or STABLE[key] in labels


def place(key: str, labels: Labels) -> str:
    """Return the zone or region that the labels name; empty if they name none."""
    return labels.get(key, labels.get(STABLE[key], ""))


def claimed(pod: Pod, source: ClaimSource, snapshot: Snapshot) -> PersistentVolume | Failure:
    """Return the persistent volume to which a claim of `pod` is bound, or the error if there is none."""
    name = source.claim_name
    claim = snapshot.storage.claim(pod.namespace, name)
    if claim is None:
        return error(f'PersistentVolumeClaim was not found: "{name}"')
    if not claim.volume_name:
        return error(f'PersistentVolumeClaim is not bound: "{name}"')
    return snapshot.storage.volume(claim.volume_name) or error(f'PersistentVolume not found: "{claim.volume_name}"')


def in_zone(volume: PersistentVolume, node: Node) -> bool:
    """Whether `node` has every zone and region that the volume's labels name; a label that it lacks is empty."""
    return all(
        place(key, volume.labels) == place(key, node.labels)
        for key in (ZONE, REGION)
        if names_place(key, volume.labels)
    )  # fmt: skip


def may_wait(pod: Pod, source: ClaimSource, snapshot: Snapshot) -> bool:
    """Whether a claim of `pod` is unbound, and its class binds at the first consumer; before 1.9 no class does."""
    claim = snapshot.storage.claim(pod.namespace, source.claim_name)
    return claim is not None and waits(claim, snapshot.storage)


@looks_at("node.labels", "storage.claims", "storage.volumes", "storage.classes")
def failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Return the failure of NoVolumeZoneConflict on `node`, for the first volume that conflicts; empty if it passes.

    A node without any zone or region label always passes.
    """
    if not any(names_place(key, node.labels) for key in (ZONE, REGION)):
        return ()
    sources = [each.source for each in pod.volumes if isinstance(each.source, ClaimSource)]
    behind = [claimed(pod, each, snapshot) for each in sources if not may_wait(pod, each, snapshot)]
    verdicts = (
        each if isinstance(each, Failure) else VOLUME_ZONE_CONFLICT
        for each in behind
        if isinstance(each, Failure) or not in_zone(each, node)
    )
    return tuple(verdicts)[:1]


def no_volume_zone_conflict(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    """Whether every volume that `pod` claims is in the zone of `node`, as far as both are labelled."""
    return failures(pod, node, snapshot) == ()
