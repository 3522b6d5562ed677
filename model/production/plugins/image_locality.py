"""The plugin ImageLocality: a node that has the images already starts the pod sooner.

Kubernetes 1.34: pkg/scheduler/framework/plugins/imagelocality.
"""

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.plugin import HIGHEST_SCORE
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.spec.kubernetes.plugins import Arguments

LEAST = 23 * 2**20
"""What is had of images in bytes below which a node gains nothing."""
MOST_EACH = 1000 * 2**20
"""What is had for each container in bytes above which it gains no more."""


class ImageLocality:
    """Likes nodes that hold the images of the pod, the less the fewer nodes do, so that pods do not crowd there."""

    name = "ImageLocality"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._handle = handle

    def score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Numbers:
        """The bytes that each node has of the images, each weighed by the part of the nodes that has it; from 0 to 100."""
        everywhere = len(self._handle.snapshot)
        containers = (*pod.pod.init_containers, *pod.pod.containers)
        found = np.zeros(len(nodes), np.int64)
        for container in containers:
            summary = nodes.table.images.get(normalised(container.image))
            if summary is not None and not nodes.bare:
                size, count = summary[nodes.rows, 0], summary[nodes.rows, 1]
                found += (size.astype(np.float64) * (count.astype(np.float64) / float(everywhere))).astype(np.int64)
        most = MOST_EACH * len(containers)
        return HIGHEST_SCORE * (np.maximum(np.minimum(found, most), LEAST) - LEAST) // (most - LEAST)


def normalised(image: str) -> str:
    """The name with the tag `latest` if it has none."""
    return image if image.rfind(":") > image.rfind("/") else f"{image}:latest"
