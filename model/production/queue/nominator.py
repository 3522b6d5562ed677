"""Which pods are nominated to which nodes, as the scheduler reckons: `Nominator`.

It may know of a nomination before the API server does, and keeps it when an update comes that does not speak of it.

Kubernetes 1.34: pkg/scheduler/backend/queue/nominator.go.
"""

from collections.abc import Callable

from schedcheck.spec.objects import Pod

Key = tuple[str, str]


class Nominator:
    """The keys of the nominated pods by node, in the order in which they were nominated."""

    def __init__(self, lister: Callable[[Key], Pod | None]) -> None:
        self.lister = lister
        self._by_node: dict[str, list[Key]] = {}
        self.node_of: dict[Key, str] = {}

    def add(self, pod: Pod, node: str | None = None) -> None:
        """Nominate the pod to `node`, empty for none; None leaves it to the status of the pod.

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
        """The pod is nominated no more, if it was."""
        node = self.node_of.pop(key, None)
        if node is not None:
            self._by_node[node].remove(key)
            if not self._by_node[node]:
                del self._by_node[node]

    def update(self, before: Pod, after: Pod) -> None:
        """The pod was changed; if neither form speaks of a node the nomination is kept."""
        silent = not before.nominated_node_name and not after.nominated_node_name
        kept = self.node_of.get(before.key) if silent else None
        self.remove(before.key)
        self.add(after, kept)

    def on(self, node: str) -> tuple[Key, ...]:
        """The pods that are nominated to a node."""
        return tuple(self._by_node.get(node, ()))

    def nodes(self) -> tuple[str, ...]:
        """The nodes to which pods are nominated."""
        return tuple(self._by_node)
