"""The choice of the candidate node for preemption: `casualty`, `selected`.

Kubernetes 1.34: pickOneNodeForPreemption in pkg/scheduler/framework/preemption/preemption.go.
"""

from collections.abc import Collection

from schedcheck.spec.footprints import looks_at
from schedcheck.spec.importance import OFFSET, started
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate

Casualty = tuple[int, int, int, int, tuple[bool, int]]


@looks_at("victims.priority", "victims.start_time")
def casualty(candidate: Candidate) -> Casualty:
    r"""Return the damage that a candidate does, compared lexicographically.

    The items are: the number of victims that violate a budget; the highest priority of a victim; the sum of the
    priorities; the number of victims; and the earliest start time among the victims of the highest priority, later
    being better.

    TLA+: Damage(Chosen) ==
            LET Priority(Pod) == Pod.Spec.Priority
                Highest == Max({Priority(Pod) : Pod \in Chosen.Victims})
            IN <<Chosen.Violations,
                 Highest,
                 Sum([Pod \in Chosen.Victims |-> Priority(Pod) + PriorityOffset]),
                 Cardinality(Chosen.Victims),
                 -Min({Pod.Status.StartTime : Pod \in {Each \in Chosen.Victims : Priority(Each) = Highest}})>>
    """
    victims = candidate.victims
    highest = max(pod.priority for pod in victims)
    without_start, start = min(started(pod) for pod in victims if pod.priority == highest)
    return (
        candidate.violations,
        candidate.leading,
        sum(pod.priority + OFFSET for pod in victims),
        len(victims),
        (not without_start, -start),
    )


def selected(candidates: Collection[Candidate]) -> tuple[Candidate, ...]:
    r"""Return the candidates of least casualty, any of which may be nominated.

    TLA+: NoWorse(Tuple, Other) ==
            \/ Tuple = Other
            \/ \E i \in DOMAIN Tuple : Tuple[i] < Other[i] /\ \A j \in 1 .. i - 1 : Tuple[j] = Other[j]
    """
    least = min((casualty(candidate) for candidate in candidates), default=None)
    return tuple(candidate for candidate in candidates if casualty(candidate) == least)
