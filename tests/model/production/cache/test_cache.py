"""The scheduler cache: its counts in any order of events, and the equality of an updated snapshot with a newly built
one
"""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schedcheck.model.production.cache.cache import Cache, CacheError
from schedcheck.model.production.cache.node_tree import NodeTree
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Snapshot
from schedcheck.spec.objects import Container, HostPort, Node, NodeImage, Pod, Taint
from tests.support.building import node, pod

ZONE = "topology.kubernetes.io/zone"


def info(name: str, on: str, cpu: float = 1, **fields: object) -> PodInfo:
    return PodInfo(pod(name, cpu, on, **fields))


def used(cache: Cache, name: str) -> int:
    """The cpu counted on a node, in thousandths."""
    return cache.nodes[name].requested["cpu"]


def test_an_assumed_pod_counts_until_it_is_forgotten() -> None:
    cache = Cache()
    cache.add_node(node("n1", 4))
    cache.assume(info("p", "n1"))
    assert used(cache, "n1") == 1000 and cache.is_assumed(("default", "p"))
    cache.forget(info("p", "n1"))
    assert used(cache, "n1") == 0 and cache.pods == {}


def test_an_assumed_pod_is_confirmed_on_the_node_where_it_is_delivered() -> None:
    cache = Cache()
    cache.assume(info("p", "n1"))
    cache.add_pod(info("p", "n1", 2))
    assert used(cache, "n1") == 2000 and not cache.is_assumed(("default", "p"))
    cache.assume(info("q", "n1"))
    cache.add_pod(info("q", "n2"))
    assert used(cache, "n1") == 2000 and used(cache, "n2") == 1000


def test_an_operation_that_contradicts_the_cache_raises_an_error() -> None:
    cache = Cache()
    cache.add_pod(info("p", "n1"))
    cache.assume(info("q", "n1"))
    for wrong in (
        lambda: cache.assume(info("p", "n1")),
        lambda: cache.assume(info("q", "n1")),
        lambda: cache.add_pod(info("p", "n1")),
        lambda: cache.forget(info("p", "n1")),
        lambda: cache.forget(info("q", "n2")),
        lambda: cache.forget(info("unknown", "n1")),
        lambda: cache.update_pod(info("q", "n1")),
        lambda: cache.update_pod(info("p", "n2")),
        lambda: cache.update_pod(info("unknown", "n1")),
        lambda: cache.remove_pod(("default", "unknown")),
        lambda: cache.remove_node("n1"),
        lambda: cache.remove_node("unknown"),
    ):
        with pytest.raises(CacheError):
            wrong()
    assert used(cache, "n1") == 2000


def test_an_assumed_pod_expires_only_after_its_binding_and_if_expiry_is_on() -> None:
    cache = Cache(expires_after=30.0)
    cache.assume(info("p", "n1"))
    assert cache.expire(10**6) == []
    cache.finish_binding(("default", "p"), 100.0)
    assert cache.expire(129.9) == []
    assert cache.expire(130.0) == [("default", "p")] and cache.pods == {}
    cache.add_pod(info("p", "n1"))
    assert used(cache, "n1") == 1000
    for_ever = Cache()
    for_ever.assume(info("p", "n1"))
    for_ever.finish_binding(("default", "p"), 0.0)
    assert for_ever.expire(10**9) == []


def test_a_node_may_be_added_after_its_pods_and_removed_before_them() -> None:
    cache, snapshot = Cache(), Snapshot()
    cache.add_pod(info("p", "n1"))
    cache.update(snapshot)
    assert len(snapshot) == 0
    cache.add_node(node("n1", 4))
    cache.update(snapshot)
    assert seen(snapshot)["n1"]["cpu"] == 1000
    cache.remove_node("n1")
    cache.update(snapshot)
    assert len(snapshot) == 0 and "n1" in cache.nodes
    cache.remove_pod(("default", "p"))
    assert cache.nodes == {}


def test_a_node_that_is_removed_and_added_again_is_listed_once() -> None:
    cache, snapshot = Cache(), Snapshot()
    cache.add_node(node("n1", 4))
    cache.update(snapshot)
    cache.remove_node("n1")
    cache.add_node(node("n1", 2))
    cache.update(snapshot)
    assert snapshot.all().names() == ["n1"]
    assert snapshot.table.allocatable[snapshot.rows[0], 0] == 2000


def test_nodes_are_listed_round_robin_over_the_zones() -> None:
    tree = NodeTree()
    for name, zone in (("a1", "a"), ("a2", "a"), ("a3", "a"), ("b1", "b"), ("c1", ""), ("b2", "b")):
        tree.add(node(name, labels={ZONE: zone} if zone else {}))
    assert tree.names() == ["a1", "b1", "c1", "a2", "b2", "a3"] and len(tree) == 6
    tree.remove(node("a1", labels={ZONE: "a"}))
    tree.update(node("c1"), node("c1", labels={ZONE: "b"}))
    assert tree.names() == ["a2", "b1", "a3", "b2", "c1"]


def test_the_beta_zone_label_takes_precedence_over_the_stable_one() -> None:
    tree = NodeTree()
    old = "failure-domain.beta.kubernetes.io/zone"
    tree.add(node("n1", labels={old: "a", ZONE: "b"}))
    tree.add(node("n2", labels={ZONE: "a"}))
    tree.add(node("n3", labels={ZONE: "b"}))
    assert tree.names() == ["n1", "n3", "n2"]


def test_the_size_of_an_image_is_the_one_reported_by_the_first_node() -> None:
    cache, snapshot = Cache(), Snapshot()
    for name, size in (("n2", 7), ("n1", 5)):
        cache.add_node(replace(node(name), images=(NodeImage(("a:1",), size),)))
    cache.update(snapshot)
    assert snapshot.table.images["a:1"][snapshot.rows].tolist() == [[7, 2], [7, 2]]
    cache.remove_node("n2")
    assert cache.images["a:1"].size == 7 and cache.images["a:1"].nodes == {"n1"}
    cache.update_node(node("n1"))
    assert cache.images == {}


def test_a_node_that_is_unchanged_learns_of_an_image_on_another() -> None:
    cache, snapshot = Cache(), Snapshot()
    for name, size in (("n1", 7), ("n2", 5)):
        cache.add_node(replace(node(name), images=(NodeImage(("a:1",), size),)))
        cache.update(snapshot)
    assert snapshot.table.images["a:1"][snapshot.rows].tolist() == [[7, 2], [7, 2]]


def seen(snapshot: Snapshot) -> dict[str, dict[str, object]]:
    """All that a snapshot records about each node, by node name."""
    table, found = snapshot.table, {}
    for row in snapshot.rows:
        there = table.node(int(row))
        amounts = {name: int(table.requested[row, column]) for name, column in table.resources.items()}
        room = {f"room {name}": int(table.allocatable[row, column]) for name, column in table.resources.items()}
        labels = {
            key: column.values[column.numbers[row]] for key in (ZONE, "a", "b") if (column := table.labels.column(key))
        }
        found[there.name] = {
            **{name: amount for name, amount in {**amounts, **room}.items() if amount},
            "cpu": amounts["cpu"],
            "rated": table.rated[row].tolist(),
            "pods": sorted(pod.key for pod in table.pods_on(int(row))),
            "ports": table.ports(int(row)),
            "labels": labels,
            "taints": table.taint_lists[table.taints[row]],
            "unschedulable": bool(table.unschedulable[row]),
            "kinds": per_kind(snapshot, int(row)),
        }
    return found


def per_kind(snapshot: Snapshot, row: int) -> dict[str, int]:
    """The number of pods of each kind that the pod table counts on a row, for the kinds that occur."""
    table = snapshot.table
    found = {}
    for number, kind in enumerate(table.pods.kinds.kinds):
        mask: Numbers = table.pods.kinds.within(None) & False
        mask[number] = True
        count = int(table.pods.per_node(mask, table.size)[row])
        if count:
            found[str(kind)] = count
    return found


NAMES = ("n1", "n2", "n3")
PODS = ("p1", "p2", "p3", "p4")
NODES = st.builds(
    lambda name, cpu, zone, gpu, taint: node(
        name, cpu, labels={ZONE: zone}, allocatable={"example.com/gpu": gpu}, taints=(Taint(taint, "NoSchedule"),)
    ),
    st.sampled_from(NAMES), st.integers(1, 4), st.sampled_from("ab"), st.integers(0, 1), st.sampled_from("tu"),
)  # fmt: skip


@st.composite
def bound_pods(draw: st.DrawFn) -> Pod:
    label, port = draw(st.sampled_from("ab")), draw(st.sampled_from((0, 80)))
    containers = (Container(pod("", draw(st.integers(0, 2))).containers[0].requests, ports=(HostPort(port),)),)
    return pod(
        draw(st.sampled_from(PODS)), on=draw(st.sampled_from(NAMES)), labels={label: "1"}, containers=containers
    )  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(NODES, bound_pods(), st.sampled_from((*NAMES, *PODS, "look"))), max_size=40))
def test_an_updated_snapshot_equals_a_newly_built_one(changes: list[Node | Pod | str]) -> None:
    """Ports held by two pods of a node are excluded: the first pod that leaves frees the port, as in kube-scheduler."""
    cache, kept = Cache(), Snapshot()
    nodes: dict[str, Node] = {}
    pods: dict[str, Pod] = {}
    for change in changes:
        match change:
            case Node():
                cache.add_node(change)
                nodes[change.name] = change
            case Pod() if change.name not in pods and not _port_taken(change, pods.values()):
                cache.add_pod(PodInfo(change))
                pods[change.name] = change
            case str() if change in nodes:
                cache.remove_node(change)
                del nodes[change]
            case str() if change in pods:
                cache.remove_pod(("default", change))
                del pods[change]
            case "look":
                cache.update(kept)
    cache.update(kept)
    anew, fresh = Cache(), Snapshot()
    for each in nodes.values():
        anew.add_node(each)
    for bound in pods.values():
        anew.add_pod(PodInfo(bound))
    anew.update(fresh)
    assert seen(kept) == seen(fresh)
    assert sorted(kept.all().names()) == sorted(nodes)
    for port in (("0.0.0.0", "TCP", 80), ("10.0.0.1", "TCP", 80)):
        assert _named(kept, kept.table.holders(port)) == _named(fresh, fresh.table.holders(port))


def test_a_pod_that_appears_on_another_node_has_left_its_previous_one() -> None:
    cache, kept = Cache(), Snapshot()
    for name in ("n1", "n2"):
        cache.add_node(node(name, 4))
    cache.add_pod(info("p", "n1", 1, labels={"a": "1"}))
    cache.update(kept)
    cache.remove_pod(("default", "p"))
    cache.add_pod(info("p", "n2", 1, labels={"a": "1"}))
    cache.update(kept)
    fresh = Snapshot()
    cache.update(fresh)
    assert seen(kept) == seen(fresh)
    assert [each.pod.node_name for each in kept.table.pods.infos] == ["n2"]


def _port_taken(asked: Pod, others: Iterable[Pod]) -> bool:
    ports = PodInfo(asked).ports
    return any(other.node_name == asked.node_name and ports & PodInfo(other).ports for other in others)


def _named(snapshot: Snapshot, rows: set[int]) -> set[str]:
    return {snapshot.table.node(row).name for row in rows}


@given(st.lists(bound_pods(), max_size=6))
def test_assuming_and_forgetting_a_pod_leaves_the_snapshot_unchanged(pods: list[Pod]) -> None:
    cache, snapshot = Cache(), Snapshot()
    for name in NAMES:
        cache.add_node(node(name, 4))
    for each in {one.name: one for one in pods}.values():
        if each.name != "p1" and not _port_taken(each, [info.pod for info in cache.pods.values()]):
            cache.add_pod(PodInfo(each))
    cache.update(snapshot)
    before = seen(snapshot)
    assumed = info("p1", "n1", 3, labels={"c": "1"})
    cache.assume(assumed)
    cache.update(snapshot)
    assert seen(snapshot) != before
    cache.forget(assumed)
    cache.update(snapshot)
    assert seen(snapshot) == before
