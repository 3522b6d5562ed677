"""The drawn contests reach what they are drawn for: crowded nodes, and every kind of pod that matters in preemption"""

from collections import Counter
from collections.abc import Iterator

from hypothesis import HealthCheck, given, settings

from schedcheck.checker.drawing.contests import contests
from schedcheck.checker.drawing.objects import UNIT
from schedcheck.spec.objects import Pod, Snapshot

WANTED = {
    *(("asks for whole cpus", cpus) for cpus in (0, 1, 2)),
    *(("holds port 80 of", address) for address in ("", "10.0.0.1")),
    *(("has priority", priority) for priority in (-1, 0, 1, 5, 6)),
    *(("is terminating", preempted) for preempted in (False, True)),
    *(("may preempt", policy) for policy in ("PreemptLowerPriority", "Never")),
    *(("is nominated to", node) for node in ("", "n0", "n1", "gone")),
    *(("budgets", number) for number in (0, 1, 2)),
    *(("nodes", number) for number in (1, 2)),
    *(("disruptions allowed", number) for number in (-1, 0, 1, 2)),
    ("waits for a node", True),
}
"""All that is to be drawn at least once."""


def reached(one: Pod, there: Snapshot) -> Iterator[tuple[str, object]]:
    """Yield what this contest is an example of."""
    for each in (one, *there.pods):
        (container,) = each.containers
        yield "asks for whole cpus", container.requests["cpu"] / UNIT
        yield from (("holds port 80 of", port.ip) for port in container.ports if port.port == 80)
        yield "has priority", each.priority
        if each.terminating:
            yield "is terminating", each.preempted
        if not each.node_name and each != one:
            yield "waits for a node", each.nominated_node_name in {node.name for node in there.nodes}
    yield "may preempt", one.preemption_policy
    yield "is nominated to", one.nominated_node_name
    yield "budgets", len(there.budgets)
    yield "nodes", len(there.nodes)
    yield from (("disruptions allowed", each.disruptions_allowed) for each in there.budgets)


def crowded(one: Pod, there: Snapshot) -> bool:
    """Whether the pod lacks cpu, or a place, on every node."""

    def free(name: str, resource: str) -> int:
        node = next(each for each in there.nodes if each.name == name)
        own = [each for each in there.pods if each.node_name == name]
        asked = len(own) if resource == "pods" else sum(each.containers[0].requests["cpu"] for each in own)
        return node.allocatable[resource] - asked

    wanted = one.containers[0].requests["cpu"]
    return all(free(each.name, "pods") < 1 or (wanted and free(each.name, "cpu") < wanted) for each in there.nodes)


def test_the_drawn_contests_reach_what_they_are_for() -> None:
    seen: set[tuple[str, object]] = set()
    numbers: Counter[bool] = Counter()

    @settings(max_examples=250, suppress_health_check=list(HealthCheck))
    @given(contests())
    def measured(contest: tuple[Pod, Snapshot]) -> None:
        one, there = contest
        seen.update(reached(one, there))
        numbers[crowded(one, there)] += 1
        assert one not in there.pods and one.priority == 5
        assert not any(each.terminating for each in there.pods if not each.node_name), "the API deletes it at once"
        assert not any(each.preempted for each in there.pods if not each.terminating)

    measured()
    assert seen == WANTED
    assert numbers[True] > numbers[False] / 2, "a pod that fits preempts nobody"
