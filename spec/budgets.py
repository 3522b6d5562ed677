r"""PodDisruptionBudgets: the pods that a budget protects, how many must stay healthy, how many may be disrupted.

Operators: protects, counts_as_ready, healthy, desired_healthy, spare, recounted, spared. They give what the disruption controller of
Kubernetes 1.34 computes (pkg/controller/disruption), over the pods of a snapshot.

TLA+: Budgets(Snapshot) == {Object \in Snapshot : Object.Kind = "PodDisruptionBudget"}
"""

from dataclasses import replace

from schedcheck.spec.binding import bound, completed
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.selectors import selects


def protects(budget: PodDisruptionBudget, pod: Pod) -> bool:
    r"""Whether `budget` selects `pod`. An empty selector selects every pod of the namespace.

    TLA+: Protects(Budget, Pod) ==
            /\ Budget.Namespace = Pod.Namespace
            /\ Selects(Budget.Selector, Pod.Labels)
    """
    return budget.namespace == pod.namespace and selects(budget.selector, pod.labels, NO_FAULTS)


def counts_as_ready(pod: Pod, snapshot: Snapshot, kubelet: bool) -> bool:
    r"""Whether `pod` is bound to an existing node, not completed and not terminating.

    TLA+: CountsAsReady(Pod, Snapshot, Kubelet) ==
            /\ Bound(Pod, Snapshot)
            /\ ~Completed(Pod)
            /\ ~Pod.Terminating
            /\ Kubelet => Pod.Status.Phase = "Running"
    Differs: Kubernetes requires the condition Ready. Here a pod is ready once it is bound or, if the `kubelet` is
    modelled, once the kubelet has started it.
    """
    return (
        bound(pod, snapshot)
        and not completed(pod)
        and not pod.terminating
        and (pod.phase == "Running" or not kubelet)
    )  # fmt: skip


def healthy(budget: PodDisruptionBudget, snapshot: Snapshot, kubelet: bool) -> frozenset[Pod]:
    r"""Return the protected pods that count as ready.

    TLA+: Healthy(Budget, Snapshot, Kubelet) ==
            {Pod \in Pods(Snapshot) : Protects(Budget, Pod) /\ CountsAsReady(Pod, Snapshot, Kubelet)}
    """
    return frozenset(
        pod for pod in snapshot.pods if protects(budget, pod) and counts_as_ready(pod, snapshot, kubelet)
    )  # fmt: skip


def desired_healthy(budget: PodDisruptionBudget) -> int:
    """Return how many protected pods must stay healthy. A percentage is taken of the expected pods and rounded up.

    TLA+: DesiredHealthy(Budget) ==
            IF Budget.MaxUnavailable # Null
            THEN Max({0, Budget.Expected - PortionOf(Budget.MaxUnavailable, Budget.Expected)})
            ELSE IF Budget.MinAvailable # Null THEN PortionOf(Budget.MinAvailable, Budget.Expected)
            ELSE 0
    """
    if budget.max_unavailable is not None:
        return max(0, budget.expected - _of(budget.max_unavailable, budget.expected))
    return _of(budget.min_available, budget.expected) if budget.min_available is not None else 0


def _of(amount: int | str, whole: int) -> int:
    r"""Return the count that `amount` stands for: itself, or a percentage of `whole`, rounded up.

    TLA+: PortionOf(Amount, Whole) ==
            IF Amount.Percent THEN (Amount.Number * Whole + 99) \div 100 ELSE Amount.Number
    """
    return -(-int(amount.removesuffix("%")) * whole // 100) if isinstance(amount, str) else amount


def spare(budget: PodDisruptionBudget, snapshot: Snapshot, kubelet: bool) -> int:
    """Return how many healthy pods may be disrupted: disruptionsAllowed of the disruption controller, at least 0.

    TLA+: Spare(Budget, Snapshot, Kubelet) ==
            Max({0, Cardinality(Healthy(Budget, Snapshot, Kubelet)) - DesiredHealthy(Budget)})
    """
    return spare_of(budget, len(healthy(budget, snapshot, kubelet)))


def spare_of(budget: PodDisruptionBudget, number: int) -> int:
    """Return how many pods may be disrupted if `number` protected pods are healthy."""
    return max(0, number - desired_healthy(budget))


def recounted(budget: PodDisruptionBudget, snapshot: Snapshot, kubelet: bool) -> PodDisruptionBudget:
    """Return the budget with disruptionsAllowed recomputed on `snapshot`."""
    return replace(budget, disruptions_allowed=spare(budget, snapshot, kubelet))


def spared(budget: PodDisruptionBudget, victims: frozenset[Pod], snapshot: Snapshot, kubelet: bool) -> bool:
    r"""Whether the budget allows the disruption of all healthy protected pods among `victims` at once.

    TLA+: Spared(Budget, Victims, Snapshot, Kubelet) ==
            Cardinality(Victims \intersect Healthy(Budget, Snapshot, Kubelet)) <= Spare(Budget, Snapshot, Kubelet)
    """
    return len(victims & healthy(budget, snapshot, kubelet)) <= spare(budget, snapshot, kubelet)
