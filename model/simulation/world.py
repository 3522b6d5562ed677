"""The API server of a simulation: its objects, the calls that the scheduler makes, and its watchers: `World`.

Watchers hear of a change at once and act after a delay. A pod is in one of these states: unbound; bound; completed; or
terminating until its node has ended it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from schedcheck.model.production.framework.handle import ClientError
from schedcheck.model.simulation.agenda import Agenda
from schedcheck.model.simulation.timeline import Key, Traits
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node, Pod, Snapshot

NO_TRAITS = Traits()


@dataclass(frozen=True)
class Happening:
    """Something that happened: the time in seconds, the action, and its pod, node and further words, where it has any."""

    time: float
    action: str
    pod: Pod | None = None
    node: str = ""
    words: str = ""

    def __str__(self) -> str:
        about = ", ".join(each for each in (str(self.pod or ""), self.node) if each)
        return f"{self.action}{f'({about})' if about else ''}{': ' if self.words else ''}{self.words}"


def unheard(happening: Happening) -> None:
    """Ignore what happens."""


Heard = Callable[[Happening], None]
PodWatcher = Callable[[Pod | None, Pod | None], None]
NodeWatcher = Callable[[Node | None, Node | None], None]


class World:
    """The objects by name. `on` has the keys of the pods of each node, also of completed ones; `silent` nodes report no more.

    `heard` is told of everything that happens.
    """

    def __init__(self, agenda: Agenda, snapshot: Snapshot, traits: dict[Key, Traits]) -> None:
        self.agenda = agenda
        self.snapshot = snapshot
        self.pods: dict[Key, Pod] = {pod.key: pod for pod in snapshot.pods}
        self.nodes: dict[str, Node] = {node.name: node for node in snapshot.nodes}
        self.traits = traits
        self.used = set(self.pods)
        """The keys of all pods so far."""
        self.on: dict[str, dict[Key, None]] = {}
        for pod in snapshot.pods:
            if pod.node_name:
                self.on.setdefault(pod.node_name, {})[pod.key] = None
        self.silent = {node.name for node in snapshot.nodes if node.ready == "Unknown"}
        self.pod_watchers: list[PodWatcher] = []
        self.node_watchers: list[NodeWatcher] = []
        self.heard: Heard = unheard
        self._created = 0

    def tell(self, action: str, pod: Pod | None = None, node: str = "", words: str = "") -> None:
        """Say what happens."""
        self.heard(Happening(self.agenda.now, action, pod, node, words))

    def traits_of(self, pod: Pod) -> Traits:
        """Return the traits of a pod."""
        return self.traits.get(pod.key, NO_TRAITS)

    def current(self, pod: Pod) -> Pod | None:
        """Return the pod as it is now, None if it is gone, even if another pod has its name."""
        known = self.pods.get(pod.key)
        return known if known is not None and known.uid == pod.uid else None

    def pods_on(self, node: str) -> Iterator[Pod]:
        """Yield the pods that are bound to a node and have not completed, in the order of their binding."""
        for key in list(self.on.get(node, ())):
            pod = self.pods.get(key)
            if pod is not None and not completed(pod):
                yield pod

    # Changes.

    def create(self, pod: Pod, traits: Traits, action: str) -> Pod:
        """Create a pod, and say by what."""
        assert pod.key not in self.pods, f"there is a pod {pod} already"
        self._created += 1
        self.used.add(pod.key)
        made = replace(pod, uid=f"simulated-{self._created}")
        self.traits[made.key] = traits
        self.tell(action, made)
        self._put(None, made)
        return made

    def change(self, pod: Pod, **fields: Any) -> Pod:
        """Change fields of a pod."""
        after = replace(pod, **fields)
        self._put(pod, after)
        return after

    def delete(self, pod: Pod, *, preempted: bool = False) -> None:
        """Delete a pod: it is gone at once if no kubelet runs it, else terminating."""
        if not pod.node_name or completed(pod):
            self.remove(pod)
        elif not pod.terminating:
            self.change(pod, terminating=True, preempted=pod.preempted or preempted)

    def remove(self, pod: Pod) -> None:
        """Remove a pod at once."""
        self._put(pod, None)

    def put_node(self, node: Node) -> None:
        """Create or change a node."""
        before, self.nodes[node.name] = self.nodes.get(node.name), node
        for watcher in self.node_watchers:
            watcher(before, node)

    def remove_node(self, node: Node) -> None:
        """Delete a node's object; the pods bound to it keep its name."""
        del self.nodes[node.name]
        for watcher in self.node_watchers:
            watcher(node, None)

    def _put(self, before: Pod | None, after: Pod | None) -> None:
        key = (after or before).key  # type: ignore[union-attr]
        if after is None:
            del self.pods[key]
        else:
            self.pods[key] = after
        was, now = before.node_name if before else "", after.node_name if after else ""
        if was and was != now:
            del self.on[was][key]
        if now and was != now:
            self.on.setdefault(now, {})[key] = None
        for watcher in self.pod_watchers:
            watcher(before, after)

    # The calls of the scheduler.

    def bind(self, pod: Pod, node: str) -> None:
        """Write the node's name into a pod. Raises: ClientError if it is gone, bound or terminating."""
        known = self._called(pod)
        if known.node_name or known.terminating:
            raise ClientError(f"pod {known} is already assigned to a node, or is being deleted")
        self.tell("Bind", known, node)
        self.change(known, node_name=node, nominated_node_name="")

    def nominate(self, pod: Pod, node: str) -> None:
        """Write the name of the nominated node into a pod. Raises: ClientError if it is gone."""
        known = self._called(pod)
        if known.nominated_node_name != node:
            self.tell("Nominate" if node else "Unnominate", known, node)
            self.change(known, nominated_node_name=node)

    def evict(self, pod: Pod, preemptor: Pod) -> None:
        """Mark a pod as preempted, and delete it. Raises: ClientError if it is gone."""
        known = self._called(pod)
        if not known.terminating:
            self.tell("EvictVictim", known, known.node_name, f"for {preemptor}")
            self.delete(known, preempted=True)

    def _called(self, pod: Pod) -> Pod:
        known = self.current(pod)
        if known is None:
            raise ClientError(f"pod {pod} is gone")
        return known
