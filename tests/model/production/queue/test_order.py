"""The order in which pods leave the backoffQ, and which pod is let in once its preemption has ended"""

from itertools import permutations

import pytest

from schedcheck.model.production.framework.events import NODE_ADDED
from tests.model.production.queue.test_scheduling_queue import GATED, Waiting
from tests.support.building import node, pod


@pytest.mark.parametrize("order", list(permutations("abc")))
def test_pods_whose_backoff_ends_together_leave_by_priority(order: tuple[str, ...]) -> None:
    """Kubernetes 1.34: lessBackoffCompleted in backoff_queue.go falls back to the order of the activeQ."""
    priorities = {"a": 3, "b": 2, "c": 1}
    waiting = Waiting()
    for name in order:
        one = pod(name, 1, priority=priorities[name])
        waiting.pods[one.key] = one
        waiting.queue.add(one)
        waiting.refuse("NodeResourcesFit")
    waiting.queue.move_all(NODE_ADDED, None, node("n1", 1))
    assert [waiting.place(name) for name in "abc"] == ["backing off"] * 3
    popped = [waiting.queue.pop() for _ in range(3)]
    assert [each.pod.name for each in popped if each is not None] == ["a", "b", "c"]


@pytest.mark.parametrize(("there", "ended", "place"), [
    ("2", "2", "active"), ("2", "1", "unschedulable"), ("2", "3", "unschedulable"),
])  # fmt: skip
def test_the_end_of_a_preemption_lets_in_its_own_pod_and_no_other_of_that_name(
    there: str, ended: str, place: str
) -> None:
    gated = pod("p", uid=there, scheduling_gates=GATED)
    waiting = Waiting(gated)
    assert waiting.place("p") == "unschedulable"
    (queued,) = waiting.queue.unschedulable.values()
    queued.info = type(queued.info)(pod("p", uid=there))
    waiting.queue.let_in(pod("p", uid=ended))
    assert waiting.place("p") == place
