"""The priority NodePreferAvoidPodsPriority: a node is avoided by the pods of the controllers that its annotation names.

The annotation is scheduler.alpha.kubernetes.io/preferAvoidPods.
Kubernetes 1.6: plugin/pkg/scheduler/algorithm/priorities/node_prefer_avoid_pods.go; 1.17: the same in
pkg/scheduler/algorithm/priorities. Only replication controllers and replica sets count, in whatever API group.
"""

from collections.abc import Iterable
from typing import Final

from schedcheck.spec.classic.priorities.scale import HIGHEST, Scores
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.owners import version_and_kind

CONTROLLERS: Final = ("ReplicationController", "ReplicaSet")


def controlled(pod: Pod) -> bool:
    """Whether the controller of `pod` is of a kind that a node may avoid."""
    return version_and_kind(pod.owner[0])[1] in CONTROLLERS


def avoids(node: Node, pod: Pod) -> bool:
    """Whether the annotation of `node` names the controller of `pod`, by its kind and uid."""
    return controlled(pod) and (version_and_kind(pod.owner[0])[1], pod.owner_uid) in node.avoids


@looks_at("node.avoids")
def node_prefer_avoid_pods(pod: Pod, nodes: Iterable[Node], snapshot: Snapshot) -> Scores:
    """Return 0 for each node that avoids `pod`, and 10 for each other node."""
    return {node.name: 0 if avoids(node, pod) else HIGHEST for node in nodes}
