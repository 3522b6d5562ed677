"""The PodDisruptionBudgets of a simulation: how many pods are healthy, and what the status allows: `Budgets`.

The numbers are those of `spec.budgets`, kept up to date pod by pod. The status follows after a delay, and each eviction
through the API takes one disruption of it at once.
"""

from collections.abc import Callable
from dataclasses import replace

from schedcheck.model.simulation.world import World
from schedcheck.spec.binding import completed
from schedcheck.spec.budgets import protects, spare_of
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget
from schedcheck.spec.values import Labels


class Budgets:
    """The budgets, with the number of healthy pods of each. `changed` is told when a status changes."""

    def __init__(self, world: World, changed: Callable[[tuple[PodDisruptionBudget, ...]], None]) -> None:
        self._world, self._changed = world, changed
        self.budgets = list(world.snapshot.budgets)
        self.healthy = [0] * len(self.budgets)
        self.least: list[int | None] = [None] * len(self.budgets)
        """The least disruptions that each status has allowed since its first recount."""
        self.evicted = [0] * len(self.budgets)
        self.refused: list[set[tuple[str, ...]]] = [set() for _ in self.budgets]
        """The pods whose eviction through the API each has refused, by identity."""
        self._by_namespace: dict[str, list[int]] = {}
        for number, budget in enumerate(self.budgets):
            self._by_namespace.setdefault(budget.namespace, []).append(number)
        self._kept: dict[tuple[str, Labels], tuple[int, ...]] = {}
        self._planned: set[int] = set()
        for pod in world.pods.values():
            self._count(pod, 1)
        world.pod_watchers.append(self._pod)
        world.node_watchers.append(self._node)

    def begin(self) -> None:
        """Recount every budget once."""
        for number in range(len(self.budgets)):
            self._plan(number)

    def protecting(self, pod: Pod) -> tuple[int, ...]:
        """Return the numbers of the budgets that protect a pod."""
        there = self._by_namespace.get(pod.namespace)
        if there is None:
            return ()
        key = pod.namespace, pod.labels
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = tuple(number for number in there if protects(self.budgets[number], pod))
        return found

    def allow(self, pod: Pod) -> bool:
        """Whether the API evicts a bound pod: at most one budget protects it, and allows a disruption. It is then used up."""
        numbers = self.protecting(pod)
        if len(numbers) > 1 or any(self.budgets[number].disruptions_allowed <= 0 for number in numbers):
            for number in numbers:
                self.refused[number].add(pod.identity)
            return False
        for number in numbers:
            self.evicted[number] += 1
            self._set(number, self.budgets[number].disruptions_allowed - 1)
        return True

    def expect(self, pod: Pod, more: int) -> None:
        """Change the number of pods that the scales of their owners ask for."""
        for number in self.protecting(pod):
            budget = self.budgets[number]
            self.budgets[number] = replace(budget, expected=max(0, budget.expected + more))
            self._plan(number)

    def _pod(self, before: Pod | None, after: Pod | None) -> None:
        was, now = (before is not None and self._is_healthy(before), after is not None and self._is_healthy(after))
        if was != now:
            pod = after or before
            assert pod is not None
            for number in self.protecting(pod):
                self.healthy[number] += 1 if now else -1
                self._plan(number)

    def _node(self, before: Node | None, after: Node | None) -> None:
        """Count the pods of a node that has come or gone: they are bound only while it exists."""
        if before is not None and after is not None:
            return
        for pod in self._world.pods_on((before or after).name):  # type: ignore[union-attr]
            if pod.phase == "Running" and not pod.terminating and self._world.traits_of(pod).ready:
                for number in self.protecting(pod):
                    self.healthy[number] += 1 if after is not None else -1
                    self._plan(number)

    def _is_healthy(self, pod: Pod) -> bool:
        """Whether the pod counts as healthy, as `spec.budgets.healthy` says for a cluster with kubelets, and is ready."""
        if not self._world.traits_of(pod).ready:
            return False
        running = pod.phase == "Running" and not pod.terminating and not completed(pod)
        return running and pod.node_name in self._world.nodes

    def _count(self, pod: Pod, more: int) -> None:
        if self._is_healthy(pod):
            for number in self.protecting(pod):
                self.healthy[number] += more

    def _plan(self, number: int) -> None:
        if number not in self._planned:
            self._planned.add(number)
            self._world.agenda.after("disruption", lambda: self._recount(number))

    def _recount(self, number: int) -> None:
        self._planned.discard(number)
        allowed = spare_of(self.budgets[number], self.healthy[number])
        least = self.least[number]
        self.least[number] = allowed if least is None else min(least, allowed)
        if allowed != self.budgets[number].disruptions_allowed:
            self._world.tell("Recount", words=f"{self.budgets[number]} allows {allowed}")
        self._set(number, allowed)

    def _set(self, number: int, allowed: int) -> None:
        """Set the status of a budget."""
        before, least = self.budgets[number], self.least[number]
        self.budgets[number] = replace(before, disruptions_allowed=allowed)
        if least is not None:
            self.least[number] = min(least, allowed)
        self._changed(tuple(self.budgets))
