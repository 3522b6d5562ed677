"""What the predicates know of the pod that is scheduled: `Metadata`, with pairs of topology key and value.

It is computed once for a cycle, over all nodes, and follows pods that are added or removed in trials. A pair is counted
once for each term and pod that gives it, so that a removal undoes exactly one addition.

Kubernetes 1.17: predicateMetadata, podAffinityMetadata and serviceAffinityMetadata in pkg/scheduler/algorithm/predicates/metadata.go.
"""

from collections import Counter
from collections.abc import Iterable

from schedcheck.model.classic.matching import Term
from schedcheck.model.classic.nodes.cache import Snapshot
from schedcheck.model.classic.nodes.pod_info import PodInfo
from schedcheck.spec.objects import Node

Pair = tuple[str, str]


class Metadata:
    """The pod, whether it is best-effort, and three counts of topology pairs.

    objecting
        Pairs in which an existing pod has a required anti-affinity term that selects the pod.
    near
        Pairs in which a pod matches all required affinity terms of the pod.
    apart
        Pairs in which a pod matches a required anti-affinity term of the pod.
    alike
        The nodes of the other pods in the pod's namespace that have all its labels, by pod.
    """

    def __init__(self, info: PodInfo, snapshot: Snapshot | None = None) -> None:
        self.info = info
        self.best_effort = not any(
            container.requests.get(name, 0) > 0 for container in info.pod.containers for name in ("cpu", "memory")
        )
        self.objecting: Counter[Pair] = Counter()
        self.near: Counter[Pair] = Counter()
        self.apart: Counter[Pair] = Counter()
        self.alike: dict[tuple[str, str], Node] = {}
        if snapshot is not None:
            self._count_all(snapshot)

    def _count_all(self, snapshot: Snapshot) -> None:
        for node in snapshot.with_affinity:
            for other in node.with_affinity.values():
                self._object(other, node.there, 1)
        for node in snapshot.infos.values():
            for other in node.pods.values():
                self._match(other, node.there, 1)
                if self._is_alike(other):
                    self.alike[other.key] = node.there

    def add_pod(self, other: PodInfo, node: Node) -> None:
        """Count a pod that is added to the node."""
        self._object(other, node, 1)
        self._match(other, node, 1)
        if self._is_alike(other):
            self.alike[other.key] = node

    def remove_pod(self, other: PodInfo, node: Node) -> None:
        """Discount a pod that is removed from the node."""
        self._object(other, node, -1)
        self._match(other, node, -1)
        self.alike.pop(other.key, None)

    def matches_itself(self) -> bool:
        """Whether the pod matches all its own required affinity terms."""
        return all(term.selects(self.info.pod) for term in self.info.near)

    def clone(self) -> "Metadata":
        """Return a copy whose counts change independently."""
        made = Metadata.__new__(Metadata)
        made.info, made.best_effort = self.info, self.best_effort
        made.objecting, made.near, made.apart = self.objecting.copy(), self.near.copy(), self.apart.copy()
        made.alike = dict(self.alike)
        return made

    def _is_alike(self, other: PodInfo) -> bool:
        own, there = self.info.pod, other.pod
        return (
            there.namespace == own.namespace
            and there.key != own.key
            and all(there.labels.get(key) == value for key, value in own.labels.items())
        )

    def _object(self, other: PodInfo, node: Node, sign: int) -> None:
        objecting = (term for term in other.apart if term.selects(self.info.pod))
        _note(self.objecting, objecting, node, sign)

    def _match(self, other: PodInfo, node: Node, sign: int) -> None:
        if self.info.near and all(term.selects(other.pod) for term in self.info.near):
            _note(self.near, self.info.near, node, sign)
        _note(self.apart, (term for term in self.info.apart if term.selects(other.pod)), node, sign)


def _note(pairs: Counter[Pair], terms: Iterable[Term], node: Node, sign: int) -> None:
    """Count the pair of each term whose key the node has; a pair whose count is 0 is dropped."""
    for term in terms:
        value = node.labels.get(term.key)
        if value is not None:
            pairs[term.key, value] += sign
            if pairs[term.key, value] == 0:
                del pairs[term.key, value]
