"""A scheduler sees placed pods and its own pending ones; the unseen pods are counted"""

from collections.abc import Callable

import pytest

from schedcheck.manifests import Cluster, seen

Read = Callable[[str], Cluster]

NODE = "{kind: Node, metadata: {name: n1}, status: {capacity: {cpu: 9}}}\n---\n"


def pod(name: str, spec: str = "{}", status: str = "{}", metadata: str = "") -> str:
    return f"{{kind: Pod, metadata: {{name: {name}, uid: u, {metadata}}}, spec: {spec}, status: {status}}}\n---\n"


DELETED = "deletionTimestamp: '2026-01-01T00:00:00Z'"
GATES = "schedulingGates: [{name: x}]"


@pytest.mark.parametrize(
    "text",
    [
        pod("a"),
        pod("a", "{nodeName: n1}", "{phase: Running}"),
        pod("a", "{nodeName: n1, schedulerName: other}"),
        pod("a", "{nodeName: n1}", metadata=DELETED),
        pod("a", f"{{nodeName: n1, {GATES}}}"),
        pod("a", "{schedulingGates: []}"),
        pod("a", "{nodeName: n1}", "{phase: Unknown}"),
    ],
)
def test_a_placed_or_pending_pod_is_seen(read_text: Read, text: str) -> None:
    cluster = read_text(NODE + text)
    assert seen(cluster) == cluster


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (pod("a", "{nodeName: n1}", "{phase: Succeeded}"), "ended"),
        (pod("a", status="{phase: Failed}"), "ended"),
        (pod("a", "{nodeName: n2}"), "on a node that the input lacks"),
        (pod("a", metadata=DELETED), "deleted before it had a node"),
        (pod("a", f"{{{GATES}}}"), "held back by its scheduling gates"),
        (pod("a", "{schedulerName: other}"), "waiting for the scheduler other"),
    ],
)
def test_an_ended_lost_gated_or_foreign_pod_is_not_seen_with_a_note(read_text: Read, text: str, reason: str) -> None:
    cluster = seen(read_text(NODE + text))
    assert (cluster.pods, cluster.notes) == ((), (f"not seen: 1 pod {reason} (a)",))
    assert seen(cluster) == cluster


def test_the_scheduler_names_can_be_given(read_text: Read) -> None:
    cluster = read_text(NODE + pod("a", "{schedulerName: other}") + pod("b"))
    assert [each.name for each in seen(cluster, {"other"}).pods] == ["a"]
    assert [each.name for each in seen(cluster, {"other", "default-scheduler"}).pods] == ["a", "b"]


def test_placed_and_ended_pods_may_be_left_to_the_model(read_text: Read) -> None:
    text = pod("a", status="{phase: Failed}") + pod("b", "{nodeName: n2}") + pod("c", f"{{{GATES}}}")
    assert [each.name for each in seen(read_text(NODE + text), placed=False).pods] == ["a", "b"]


def test_of_many_unseen_pods_the_first_are_named(read_text: Read) -> None:
    text = "".join(pod(name, status="{phase: Failed}") for name in "abcd")
    assert seen(read_text(NODE + text)).notes == ("not seen: 4 pods ended (a, b, c, …)",)
