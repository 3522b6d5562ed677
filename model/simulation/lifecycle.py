"""The node lifecycle controller: the condition Ready, its taints, and the evictions that NoExecute taints cause: `Lifecycle`.

Kubernetes 1.34: pkg/controller/nodelifecycle, processPodOnNode in pkg/controller/tainteviction/taint_eviction.go.
Not modelled: the rate limits of evictions, and that no zone is emptied as a whole.
"""

from dataclasses import replace

from schedcheck.model.controllers import conditioned
from schedcheck.model.environment import in_order
from schedcheck.model.simulation.world import World
from schedcheck.spec.binding import completed
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.tolerations import match

FOREVER = float("inf")


def endured(pod: Pod, node: Node) -> float:
    """Return for how many seconds the pod stays with the NoExecute taints of the node; 0 if it does not tolerate one."""
    least = FOREVER
    for taint in node.taints:
        if taint.effect == "NoExecute":
            tolerating = [each for each in pod.tolerations if match(each, taint, NO_FAULTS)]
            if not tolerating:
                return 0.0
            least = min(least, *(FOREVER if each.seconds is None else max(0.0, each.seconds) for each in tolerating))
    return least


class Lifecycle:
    """Taints by condition, and taint evictions by the identity of their pod, with the time at which they are due."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._due: dict[tuple[str, ...], float] = {}
        world.pod_watchers.append(self._pod)
        world.node_watchers.append(self._node)

    def begin(self) -> None:
        """Look at every node of the start."""
        for node in list(self._world.nodes.values()):
            self._plan_taints(node)
            self._look(node)

    def unreachable(self, name: str) -> None:
        """Let the kubelet of a node stop reporting; Ready becomes Unknown later."""
        self._world.silent.add(name)
        self._world.agenda.after("monitor", lambda: self._unknown(name))

    def _unknown(self, name: str) -> None:
        node = self._world.nodes.get(name)
        if node is not None and name in self._world.silent and node.ready != "Unknown":
            self._world.tell("Unreachable", node=name)
            self._world.put_node(replace(node, ready="Unknown"))

    def _node(self, before: Node | None, after: Node | None) -> None:
        if after is None:
            return
        if before is None or before.ready != after.ready:
            self._plan_taints(after)
        if before is None or before.taints != after.taints:
            self._look(after)

    def _plan_taints(self, node: Node) -> None:
        if conditioned(node) != in_order(node):
            self._world.agenda.after("lifecycle", lambda: self._taint(node.name))

    def _taint(self, name: str) -> None:
        node = self._world.nodes.get(name)
        if node is not None and (after := conditioned(node)) != in_order(node):
            self._world.tell("TaintByCondition", node=name)
            self._world.put_node(after)

    def _pod(self, before: Pod | None, after: Pod | None) -> None:
        if after is None or after.terminating or completed(after):
            if before is not None:
                self._due.pop(before.identity, None)
        elif after.node_name and (before is None or not before.node_name):
            node = self._world.nodes.get(after.node_name)
            if node is not None and node.taints:
                self._tolerate(after, node)

    def _look(self, node: Node) -> None:
        """Plan, keep or cancel the evictions of the pods on a node, by its present taints."""
        for pod in self._world.pods_on(node.name):
            if not pod.terminating:
                self._tolerate(pod, node)

    def _tolerate(self, pod: Pod, node: Node) -> None:
        seconds, now = endured(pod, node), self._world.agenda.now
        if seconds == FOREVER:
            self._due.pop(pod.identity, None)
            return
        due = min(self._due.get(pod.identity, FOREVER), now + seconds)
        if self._due.get(pod.identity) != due:
            self._due[pod.identity] = due
            self._world.agenda.at(due, lambda: self._evict(pod, due))

    def _evict(self, planned: Pod, due: float) -> None:
        pod = self._world.current(planned)
        if pod is not None and self._due.get(pod.identity) == due:
            del self._due[pod.identity]
            self._world.tell("TaintEvict", pod, pod.node_name)
            self._world.delete(pod)
