"""The nodes and the pods on them, as they were delivered or are assumed: `Cache`.

A pod is assumed while it is being bound, confirmed when its binding is delivered, and forgotten when the binding fails.
Nodes and their pods may be added and removed in any order.

Kubernetes 1.34: pkg/scheduler/backend/cache/cache.go.
"""

from dataclasses import dataclass, field

import numpy as np

from schedcheck.model.production.cache.node_tree import NodeTree
from schedcheck.model.production.snapshot.node_info import NodeInfo
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Snapshot
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.objects import Node

Identity = tuple[str, ...]


class CacheError(Exception):
    """A call that contradicts the contents of the cache."""


@dataclass
class Image:
    """An image: its size in bytes on the first node that reported it, the nodes that hold it, and its last change."""

    size: int
    nodes: set[str] = field(default_factory=set)
    generation: int = 0


class Cache:
    """The scheduler's view of nodes and pods.

    An assumed pod that is not confirmed is dropped `expires_after` seconds after its binding; None, the default, is
    never.
    """

    def __init__(self, expires_after: float | None = None, departures: Departures = NEWEST.departures) -> None:
        self.departures = departures
        """By which the requests of pods are summed."""
        self.nodes: dict[str, NodeInfo] = {}
        """In the order of their last change, the newest last."""
        self.pods: dict[Identity, PodInfo] = {}
        self.assumed: dict[Identity, float | None] = {}
        """When each assumed pod expires; None while it is being bound, or if assumed pods never expire."""
        self.lifted: dict[Identity, tuple[bool, float | None]] = {}
        """The pods that are taken away for a trial: whether each was assumed, and when it would expire."""
        self.images: dict[str, Image] = {}
        """In the order of their last change, the newest last."""
        self.tree = NodeTree()
        self._expires_after = expires_after
        self._generation = 0

    def assume(self, info: PodInfo) -> None:
        """Add a pod to the node that it names, before it is bound there.

        Raises: CacheError if it is in the cache already.
        """
        if info.identity in self.pods:
            raise CacheError(f"pod {_name(info)} is in the cache, so can't be assumed")
        self._add(info)
        self.assumed[info.identity] = None

    def finish_binding(self, identity: Identity, now: float) -> None:
        """Set the expiry of an assumed pod whose binding was sent."""
        if identity in self.assumed and self._expires_after is not None:
            self.assumed[identity] = now + self._expires_after

    def forget(self, info: PodInfo) -> None:
        """Remove an assumed pod.

        Raises: CacheError if it is not assumed on the node that it names.
        """
        known = self.pods.get(info.identity)
        if known is not None and known.pod.node_name != info.pod.node_name:
            raise CacheError(
                f"pod {_name(info)} was assumed on {known.pod.node_name} but assigned to {info.pod.node_name}"
            )
        if info.identity not in self.assumed:
            raise CacheError(f"pod {_name(info)} wasn't assumed so cannot be forgotten")
        self._remove(info.identity)

    def expire(self, now: float) -> list[Identity]:
        """Remove the assumed pods that have expired, and return them."""
        over = [identity for identity, until in self.assumed.items() if until is not None and until <= now]
        for identity in over:
            self._remove(identity)
        return over

    def is_assumed(self, identity: Identity) -> bool:
        """Whether the pod is assumed."""
        return identity in self.assumed

    def add_pod(self, info: PodInfo) -> None:
        """Add a delivered pod; if it was assumed, even on another node, the delivered pod replaces the assumed one.

        Raises: CacheError if it was delivered before.
        """
        if info.identity in self.pods and info.identity not in self.assumed:
            raise CacheError(f"pod {_name(info)} was already in added state")
        if info.identity in self.pods:
            self._remove(info.identity)
        self._add(info)

    def update_pod(self, info: PodInfo) -> None:
        """Update a delivered pod.

        Raises: CacheError if it was never delivered itself, or is on another node.
        """
        known = self.pods.get(info.identity)
        if known is None or info.identity in self.assumed:
            raise CacheError(f"pod {_name(info)} is not added to scheduler cache, so cannot be updated")
        if known.pod.node_name != info.pod.node_name:
            raise CacheError(f"pod {_name(info)} updated on a different node than previously added to")
        self._remove(info.identity)
        self._add(info)

    def remove_pod(self, identity: Identity) -> None:
        """Remove a pod that was deleted.

        Raises: CacheError if it is not there.
        """
        if identity not in self.pods:
            raise CacheError(
                f"pod {'/'.join(identity[:2])} is not found in scheduler cache, so cannot be removed from it"
            )
        self._remove(identity)

    def lift(self, info: PodInfo) -> None:
        """Take a pod away for a trial, until it is put back by `lower`."""
        self.lifted[info.identity] = info.identity in self.assumed, self.assumed.get(info.identity)
        self._remove(info.identity)

    def lower(self, info: PodInfo) -> None:
        """Put back a pod that was taken away for a trial."""
        was_assumed, until = self.lifted.pop(info.identity)
        self._add(info)
        if was_assumed:
            self.assumed[info.identity] = until

    def add_node(self, node: Node) -> None:
        """Add or update a node; its pods may have been added before it."""
        info = self.nodes.setdefault(node.name, NodeInfo(departures=self.departures))
        self._forget_images(info.node)
        self.tree.update(info.node, node)
        self._hold_images(node)
        info.node = node
        self._touch(node.name)

    update_node = add_node
    """Update a node, or add it if it is missing."""

    def remove_node(self, name: str) -> None:
        """Remove a node; its pods stay until each of them is removed.

        Raises: CacheError if it is not there.
        """
        info = self.nodes.get(name)
        if info is None or info.node is None:
            raise CacheError(f"node {name} is not found")
        self.tree.remove(info.node)
        self._forget_images(info.node)
        info.node = None
        self._touch(name)
        self._drop_if_empty(name)

    def update(self, snapshot: Snapshot) -> None:
        """Bring a snapshot of this cache up to date; only what has changed since is read."""
        table = snapshot.table
        table.departures = self.departures
        other_nodes = False
        for info in reversed(self.nodes.values()):
            if info.generation <= snapshot.generation:
                break
            if info.node is not None:
                info.images = {
                    name: (self.images[name].size, len(self.images[name].nodes))
                    for image in info.node.images
                    for name in image.names
                }
                other_nodes |= info.node.name not in table.row_of
                table.put(info)
        for name, image in reversed(self.images.items()):
            if image.generation <= snapshot.generation:
                break
            table.count_image(name, len(image.nodes))
        snapshot.generation = self._generation
        gone = []
        if len(table.row_of) > len(self.tree):
            gone = [name for name in table.row_of if name not in self.nodes or self.nodes[name].node is None]
        for name in gone:
            table.remove(name)
        if other_nodes or gone:
            snapshot.rows = np.array([table.row_of[name] for name in self.tree.names()], np.int64)

    def _add(self, info: PodInfo) -> None:
        self.pods[info.identity] = info
        self.nodes.setdefault(info.pod.node_name, NodeInfo(departures=self.departures)).add(info)
        self._touch(info.pod.node_name)

    def _remove(self, identity: Identity) -> None:
        info = self.pods.pop(identity)
        self.assumed.pop(identity, None)
        name = info.pod.node_name
        self.nodes[name].remove(identity)
        self._touch(name)
        self._drop_if_empty(name)

    def _touch(self, name: str) -> None:
        """Record a change of a node: it becomes the newest."""
        self._generation += 1
        info = self.nodes.pop(name)
        info.generation = self._generation
        self.nodes[name] = info

    def _drop_if_empty(self, name: str) -> None:
        """Drop a node that has neither an object nor pods."""
        if self.nodes[name].node is None and not self.nodes[name].pods:
            del self.nodes[name]

    def _hold_images(self, node: Node) -> None:
        for image in node.images:
            for name in image.names:
                self.images.setdefault(name, Image(image.size)).nodes.add(node.name)
                self._count_anew(name)

    def _forget_images(self, node: Node | None) -> None:
        for image in node.images if node else ():
            for name in image.names:
                if name in self.images:
                    self.images[name].nodes.discard(node.name if node else "")
                    self._count_anew(name)

    def _count_anew(self, name: str) -> None:
        """Record that other nodes hold the image: it becomes the newest, or is dropped if no node holds it."""
        image = self.images.pop(name)
        if image.nodes:
            # The caller's `_touch`, which follows, increments `_generation` to this number.
            image.generation = self._generation + 1
            self.images[name] = image


def _name(info: PodInfo) -> str:
    return "/".join(info.key)
