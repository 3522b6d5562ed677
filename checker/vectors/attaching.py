"""The nodes on which NodeVolumeLimits decides alike: `Attaching`."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from schedcheck.checker.vectors.classes import Classes, Mask, alike, combined
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.kubernetes.filters.node_volume_limits import (
    at_node,
    attached,
    by_attachments,
    csi_node,
    first_failure,
)
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import Storage
from schedcheck.spec.volumes.attaching import Attached

Places = dict[Attached, list[int]]


class Attaching:
    """The volumes attached to the nodes, counted once for all pods.

    Nodes without a CSINode are alike. Others are alike if their CSINodes have the same drivers, migrated plugins and limits, as
    many volumes of each limited driver are attached, and the same error, if any, prevents counting them. For a pod,
    each of its volumes is attached to both nodes or to neither: for their pods, and by VolumeAttachments.
    """

    def __init__(self, infos: Sequence[NodeInfo], storage: Storage, departures: Departures) -> None:
        self._infos, self._storage, self._departures = infos, storage, departures
        self._by_pods: Places = {}
        self._by_attachments: Places = {}
        self._alike = alike(self._looked_at(place) for place in range(len(infos)))

    def classes(self, pod: Pod) -> Classes:
        """Return the classes of nodes for this pod."""
        columns = (column for volume in sorted(self._own(pod)) for column in self._columns(volume))
        return combined((self._alike.numbers, *columns), len(self._infos))

    def _looked_at(self, place: int) -> Hashable:
        """Return what the filter reads of a node for any pod, and record the volumes that are attached to it."""
        info, storage = self._infos[place], self._storage
        node = csi_node(info, storage, self._departures)
        if node is None or not node.allocatable:
            return None if node is None else (node.migrated, node.drivers)
        there, alone = at_node(info, node, storage), by_attachments(info, storage)
        for known, volumes in ((self._by_pods, there), (self._by_attachments, alone)):
            for volume in volumes:
                known.setdefault(volume, []).append(place)
        number = Counter(driver for driver, *_ in there | alone)
        counts = tuple((driver, limit, number[driver]) for driver, limit in sorted(node.allocatable.items()))
        return node.migrated, node.drivers, counts, first_failure(info.pods, node, storage)

    def _own(self, pod: Pod) -> set[Attached]:
        """Return the volumes that drivers attach for the pod to some node."""
        nodes = (csi_node(self._infos[place], self._storage, self._departures) for place in self._alike.first)
        return {volume for node in nodes for volume in attached(pod, node, self._storage)}

    def _columns(self, volume: Attached) -> Iterable[Mask]:
        return (self._mask(known.get(volume, ())) for known in (self._by_pods, self._by_attachments))

    def _mask(self, places: Sequence[int]) -> Mask:
        found = np.zeros(len(self._infos), np.bool_)
        found[np.array(places, np.int64)] = True
        return found
