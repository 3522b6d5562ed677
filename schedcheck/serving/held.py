"""The cluster that the server knows, which is replaced as a whole: `Held`."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from schedcheck.checker.opinions.known import Known
from schedcheck.errors import InputError
from schedcheck.manifests import Cluster, reading
from schedcheck.manifests.documents import Document
from schedcheck.manifests.int64 import refuse_beyond_int64
from schedcheck.manifests.objects import cluster as cluster_of
from schedcheck.manifests.seen import seen
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod

REMEMBERED = 1024
"""How many pods are remembered that were asked about, so that a binding, which names a pod, can be judged."""


@dataclass(frozen=True)
class Version:
    """A cluster as it was read, and what the opinions know of it; `number` counts the clusters since the start."""

    known: Known
    cluster: Cluster | None = None
    number: int = 0


class Held:
    """The present version of the cluster, and the pods that were asked about."""

    def __init__(self, cluster: Cluster | None, profiles: Sequence[Plugins]) -> None:
        """Raises: InputError; Unanswerable for amounts that kube-scheduler cannot count."""
        self._profiles = profiles
        self._lock = threading.Lock()
        self._pods: OrderedDict[tuple[str, str], tuple[str, Pod]] = OrderedDict()
        self.changed: Callable[[], None] = lambda: None
        """Called after the cluster was replaced."""
        self.version = Version(Known()) if cluster is None else self._version(cluster, 1)

    def _version(self, cluster: Cluster, number: int) -> Version:
        if cluster.scenario is not None:
            raise cluster.scenario.error("is no object of a cluster")
        visible = seen(cluster, frozenset(each.scheduler_name for each in self._profiles))
        refuse_beyond_int64(visible.pods, visible.nodes)
        known = Known(visible.snapshot(), cluster.kinds)
        known.warm(self._profiles)
        return Version(known, cluster, number)

    def read(self, message: Any) -> Version:
        """Read a List of objects, which replaces the cluster. Raises: InputError, Unanswerable."""
        with reading():
            made = cluster_of([Document("request", 1, message)])
        if made.kinds.isdisjoint({"Pod", "Node"}):
            raise InputError("expected a List with nodes or pods", file="request")
        return self.put(made)

    def put(self, cluster: Cluster) -> Version:
        """Replace the cluster. Raises: InputError, Unanswerable."""
        made = self._version(cluster, 0)  # which takes seconds, while the former version answers
        with self._lock:
            self.version = replace(made, number=self.version.number + 1)
            self.changed()
            return self.version

    def bind(self, pod: Pod, node: str) -> None:
        """Record a binding, so that later answers count the pod on the node."""
        with self._lock:
            before = self.version
            self.version = Version(before.known.with_bound(pod, node), before.cluster, before.number)

    def remember(self, pod: Pod, uid: str) -> None:
        """Remember a pod that was asked about."""
        with self._lock:
            self._pods[pod.key] = uid, pod
            self._pods.move_to_end(pod.key)
            if len(self._pods) > REMEMBERED:
                self._pods.popitem(last=False)

    def asked(self, key: tuple[str, str], uid: str) -> Pod | None:
        """Return the pod of this name and UID that was asked about, or that the cluster holds; None if there is none."""
        remembered = self._pods.get(key)
        if remembered is not None and uid in ("", remembered[0]):
            return remembered[1]
        return self.version.known.pods.get(key)

    def victim(self, uid: str) -> Pod | None:
        """Return the pod of the cluster with this UID; None if it is not known."""
        cluster, known = self.version.cluster, self.version.known
        return None if cluster is None else known.pods.get(cluster.whole.key(uid))
