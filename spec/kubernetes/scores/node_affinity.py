r"""The score NodeAffinity: the sum of the weights of the preferred node-affinity terms that a node matches.

The arguments may add preferred terms for every pod.
"""

from collections.abc import Iterator

from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.label_values import unreadable
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.scores.arithmetic import Scores, default_normalised
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.selectors import match_term
from schedcheck.spec.terms import NodeSelectorTerm, PreferredNodeTerm


def counting(preferred: PreferredNodeTerm) -> bool:
    r"""Whether the preferred term is considered: it has requirements, and a weight other than 0.

    TLA+: Counting(Preferred) ==
            /\ Preferred.Weight # 0
            /\ Preferred.Term # [MatchExpressions |-> {}, MatchFields |-> {}]
    """
    return preferred.weight != 0 and preferred.term != NodeSelectorTerm()


def node_affinity_skipped(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> bool:
    r"""Whether `pod` has no preferred node-affinity terms, and none are added.

    TLA+: NodeAffinityScoreSkipped(Pod) ==
            Pod.Spec.Affinity.NodeAffinity.Preferred = <<>> /\ AddedAffinity.Preferred = <<>>
    """
    return pod.affinity.node_preferred == () and plugins.arguments.added_affinity.preferred == ()


def unreadable_preferences(pod: Pod) -> Iterator[str]:
    """Yield the error messages about values in preferred terms that kube-scheduler cannot parse, with their paths.

    The API server admits some such pods. In a required term such a value only makes the term match nothing.

    Kubernetes 1.34: k8s.io/component-helpers/scheduling/corev1/nodeaffinity, NewPreferredSchedulingTerms.
    """
    for i, preferred in enumerate(pod.affinity.node_preferred):
        if counting(preferred):
            for j, requirement in enumerate(preferred.term.match_expressions):
                yield from (f"[{i}].matchExpressions[{j}].{fault}" for fault in unreadable(requirement))


def node_affinity_error(pod: Pod) -> str | None:
    r"""Return the error that ends scoring for all nodes; None if there is none.

    TLA+: NodeAffinityError(Pod) ==
            LET Preferred == Pod.Spec.Affinity.NodeAffinity.Preferred
            IN \E i \in DOMAIN Preferred :
                 Counting(Preferred[i]) /\ ~Readable(Preferred[i].Term)
    Kubernetes 1.34: k8s.io/apimachinery/pkg/util/errors, Aggregate: equal errors are reported once.
    """
    errors = list(dict.fromkeys(unreadable_preferences(pod)))
    return None if not errors else errors[0] if len(errors) == 1 else f"[{', '.join(errors)}]"


@looks_at("node.labels")
def node_affinity_score(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> Scores:
    r"""Return the raw score: the sum of the weights of the preferred terms that the node matches.

    TLA+: NodeAffinityScore(Pod, Among) ==
            LET Preferred == AddedAffinity.Preferred \o Pod.Spec.Affinity.NodeAffinity.Preferred
            IN [Node \in Among |-> Sum([i \in DOMAIN Preferred |->
                 IF Counting(Preferred[i]) /\ MatchTerm(Preferred[i].Term, Node) THEN Preferred[i].Weight ELSE 0])]
    Kubernetes 1.34: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go, Score.
    """
    return {
        node.name: sum(
            preferred.weight
            for preferred in (*plugins.arguments.added_affinity.preferred, *pod.affinity.node_preferred)
            if counting(preferred) and match_term(preferred.term, node, NO_FAULTS)
        )
        for node in nodes
    }


@looks_at("scores")
def normalised_node_affinity(
    scores: Scores, pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins
) -> Scores:
    """Return the percentages of the highest sum.

    TLA+: NormalisedNodeAffinity(Scores) == DefaultNormalised(Scores, FALSE)
    """
    return default_normalised(scores, reverse=False)
