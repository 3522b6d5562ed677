"""The plugin ImageLocality: prefers nodes that have the pod's images already.

Kubernetes 1.37: pkg/scheduler/framework/plugins/imagelocality.
"""

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.plugin import HIGHEST_SCORE
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.storage import ImageSource

LEAST = 23 * 2**20
"""The weighted image size in bytes up to which a node scores 0."""
MOST_EACH = 1000 * 2**20
"""The weighted image size in bytes, for each image, from which a node scores 100."""


class ImageLocality:
    """A plugin that prefers nodes with the pod's images.

    Images on few nodes count less, so that pods do not crowd there.
    """

    name = "ImageLocality"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._handle = handle

    def score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Numbers:
        """Return scores from 0 to 100 by the bytes of the pod's images on each node.

        Each image is weighted by the fraction of nodes that hold it.
        """
        everywhere = len(self._handle.snapshot)
        departures = self._handle.departures
        run = [each.image for each in (*pod.pod.init_containers, *pod.pod.containers)]
        mounted = [each.source.reference for each in pod.pod.volumes if isinstance(each.source, ImageSource)]
        rated = run if Departure.IMAGE_VOLUMES_UNRATED in departures else run + mounted
        found = np.zeros(len(nodes), np.int64)
        known = [] if nodes.bare else [nodes.table.images.get(normalised(image)) for image in rated]
        if all(summary is None for summary in known):
            return found
        for summary in known:
            if summary is not None:
                size, count = summary[nodes.rows, 0], summary[nodes.rows, 1]
                found += (size.astype(np.float64) * (count.astype(np.float64) / float(everywhere))).astype(np.int64)
        most = MOST_EACH * len(run if Departure.IMAGE_VOLUMES_UNCOUNTED in departures else rated)
        return HIGHEST_SCORE * (np.maximum(np.minimum(found, most), LEAST) - LEAST) // (most - LEAST)


def normalised(image: str) -> str:
    """Return the image name, with the tag `latest` if it has no tag."""
    return image if image.rfind(":") > image.rfind("/") else f"{image}:latest"
