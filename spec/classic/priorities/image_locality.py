"""ImageLocalityPriority: the larger the images of a pod that a node has already, the better. Off by default.

Kubernetes 1.6: plugin/pkg/scheduler/algorithm/priorities/image_locality.go.
"""

from collections.abc import Iterable
from typing import Final

from schedcheck.spec.classic.priorities.scale import HIGHEST, Scores
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.objects import Node, Pod, Snapshot

MEBIBYTE: Final = 1024 * 1024
LEAST, MOST = 23 * MEBIBYTE, 1000 * MEBIBYTE
"""Below the least images count for nothing, and from the most on for everything; between are ten buckets."""


def size_on(node: Node, image: str) -> int:
    """The bytes of the first image on `node` that goes by this name, exactly as the container writes it; else 0."""
    return next((each.size for each in node.images if image in each.names), 0)


def bucket(size: int) -> int:
    """The score of so many bytes: 1 to 10 between the least and the most, and 0 below."""
    if size < LEAST:
        return 0
    return HIGHEST if size >= MOST else HIGHEST * (size - LEAST) // (MOST - LEAST) + 1


@looks_at("node.images")
def image_locality(pod: Pod, nodes: Iterable[Node], snapshot: Snapshot) -> Scores:
    """The bucket of what the images of the containers of `pod` weigh that are there; each container counts."""
    return {node.name: bucket(sum(size_on(node, each.image) for each in pod.containers)) for node in nodes}
