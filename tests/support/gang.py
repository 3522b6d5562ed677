"""An out-of-tree plugin for tests: `Gang`, whose pods are bound together or not at all.

The labels of a pod name its gang and the number of its pods that must have a node before any of them is bound.
"""

from typing import Any

from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.framework.status import SUCCESS, Code, Status, unschedulable
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Pod


def of(gang: str, least: int) -> dict[str, str]:
    """The labels of a pod of this gang."""
    return {"gang": gang, "least": str(least)}


def together(pod: Pod, other: Pod) -> bool:
    """Whether both pods are of one gang."""
    return "gang" in pod.labels and other.labels.get("gang") == pod.labels["gang"]


class Gang:
    """Makes pods wait until enough of their gang have a node, and rejects the waiting ones when a pod of the gang finds
    none.

    Whenever one pod waits, the others are activated.
    """

    name = "Gang"

    def __init__(self, arguments: object, handle: Handle) -> None:
        self._handle = handle

    def permit(self, state: object, pod: Pod, node: str) -> tuple[Status, float]:
        if "gang" not in pod.labels:
            return SUCCESS, 0.0
        snapshot = self._handle.snapshot
        placed = (info.pod for row in snapshot.rows for info in snapshot.table.pods_on(int(row)))
        if len({pod.key} | {each.key for each in placed if together(pod, each)}) < int(pod.labels["least"]):
            for each in self._handle.listers.pods.values():
                if together(pod, each) and not each.node_name and each.key != pod.key:
                    self._handle.activate(each)
            return Status(Code.WAIT), 60.0
        for waiting in self._handle.waiting:
            if together(pod, waiting.pod):
                waiting.allow(self.name)
        return SUCCESS, 0.0

    def reserve(self, state: object, pod: Pod, node: str) -> Status:
        return SUCCESS

    def unreserve(self, state: object, pod: Pod, node: str) -> None:
        self.reject(pod)

    def post_filter(self, state: object, pod: Any, statuses: object) -> tuple[None, Status]:
        self.reject(pod.pod)
        return None, unschedulable()

    def reject(self, pod: Pod) -> None:
        """Reject the waiting pods of the gang."""
        for waiting in self._handle.waiting:
            if together(pod, waiting.pod) and waiting.pod.key != pod.key:
                waiting.reject(self.name, "one of the gang finds no node")


def with_gangs() -> Registry:
    """All plugins of kube-scheduler, and this one."""
    registry = default_registry()
    registry.register(Gang.name, Gang)  # type: ignore[arg-type]
    return registry


def _enabled() -> Plugins:
    points = DEFAULT_PLUGINS.points.set("permit", (Gang.name,))
    for point in ("reserve", "postFilter"):
        points = points.set(point, (Gang.name, *DEFAULT_PLUGINS.at(point)))
    return Plugins(points, DEFAULT_PLUGINS.weights)


GANGS = _enabled()
"""The default profile with the plugin."""
