"""A node with its pods and running sums over them: `NodeInfo`.

Kubernetes 1.17: NodeInfo in pkg/scheduler/nodeinfo/node_info.go. Differs: used host ports are counted, where 1.17 keeps
a set of them, which forgets a port when one of two pods that hold it is removed.
"""

from collections import Counter
from collections.abc import Mapping

from schedcheck.model.classic.nodes.pod_info import ASSUMED, PodInfo
from schedcheck.spec.objects import Node

Key = tuple[str, str]


class NodeInfo:
    """The pods on a node, by key, those of them with affinity, and the sums of their requests and host ports.

    `node` is None while only pods of the node are known. `generation` grows with each change.
    """

    def __init__(self, node: Node | None = None) -> None:
        self.node = node
        self.pods: dict[Key, PodInfo] = {}
        self.with_affinity: dict[Key, PodInfo] = {}
        self.requested: Counter[str] = Counter()
        self.rated = dict.fromkeys(ASSUMED, 0)
        self.ports: Counter[int] = Counter()
        self.generation = 0

    @property
    def there(self) -> Node:
        """The node, which must be known."""
        assert self.node is not None
        return self.node

    def add_pod(self, info: PodInfo) -> None:
        """Add a pod to the node and to the sums."""
        self.pods[info.key] = info
        if info.has_affinity:
            self.with_affinity[info.key] = info
        self._count(info, 1)

    def remove_pod(self, info: PodInfo) -> None:
        """Take a pod off the node and out of the sums."""
        known = self.pods.pop(info.key)
        self.with_affinity.pop(info.key, None)
        self._count(known, -1)

    def _count(self, info: PodInfo, sign: int) -> None:
        for name, size in info.used.items():
            self.requested[name] += sign * size
        for name, size in info.rated.items():
            self.rated[name] += sign * size
        for port in info.ports:
            self.ports[port] += sign

    def clone(self) -> "NodeInfo":
        """Return a copy whose pods and sums change independently."""
        made = NodeInfo(self.node)
        made.pods, made.with_affinity = dict(self.pods), dict(self.with_affinity)
        made.requested, made.rated, made.ports = self.requested.copy(), dict(self.rated), self.ports.copy()
        made.generation = self.generation
        return made

    def room(self, by_allocatable: bool) -> Mapping[str, int]:
        """Return what the node has in total: its allocatable amounts, or its capacity if it states one."""
        return self.there.allocatable if by_allocatable or not self.there.capacity else self.there.capacity
