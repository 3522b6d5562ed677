"""Pending pods that are nominated to nodes: `Nominated`.

Kubernetes 1.17: nominatedPodMap in pkg/scheduler/internal/queue/scheduling_queue.go.
"""

from schedcheck.model.classic.nodes.pod_info import PodInfo
from schedcheck.spec.objects import Pod


class Nominated:
    """The nominated pods by node, in the order in which they were learned of, and the node of each."""

    def __init__(self) -> None:
        self._by_node: dict[str, dict[tuple[str, str], PodInfo]] = {}
        self._node_of: dict[tuple[str, str], str] = {}

    def put(self, pod: Pod) -> None:
        """Note the nomination of a pending pod in place of an earlier one; a pod without one is forgotten."""
        self.forget(pod)
        if pod.nominated_node_name:
            self._node_of[pod.key] = pod.nominated_node_name
            self._by_node.setdefault(pod.nominated_node_name, {})[pod.key] = PodInfo(pod)

    def forget(self, pod: Pod) -> None:
        """Forget the nomination of a pod, if it has one."""
        node = self._node_of.pop(pod.key, None)
        if node is not None:
            del self._by_node[node][pod.key]

    def on(self, node: str) -> list[PodInfo]:
        """Return the pods that are nominated to the node of this name."""
        return list(self._by_node.get(node, {}).values())
