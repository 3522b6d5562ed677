"""Budgets that block every drain, for good or at the moment, and budgets that protect no pod: `of_budgets`.

Rules: budget-blocks-drain, budget-exhausted, budget-selects-nothing, budgets-share-pods.

Not modelled: unhealthyPodEvictionPolicy, by which a pod that is not Ready may be evicted although no disruption is
allowed.
"""

from collections.abc import Iterator

from schedcheck.findings.finding import Finding, Severity, Thing
from schedcheck.findings.subjects import labelled
from schedcheck.findings.words import counted
from schedcheck.manifests import Cluster
from schedcheck.spec.binding import completed
from schedcheck.spec.budgets import desired_healthy, protects, spare_of
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import PodDisruptionBudget
from schedcheck.spec.selectors import selects

BLOCKS, EXHAUSTED, NOTHING = "budget-blocks-drain", "budget-exhausted", "budget-selects-nothing"
SHARED = "budgets-share-pods"
MOST_NAMED = 3


def of_budgets(cluster: Cluster) -> Iterator[Finding]:
    """Yield the findings about each budget, at most one each, and those about budgets that protect the same pods."""
    yield from _shared(cluster)
    for budget in cluster.budgets:
        pods = [pod for pod in cluster.pods if protects(budget, pod) and not completed(pod)]
        if not pods:
            yield from _nothing(budget, cluster)
        elif spare_of(budget, len(pods)) == 0:
            yield _blocking(budget, len(pods))
        elif budget.disruptions_allowed == 0 and any(pod.node_name for pod in pods):
            yield _exhausted(budget, len(pods))


def _blocking(budget: PodDisruptionBudget, number: int) -> Finding:
    must = desired_healthy(budget)
    return _finding(
        budget,
        BLOCKS,
        Severity.ERROR,
        _demand(budget),
        f"{must:,} of {counted(number, 'pod')} must stay healthy: no healthy pod can ever be evicted, and no node with a healthy one can be drained.",
        (f"disruptions allowed if all are healthy: {number:,} - {must:,} = {number - must:,}",),
    )


def _shared(cluster: Cluster) -> Iterator[Finding]:
    """Yield a finding for each set of budgets that protect the same pods, at the first of them.

    Kubernetes 1.34: pkg/registry/core/pod/storage/eviction.go, Create.
    """
    sets: dict[tuple[PodDisruptionBudget, ...], list[str]] = {}
    for pod in cluster.pods:
        several = tuple(budget for budget in cluster.budgets if protects(budget, pod))
        if len(several) > 1 and not completed(pod):
            sets.setdefault(several, []).append(str(pod))
    for (first, *others), pods in sets.items():
        names = " and ".join(map(str, others)) + (" protects" if len(others) == 1 else " protect")
        yield _finding(
            first,
            SHARED,
            Severity.ERROR,
            "spec.selector",
            f"It protects {counted(len(pods), 'pod')} that {names} too: the API evicts no pod that several budgets protect, and no node with one can be drained.",
            (f"these pods: {', '.join(pods[:MOST_NAMED])}{', …' if len(pods) > MOST_NAMED else ''}",),
            " ".join(sorted(each.name for each in others)),
        )


def _exhausted(budget: PodDisruptionBudget, number: int) -> Finding:
    may = spare_of(budget, number)
    return _finding(
        budget,
        EXHAUSTED,
        Severity.WARNING,
        "status.disruptionsAllowed",
        f"No disruption is allowed now, as pods are not healthy; with all {counted(number, 'pod')} healthy, {may:,} would be.",
        (f"{desired_healthy(budget):,} of {number:,} must stay healthy",),
    )


def _nothing(budget: PodDisruptionBudget, cluster: Cluster) -> Iterator[Finding]:
    """Yield a finding, unless the template of a workload, or the status of the budget, speaks of pods."""
    near = list(labelled(cluster, budget.namespace))
    if budget.expected or any(selects(budget.selector, labels, NO_FAULTS) for _, labels, _ in near):
        return
    yield _finding(
        budget,
        NOTHING,
        Severity.WARNING if near else Severity.NOTE,
        "spec.selector",
        "The selector selects no pod of the input and no template of a workload, so that the budget protects nothing.",
    )


def _finding(
    budget: PodDisruptionBudget,
    rule: str,
    severity: Severity,
    field: str,
    sentence: str,
    witness: tuple[str, ...] = (),
    detail: str = "",
) -> Finding:
    thing = Thing("PodDisruptionBudget", budget.namespace, budget.name)
    return Finding(rule, severity, thing, field, sentence, witness, detail=detail)


def _demand(budget: PodDisruptionBudget) -> str:
    return "spec.maxUnavailable" if budget.max_unavailable is not None else "spec.minAvailable"
