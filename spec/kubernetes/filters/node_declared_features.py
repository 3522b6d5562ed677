"""The plugin NodeDeclaredFeatures: a node must declare every feature that the fields of a pod require of its kubelet.

Kubernetes 1.37: pkg/scheduler/framework/plugins/nodedeclaredfeatures, k8s.io/component-helpers/nodedeclaredfeatures.
"""

from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.refusal import Refusal, unresolvable

NAME = "NodeDeclaredFeatures"


def node_declared_features(pod: Pod, node: Node) -> bool:
    r"""Whether `node` declares the features that `pod` requires.

    TLA+: NodeDeclaredFeatures(Pod, Node) == Pod.Spec.RequiredFeatures \subseteq Node.Status.DeclaredFeatures
    """
    return pod.required_features <= node.declared_features


@looks_at("node.declared_features")
def refusal(pod: Pod, node: Node, departures: Departures) -> Refusal | None:
    r"""Return the refusal of `node` by NodeDeclaredFeatures; None if it passes, or if the features are not looked at.

    TLA+: NodeDeclaredFeaturesRefusal(Pod, Node) ==
            IF NodeDeclaredFeatures(Pod, Node) \/ "declared-features-ignored" \in Departures THEN Null
            ELSE Unresolvable("NodeDeclaredFeatures")
    """
    if node_declared_features(pod, node) or Departure.DECLARED_FEATURES_IGNORED in departures:
        return None
    return unresolvable(NAME, "node(s) didn't match Pod's required features")


def skipped(pod: Pod, departures: Departures) -> bool:
    r"""Whether `pod` requires no feature, or the features are not looked at.

    TLA+: NodeDeclaredFeaturesSkipped(Pod) ==
            Pod.Spec.RequiredFeatures = {} \/ "declared-features-ignored" \in Departures
    """
    return pod.required_features == frozenset() or Departure.DECLARED_FEATURES_IGNORED in departures
