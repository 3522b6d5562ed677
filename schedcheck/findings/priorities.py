"""The priorities that may evict or starve others: `of_priorities`.

Rules: priority-evicts, priority-starves. Both are facts about every order of events, not about what is likely.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from schedcheck.findings.finding import Finding, Severity, Thing
from schedcheck.findings.words import counted
from schedcheck.manifests import Cluster
from schedcheck.spec.binding import completed

EVICTS, STARVES = "priority-evicts", "priority-starves"
NEVER = "Never"


@dataclass(frozen=True)
class Level:
    """The pods of one priority and preemption policy, by the classes that give them."""

    priority: int
    policy: str
    number: int
    name: str

    def __str__(self) -> str:
        return f"{self.name} ({self.priority:,})" if self.name else f"priority {self.priority:,}"


def levels(cluster: Cluster) -> tuple[Level, ...]:
    """Return the levels that pods of the input have, from the lowest."""
    numbers: dict[tuple[int, str], int] = {}
    for pod in cluster.pods:
        if not completed(pod):
            key = pod.priority, pod.preemption_policy
            numbers[key] = numbers.get(key, 0) + 1
    return tuple(
        Level(priority, policy, number, _classes(priority, policy, cluster))
        for (priority, policy), number in sorted(numbers.items())
    )


def _classes(priority: int, policy: str, cluster: Cluster) -> str:
    """Return the names of the classes with this value and policy; else of those with the value."""
    same = [each for each in cluster.classes if each.value == priority]
    exact = [each.name for each in same if each.preemption_policy == policy]
    return "/".join(exact or [each.name for each in same])


def of_priorities(cluster: Cluster) -> Iterator[Finding]:
    """Yield for each level which pods it may evict, and by which others its own pods may starve."""
    found = levels(cluster)
    for level in found:
        below = [each for each in found if each.priority < level.priority]
        above = [each for each in found if each.priority > level.priority]
        if below and level.policy != NEVER:
            text = f"Its {_pods(level)} may evict any of {_number(below)} of lower priority: {_listed(below)}."
            yield _finding(EVICTS, level, "preemptionPolicy", text)
        if above:
            never = [each for each in above if each.policy == NEVER]
            rest = "" if not never else f"; those of {', '.join(map(str, never))} go first without evicting any"
            text = (
                f"Its {_pods(level)} may wait forever, if pods of higher priority keep coming: {_listed(above)}{rest}."
            )
            yield _finding(STARVES, level, "value", text)


def _finding(rule: str, level: Level, field: str, text: str) -> Finding:
    thing = Thing("PriorityClass", "", level.name) if level.name else Thing("Priority", "", str(level.priority))
    return Finding(rule, Severity.NOTE, thing, field, text)


def _pods(level: Level) -> str:
    return f"{counted(level.number, 'pod')} of priority {level.priority:,}"


def _number(found: list[Level]) -> str:
    return counted(sum(each.number for each in found), "pod")


def _listed(found: list[Level]) -> str:
    return ", ".join(f"{each.number:,} of {each}" for each in found)
