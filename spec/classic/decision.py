"""What that scheduler may do with a pod: bind it to one of the best nodes, else evict for it, else have it wait.

Kubernetes 1.6: Schedule in plugin/pkg/scheduler/generic_scheduler.go; 1.17: scheduleOne in pkg/scheduler/scheduler.go,
FitError in pkg/scheduler/core/generic_scheduler.go.
"""

from schedcheck.spec.classic.filtering import errors, failures
from schedcheck.spec.classic.policy import Classic
from schedcheck.spec.classic.preemption import permitted
from schedcheck.spec.classic.ranking import best
from schedcheck.spec.decisions import Bind, Decision, Preempt, Wait
from schedcheck.spec.feasibility.refusal import unschedulable
from schedcheck.spec.fit_error import NO_NODES, fit_error, histogram
from schedcheck.spec.objects import Pod, Snapshot


def decision(pod: Pod, snapshot: Snapshot, classic: Classic) -> frozenset[Decision]:
    """What may be done with `pod`, which has no node."""
    nodes = best(pod, snapshot, classic)
    if nodes:
        return frozenset(Bind(pod, node) for node in nodes)
    evictions = permitted(pod, snapshot, classic)
    if evictions:
        return frozenset(Preempt(pod, each.node, frozenset(each.victims)) for each in evictions)
    return frozenset({Wait(pod)})


def message(pod: Pod, snapshot: Snapshot, classic: Classic) -> str:
    """What 1.17 says of a pod that no node passes: how many nodes failed for each reason, or the first error."""
    erring = errors(pod, snapshot, classic)
    if erring:
        return erring[0].words
    if not snapshot.nodes:
        return NO_NODES
    said = (failures(pod, node, snapshot, classic) for node in snapshot.nodes)
    refusals = (unschedulable("", *(failure.words for failure in each)) for each in said)
    return fit_error(len(snapshot.nodes), histogram(refusals))
