"""The judge of the early scheduler: `of_classic`, for a policy.

A set of victims is judged by the predicates on the snapshot without them. The casualty is that of the repaired model,
without budgets and start times. Reprieve uses the order of 1.17, in which pods that violate a budget come first.
"""

from collections.abc import Iterator

from frozendict import frozendict

from schedcheck.checker.victims.casualty import CORRECTED
from schedcheck.checker.victims.judges import NOBODY, Judge, Limit, Objection
from schedcheck.spec.binding import occupants
from schedcheck.spec.classic.filtering import antitone, failures, judged, with_nominated
from schedcheck.spec.classic.policy import Classic
from schedcheck.spec.classic.predicates.pod_fits_host_ports import ports
from schedcheck.spec.classic.predicates.pod_fits_resources import (
    asked,
    compared,
    requested,
    room,
    used,
)
from schedcheck.spec.classic.preemption import reprieve_order
from schedcheck.spec.decisions import VictimSet
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.importance import jeopardy
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.published.preemption import casualty

COUNTING = frozenset({"GeneralPredicates", "PodFitsResources"})
"""The predicates that count pods and sum requests."""

OF_PORTS = frozenset({"GeneralPredicates", "PodFitsHostPorts", "PodFitsPorts"})
"""The predicates that compare ports."""


def of_classic(policy: Classic) -> Judge:
    """Return the judge of the early scheduler with this policy."""

    def feasibility(pod: Pod, node: Node, snapshot: Snapshot, victims: VictimSet = NOBODY, /) -> bool:
        return failures(pod, node, snapshot - victims, policy) == ()

    def objections(pod: Pod, node: Node, snapshot: Snapshot, victims: VictimSet = NOBODY, /) -> tuple[Objection, ...]:
        return tuple(
            Objection(name, "; ".join(each.words for each in failed), antitone(name, policy))
            for name, failed in judged(pod, node, snapshot - victims, policy).items()
            if failed
        )

    def limits(pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Limit, ...]:
        seen = snapshot, with_nominated(pod, node, snapshot)
        sums = [_sums(pod, node, each, policy) for each in seen if COUNTING.intersection(policy.predicates)]
        held = [_ports(pod, node, each) for each in seen if OF_PORTS.intersection(policy.predicates)]
        return tuple(limit for found in (*sums, *held) for limit in found)

    return Judge(
        feasibility=feasibility,
        objections=objections,
        limits=limits,
        jeopardy=lambda pod, node, snapshot: jeopardy(pod, node, snapshot, NO_FAULTS),
        casualty=lambda victims, snapshot: casualty(victims),
        criteria=CORRECTED,
        reprieve_order=lambda order, snapshot: reprieve_order(order, snapshot.budgets),
    )


def _sums(pod: Pod, node: Node, snapshot: Snapshot, policy: Classic) -> Iterator[Limit]:
    """Yield the limits of PodFitsResources: one place among the pods, and each resource that it compares."""
    there, has = occupants(node, snapshot, NO_FAULTS), room(node, policy.by_allocatable)
    yield Limit("pods", len(there) + 1 - has.get("pods", 0), frozendict.fromkeys(there, 1))
    for resource in compared(pod, policy.ignored):
        needed = used(node, snapshot, resource) + requested(pod, resource) - has.get(resource, 0)
        held = {other: sum(asked(container, resource) for container in other.containers) for other in there}
        yield Limit(resource, needed, frozendict(held))


def _ports(pod: Pod, node: Node, snapshot: Snapshot) -> Iterator[Limit]:
    """Yield the limits of PodFitsHostPorts: every pod that holds a requested port must be evicted."""
    there = occupants(node, snapshot, NO_FAULTS)
    for port in sorted(ports(pod)):
        holders = [other for other in there if port in ports(other)]
        if holders:
            yield Limit(f"port {port}", len(holders), frozendict.fromkeys(holders, 1))
