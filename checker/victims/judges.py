"""The judges of sets of victims: the definitions of a profile, and the limits that a solver can be told in advance.

A search for victims uses a `Judge`; `of_model` is that of the published model and its repairs. A limit is a hint: a sum
that is necessary for feasibility. Feasibility alone decides whether a set of victims is sufficient. The judge of
kube-scheduler is in `kubernetes_judge`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol, TypeVar

from frozendict import frozendict

from schedcheck.checker.exploring.memo import beyond_one_node
from schedcheck.checker.victims.casualty import CORRECTED, Criterion
from schedcheck.spec.binding import occupants
from schedcheck.spec.budgets import protects
from schedcheck.spec.decisions import VictimSet
from schedcheck.spec.faults import Faults
from schedcheck.spec.importance import Order, jeopardy
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.profiles import Profile
from schedcheck.spec.published.feasibility import FILTERS
from schedcheck.spec.quantities import quantity_text
from schedcheck.spec.requests import allocatable, request, requested, used
from schedcheck.spec.values import Labels


@dataclass(frozen=True)
class Objection:
    """A refusal: the filter, the reason, and whether more pods on the node can never lift it (antitone)."""

    filter: str
    reason: str
    antitone: bool


@dataclass(frozen=True)
class Limit:
    """A resource or a port: the amount that must be freed, and the amount that the eviction of each pod frees.

    Amounts are in smallest units of the resource; pods that are left out free nothing.
    """

    subject: str
    needed: int
    freed: frozendict[Pod, int]

    def met(self, victims: frozenset[Pod]) -> bool:
        """Whether these victims free enough."""
        return sum(self.freed.get(pod, 0) for pod in victims) >= self.needed

    def __str__(self) -> str:
        return f"{quantity_text(self.subject, self.needed)} of {self.subject}"


NOBODY: VictimSet = frozenset()
Said = TypeVar("Said", covariant=True)  # noqa: PLC0105  it is what is said, which varies as it may


class Asked(Protocol[Said]):
    """A definition on a pod, a node, and a snapshot without some victims."""

    def __call__(self, pod: Pod, node: Node, snapshot: Snapshot, victims: VictimSet = NOBODY, /) -> Said:
        """Return the value of the definition."""
        ...


@dataclass(frozen=True)
class Judge:
    """The definitions that a search for victims uses, each on a pod, a node and a snapshot.

    - `objections`: the refusals if `feasibility` is false.
    - `jeopardy`: the potential victims.
    - `limits`: necessary conditions of every set of potential victims whose eviction makes the pod feasible.
    - `criteria`: those of `casualty`, in its order.
    - `reprieve_order`: the order in which reprieve puts the potential victims back, given most important first.
    """

    feasibility: Asked[bool]
    objections: Asked[tuple[Objection, ...]]
    limits: Callable[[Pod, Node, Snapshot], tuple[Limit, ...]]
    jeopardy: Callable[[Pod, Node, Snapshot], frozenset[Pod]]
    casualty: Callable[[frozenset[Pod], Snapshot], tuple[int, ...]]
    criteria: tuple[Criterion, ...]
    reprieve_order: Callable[[Order, Snapshot], Order]
    faults: Faults = frozenset()


def of_model(profile: Profile) -> Judge:
    """Return the judge of the published model with the profile's faults."""
    faults = profile.faults

    def feasibility(pod: Pod, node: Node, snapshot: Snapshot, victims: VictimSet = NOBODY, /) -> bool:
        return profile.feasibility(pod, node, snapshot - victims)

    def objections(pod: Pod, node: Node, snapshot: Snapshot, victims: VictimSet = NOBODY, /) -> tuple[Objection, ...]:
        left = snapshot - victims
        reasons = ((filter_, filter_.reason(pod, node, left, faults)) for filter_ in FILTERS)
        return tuple(
            Objection(filter_.name, reason, filter_.antitone) for filter_, reason in reasons if reason is not None
        )

    return Judge(
        feasibility=feasibility,
        objections=objections,
        limits=lambda pod, node, snapshot: limits(pod, node, snapshot, faults),
        jeopardy=lambda pod, node, snapshot: jeopardy(pod, node, snapshot, faults),
        casualty=lambda victims, snapshot: profile.casualty(victims),
        criteria=CORRECTED,
        reprieve_order=lambda order, _: order,
        faults=faults,
    )


def limits(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> tuple[Limit, ...]:
    """Return the limits of the filter Resources: the number of pods on a node, and each resource requested."""
    there = occupants(node, snapshot, faults)
    return tuple(
        Limit(
            resource,
            used(node, snapshot, resource, faults) + wanted - allocatable(node, resource),
            frozendict({each: 1 if resource == "pods" else request(each, resource, faults) for each in there}),
        )
        for resource, wanted in _wanted(pod, faults)
        if wanted > 0
    )


def _wanted(pod: Pod, faults: Faults) -> list[tuple[str, int]]:
    """Return the request of `pod` of each resource, first its own place among the pods."""
    return [("pods", 1), *((resource, request(pod, resource, faults)) for resource in sorted(requested(pod)))]


def nearby(node: Node, snapshot: Snapshot) -> Snapshot:
    """Return the node, the pods bound or nominated to it, and the budgets that protect one of these."""
    near = (*snapshot.pods_by_node.get(node.name, ()), *snapshot.pods_by_nomination.get(node.name, ()))
    pods = tuple(sorted(frozenset(near), key=lambda each: each.key))
    known = _protecting(snapshot)
    for pod in pods:
        if (pod.namespace, pod.labels) not in known:
            there = snapshot.budgets_by_namespace.get(pod.namespace, ())
            known[pod.namespace, pod.labels] = tuple(budget for budget in there if protects(budget, pod))
    budgets = {budget.key: budget for pod in pods for budget in known[pod.namespace, pod.labels]}
    return replace(snapshot, pods=pods, nodes=(node,), budgets=tuple(budgets[key] for key in sorted(budgets)))


@lru_cache(maxsize=2)
def _protecting(snapshot: Snapshot) -> dict[tuple[str, Labels], tuple[PodDisruptionBudget, ...]]:
    """Return a cache, by namespace and labels, of the budgets in the snapshot that protect such pods."""
    return {}


@lru_cache(maxsize=2)
def looks_beyond(pod: Pod, snapshot: Snapshot) -> bool:
    """Whether a filter may depend on other nodes than the one judged.

    It does not if no pod has inter-pod affinity or topology spreading, and the pod has no volumes. A pod on another
    node may use the same volume.
    """
    pods = (pod, *snapshot.pods)
    annotated = any(each.annotated_affinity.pod_terms for each in pods)
    return bool(pod.volumes) or annotated or any(each.spread for each in pods) or beyond_one_node(pods)
