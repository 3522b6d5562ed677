"""A node with the pods on it, as the cache keeps it: `NodeInfo`.

Kubernetes 1.34: NodeInfo in pkg/scheduler/framework/types.go.
"""

from collections import Counter
from dataclasses import dataclass, field

from schedcheck.model.production.snapshot.pod_info import PodInfo, Port
from schedcheck.spec.objects import Node


@dataclass
class NodeInfo:
    """A node, None while only its pods are known; its pods by identity; and what they take together.

    `ports` is a set: where two pods hold the same port, the first that leaves frees it, as in kube-scheduler.
    `images` gives for each name its size in bytes, and on how many nodes it was when the node was last looked at.
    `generation` grows with every change.
    """

    node: Node | None = None
    pods: dict[tuple[str, ...], PodInfo] = field(default_factory=dict)
    requested: Counter[str] = field(default_factory=Counter)
    rated: tuple[int, int] = (0, 0)
    ports: set[Port] = field(default_factory=set)
    images: dict[str, tuple[int, int]] = field(default_factory=dict)
    generation: int = 0

    def add(self, info: PodInfo) -> None:
        """Put a pod on the node."""
        self.pods[info.identity] = info
        self.requested.update(info.occupied)
        self.rated = (self.rated[0] + info.rated[0], self.rated[1] + info.rated[1])
        self.ports |= info.ports

    def remove(self, identity: tuple[str, ...]) -> None:
        """Take a pod off the node.

        Raises: KeyError if it is not there.
        """
        info = self.pods.pop(identity)
        self.requested.subtract(info.occupied)
        self.rated = (self.rated[0] - info.rated[0], self.rated[1] - info.rated[1])
        self.ports -= info.ports
