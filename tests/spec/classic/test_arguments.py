"""CheckServiceAffinity, NodeLabelPriority and NodePreferAvoidPodsPriority: boundary, inside and outside of each clause"""

from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.spec.classic.filtering import antitone, failures, feasible
from schedcheck.spec.classic.policy import DEFAULT, Classic, LabelPreference, ServiceAffinity, Weighted
from schedcheck.spec.classic.predicates.check_service_affinity import check_service_affinity, wanted
from schedcheck.spec.classic.preemption import permitted
from schedcheck.spec.classic.priorities.node_label import node_label
from schedcheck.spec.classic.priorities.node_prefer_avoid_pods import node_prefer_avoid_pods
from schedcheck.spec.classic.ranking import by_priority, totals
from schedcheck.spec.objects import Node, Pod, Service, Snapshot
from tests.support.building import node, pod, snapshot

WEB = {"app": "web"}
A, B, BARE = (
    node("a", 4, labels={"region": "r1", "zone": "a"}),
    node("b", 4, labels={"region": "r1", "zone": "b"}),
    node("bare", 4),
)
P = pod("p", 1, labels=WEB)


def served(*things: Pod | Node, name: str = "web", **selector: str) -> Snapshot:
    """A snapshot with a service that selects the pods of the app web, or others."""
    return replace(snapshot(*things), services=(Service(name, selector=frozendict(selector or WEB)),))


def affine(*labels: str) -> Classic:
    return replace(DEFAULT, service_affinity=(ServiceAffinity("Zoned", labels),))


def passing(wanted_pod: Pod, there: Snapshot, *labels: str) -> list[str]:
    return [each.name for each in there.nodes if check_service_affinity(wanted_pod, each, there, labels)]


def test_pods_of_a_service_go_where_its_first_pod_is() -> None:
    there = served(P, A, B, BARE, pod("first", on="b", labels=WEB))
    assert passing(P, there, "zone") == ["b"]
    assert passing(P, there, "region") == ["a", "b"]
    assert passing(P, there, "region", "zone") == ["b"]
    assert [each.words for each in failures(P, A, there, affine("zone"))] == ["node(s) didn't match service affinity"]
    assert feasible(P, there, affine("zone")) == (B,)


def test_the_first_pod_of_a_service_goes_anywhere() -> None:
    assert passing(P, served(P, A, B, BARE), "zone") == ["a", "b", "bare"]


def test_a_label_that_the_node_of_the_first_pod_lacks_is_not_wanted() -> None:
    there = served(P, A, B, BARE, pod("first", on="bare", labels=WEB))
    assert wanted(P, there, ("zone",)) == {}
    assert passing(P, there, "zone") == ["a", "b", "bare"]


@pytest.mark.parametrize(
    "other",
    [
        pod("first", labels=WEB),
        pod("first", on="gone", labels=WEB),
        pod("first", on="b", labels=WEB, phase="Succeeded"),
        pod("first", on="b", labels=WEB, namespace="other"),
        pod("first", on="b", labels={"app": "db"}),
    ],
    ids=["not bound", "on a missing node", "ended", "in another namespace", "without the labels"],
)
def test_a_pod_that_is_no_company_wants_nothing(other: Pod) -> None:
    assert passing(P, served(P, A, B, other), "zone") == ["a", "b"]


def test_company_has_all_labels_of_the_pod_whatever_the_service_selects() -> None:
    """A terminating pod counts too."""
    tier = pod("p", 1, labels={**WEB, "tier": "front"})
    there = served(tier, A, B, pod("a-web", on="a", labels=WEB))
    assert passing(tier, there, "zone") == ["a", "b"]
    both = served(tier, A, B, pod("z", on="b", labels={**WEB, "tier": "front", "x": "y"}, terminating=True))
    assert passing(tier, both, "zone") == ["b"]


def test_without_a_service_only_the_node_selector_counts() -> None:
    there = snapshot(P, A, B, BARE, pod("first", on="b", labels=WEB))
    assert passing(P, there, "zone") == ["a", "b", "bare"]
    assert passing(P, served(P, A, B, pod("first", on="b", labels=WEB), app="db"), "zone") == ["a", "b"]
    choosy = pod("p", 1, labels=WEB, node_selector={"zone": "a", "disk": "ssd"})
    assert wanted(choosy, there, ("zone",)) == {"zone": "a"}
    assert passing(choosy, there, "zone") == ["a"]


def test_the_node_selector_goes_before_the_first_pod() -> None:
    choosy = pod("p", 1, labels=WEB, node_selector={"zone": "a"})
    there = served(choosy, A, B, pod("first", on="b", labels=WEB))
    assert wanted(choosy, there, ("region", "zone")) == {"region": "r1", "zone": "a"}


def test_evictions_may_change_which_pod_is_the_first() -> None:
    """The failure is resolvable, and the predicate may fail because a pod is gone."""
    high = pod("high", 1, labels=WEB, priority=9)
    there = served(high, A, node("b", 0, labels={"zone": "b"}), pod("first", 0, "b", labels=WEB), pod("low", 4, "a"))
    assert feasible(high, there, affine("zone")) == ()
    assert not antitone("Zoned", affine("zone")) and not antitone("MatchInterPodAffinity", DEFAULT)
    assert antitone("GeneralPredicates", affine("zone")) and antitone("Zoned", DEFAULT)
    alone = served(high, A, pod("other", 0, "a"))
    assert permitted(high, alone, affine("zone")) == frozenset()


def test_nodes_with_a_label_or_without_it_are_preferred() -> None:
    zone_b = node("b", labels={"zone": ""})
    nodes = (A, zone_b, BARE)
    assert node_label(nodes, LabelPreference("zone", presence=True)) == {"a": 10, "b": 10, "bare": 0}
    assert node_label(nodes, LabelPreference("zone", presence=False)) == {"a": 0, "b": 0, "bare": 10}


def test_a_preference_of_a_label_is_weighted_under_its_own_name() -> None:
    classic = replace(DEFAULT, priorities=(Weighted("Zoned", 3, preference=LabelPreference("zone", presence=True)),))
    there = snapshot(P, A, BARE)
    assert by_priority(P, there.nodes, there, classic) == {"Zoned": {"a": 10, "bare": 0}}
    assert totals(P, there.nodes, there, classic) == {"a": 30, "bare": 0}


@pytest.mark.parametrize(
    ("owner", "uid", "score"),
    [
        (("ReplicaSet", "rs"), "1", 0),
        (("ReplicationController", "rc"), "2", 0),
        (("apps.example.com/v1, Kind=ReplicaSet", "rs"), "1", 0),
        (("ReplicaSet", "rs"), "2", 10),
        (("ReplicaSet", "rs"), "3", 10),
        (("StatefulSet", "ss"), "3", 10),
        (("", ""), "1", 10),
    ],
    ids=[
        "replica set",
        "replication controller",
        "another group",
        "uid of another kind",
        "other uid",
        "other kind",
        "none",
    ],
)
def test_a_node_is_avoided_by_pods_of_the_controllers_that_it_names(
    owner: tuple[str, str], uid: str, score: int
) -> None:
    named = (("ReplicaSet", "1"), ("ReplicationController", "2"), ("StatefulSet", "3"))
    nodes = (replace(A, avoids=named), B)
    one = pod("p", owner=owner, owner_uid=uid)
    assert node_prefer_avoid_pods(one, nodes, snapshot(one, *nodes)) == {"a": score, "b": 10}
