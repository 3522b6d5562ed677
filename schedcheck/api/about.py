"""A question about one pod or budget: `about_pod`, `about_budget`, `Question`."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from schedcheck.api.naming import budget_named, pod_named
from schedcheck.checker.limits.parameters import parameter

if TYPE_CHECKING:
    from schedcheck.manifests import Cluster
    from schedcheck.model.scenario import Scenario
    from schedcheck.spec.objects import Pod


@dataclass(frozen=True)
class Question:
    """The whole cluster with the property that is asked, and the pods that it is about."""

    scenario: "Scenario"
    pods: "tuple[Pod, ...]"

    @property
    def part(self) -> "Scenario":
        """The part of the cluster that affects the answer."""
        from schedcheck.manifests.cuts import part

        return part(self.scenario, frozenset(pod.key for pod in self.pods))


def about_pod(name: str, scenario: "Scenario", cluster: "Cluster", by_events: bool = False) -> "Question":
    """Return the question whether a pending pod can be stranded, or a bound one evicted.

    With `by_events` it asks whether the pod recovers: whether it is bound in the end once no more events happen.

    Raises: InputError if there is no such pod, or it has ended.
    """
    from schedcheck.errors import InputError
    from schedcheck.spec.binding import completed

    place = parameter("about pod")
    wanted = pod_named(name, None, cluster, place)
    pod = next((each for each in scenario.pods if each.key == wanted.key), wanted)
    if completed(pod):
        raise InputError(f"the pod has ended ({pod.phase}), and no scheduler tries it again", path=place, value=name)
    bound = pod.node_name and pod.key not in scenario.absent
    asked = "eventually_bound" if by_events else "never_evicted" if bound else "pod_can_still_be_bound"
    evicting = "disruption" in scenario.controllers or any(rule.event == "evict" for rule in scenario.rules)
    # Kube-scheduler and the early scheduler choose victims by budgets; the published model does not know them.
    budgets = scenario.budgets if evicting or scenario.scheduler.surroundings else ()
    return Question(replace(scenario, properties=(f"{asked}({pod})",), budgets=budgets), (pod,))


def about_budget(name: str, scenario: "Scenario", cluster: "Cluster") -> "Question":
    """Return the question whether any order of events evicts a pod that a budget cannot spare.

    Raises: InputError if there is no such budget.
    """
    from schedcheck.errors import InputError
    from schedcheck.manifests.missing import SUPPLIES
    from schedcheck.spec.budgets import protects

    place = parameter("about budget")
    if "PodDisruptionBudget" not in cluster.kinds:
        supplied = f"the input has no PodDisruptionBudgets; to supply them: {SUPPLIES['PodDisruptionBudget']}"
        raise InputError(supplied, path=place, value=name)
    budget = budget_named(name, None, scenario.budgets, place)
    protected = tuple(pod for pod in scenario.pods if protects(budget, pod))
    # Kube-scheduler and the early scheduler choose victims by all budgets.
    budgets = scenario.budgets if scenario.scheduler.surroundings else (budget,)
    return Question(replace(scenario, properties=(f"budget_kept({budget})",), budgets=budgets), protected)
