"""The Deployment and ReplicaSet controllers: rounding, the order of scaling, and which pods go first"""

import pytest

from schedcheck.model.controllers.deployment import fenceposts, synced
from schedcheck.model.controllers.replica_set import available, missing, surplus
from schedcheck.model.controllers.rollouts import placed
from schedcheck.model.rollouts import Rollout
from tests.support.building import pod


def rollout(replicas: int, surge: int = 0, unavailable: int = 1, **fields: object) -> Rollout:
    forms = tuple(pod(f"new-{number}", uid="new") for number in range(replicas))
    former = tuple(pod(f"old-{number}") for number in range(replicas))
    return Rollout("Deployment", "web", "default", replicas, forms, former, "new", surge, unavailable, **fields)


@pytest.mark.parametrize(
    ("surge", "unavailable", "replicas", "resolved"),
    [
        # The comment above ResolveFenceposts: surge is rounded up, unavailable down, and 0 and 0 become 0 and 1.
        ("25%", "25%", 10, (3, 2)),
        ("25%", "25%", 4, (1, 1)),
        ("25%", "25%", 3, (1, 0)),
        ("25%", "25%", 1, (1, 0)),
        ("0%", "1%", 1, (0, 1)),
        ("0%", "1%", 99, (0, 1)),
        ("0%", "1%", 100, (0, 1)),
        ("1%", "0%", 1, (1, 0)),
        (2, "10%", 1, (2, 0)),
        (0, 0, 5, (0, 1)),
        ("100%", 0, 7, (7, 0)),
    ],
)
def test_the_limits_are_rounded(
    surge: int | str, unavailable: int | str, replicas: int, resolved: tuple[int, int]
) -> None:
    assert fenceposts(surge, unavailable, replicas) == resolved


@pytest.mark.parametrize(
    ("scales", "ready", "after"),
    [
        # The example in the comment of reconcileOldReplicaSets: 10 replicas, maxUnavailable 2, maxSurge 3.
        ((10, 0), (10, 0), (10, 3)),
        ((10, 3), (10, 0), (8, 3)),
        ((8, 3), (8, 0), (8, 5)),
        # Case 1: the new pods never become available, and one of the old ones fails: 13 - 8 - 5 = 0.
        ((8, 5), (7, 0), (8, 5)),
        ((8, 5), (8, 1), (7, 5)),
        # The old one that is unavailable goes first.
        ((8, 5), (7, 1), (7, 5)),
        # The status still counts a pod that is to be deleted: the controller waits.
        ((7, 6), (8, 2), (7, 6)),
        ((0, 10), (0, 10), (0, 10)),
    ],
)
def test_a_rolling_update_scales_as_the_comments_of_kubernetes_say(
    scales: tuple[int, int], ready: tuple[int, int], after: tuple[int, int]
) -> None:
    assert synced(rollout(10, 3, 2), scales, ready, former_left=True) == after


def test_recreate_creates_pods_once_every_former_one_has_ended() -> None:
    made = rollout(2, recreate=True)
    assert synced(made, (2, 0), (2, 0), former_left=True) == (0, 0)
    assert synced(made, (0, 0), (0, 0), former_left=True) == (0, 0)
    assert synced(made, (0, 0), (0, 0), former_left=False) == (0, 2)


def test_more_unavailable_pods_than_replicas_are_as_many() -> None:
    assert synced(rollout(2, 0, 9), (2, 0), (2, 0), former_left=True) == (0, 0)


READY = {"phase": "Running"}


def test_pods_are_deleted_in_the_order_of_kubernetes() -> None:
    pods = [
        pod("a", on="n0", **READY),
        pod("b", on="n0", **READY),
        pod("c", on="n1", **READY),
        pod("d", on="n1"),
        pod("e"),
    ]
    order = []
    while pods:
        there = {each.key: each for each in pods}
        gone = surplus(pods, there, len(pods) - 1, pods, {})
        order.append({each.name for each in gone})
        pods.remove(min(gone, key=lambda each: each.name))
    # Unbound, then not available, then doubled up on a node; among the others times decide, so any may go.
    assert order == [{"e"}, {"d"}, {"a", "b"}, {"b", "c"}, {"c"}]


def test_the_least_deletion_cost_goes_before_pods_that_share_a_node() -> None:
    pods = [pod("a", on="n0", **READY), pod("b", on="n0", **READY), pod("c", on="n1", **READY)]
    there = {each.key: each for each in pods}
    costs = {("default", "a"): 5, ("default", "b"): 5}
    assert [each.name for each in surplus(pods, there, 2, pods, costs)] == ["c"]
    # Pods of all ReplicaSets of the Deployment count as sharing a node.
    related = [*pods, pod("old-1", on="n1", **READY), pod("old-2", on="n1", **READY)]
    assert [each.name for each in surplus(pods, there, 2, related, {})] == ["c"]


def test_a_pod_that_is_deleted_is_no_replica_but_keeps_its_name() -> None:
    forms = [pod("a"), pod("b")]
    going = {("default", "a"): pod("a", on="n", terminating=True)}
    made = missing(forms, going, 2)
    assert made is not None and made.name == "b"
    assert missing(forms, {**going, ("default", "b"): pod("b")}, 2) is None
    assert not available(pod("a", on="n", phase="Running", terminating=True))


def test_a_rollout_is_complete_with_bound_pods_of_the_present_template_alone() -> None:
    made = rollout(1)
    new, old = pod("new-0", uid="new", on="n"), pod("old-0", on="n")
    assert placed(made, {new.key: new})
    assert not placed(made, {new.key: pod("new-0", uid="new")})
    assert not placed(made, {new.key: new, old.key: old})
    assert placed(made, {new.key: new, old.key: pod("old-0", on="n", terminating=True)})
