"""What is left of the pods that budgets protect, once nodes have failed and nothing else has happened: `Left`, `left`."""

from collections.abc import Iterator
from dataclasses import dataclass

from schedcheck.checker.relocation.leaving import Leaving
from schedcheck.model.scenario import snapshot_of
from schedcheck.spec.budgets import desired_healthy, healthy, protects, spare_of
from schedcheck.spec.objects import PodDisruptionBudget


@dataclass(frozen=True)
class Left:
    """A budget with pods on nodes that fail: how many it expects, how many of them stay healthy, and how many must.

    A pod counts as healthy if it is bound to an existing node, and neither terminating nor completed.
    """

    budget: PodDisruptionBudget
    healthy: int
    desired: int

    @property
    def allowed(self) -> int:
        """How many evictions the budget allows before any pod is bound again."""
        return spare_of(self.budget, self.healthy)

    @property
    def lacking(self) -> int:
        """How many pods must become healthy before it allows an eviction; 0 if it allows one."""
        return max(0, self.desired + 1 - self.healthy)


def left(leaving: Leaving) -> Iterator[Left]:
    """Yield each budget that protects pods on the nodes that fail, in order."""
    scenario = leaving.scenario
    going = (*leaving.movers, *leaving.lost)
    gone = scenario.absent | {pod.key for pod in going}
    present = tuple(pod for pod in scenario.pods if pod.key not in gone)
    snapshot = snapshot_of(scenario, present, scenario.nodes, scenario.budgets)
    for budget in scenario.budgets:
        if any(protects(budget, pod) for pod in going):
            yield Left(budget, len(healthy(budget, snapshot, kubelet=False)), desired_healthy(budget))
