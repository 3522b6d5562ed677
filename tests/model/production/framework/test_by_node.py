"""Results for many nodes computed node by node, with the pods of a dry run"""

import numpy as np

from schedcheck.model.production.framework.by_node import Pods, ratings, refusals
from schedcheck.model.production.framework.status import Status, unresolvable, unschedulable
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.spec.objects import Node
from tests.model.production.cluster import cluster
from tests.support.building import node, pod, snapshot

X, Y, Z = pod("x", on="a"), pod("y", on="a"), pod("z", on="b")


def nodes() -> Nodes:
    """Three nodes, of which c is empty."""
    return cluster(snapshot(node("a"), node("b"), node("c"), X, Y, Z)).handle.snapshot.all()


def pods_of(some: Nodes) -> list[set[str]]:
    return [{info.pod.name for info in some.pods(place)} for place in range(len(some))]


def test_each_node_is_judged_with_its_own_pods() -> None:
    seen: list[tuple[str, set[str]]] = []

    def says(where: Node, pods: Pods) -> Status | None:
        seen.append((where.name, {each.name for each in pods}))
        return {"a": unschedulable("one", "two"), "b": None, "c": unresolvable("three")}[where.name]

    said = refusals(nodes(), says)
    assert seen == [("a", {"x", "y"}), ("b", {"z"}), ("c", set())]
    assert said.codes.tolist() == [1, 0, 2]
    assert [said.texts(int(reason)) for reason in said.reasons] == [("one", "two"), (), ("three",)]


def test_ratings_are_integers_in_the_order_of_the_nodes() -> None:
    found = ratings(nodes(), lambda where, pods: len(pods))
    assert (found.tolist(), found.dtype) == ([2, 1, 0], np.int64)
    assert len(ratings(nodes().only(np.zeros(0, np.int64)), lambda where, pods: 1)) == 0


def test_a_dry_run_has_its_own_pods_and_no_other_sees_them() -> None:
    some = nodes()
    tried = some.tried()
    w, x = PodInfo(pod("w")), PodInfo(X)
    assert tried.trial is not None
    tried.trial.change([0, 2], [x, w], -1)
    tried.trial.change([1], [w], 1)
    further = tried.tried_further()
    assert further.trial is not None
    further.trial.change([0], [x], 1)
    assert pods_of(some) == [{"x", "y"}, {"z"}, set()]
    assert pods_of(tried) == [{"y"}, {"z", "w"}, set()]
    assert pods_of(further) == [{"x", "y"}, {"z", "w"}, set()]
    assert pods_of(tried.only(np.array([1, 0]))) == [{"z", "w"}, {"y"}]
