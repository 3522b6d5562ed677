"""The audit log of an API server is read as decisions of the scheduler and changes of the cluster"""

from pathlib import Path

import pytest

import schedcheck
from tests.schedcheck.manifests.traces.logs import (
    Object,
    binding,
    call,
    created,
    deleted,
    failure,
    listed,
    node,
    pod,
    stamp,
    written,
)

N1, N2 = node("n1", 2), node("n2", 4)
A, B = pod("a", 2), pod("b", 2)


def replayed(folder: Path, *lines: Object, **options: object) -> schedcheck.Replayed:
    return schedcheck.replay(written(folder, *lines), **options)  # type: ignore[arg-type]


def nodes(*given: Object) -> list[Object]:
    return [created(number / 100, each, "nodes") for number, each in enumerate(given)]


def test_bindings_are_decisions_and_their_pods_are_on_the_nodes_afterwards(tmp_path: Path) -> None:
    start = [*nodes(N1), created(1, A), created(1, B), binding(2, "a", "n1")]
    found = replayed(tmp_path, *start)
    assert (found.form, found.verdicts["allowed"], found.decisions) == ("audit", 1, 1)
    wrong = replayed(tmp_path, *start, binding(9, "b", "n1"))
    assert wrong.first is not None and wrong.first.decided.line == 5
    assert wrong.first.judged.clause == "filters"


def received(seconds: float, event: Object) -> Object:
    return event | {"requestReceivedTimestamp": stamp(seconds)}


def versioned(version: int, given: Object) -> Object:
    return given | {"metadata": given["metadata"] | {"resourceVersion": str(version)}}


def test_a_pod_whose_creation_is_answered_after_its_binding_is_on_the_node_afterwards(tmp_path: Path) -> None:
    bound = binding(2, "a", "n1")
    bound["requestObject"]["metadata"]["uid"] = "uid-a"
    start = [*nodes(N1), bound, received(1.9, created(2.1, A)), created(3, B)]
    assert replayed(tmp_path, *start).verdicts["allowed"] == 1
    wrong = replayed(tmp_path, *start, binding(9, "b", "n1"))
    assert wrong.verdicts["allowed"] == 1
    assert wrong.first is not None and wrong.first.judged.clause == "filters"


def test_an_answer_that_is_logged_late_does_not_bring_back_an_earlier_version(tmp_path: Path) -> None:
    start = [*nodes(N1), created(1, versioned(5, A)), created(1.5, B), binding(2, "a", "n1")]
    late = call(3, "patch", "a", sub="status", request={"status": {}}, response=versioned(4, A))
    found = replayed(tmp_path, *start, late, binding(9, "b", "n1"))
    assert found.first is not None and found.first.judged.clause == "filters"
    end = deleted(3, versioned(7, pod("a", 2, on="n1")), 0)
    ghost = call(4, "patch", "a", sub="status", request={"status": {}}, response=versioned(6, pod("a", 2, on="n1")))
    assert replayed(tmp_path, *start, end, ghost, binding(9, "b", "n1")).verdicts["allowed"] == 2


def test_failure_is_a_decision_with_its_message(tmp_path: Path) -> None:
    text = "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    large = pod("large", 9)
    start = [*nodes(N1), created(1, large)]
    assert replayed(tmp_path, *start, failure(2, large, message=text), strictness="exact").verdicts["allowed"] == 1
    wrong = replayed(tmp_path, *start, failure(2, large, message="no"), strictness="exact")
    assert wrong.first is not None and wrong.first.judged.clause == "event"
    small = replayed(tmp_path, *nodes(N1), created(1, A), failure(9, A))
    assert small.first is not None and small.first.judged.clause == "feasibleNode"


def test_nomination_leaves_the_victims_open_and_counts_until_they_are_gone(tmp_path: Path) -> None:
    low, high = pod("low", 2, on="n1"), pod("high", 2, priority=10)
    start = [*nodes(N1), created(0.5, low), created(1, high), failure(2, high, nominated="n1")]
    ending = [deleted(2.1, low, 30), deleted(20, low, 0)]
    bound = binding(21, "high", "n1")
    assert replayed(tmp_path, *start, *ending, bound).verdicts["allowed"] == 2
    lacking = replayed(tmp_path, *start, ending[0], bound)
    assert lacking.first is not None and lacking.first.judged.clause == "filters"
    other = replayed(tmp_path, *nodes(N1), created(1, high), failure(2, high, nominated="n1"))
    assert other.first is not None and other.first.judged.clause == "feasibleNode"


def test_binding_may_be_known_before_its_call_and_unknown_after_it(tmp_path: Path) -> None:
    start = [*nodes(N1), created(1, A), created(1, B)]
    found = replayed(tmp_path, *start, failure(5, B), binding(5.2, "a", "n1"))
    assert (found.verdicts["allowed"], found.outcome.explained) == (2, 1)
    late = replayed(tmp_path, *start, failure(5, B), binding(9, "a", "n1"))
    assert late.verdicts["refused"] == 1


def test_calls_that_failed_or_are_not_complete_change_nothing(tmp_path: Path) -> None:
    again = [binding(2, "a", "n1", code=409), binding(3, "a", "n1") | {"stage": "RequestReceived"}]
    found = replayed(tmp_path, *nodes(N1), created(1, A), created(1, B), *again, binding(9, "b", "n1"))
    assert (found.decisions, found.verdicts["allowed"]) == (1, 1)


@pytest.mark.parametrize("level", ["RequestResponse", "Request"])
def test_requests_are_enough_for_pods_bindings_and_failures(level: str, tmp_path: Path) -> None:
    lines = [
        *(created(0, each, "nodes", level) for each in (N1,)),
        created(1, A, level=level),
        binding(2, "a", "n1", level),
        created(3, B, level=level),
        failure(9, B, level=level),
        deleted(12, A, 30, level),
        deleted(40, A, 0, level),
        binding(50, "b", "n1", level),
    ]
    found = replayed(tmp_path, *lines)
    assert found.verdicts["allowed"] == found.decisions == 3


def test_level_metadata_leaves_the_node_of_a_binding_unknown(tmp_path: Path) -> None:
    cluster = tmp_path / "cluster.json"
    cluster.write_text(written(tmp_path, listed(N1, A)).read_text())
    found = replayed(tmp_path, binding(2, "a", "n1", "Metadata"), onto=schedcheck.read(cluster))
    assert (found.exit_code, found.verdicts["unknown"]) == (2, 1)
    assert found.notes == ("not known: what 1 call changed, as the level of the log has no objects",)


def test_eviction_makes_a_bound_pod_terminating_and_its_kubelet_ends_it(tmp_path: Path) -> None:
    low = pod("low", 2, on="n1")
    start = [*nodes(N1), created(0.5, low), created(1, A), call(5, "create", "low", sub="eviction", code=201)]
    assert replayed(tmp_path, *start, failure(9, A)).verdicts["allowed"] == 1
    assert replayed(tmp_path, *start, deleted(8, low, 0), binding(8.5, "a", "n1")).verdicts["allowed"] == 1


def test_update_of_a_node_and_deletion_of_several_pods_are_read(tmp_path: Path) -> None:
    cordoned = N2 | {"spec": {"unschedulable": True}}
    update = call(3, "patch", "n2", "nodes", request={"spec": {"unschedulable": True}}, response=cordoned)
    x = pod("x", 2, on="n1")
    collection = call(
        4, "deletecollection", "", response=listed({k: v for k, v in x.items() if k != "kind"}, kind="PodList")
    )
    found = replayed(tmp_path, *nodes(N1, N2), created(1, x), created(1, A), update, collection, binding(9, "a", "n1"))
    assert found.verdicts["allowed"] == 1
    without = replayed(tmp_path, *nodes(N1, N2), created(1, x), created(1, A), collection, binding(9, "a", "n1"))
    assert without.first is not None and without.first.judged.clause == "bestScore"


def test_pod_with_a_finalizer_stays_until_the_finalizer_is_removed(tmp_path: Path) -> None:
    held = pod("held", 2, on="n1", finalizers=["batch.kubernetes.io/job-tracking"])
    ended = held["metadata"] | {"deletionTimestamp": "2026-01-01T00:00:02Z", "deletionGracePeriodSeconds": 0}
    released = held | {"metadata": {key: value for key, value in ended.items() if key != "finalizers"}}
    start = [
        *nodes(N1),
        created(0.5, held),
        created(1, A),
        call(2, "delete", "held", response=held | {"metadata": ended}),
    ]
    assert replayed(tmp_path, *start, failure(5, A)).verdicts["allowed"] == 1
    freed = call(7, "patch", "held", response=released)
    assert replayed(tmp_path, *start, freed, binding(9, "a", "n1")).verdicts["allowed"] == 1


def test_objects_of_other_groups_and_created_without_a_name_are_left_out(tmp_path: Path) -> None:
    other = call(1, "delete", "n1", "nodes", response={"kind": "Status", "apiVersion": "v1"})
    other["objectRef"]["apiGroup"] = "metrics.k8s.io"
    generated = call(1, "create", "", level="Request", request=A | {"metadata": {"generateName": "a-"}})
    found = replayed(tmp_path, *nodes(N1), other, created(1, A), generated, binding(2, "a", "n1"))
    assert (found.exit_code, found.verdicts["allowed"]) == (0, 1)
    assert found.notes == ("not known: what 1 call changed, as the level of the log has no objects",)


def test_event_without_an_object_reference_or_of_another_kind_is_left_out(tmp_path: Path) -> None:
    lease = call(1, "update", "x", "leases")
    health = {key: value for key, value in call(1, "get", "x").items() if key != "objectRef"}
    assert replayed(tmp_path, *nodes(N1), lease, health, created(1, A), binding(2, "a", "n1")).exit_code == 0
