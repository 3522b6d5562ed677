"""The priority TaintTolerationPriority: the fewer PreferNoSchedule taints the pod does not tolerate, the better.

Kubernetes 1.6: plugin/pkg/scheduler/algorithm/priorities/taint_toleration.go.
"""

from collections.abc import Iterable

from schedcheck.spec.classic.priorities.scale import HIGHEST, Scores
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.tolerations import intolerable_taints


@looks_at("candidates.taints")
def taint_toleration(pod: Pod, nodes: Iterable[Node], snapshot: Snapshot) -> Scores:
    """Return how far the number of such taints is below the maximum, in tenths, truncated; 10 if no node has any.

    Computed in 64-bit floating point.
    """
    counts = {node.name: intolerable_taints(pod, node) for node in nodes}
    most = max(counts.values(), default=0)
    return {
        name: int((1.0 - float(count) / float(most)) * HIGHEST) if most else HIGHEST for name, count in counts.items()
    }
