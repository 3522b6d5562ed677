"""The nominations as the scheduler knows them: `Nominator`.

It may know a nomination before the API server does. It keeps the nomination when an update of the pod names no node.

Kubernetes 1.34: pkg/scheduler/backend/queue/nominator.go.
"""

from collections.abc import Callable

from schedcheck.spec.objects import Pod

Key = tuple[str, str]


class Nominator:
    """The keys of the nominated pods by node, in the order of their nomination."""

    def __init__(self, lister: Callable[[Key], Pod | None]) -> None:
        self.lister = lister
        self._by_node: dict[str, list[Key]] = {}
        self.node_of: dict[Key, str] = {}

    def add(self, pod: Pod, node: str | None = None) -> None:
        """Nominate the pod to `node`; empty means no node, None the node in the pod's status.

        A pod that is gone or bound is not nominated.
        """
        self.remove(pod.key)
        chosen = pod.nominated_node_name if node is None else node
        known = self.lister(pod.key)
        if not chosen or known is None or known.node_name:
            return
        self.node_of[pod.key] = chosen
        self._by_node.setdefault(chosen, []).append(pod.key)

    def remove(self, key: Key) -> None:
        """Remove the pod's nomination, if it has one."""
        node = self.node_of.pop(key, None)
        if node is not None:
            self._by_node[node].remove(key)
            if not self._by_node[node]:
                del self._by_node[node]

    def update(self, before: Pod, after: Pod) -> None:
        """Update the pod; keep its nomination if neither `before` nor `after` has a nominated node."""
        silent = not before.nominated_node_name and not after.nominated_node_name
        kept = self.node_of.get(before.key) if silent else None
        self.remove(before.key)
        self.add(after, kept)

    def on(self, node: str) -> tuple[Key, ...]:
        """Return the keys of the pods that are nominated to a node."""
        return tuple(self._by_node.get(node, ()))

    def nodes(self) -> tuple[str, ...]:
        """Return the nodes to which pods are nominated."""
        return tuple(self._by_node)
