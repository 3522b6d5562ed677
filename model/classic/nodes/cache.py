"""The cache of nodes and their pods, and the snapshot that a cycle works on: `Cache`, `Snapshot`.

Kubernetes 1.17: schedulerCache in pkg/scheduler/internal/cache/cache.go, UpdateNodeInfoSnapshot.
"""

from collections.abc import Iterator

from schedcheck.model.classic.nodes.node_info import NodeInfo
from schedcheck.model.classic.nodes.pod_info import PodInfo
from schedcheck.spec.objects import Node, Pod


class Snapshot:
    """Copies of the node infos of all known nodes, by name; unchanged ones are kept from cycle to cycle."""

    def __init__(self) -> None:
        self.infos: dict[str, NodeInfo] = {}

    @property
    def with_affinity(self) -> list[NodeInfo]:
        """The nodes that have a pod with affinity."""
        return [info for info in self.infos.values() if info.with_affinity]


class Cache:
    """The nodes with their pods, as delivered. A pod may come before its node."""

    def __init__(self) -> None:
        self.infos: dict[str, NodeInfo] = {}
        self._generation = 0

    def set_node(self, node: Node) -> None:
        """Add a node or replace it."""
        self._changed(node.name).node = node

    def remove_node(self, node: Node) -> None:
        """Remove a node; its pods stay until they are removed too."""
        self._changed(node.name).node = None
        self._drop_if_empty(node.name)

    def add_pod(self, pod: Pod) -> None:
        """Add a pod to its node."""
        self._changed(pod.node_name).add_pod(PodInfo(pod))

    def remove_pod(self, pod: Pod) -> None:
        """Remove a pod from its node."""
        info = self._changed(pod.node_name)
        info.remove_pod(info.pods[pod.key])
        self._drop_if_empty(pod.node_name)

    def pods(self) -> Iterator[Pod]:
        """Yield all pods that have a node, known or not."""
        for info in self.infos.values():
            for each in info.pods.values():
                yield each.pod

    def update(self, snapshot: Snapshot) -> None:
        """Bring a snapshot up to date: copy the node infos that have changed since, drop those of unknown nodes."""
        for name, info in self.infos.items():
            kept = snapshot.infos.get(name)
            if info.node is not None and (kept is None or kept.generation < info.generation):
                snapshot.infos[name] = info.clone()
        for name in [name for name in snapshot.infos if name not in self.infos or self.infos[name].node is None]:
            del snapshot.infos[name]

    def _changed(self, name: str) -> NodeInfo:
        info = self.infos.setdefault(name, NodeInfo())
        self._generation += 1
        info.generation = self._generation
        return info

    def _drop_if_empty(self, name: str) -> None:
        if self.infos[name].node is None and not self.infos[name].pods:
            del self.infos[name]
