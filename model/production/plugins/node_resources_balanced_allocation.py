"""The plugin NodeResourcesBalancedAllocation: prefers nodes whose resources are used in equal fractions.

Kubernetes 1.37: pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.plugin import HIGHEST_SCORE
from schedcheck.model.production.framework.status import SKIP, SUCCESS, Status
from schedcheck.model.production.plugins.resource_scores import used_and_room
from schedcheck.model.production.snapshot.labels import Mask, Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.row_memory import RowMemory
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import Arguments

Fractions = npt.NDArray[np.float64]


class NodeResourcesBalancedAllocation:
    """A plugin that prefers nodes on which the used fractions of the resources differ least."""

    name = "NodeResourcesBalancedAllocation"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._resources = arguments.balanced
        self._departures = handle.departures
        self._memory = RowMemory()
        self._with_pod_alone = Departure.BALANCED_WITH_THE_POD_ALONE in handle.departures

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Status:
        """Skip if the pod requests none of the resources."""
        return SUCCESS if any(self._wanted(pod)) else SKIP

    def score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Numbers:
        """Return how much closer the pod brings the fractions: 75 for no change; older versions, how close they are.

        A pod that requests none of the resources, which PreScore would have skipped, gets 0.
        """
        wants = self._wanted(pod)
        if not any(wants):
            return np.zeros(len(nodes), np.int64)
        return self._memory.of(tuple(wants), nodes, lambda some: self._rated(pod, some, wants))

    def _rated(self, pod: PodInfo, nodes: Nodes, wants: Sequence[int]) -> Numbers:
        if self._with_pod_alone:
            return self._closeness(pod, nodes, wants)
        both = self._closeness(pod, nodes, wants, [0] * len(wants))
        after, before = both[: len(nodes)], both[len(nodes) :]
        half = HIGHEST_SCORE // 2
        return half + (half + after - before) // 2

    def _wanted(self, pod: PodInfo) -> list[int]:
        """Return the pod's requests for the resources, in their order."""
        requests = pod.occupied(self._departures)
        return [requests.get(resource, 0) for resource in self._resources]

    def _closeness(self, pod: PodInfo, nodes: Nodes, *wants: Sequence[int]) -> Numbers:
        """Return 100 times one minus the standard deviation of the fractions used with these amounts, truncated.

        The numbers of all nodes are repeated for each list of amounts.
        """
        requests = pod.occupied(self._departures)
        parts: list[Fractions] = []
        there: list[Mask] = []
        for place, resource in enumerate(self._resources):
            asked = requests.get(resource, 0)
            used, room = used_and_room(resource, asked, nodes, rated=False)
            used = np.concatenate([used - (asked - each[place]) for each in wants])
            room = np.tile(room, len(wants))
            there.append(room != 0)
            part = used.astype(np.float64) / np.where(room != 0, room, 1).astype(np.float64)
            parts.append(np.where(room != 0, np.minimum(part, 1.0), 0.0))
        spread = deviation(parts, there, len(nodes) * len(wants))
        return ((1.0 - spread) * float(HIGHEST_SCORE)).astype(np.int64)


def deviation(parts: Sequence[Fractions], there: Sequence[Mask], size: int) -> Fractions:
    """Return for each node the standard deviation of the fractions that are present; 0 for fewer than two.

    For two fractions it is half their difference, computed as such so that every bit equals kube-scheduler's.
    """
    number = sum((mask.astype(np.int64) for mask in there), start=np.zeros(size, np.int64))
    total = sum(parts, start=np.zeros(size))
    mean = total / np.maximum(number, 1)
    squares = np.zeros(size)
    signed, seen = np.zeros(size), np.zeros(size, bool)
    for part, mask in zip(parts, there, strict=True):
        squares += np.where(mask, (part - mean) * (part - mean), 0.0)
        signed = np.where(mask, np.where(seen, signed - part, part), signed)
        seen |= mask
    many = np.sqrt(squares / np.maximum(number, 1))
    return np.where(number == 2, np.abs(signed / 2), np.where(number > 2, many, 0.0))
