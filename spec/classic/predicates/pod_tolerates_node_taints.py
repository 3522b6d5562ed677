"""The predicate PodToleratesNodeTaints: the pod tolerates the NoSchedule and NoExecute taints of the node.

Kubernetes 1.17: pkg/scheduler/algorithm/predicates/predicates.go. Differs: in 1.4 and 1.5 taints and tolerations are
annotations, and only NoSchedule counts.
"""

from schedcheck.spec.classic.failures import TAINTS_NOT_TOLERATED, Failure
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.tolerations import untolerated


@looks_at("node.taints")
def failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Return the failure of PodToleratesNodeTaints on `node`; empty if it passes."""
    return () if untolerated(pod, node) == () else (TAINTS_NOT_TOLERATED,)
