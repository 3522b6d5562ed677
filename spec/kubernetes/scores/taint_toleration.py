"""The score TaintToleration: the fewer PreferNoSchedule taints the pod does not tolerate, the better."""

from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.scores.arithmetic import Scores, default_normalised
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.tolerations import intolerable_taints


@looks_at("node.taints")
def taint_toleration(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> Scores:
    r"""Return the raw score: the number of PreferNoSchedule taints that `pod` does not tolerate; 0 is the best.

    TLA+: TaintTolerationScore(Pod, Among) == [Node \in Among |-> IntolerableTaints(Pod, Node)]
    """
    return {node.name: intolerable_taints(pod, node) for node in nodes}


@looks_at("scores")
def normalised_taint_toleration(
    scores: Scores, pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins
) -> Scores:
    """Return 100 for a node without such taints, 0 for a node with the most of them.

    TLA+: NormalisedTaintToleration(Scores) == DefaultNormalised(Scores, TRUE)
    """
    return default_normalised(scores, reverse=True)
