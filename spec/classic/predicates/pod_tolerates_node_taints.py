"""The predicates PodToleratesNodeTaints, about the taints NoSchedule and NoExecute, and PodToleratesNodeNoExecuteTaints.

Kubernetes 1.17: pkg/scheduler/algorithm/predicates/predicates.go. Differs: in 1.4 and 1.5 taints and tolerations are
annotations, and only NoSchedule counts.
"""

from schedcheck.spec.classic.failures import TAINTS_NOT_TOLERATED, Failure
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.tolerations import tolerated, untolerated


def tolerates_no_execute(pod: Pod, node: Node) -> bool:
    """Whether `pod` tolerates every NoExecute taint of `node`."""
    return all(taint.effect != "NoExecute" or tolerated(taint, pod, NO_FAULTS) for taint in node.taints)


@looks_at("node.taints")
def no_execute_failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Return the failure of PodToleratesNodeNoExecuteTaints on `node`; empty if it passes."""
    return () if tolerates_no_execute(pod, node) else (TAINTS_NOT_TOLERATED,)


@looks_at("node.taints")
def failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Return the failure of PodToleratesNodeTaints on `node`; empty if it passes."""
    return () if untolerated(pod, node) == () else (TAINTS_NOT_TOLERATED,)
