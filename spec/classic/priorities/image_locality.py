"""The priority ImageLocalityPriority: the larger the pod's images already on a node, the better. Off by default.

Kubernetes 1.6: plugin/pkg/scheduler/algorithm/priorities/image_locality.go.
"""

from collections.abc import Iterable
from typing import Final

from schedcheck.spec.classic.priorities.scale import HIGHEST, Scores
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot

MEBIBYTE: Final = 1024 * 1024
LEAST, MOST = 23 * MEBIBYTE, 1000 * MEBIBYTE
"""Total image sizes below the first give 0, from the second on 10; between them are ten buckets."""


def size_on(node: Node, image: str) -> int:
    """Return the size in bytes of the first image on `node` with exactly this name; 0 if there is none."""
    return next((each.size for each in node.images if image in each.names), 0)


def bucket(size: int) -> int:
    """Return the score for a size in bytes: 1 to 10 between the least and the most, and 0 below."""
    if size < LEAST:
        return 0
    return HIGHEST if size >= MOST else HIGHEST * (size - LEAST) // (MOST - LEAST) + 1


@looks_at("node.images")
def image_locality(pod: Pod, nodes: Iterable[Node], snapshot: Snapshot) -> Scores:
    """Return the bucket of the total size of the images of `pod` already on each node; each container counts."""
    return {node.name: bucket(sum(size_on(node, each.image) for each in pod.containers)) for node in nodes}
