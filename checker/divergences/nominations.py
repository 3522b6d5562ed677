"""Rows on the fate of a nomination in the machine of kube-scheduler: `MOVING`.

Kubernetes promises no preemptor its node, so these are no faults. But users do not expect them.
"""

from collections.abc import Callable

from schedcheck.checker.check import check
from schedcheck.checker.divergences.builders import bound, containers, late, nodes, waiting
from schedcheck.checker.divergences.case import Case
from schedcheck.checker.divergences.domain import Domain
from schedcheck.checker.divergences.row import Answers, Row
from schedcheck.checker.properties.by_name import evicted_for_nominated_pod
from schedcheck.model.nominations import EvictVictim
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.binding import unbound
from schedcheck.spec.decisions import Bind
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.of_decisions import room_left_to_the_nominated
from schedcheck.spec.properties.of_pods import awaited

ROOM_LEFT = room_left_to_the_nominated.__name__
FOR_NOMINATED_POD = evicted_for_nominated_pod.__name__


def scenario(case: Case, name: str, asks: str) -> Scenario:
    """Return the bounded model of a case: other unbound pods arrive once; if there are none, the pod may be deleted."""
    others = tuple(pod.key for pod in case.snapshot.pods if not pod.node_name and pod != case.pod)
    arrival, deletion = Rule("arrive", pods=others, bound=1), Rule("delete", pods=(case.pod.key,), bound=1)
    return Scenario(
        name,
        case.snapshot.pods,
        case.snapshot.nodes,
        absent=frozenset(others),
        rules=(arrival if others else deletion,),
        profile="kubernetes",
        properties=(asks,),
        budgets=case.snapshot.budgets,
    )


def violated(asks: str) -> Callable[[Case], Answers]:
    """Return a function from a case to the actions that violate the property, at the end of shortest traces.

    The other witness allows none.
    """

    def answers(case: Case) -> Answers:
        found = check(scenario(case, "case", asks), symmetry=False).result.violations
        return frozenset(str(each.trace[-1].action) for each in found), frozenset()

    return answers


def room_taken(action: object, snapshot: Snapshot) -> bool:
    """Whether a pod is bound to a node to which a pod of lower priority is nominated, and not this pod."""
    return (
        isinstance(action, Bind)
        and action.pod.nominated_node_name != action.node.name
        and any(
            other.nominated_node_name == action.node.name and other.priority < action.pod.priority
            for other in unbound(snapshot, NO_FAULTS)
        )
    )


def evicted_without_preemptor(action: object, snapshot: Snapshot) -> bool:
    """Whether a victim is evicted although no pending pod is nominated to its node any more."""
    return isinstance(action, EvictVictim) and not any(
        awaited(victim, snapshot) for victim in snapshot.pods if str(victim) == action.pod
    )


BOUND = tuple(bound(priority=priority, containers=containers(cpu)) for priority in (0, 1) for cpu in (1, 2))
WAITING = tuple(waiting(priority=priority, containers=containers(cpu)) for priority in (0, 1) for cpu in (1, 2))
ASYNC = "pkg/scheduler/framework/preemption/preemption.go, prepareCandidateAsync"

MOVING = (
    Row(
        name="room-taken-by-another",
        title="A preemptor loses its node to another pod while its victims terminate.",
        code="The victims take some time to terminate. A pod of higher priority that arrives in the meantime ignores"
        " the nomination and is bound when the victims have ended.",
        documentation="The documentation does not promise the nominated node to the preemptor (Pod Priority and"
        " Preemption). The property demands that the freed room stays available to it.",
        source=f"{ASYNC}; pkg/scheduler/framework/runtime/framework.go, RunFilterPluginsWithNominatedPods",
        witnesses=("kubernetes", ROOM_LEFT),
        answers=violated(ROOM_LEFT),
        covers=room_taken,
        domain=Domain(
            "1 node of 1 or 2 cpus and at most 2 other pods, which run there, with priority 0 or 1, or arrive later, with"
            " priority 1 or 2; all request 1 or 2; the pod has priority 0 or 1",
            pending=WAITING,
            nodes=nodes((1, 2)),
            others=(
                *BOUND,
                *(late(priority=priority, containers=containers(cpu)) for priority in (1, 2) for cpu in (1, 2)),
            ),
        ),
        asks=ROOM_LEFT,
    ),
    Row(
        name="eviction-without-preemptor",
        title="A pod is evicted although its preemptor no longer exists.",
        code="Evictions continue after the preemptor was deleted.",
        documentation="Pods are evicted to make the scheduling of a pending pod possible (Pod Priority and Preemption).",
        source=ASYNC,
        witnesses=("kubernetes", FOR_NOMINATED_POD),
        answers=violated(FOR_NOMINATED_POD),
        covers=evicted_without_preemptor,
        domain=Domain(
            "1 node of 1 or 2 cpus and at most 2 other pods, which run there, with priority 0 or 1; all request 1 or 2; the"
            " pod has priority 0 or 1, and may be deleted",
            pending=WAITING,
            nodes=nodes((1, 2)),
            others=BOUND,
        ),
        asks=FOR_NOMINATED_POD,
    ),
)
"""The rows on the fate of a nomination."""
