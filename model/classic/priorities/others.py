"""The priorities by images, taints, avoided controllers and labels, and the one that rates all nodes alike.

Kubernetes 1.6: image_locality.go, taint_toleration.go, node_prefer_avoid_pods.go and node_label.go in
plugin/pkg/scheduler/algorithm/priorities, EqualPriority in plugin/pkg/scheduler/generic_scheduler.go.
"""

from typing import Final

from schedcheck.model.classic.matching import tolerates
from schedcheck.model.classic.nodes.node_info import NodeInfo
from schedcheck.model.classic.priorities.rating import MOST, Begin, Map, Rating, Reduce, only
from schedcheck.spec.owners import version_and_kind

AVOIDABLE: Final = ("ReplicationController", "ReplicaSet")
SMALLEST: Final = 23 * 2**20
LARGEST: Final = 1000 * 2**20


def image_locality(rating: Rating, node: NodeInfo) -> int:
    """Return the score for the size of the pod's images that the node has, summed over the containers."""
    total = sum(_size(node, container.image) for container in rating.info.pod.containers)
    if total < SMALLEST:
        return 0
    return MOST if total >= LARGEST else MOST * (total - SMALLEST) // (LARGEST - SMALLEST) + 1


def _size(node: NodeInfo, name: str) -> int:
    for image in node.there.images:
        if name in image.names:
            return image.size
    return 0


def taint_toleration(rating: Rating) -> tuple[Map, Reduce]:
    """Count the PreferNoSchedule taints that the pod does not tolerate; the fewer the better."""

    def rate(rating: Rating, node: NodeInfo) -> int:
        soft = (taint for taint in node.there.taints if taint.effect == "PreferNoSchedule")
        return sum(not tolerates(rating.info.pod, taint) for taint in soft)

    def reduce(rating: Rating, counts: list[int]) -> list[int]:
        most = float(max(counts, default=0))
        return [int((1.0 - float(count) / most) * MOST) if most > 0 else MOST for count in counts]

    return rate, reduce


def equal(rating: Rating, node: NodeInfo) -> int:
    """Return 1."""
    return 1


def prefer_avoid_pods(rating: Rating, node: NodeInfo) -> int:
    """Return 0 if the node avoids the pods of the pod's replication controller or replica set, else 10."""
    pod = rating.info.pod
    kind = version_and_kind(pod.owner[0])[1]
    if kind not in AVOIDABLE:
        return MOST
    return 0 if any(each == (kind, pod.owner_uid) for each in node.there.avoids) else MOST


def node_label(label: str, presence: bool) -> Begin:
    """Return the priority that gives 10 to nodes with the label or, without `presence`, to those that lack it."""
    return only(lambda rating, node: MOST if (label in node.there.labels) is presence else 0)
