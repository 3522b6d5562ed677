"""The predicate MaxCSIVolumeCountPred: how many volumes a CSI driver may attach to a node.

Kubernetes 1.17: CSIMaxVolumeLimitChecker in pkg/scheduler/algorithm/predicates/csi_volume_predicate.go,
GetCSIAttachLimitKey in pkg/volume/util/attach_limit.go. Only volumes behind claims count, each once, and those to be
provisioned once for each claim; a claim that does not exist is skipped. The limit is that of the CSINode, or else an
allocatable resource of the node.
Differs: the CSINode alone says whether a plugin is migrated to CSI.
"""

from collections import Counter
from hashlib import sha1
from typing import Final

from schedcheck.spec.binding import occupants
from schedcheck.spec.classic.failures import MAX_VOLUME_COUNT_EXCEEDED, Failure
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.storage import ClaimSource
from schedcheck.spec.volumes.attaching import Attached, of_claim

PREFIX: Final = "attachable-volumes-csi-"
LONGEST, KEPT, HASHED = 63, 23, 16
"""The length of a resource name that is too long, and how many letters of the driver and of its hash are then kept."""


def limit_key(driver: str) -> str:
    """Return the name of the resource by which a node limits the volumes of a driver."""
    if len(PREFIX) + len(driver) < LONGEST:
        return PREFIX + driver
    return PREFIX + driver[:KEPT] + sha1(driver.encode(), usedforsecurity=False).hexdigest()[:HASHED]


def attached(pod: Pod, node: Node, snapshot: Snapshot) -> frozenset[Attached]:
    """Return the volumes that CSI drivers attach to `node` for the claims of `pod`."""
    storage = snapshot.storage
    names = (each.source.claim_name for each in pod.volumes if isinstance(each.source, ClaimSource))
    claims = (storage.claim(pod.namespace, name) for name in names)
    found = (of_claim(claim, storage.node(node.name), storage) for claim in claims if claim is not None)
    return frozenset(each for each in found if each is not None)


def limit(driver: str, node: Node, snapshot: Snapshot) -> int | None:
    """Return how many volumes the driver may attach to `node`; None if there is no limit."""
    of_driver = snapshot.storage.node(node.name)
    if of_driver is not None and driver in of_driver.allocatable:
        return of_driver.allocatable[driver]
    return node.allocatable.get(limit_key(driver))


def max_csi_volume_count(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    """Whether no driver of a new volume of `pod` has more volumes on `node` than it may attach."""
    there = frozenset[Attached]().union(
        *(attached(each, node, snapshot) for each in occupants(node, snapshot, NO_FAULTS))
    )
    new = attached(pod, node, snapshot) - there
    counts = Counter(driver for driver, *_ in there | new)
    limits = {driver: limit(driver, node, snapshot) for driver, *_ in new}
    return all(most is None or counts[driver] <= most for driver, most in limits.items())


@looks_at(
    "node.allocatable", "occupants.volumes", "storage.claims", "storage.volumes", "storage.classes", "storage.nodes"
)  # fmt: skip
def failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Return the failure of MaxCSIVolumeCountPred on `node`; empty if it passes."""
    return () if max_csi_volume_count(pod, node, snapshot) else (MAX_VOLUME_COUNT_EXCEEDED,)
