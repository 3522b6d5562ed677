"""The disruption controller, which updates budgets, and the eviction API, which asks them.

Not modelled: disruptedPods.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from schedcheck.model.environment import Evict, deleted
from schedcheck.model.scenario import Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.budgets import protects, spare
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot


@dataclass(frozen=True)
class Recount:
    """The update of a PodDisruptionBudget's status."""

    budget: str

    def __str__(self) -> str:
        return f"Recount({self.budget})"


def allows(budgets: tuple[PodDisruptionBudget, ...], pod: Pod) -> bool:
    """Whether the eviction API deletes `pod`: at most one budget protects it, and its status allows a disruption."""
    protecting = [budget for budget in budgets if protects(budget, pod)]
    return not protecting or (len(protecting) == 1 and protecting[0].disruptions_allowed > 0)


def starts_later(pod: Pod, scenario: Scenario) -> bool:
    """Whether the kubelet has still to start `pod`. Without kubelets a pod counts as started once it is bound."""
    return "kubelet" in scenario.controllers and pod.phase == "Pending"


def evicted(pod: Pod, budgets: tuple[PodDisruptionBudget, ...], scenario: Scenario) -> (
    Iterator[tuple[Evict, Pod | None, tuple[PodDisruptionBudget, ...]]]
):  # fmt: skip
    """Yield an eviction through the API: the pod is deleted, and its budget allows one disruption less.

    A pod in phase Pending is deleted without asking any budget: an unbound one, and one that its kubelet has not started.

    kube-apiserver 1.34: pkg/registry/core/pod/storage/eviction.go, canIgnorePDB.
    """
    if pod.terminating or completed(pod):
        return
    if not pod.node_name or starts_later(pod, scenario):
        yield Evict(str(pod)), deleted(pod, scenario) if pod.node_name else None, budgets
    elif allows(budgets, pod):
        yield Evict(str(pod)), deleted(pod, scenario), tuple(_used(budget, pod) for budget in budgets)


def _used(budget: PodDisruptionBudget, pod: Pod) -> PodDisruptionBudget:
    """Return the budget after an eviction of `pod`."""
    if not protects(budget, pod):
        return budget
    return replace(budget, disruptions_allowed=budget.disruptions_allowed - 1)


class Recounts:
    """The updates of budgets' statuses in the states of a machine.

    Each is computed once for all states that have the same pods in the namespace of the budget, and the same nodes.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._kubelet = "kubelet" in scenario.controllers
        self._slots = {
            budget.namespace: [slot for slot, pod in enumerate(scenario.pods) if pod.namespace == budget.namespace]
            for budget in scenario.budgets
        }
        self._spare: dict[Hashable, int] = {}

    def of(
        self, pods: Sequence[Pod | None], nodes: Iterable[Node | None], budgets: Iterable[PodDisruptionBudget]
    ) -> Iterator[tuple[Recount, int, int]]:
        """Yield each update of an outdated status, the budget's index, and the disruptions that it now allows."""
        there = tuple([node for node in nodes if node is not None])
        near = {
            namespace: tuple([pod for slot in slots if (pod := pods[slot]) is not None])
            for namespace, slots in self._slots.items()
        }
        for place, budget in enumerate(budgets):
            known = place, near[budget.namespace], there
            if known not in self._spare:
                self._spare[known] = spare(budget, Snapshot(known[1], there), self._kubelet)
            if self._spare[known] != budget.disruptions_allowed:
                yield Recount(str(budget)), place, self._spare[known]
