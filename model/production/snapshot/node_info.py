"""A node with the pods on it, as the cache keeps it: `NodeInfo`.

Kubernetes 1.34: NodeInfo in pkg/scheduler/framework/types.go.
"""

from collections import Counter
from dataclasses import dataclass, field

from schedcheck.model.production.snapshot.pod_info import PodInfo, Port
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.objects import Node


@dataclass
class NodeInfo:
    """A node, its pods by identity, and the sums of what they request."""

    node: Node | None = None
    """None while only pods of the node are known."""
    pods: dict[tuple[str, ...], PodInfo] = field(default_factory=dict)
    requested: Counter[str] = field(default_factory=Counter)
    rated: tuple[int, int] = (0, 0)
    ports: set[Port] = field(default_factory=set)
    """A set: of two pods with the same port, the first that leaves frees it, as in kube-scheduler."""
    images: dict[str, tuple[int, int]] = field(default_factory=dict)
    """By name: the size in bytes, and the number of nodes with the image at the node's last update."""
    generation: int = 0
    """Grows with every change."""
    departures: Departures = NEWEST.departures
    """By which the requests of the pods are summed."""

    def add(self, info: PodInfo) -> None:
        """Add a pod to the node."""
        self.pods[info.identity] = info
        self.requested.update(info.occupied(self.departures))
        cpu, memory = info.rated(self.departures)
        self.rated = (self.rated[0] + cpu, self.rated[1] + memory)
        self.ports |= info.ports

    def remove(self, identity: tuple[str, ...]) -> None:
        """Remove a pod from the node.

        Raises: KeyError if it is not there.
        """
        info = self.pods.pop(identity)
        self.requested.subtract(info.occupied(self.departures))
        cpu, memory = info.rated(self.departures)
        self.rated = (self.rated[0] - cpu, self.rated[1] - memory)
        self.ports -= info.ports
