"""The use of each resource over time: the sums of requests of bound pods, and of what the nodes offer: `Usage`."""

from collections import Counter

from schedcheck.model.simulation.world import World
from schedcheck.spec.binding import completed
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.kubernetes.requests import occupied
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.values import Amounts

Key = tuple[str, str]
POINTS = 60
"""The intervals into which the time of a simulation is divided."""


class Usage:
    """The sums now, their peaks, and a series of them; amounts are in the smallest unit of each resource.

    A terminating pod uses its resources until it has ended, and a pod on a node that is gone uses none.
    """

    def __init__(self, world: World, until: float, departures: Departures) -> None:
        self._world, self._until, self._departures = world, until, departures
        self.used: Counter[str] = Counter()
        self.offered: Counter[str] = Counter()
        self.peak: dict[str, int] = {}
        self.series: list[tuple[float, int, dict[str, int], dict[str, int]]] = []
        """At each time: the seconds, the number of unbound pods, what is used, and what is offered."""
        self.unbound = sum(not pod.node_name and not completed(pod) for pod in world.pods.values())
        self._amounts: dict[Key, Amounts] = {}
        for node in world.nodes.values():
            self.offered.update(node.allocatable)
            for pod in world.pods_on(node.name):
                self._use(pod)
        world.pod_watchers.append(self._pod)
        world.node_watchers.append(self._node)

    def begin(self) -> None:
        """Plan the points of the series."""
        for number in range(POINTS + 1):
            self._world.agenda.at(self._until * number / POINTS, self.note)

    def note(self) -> None:
        """Add the present sums to the series."""
        used, offered = dict(self.used), dict(self.offered)
        self.series.append((self._world.agenda.now, self.unbound, used, offered))

    def _pod(self, before: Pod | None, after: Pod | None) -> None:
        self.unbound += _waits(after) - _waits(before)
        if before is not None and self._uses(before) and not self._uses(after):
            self._free(before.key)
        elif after is not None and self._uses(after) and not self._uses(before):
            self._use(after)

    def _uses(self, pod: Pod | None) -> bool:
        return pod is not None and pod.node_name in self._world.nodes and not completed(pod)

    def _node(self, before: Node | None, after: Node | None) -> None:
        if before is not None:
            self.offered.subtract(before.allocatable)
        if after is not None:
            self.offered.update(after.allocatable)
        if before is None or after is None:
            for pod in self._world.pods_on((before or after).name):  # type: ignore[union-attr]
                self._free(pod.key) if after is None else self._use(pod)

    def _use(self, pod: Pod) -> None:
        amounts = self._amounts[pod.key] = occupied(pod, self._departures).set("pods", 1)
        for name, size in amounts.items():
            self.used[name] += size
            self.peak[name] = max(self.peak.get(name, 0), self.used[name])

    def _free(self, key: Key) -> None:
        amounts = self._amounts.pop(key, None)
        if amounts is not None:
            self.used.subtract(amounts)


def _waits(pod: Pod | None) -> bool:
    return pod is not None and not pod.node_name and not completed(pod)
