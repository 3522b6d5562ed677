"""The decisions of the early scheduler for a pod: bind it to one of the best nodes, else preempt, else wait.

A pod is nominated to the node from which others are evicted for it. The victims linger, and a later turn binds the pod,
there or elsewhere.

Kubernetes 1.6: Schedule in plugin/pkg/scheduler/generic_scheduler.go; 1.17: scheduleOne in pkg/scheduler/scheduler.go,
Preempt, podEligibleToPreemptOthers and FitError in pkg/scheduler/core/generic_scheduler.go.

Not modelled: the order of the queue, so that any unbound pod may be tried; pods that name another scheduler.
"""

from schedcheck.spec.binding import unbound
from schedcheck.spec.classic.filtering import errors, failures
from schedcheck.spec.classic.policy import Classic
from schedcheck.spec.classic.preemption import eligible, permitted, potential_nodes
from schedcheck.spec.classic.ranking import best
from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.fit_error import NO_NODES, fit_error, histogram
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.refusal import unschedulable


def turn(snapshot: Snapshot) -> frozenset[Pod]:
    """Return the pods that may be tried next: all unbound pods that are not terminating."""
    return frozenset(pod for pod in unbound(snapshot, NO_FAULTS) if not pod.terminating)


def decision(pod: Pod, snapshot: Snapshot, classic: Classic) -> frozenset[Decision]:
    """Return the decisions possible for `pod`, which must be unbound."""
    nodes = best(pod, snapshot, classic)
    if nodes:
        return frozenset(Bind(pod, node) for node in nodes)
    return without_a_node(pod, snapshot, classic)


def without_a_node(pod: Pod, snapshot: Snapshot, classic: Classic) -> frozenset[Decision]:
    """Return the decisions for a pod that fits on no node: nominate it, or leave it unbound.

    The pod loses its nomination if no eviction could help on any node. It keeps it if it may not preempt, if a
    predicate ended in an error, or if evictions were tried and none suffices.
    """
    if errors(pod, snapshot, classic) or not snapshot.nodes or not eligible(pod, snapshot):
        return frozenset({Wait(pod)})
    evictions = permitted(pod, snapshot, classic)
    hopeless = potential_nodes(pod, snapshot, classic) == ()
    return frozenset(
        Nominate(pod, each.node, frozenset(each.victims), clears_always=True) for each in evictions
    ) or frozenset({Wait(pod, unnominated=hopeless and pod.nominated_node_name != "")})


def message(pod: Pod, snapshot: Snapshot, classic: Classic) -> str:
    """Return the message of 1.17 about a pod that fits on no node: counts for each reason, or the first error."""
    erring = errors(pod, snapshot, classic)
    if erring:
        return erring[0].words
    if not snapshot.nodes:
        return NO_NODES
    said = (failures(pod, node, snapshot, classic) for node in snapshot.nodes)
    refusals = (unschedulable("", *(failure.words for failure in each)) for each in said)
    return fit_error(len(snapshot.nodes), histogram(refusals))
