"""The priorities by requested resources: least requested, most requested, balanced.

Kubernetes 1.6: least_requested.go, most_requested.go and balanced_resource_allocation.go in
plugin/pkg/scheduler/algorithm/priorities.
"""

from schedcheck.model.classic.nodes.node_info import NodeInfo
from schedcheck.model.classic.priorities.rating import MOST, Rating


def _with_pod(rating: Rating, node: NodeInfo, resource: str) -> tuple[int, int]:
    """Return what would be requested on the node with the pod, and the node's total."""
    total = node.room(rating.by_allocatable).get(resource, 0)
    return node.rated[resource] + rating.info.rated[resource], total


def _unused(requested: int, total: int) -> int:
    if total <= 0 or requested > total:
        return 0
    return (total - requested) * MOST // total


def _used(requested: int, total: int) -> int:
    if total <= 0 or requested > total:
        return 0
    return requested * MOST // total


def least_requested(rating: Rating, node: NodeInfo) -> int:
    """Return the mean of the tenths of cpu and memory that are left."""
    return (_unused(*_with_pod(rating, node, "cpu")) + _unused(*_with_pod(rating, node, "memory"))) // 2


def most_requested(rating: Rating, node: NodeInfo) -> int:
    """Return the mean of the tenths of cpu and memory that are requested."""
    return (_used(*_with_pod(rating, node, "cpu")) + _used(*_with_pod(rating, node, "memory"))) // 2


def balanced_resource_allocation(rating: Rating, node: NodeInfo) -> int:
    """Return how close the fractions of cpu and memory are; 0 if one of them reaches the total."""
    cpu = _fraction(*_with_pod(rating, node, "cpu"))
    memory = _fraction(*_with_pod(rating, node, "memory"))
    if cpu >= 1.0 or memory >= 1.0:
        return 0
    return int(MOST - abs(cpu - memory) * MOST)


def _fraction(requested: int, total: int) -> float:
    return 1.0 if total == 0 else requested / total
