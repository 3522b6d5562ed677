"""The kubelets, which start, complete and end pods, and pod garbage collection: `Kubelets`.

Kubernetes 1.34: pkg/kubelet, pkg/controller/podgc. Not modelled: probes, restarts, admission by the kubelet.
"""

from collections.abc import Callable

from schedcheck.model.pod_garbage_collection import collectable
from schedcheck.model.simulation.timeline import Key
from schedcheck.model.simulation.world import World
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node, Pod


class Kubelets:
    """The kubelets of all nodes. Pods that start later than those of the cluster at its beginning get a later start time."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._epoch = 1 + max((pod.start_time or 0 for pod in world.pods.values()), default=0)
        self._started: dict[Key, float] = {}
        world.pod_watchers.append(self._pod)
        world.node_watchers.append(self._node)

    def begin(self) -> None:
        """Plan the next step of every bound pod of the start."""
        for pod in list(self._world.pods.values()):
            self._plan(pod)
        for name in sorted(self._world.on.keys() - self._world.nodes.keys()):
            self._world.agenda.after("podgc", lambda name=name: self._collect(name))  # type: ignore[misc]

    def reporting(self, name: str) -> bool:
        """Whether the node exists and its kubelet runs."""
        return name in self._world.nodes and name not in self._world.silent

    def resume(self, name: str) -> None:
        """Plan the steps of the pods of a node whose kubelet runs again, or may start pods again."""
        for pod in self._world.pods_on(name):
            self._plan(pod)

    def _pod(self, before: Pod | None, after: Pod | None) -> None:
        if after is None or not after.node_name or completed(after):
            return
        if before is None or not before.node_name or before.terminating != after.terminating:
            self._plan(after)

    def _node(self, before: Node | None, after: Node | None) -> None:
        if after is None:
            assert before is not None
            self._world.agenda.after("podgc", lambda name=before.name: self._collect(name))  # type: ignore[misc]
        elif before is None or (before.ready != after.ready) or before.taints != after.taints:
            self.resume(after.name)
            if any(collectable(pod, after) for pod in self._world.pods_on(after.name)):
                self._world.agenda.after("podgc", lambda: self._collect(after.name))

    def _plan(self, pod: Pod) -> None:
        """Plan the start, the completion or the end of a bound pod."""
        if not pod.node_name or completed(pod):
            return
        agenda, traits = self._world.agenda, self._world.traits_of(pod)
        if pod.terminating:
            agenda.after("termination", lambda: self._once(pod, self._end), times=traits.grace)
        elif pod.phase == "Pending":
            agenda.after("start", lambda: self._once(pod, self._start))
        elif traits.runs is not None:
            begun = self._started.setdefault(pod.key, 0.0)
            agenda.at(begun + traits.runs, lambda: self._once(pod, self._complete))

    def _once(self, planned: Pod, act: Callable[[Pod], None]) -> None:
        """Take a step if the pod is still there, in the same phase, and its kubelet runs."""
        pod = self._world.current(planned)
        same = pod is not None and (pod.terminating, pod.phase) == (planned.terminating, planned.phase)
        if pod is not None and same and self.reporting(pod.node_name):
            act(pod)

    def _start(self, pod: Pod) -> None:
        if self._world.nodes[pod.node_name].ready != "True":
            return
        now = self._world.agenda.now
        self._started[pod.key] = now
        self._world.tell("Start", pod, pod.node_name)
        self._plan(self._world.change(pod, phase="Running", start_time=self._epoch + int(now * 1e6)))

    def _complete(self, pod: Pod) -> None:
        self._world.tell("Complete", pod, pod.node_name)
        self._world.change(pod, phase="Succeeded")

    def _end(self, pod: Pod) -> None:
        self._world.tell("End", pod, pod.node_name)
        self._world.remove(pod)

    def _collect(self, name: str) -> None:
        """Delete the pods of a node that no kubelet can end."""
        for pod in self._world.pods_on(name):
            if collectable(pod, self._world.nodes.get(name)):
                self._world.tell("Collect", pod, name)
                self._world.remove(pod)
