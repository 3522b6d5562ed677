"""Rows on kube-scheduler's choice of victims, compared with every possible choice: `CHOOSING`.

kube-scheduler first removes all potential victims and then reprieves them one at a time. A possible choice is any set
of potential victims on a node where evictions may help, without which the pod would fit. Each budget is charged only
for the pods that are evicted.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from schedcheck.checker.divergences.builders import APP, DAYS, FOR_APP, bound, budgets, containers, nodes, waiting
from schedcheck.checker.divergences.case import Case
from schedcheck.checker.divergences.domain import Domain
from schedcheck.checker.divergences.row import Answers, Row
from schedcheck.spec.decisions import Nominate
from schedcheck.spec.importance import by_importance
from schedcheck.spec.kubernetes.control_loop import decision, taken_up
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.filter import verdicts
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.preemption.choice import Casualty, casualty
from schedcheck.spec.kubernetes.preemption.disruption import violations
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, DryRun
from schedcheck.spec.kubernetes.preemption.potential_victims import potential_victims
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.published.preemption import subsets
from schedcheck.spec.values import NO_LABELS

EVICTED_ALONE = DEFAULT_PLUGINS.departures - {Departure.BUDGETS_CHARGED_FOR_ALL}


@dataclass(frozen=True)
class Choice:
    """A node, the victims on it, and the damage, compared item by item."""

    node: Node
    victims: frozenset[Pod]
    damage: Casualty

    @property
    def violations(self) -> int:
        """The number of victims that violate a budget."""
        return self.damage[0]


def chosen(decided: Nominate, snapshot: Snapshot) -> Choice:
    """Return a nomination as a choice."""
    order = by_importance(sorted(decided.victims, key=lambda pod: pod.key))
    number = violations(order, decided.victims, snapshot.budgets, EVICTED_ALONE)
    return Choice(decided.node, decided.victims, casualty(Candidate(decided.node, order, number)))


def choices(pod: Pod, snapshot: Snapshot) -> Iterator[Choice]:
    """Yield every possible choice."""
    for info in DryRun(taken_up(pod, snapshot, DEFAULT_PLUGINS)).potential_nodes:
        for victims in subsets(frozenset(potential_victims(pod, info))):
            left = taken_up(pod, snapshot - victims, DEFAULT_PLUGINS)
            if victims and verdicts(left)[info.node.name].refusal is None:
                yield chosen(Nominate(pod, info.node, victims), snapshot)


def more(made: Choice, other: Choice) -> bool:
    """Whether a choice evicts more pods than another that does less damage."""
    return other.damage < made.damage and len(other.victims) < len(made.victims)


def more_important(made: Choice, other: Choice) -> bool:
    """Whether a choice does more damage than another that evicts no fewer pods."""
    return other.damage < made.damage and len(other.victims) >= len(made.victims)


def violating(made: Choice, other: Choice) -> bool:
    """Whether a choice violates a budget and the other violates none."""
    return other.violations == 0 < made.violations


Worse = Callable[[Choice, Choice], bool]


def held_against(worse: Worse) -> Callable[[Case], Answers]:
    """Return a function from a case to kube-scheduler's decisions, and those that no choice beats.

    If every decision is beaten, the second are the choices of least damage.
    """

    def answers(case: Case) -> Answers:
        made = [each for each in decision(case.pod, case.snapshot, DEFAULT_PLUGINS) if isinstance(each, Nominate)]
        every = list(choices(case.pod, case.snapshot)) if made else []
        fine = not made or any(not any(worse(chosen(each, case.snapshot), other) for other in every) for each in made)
        least = min((each.damage for each in every), default=None)
        better = {Nominate(case.pod, each.node, each.victims) for each in every if each.damage == least}
        return frozenset(map(str, made)), frozenset(map(str, made if fine else better))

    return answers


def where(worse: Worse) -> Callable[[object, Snapshot], bool]:
    """Return the predicate whether a decision is a nomination that another choice beats."""

    def covers(decided: object, snapshot: Snapshot) -> bool:
        if not isinstance(decided, Nominate):
            return False
        made = chosen(decided, snapshot)
        return any(worse(made, other) for other in choices(decided.pod, snapshot))

    return covers


PREEMPTION = "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go, SelectVictimsOnNode"

CHOOSING = (
    Row(
        name="reprieve-evicts-more",
        title="Reprieve evicts more pods than another choice that does less damage.",
        code="All potential victims are removed and then reprieved one at a time, in order of importance. An early"
        " reprieved pod may take the room of several later ones. For equally important pods only results that hold in"
        " every order count here.",
        documentation="Preemption should evict few and unimportant pods: kube-scheduler compares the number of victims"
        " between nodes. Nothing promises that the victims on one node are the least possible.",
        source=PREEMPTION,
        witnesses=("kubernetes", "least casualty"),
        answers=held_against(more),
        covers=where(more),
        domain=Domain(
            "1 node of 1 to 5 cpus and at most 3 other pods of priority 0 or 1, started on one of two days, that request 1 or"
            " 2; the pod has priority 1 or 2 and requests 1 or 2",
            pending=tuple(
                waiting(priority=priority, containers=containers(cpu)) for priority in (1, 2) for cpu in (1, 2)
            ),
            nodes=nodes(range(1, 6)),
            others=tuple(
                bound(priority=priority, start_time=start, containers=containers(cpu))
                for priority in (0, 1)
                for start in DAYS[:2]
                for cpu in (1, 2)
            ),
            most_others=3,
        ),
    ),
    Row(
        name="reprieve-evicts-more-important",
        title="Reprieve does more damage than another choice with at least as many victims: it evicts more important"
        " pods.",
        code="Pods whose eviction would violate a budget are reprieved before all others, even before pods of higher"
        " priority. And pods that are not evicted in the end use up the budget.",
        documentation="The pods of the lowest priority are evicted first.",
        source=f"{PREEMPTION}, filterPodsWithPDBViolation",
        witnesses=("kubernetes", "least casualty"),
        answers=held_against(more_important),
        covers=where(more_important),
        domain=Domain(
            "1 node of 1 to 3 cpus, at most 3 other pods of priority 0 or 1 that request 1, with the label `app=a` or none,"
            " and at most 1 budget over those with the label, which allows 0 or 1 disruptions; the pod has priority 2 and"
            " requests 1 or 2",
            pending=tuple(waiting(priority=2, containers=containers(cpu)) for cpu in (1, 2)),
            nodes=nodes((1, 2, 3)),
            others=tuple(
                bound(labels=labels, priority=priority, containers=containers(1))
                for labels in (NO_LABELS, APP)
                for priority in (0, 1)
            ),
            budgets=budgets(FOR_APP),
            most_others=3,
            most_budgets=1,
        ),
    ),
    Row(
        name="budget-violated-needlessly",
        title="A nomination violates a budget although another choice violates none.",
        code="The pods that violate a budget are determined before the reprieve, as if all potential victims were"
        " evicted. The reprieve spares the first of them that fit. The victims that remain may be more than the budget"
        " allows.",
        documentation="Preemption tries to find victims whose budgets are not violated, and evicts others only if it"
        " finds none (Pod Priority and Preemption).",
        source=f"{PREEMPTION}, filterPodsWithPDBViolation; kubernetes#129136",
        witnesses=("kubernetes", "least casualty"),
        answers=held_against(violating),
        covers=where(violating),
        domain=Domain(
            "1 node of 1 to 4 cpus, at most 3 other pods of priority 0, started on one of three days, that request 1 or 2, with"
            " the label `app=a` or none, and at most 1 budget over those with the label, which allows 0 to 2 disruptions;"
            " the pod has priority 1 and requests 1 or 2",
            pending=tuple(waiting(priority=1, containers=containers(cpu)) for cpu in (1, 2)),
            nodes=nodes((1, 2, 3, 4)),
            others=tuple(
                bound(labels=labels, start_time=start, containers=containers(cpu))
                for labels in (NO_LABELS, APP)
                for start in DAYS
                for cpu in (1, 2)
            ),
            budgets=budgets(FOR_APP, most=2),
            most_others=3,
            most_budgets=1,
        ),
        quick=False,
    ),
)
"""The rows on kube-scheduler's choice of victims."""
