"""Preemption: which nodes are tried, the victims on each, and the choice of a node: `Preemption`.

Kubernetes 1.17: Preempt, podEligibleToPreemptOthers, nodesWherePreemptionMightHelp, selectVictimsOnNode,
filterPodsWithPDBViolation, pickOneNodeForPreemption and getLowerPriorityNominatedPods in
pkg/scheduler/core/generic_scheduler.go; MoreImportantPod and GetEarliestPodStartTime in pkg/scheduler/util/utils.go.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from schedcheck.model.classic.fitting import Fitting
from schedcheck.model.classic.metadata import Metadata
from schedcheck.model.classic.nodes.cache import Snapshot
from schedcheck.model.classic.nodes.node_info import NodeInfo
from schedcheck.model.classic.nodes.pod_info import PodInfo
from schedcheck.model.classic.reasons import PredicateError, Reasons
from schedcheck.model.production.snapshot.labels import selects
from schedcheck.spec.objects import Pod, PodDisruptionBudget
from schedcheck.spec.terms import LabelSelector

NOW: Final = float("inf")
"""The start time of a pod that has none: later than any other."""

OFFSET: Final = 2**31
"""Added to each priority in a sum, so that every victim makes it greater."""


@dataclass(frozen=True)
class Victims:
    """The pods to evict from a node, in the order in which they were found, and how many of them violate a budget."""

    pods: tuple[Pod, ...]
    violations: int


def may_preempt(pod: Pod, snapshot: Snapshot) -> bool:
    """Whether the pod may evict others: its policy allows it, and no victim of an earlier attempt is terminating."""
    if pod.preemption_policy == "Never":
        return False
    nominated = snapshot.infos.get(pod.nominated_node_name)
    if nominated is None:
        return True
    return not any(
        other.pod.terminating and other.pod.priority < pod.priority
        for other in nominated.pods.values()
    )  # fmt: skip


def worth_trying(failed: Mapping[str, Mapping[str, Reasons]]) -> list[str]:
    """Return the nodes that no known reason rules out."""
    return [
        name
        for name, reasons in failed.items()
        if not any(reason.final for each in reasons.values() for reason in each)
    ]


def victims_on(
    node: NodeInfo, meta: Metadata, fitting: Fitting, budgets: Iterable[PodDisruptionBudget]
) -> Victims | None:
    """Return the pods to evict from a node; None if the pod does not fit without any pod of lower priority."""
    node, meta = node.clone(), meta.clone()
    lower = [other for other in node.pods.values() if other.pod.priority < meta.info.pod.priority]

    def remove(other: PodInfo) -> None:
        node.remove_pod(other)
        meta.remove_pod(other, node.there)

    def reprieved(other: PodInfo) -> bool:
        node.add_pod(other)
        meta.add_pod(other, node.there)
        if fits(fitting, meta, node):
            return True
        remove(other)
        return False

    for other in lower:
        remove(other)
    if not fits(fitting, meta, node):
        return None
    lower.sort(key=importance)
    violating = [other for other in lower if violates(other.pod, budgets)]
    guarded = [other.pod for other in violating if not reprieved(other)]
    spared = {other.key for other in violating}
    others = [other.pod for other in lower if other.key not in spared and not reprieved(other)]
    return Victims((*guarded, *others), len(guarded))


def fits(fitting: Fitting, meta: Metadata, node: NodeInfo) -> bool:
    """Whether the pod fits on the node; a predicate that cannot be evaluated fails here."""
    try:
        return not fitting.fits(meta, node)
    except PredicateError:
        return False


def importance(info: PodInfo) -> tuple[int, float]:
    """Return a sort key by which the most important pod is the first: higher priority, then earlier start."""
    return -info.pod.priority, start(info.pod)


def start(pod: Pod) -> float:
    """Return the start time of a pod."""
    return NOW if pod.start_time is None else pod.start_time


def violates(pod: Pod, budgets: Iterable[PodDisruptionBudget]) -> bool:
    """Whether a budget that selects the pod allows no disruption; an empty selector selects none here."""
    if not pod.labels:
        return False
    for budget in budgets:
        if budget.namespace != pod.namespace or budget.selector == LabelSelector():
            continue
        if budget.disruptions_allowed <= 0 and selects(budget.selector, pod.labels):
            return True
    return False


def picked(found: Mapping[str, Victims]) -> list[str]:
    """Return the nodes between which no criterion decides, any of which may be picked."""
    free = [name for name, victims in found.items() if not victims.pods]
    if free:
        return free
    criteria: tuple[Callable[[Victims], float], ...] = (
        lambda victims: victims.violations,
        lambda victims: victims.pods[0].priority,
        lambda victims: sum(pod.priority + OFFSET for pod in victims.pods),
        lambda victims: len(victims.pods),
        lambda victims: -earliest(victims.pods),
    )
    left = list(found)
    for criterion in criteria:
        values = {name: criterion(found[name]) for name in left}
        least = min(values.values(), default=0)
        left = [name for name in left if values[name] == least]
    return left


def earliest(pods: Iterable[Pod]) -> float:
    """Return the earliest start time among the pods of the highest priority."""
    highest = max(pod.priority for pod in pods)
    return min(start(pod) for pod in pods if pod.priority == highest)
