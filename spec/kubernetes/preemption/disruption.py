"""Evictions that violate a disruption budget: `guards`, `violating`, `violations`.

Kubernetes 1.34: filterPodsWithPDBViolation in pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go.
"""

from collections.abc import Iterable

from schedcheck.spec.budgets import protects
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.importance import Order
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.objects import Pod, PodDisruptionBudget
from schedcheck.spec.terms import LabelSelector


def guards(budget: PodDisruptionBudget, pod: Pod, departures: Departures) -> bool:
    r"""Whether the eviction of `pod` is charged to `budget`.

    A pod in the budget's list of disrupted pods is already accounted for.

    TLA+: Guards(Budget, Pod) ==
            /\ Protects(Budget, Pod)
            /\ Pod.Name \notin Budget.Disrupted
            /\ Budget.Selector # Everything \/ "empty-budget-protects-no-pod" \notin Departures
            /\ Pod.Labels # NoLabels \/ "unlabelled-unprotected" \notin Departures
    """
    return (
        protects(budget, pod)
        and pod.name not in budget.disrupted
        and (budget.selector != LabelSelector() or Departure.EMPTY_BUDGET_PROTECTS_NO_POD not in departures)
        and (pod.labels != {} or Departure.UNLABELLED_UNPROTECTED not in departures)
    )


@looks_at("victims.labels", "budgets")
def violating(order: Order, budgets: Iterable[PodDisruptionBudget], departures: Departures) -> frozenset[Pod]:
    r"""Return the pods whose eviction violates a budget if all pods of `order` are evicted, one after the other.

    For each budget, the first pods that it guards, up to disruptionsAllowed, violate nothing.

    TLA+: Violating(Order, Snapshot) ==
            LET Guarded(Budget) == SelectSeq(Order, LAMBDA Pod : Guards(Budget, Pod))
                Allowed(Budget) == Max({0, Budget.DisruptionsAllowed})
                Beyond(Budget) == SubSeq(Guarded(Budget), Allowed(Budget) + 1, Len(Guarded(Budget)))
            IN UNION {{Beyond(Budget)[i] : i \in DOMAIN Beyond(Budget)} : Budget \in Budgets(Snapshot)}
    """
    return frozenset(
        pod
        for budget in budgets
        for pod in [each for each in order if guards(budget, each, departures)][max(0, budget.disruptions_allowed) :]
    )


def violations(
    order: Order, victims: frozenset[Pod], budgets: Iterable[PodDisruptionBudget], departures: Departures
) -> int:
    r"""Return how many of `victims` violate a budget that is charged for all of `order`, or for the victims alone.

    TLA+: Violations(Order, Victims, Snapshot) ==
            LET Charged == IF "budgets-charged-for-all" \in Departures THEN Order
                           ELSE SelectSeq(Order, LAMBDA Pod : Pod \in Victims)
            IN Cardinality(Violating(Charged, Snapshot) \intersect Victims)
    """
    for_all = Departure.BUDGETS_CHARGED_FOR_ALL in departures
    charged = order if for_all else tuple(pod for pod in order if pod in victims)
    return len(violating(charged, budgets, departures) & victims)
