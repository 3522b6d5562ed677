"""The predicate NoVolumeNodeConflict: the node matches the node affinity of the pod's persistent volumes.

Kubernetes 1.7: VolumeNodeChecker in plugin/pkg/scheduler/algorithm/predicates/predicates.go. CheckVolumeBinding
replaced it in 1.10.
"""

from schedcheck.spec.classic.failures import VOLUME_NODE_CONFLICT, Failure
from schedcheck.spec.classic.predicates.no_volume_zone_conflict import claimed
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.storage import ClaimSource
from schedcheck.spec.volumes.matching import matches


@looks_at("node.labels", "storage.claims", "storage.volumes")
def failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Return the failure of NoVolumeNodeConflict on `node`, for the first volume that conflicts; empty if it passes."""
    behind = [claimed(pod, each.source, snapshot) for each in pod.volumes if isinstance(each.source, ClaimSource)]
    verdicts = (
        each if isinstance(each, Failure) else VOLUME_NODE_CONFLICT
        for each in behind
        if isinstance(each, Failure) or not matches(each.node_affinity, node)
    )
    return tuple(verdicts)[:1]


def no_volume_node_conflict(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    """Whether `node` matches the node affinity of every volume that `pod` claims."""
    return failures(pod, node, snapshot) == ()
