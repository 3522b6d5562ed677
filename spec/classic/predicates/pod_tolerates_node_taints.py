"""The predicate PodToleratesNodeTaints: the taints that keep pods away are tolerated.

Kubernetes 1.17: pkg/scheduler/algorithm/predicates/predicates.go. Differs: in 1.4 and 1.5 taints and tolerations are
annotations, and only NoSchedule keeps away.
"""

from schedcheck.spec.classic.failures import TAINTS_NOT_TOLERATED, Failure
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.filters.taint_toleration import taint_toleration
from schedcheck.spec.objects import Node, Pod, Snapshot


@looks_at("node.taints")
def failures(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Failure, ...]:
    """Why PodToleratesNodeTaints fails `node`; empty where it does not."""
    return () if taint_toleration(pod, node) else (TAINTS_NOT_TOLERATED,)
