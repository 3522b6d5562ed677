"""The early production scheduler by itself: running sums, metadata, the snapshot, and decisions worked out by hand"""

from dataclasses import replace
from random import Random

import pytest
from frozendict import frozendict

from schedcheck.model.classic.metadata import Metadata
from schedcheck.model.classic.nodes.cache import Cache, Snapshot
from schedcheck.model.classic.nodes.node_info import NodeInfo
from schedcheck.model.classic.nodes.nominated import Nominated
from schedcheck.model.classic.nodes.pod_info import PodInfo, scalar
from schedcheck.model.classic.predicates.disks import limit
from schedcheck.model.classic.preemption import Victims, picked, violates
from schedcheck.model.classic.scheduler import Scheduler
from schedcheck.spec.classic.policy import Classic, Weighted
from schedcheck.spec.objects import Container, HostPort, Node, Pod, PodDisruptionBudget
from schedcheck.spec.terms import LabelSelector
from tests.support.building import HOSTNAME, apart, container, near, node, pod, selector, term

WEB = frozendict(app="web")
ALONE = apart(term(HOSTNAME, selector(app="web")))
KINDS = (
    {},
    {"labels": WEB},
    {"labels": WEB, "affinity": ALONE},
    {"affinity": near(term("zone", selector(app="web")))},
    {"containers": (Container(frozendict(cpu=10**9), ports=(HostPort(80),)),)},
)


def sums(info: NodeInfo) -> object:
    return (
        info.node,
        set(info.pods),
        set(info.with_affinity),
        +info.requested,
        info.rated,
        +info.ports,
    )


def events(chance: Random, scheduler: Scheduler) -> tuple[dict[str, Node], dict[tuple[str, str], Pod]]:
    """Tell the scheduler of random changes, and return what is there in the end."""
    nodes: dict[str, Node] = {}
    pods: dict[tuple[str, str], Pod] = {}
    for _ in range(60):
        name = chance.choice(("n1", "n2", "n3"))
        if chance.random() < 0.2:
            made = (
                None if name in nodes and chance.random() < 0.4 else node(name, 4, labels={"zone": chance.choice("ab")})
            )
            scheduler.node(nodes.pop(name, None), made)
            if made is not None:
                nodes[name] = made
        else:
            key = ("default", chance.choice(("p", "q", "r", "s")))
            new = None
            if key not in pods or chance.random() < 0.6:
                new = pod(key[1], on=chance.choice(("", name)), **chance.choice(KINDS))
                new = replace(new, phase=chance.choice(("Running", "Running", "Failed")))
                new = new if new.node_name else replace(new, nominated_node_name=name)
            scheduler.pod(pods.pop(key, None), new)
            if new is not None:
                pods[key] = new
        if chance.random() < 0.3:
            scheduler.cache.update(scheduler.snapshot)
    return nodes, pods


@pytest.mark.parametrize("start", range(40))
def test_sums_and_snapshot_after_many_changes_equal_those_of_a_new_scheduler(start: int) -> None:
    scheduler, fresh = Scheduler(Classic()), Scheduler(Classic())
    nodes, pods = events(Random(start), scheduler)
    for each in nodes.values():
        fresh.node(None, each)
    for there in pods.values():
        fresh.pod(None, there)
    scheduler.cache.update(scheduler.snapshot)
    fresh.cache.update(fresh.snapshot)
    found, expected = scheduler.snapshot.infos, fresh.snapshot.infos
    assert found.keys() == expected.keys() == nodes.keys()
    assert all(sums(found[name]) == sums(expected[name]) for name in found)
    assert {key for name in nodes for key in (each.key for each in scheduler.nominated.on(name))} == {
        key for key, there in pods.items() if there.nominated_node_name in nodes and there.phase == "Running"
    }
    asked = PodInfo(pod("asked", labels=WEB, affinity=ALONE))
    assert vars(Metadata(asked, scheduler.snapshot)) == vars(Metadata(asked, fresh.snapshot))


def test_a_snapshot_copies_only_nodes_that_have_changed() -> None:
    cache, snapshot = Cache(), Snapshot()
    cache.set_node(node("n1"))
    cache.set_node(node("n2"))
    cache.update(snapshot)
    before = dict(snapshot.infos)
    cache.add_pod(pod("p", on="n2"))
    cache.update(snapshot)
    assert snapshot.infos["n1"] is before["n1"] and snapshot.infos["n2"] is not before["n2"]
    cache.remove_node(node("n1"))
    cache.update(snapshot)
    assert list(snapshot.infos) == ["n2"]


def test_a_pod_may_come_before_its_node_and_stay_after_it() -> None:
    cache, snapshot = Cache(), Snapshot()
    cache.add_pod(pod("p", 1, on="n"))
    cache.update(snapshot)
    assert snapshot.infos == {} and [each.name for each in cache.pods()] == ["p"]
    cache.set_node(node("n", 2))
    cache.update(snapshot)
    assert snapshot.infos["n"].requested["cpu"] == 1000
    cache.remove_node(node("n", 2))
    cache.remove_pod(pod("p", 1, on="n"))
    assert list(cache.pods()) == [] and cache.infos == {}


@pytest.mark.parametrize("start", range(20))
def test_adding_and_removing_a_pod_leaves_node_and_metadata_as_they_were(start: int) -> None:
    chance = Random(start)
    cache, snapshot = Cache(), Snapshot()
    for name in ("n1", "n2"):
        cache.set_node(node(name, 9, labels={HOSTNAME: name, "zone": "a"}))
    for number in range(4):
        cache.add_pod(pod(f"p{number}", 1, on=chance.choice(("n1", "n2")), **chance.choice(KINDS[:4])))
    cache.update(snapshot)
    meta = Metadata(
        PodInfo(pod("asked", labels=WEB, affinity=chance.choice((ALONE, near(term("zone", selector(app="web"))))))),
        snapshot,
    )
    before, info = vars(meta.clone()), snapshot.infos["n1"]
    counted = sums(info.clone())
    other = PodInfo(pod("other", 1, on="n1", **chance.choice(KINDS)))
    info.add_pod(other)
    meta.add_pod(other, info.there)
    info.remove_pod(other)
    meta.remove_pod(other, info.there)
    assert vars(meta) == before and sums(info) == counted


def test_each_container_is_rounded_up_and_init_containers_count_only_for_a_new_pod() -> None:
    half = Container(frozendict(cpu=500_000))  # half a thousandth
    made = PodInfo(Pod("p", containers=(half, half), init_containers=(container(3), container(2))))
    assert made.used == {"cpu": 2}
    assert made.request == {"cpu": 3000}
    assert made.rated == {"cpu": 2, "memory": 2 * 200 * 2**20}


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("cpu", False), ("example.com/gpu", True), ("hugepages-2Mi", True), ("attachable-volumes-gce-pd", True),
        ("kubernetes.io/x", True), ("requests.example.com/gpu", False), ("odd", False), ("pods", False),
        ("requests.kubernetes.io/x", True),
    ],
)  # fmt: skip
def test_a_scalar_resource_is_extended_native_or_prefixed(name: str, counts: bool) -> None:
    assert scalar(name) is counts


@pytest.mark.parametrize(
    ("text", "most"),
    [("", 39), ("5", 5), ("+5", 5), ("0", 39), ("-5", 39), ("x", 39), ("9" * 19, 39), (str(2**63 - 1), 2**63 - 1), ("++5", 39)],
)  # fmt: skip
def test_the_limit_of_the_environment_is_a_positive_integer_of_64_bits(text: str, most: int) -> None:
    assert limit(text, 39) == most


def test_a_later_nomination_replaces_an_earlier_one() -> None:
    nominated = Nominated()
    nominated.put(pod("p", nominated_node_name="n1"))
    nominated.put(pod("p", nominated_node_name="n2"))
    assert (nominated.on("n1"), [each.key for each in nominated.on("n2")]) == ([], [("default", "p")])
    nominated.put(pod("p"))
    assert nominated.on("n2") == []


def victims(*pods: Pod, violations: int = 0) -> Victims:
    return Victims(pods, violations)


def old(name: str, priority: int, start: int | None) -> Pod:
    return replace(pod(name, priority=priority), start_time=start)


@pytest.mark.parametrize(
    ("found", "chosen"),
    [
        ({"a": victims(pod("v", priority=9), violations=1), "b": victims(pod("w", priority=10))}, ["b"]),
        ({"a": victims(pod("v", priority=2)), "b": victims(pod("w", priority=1), pod("x", priority=1))}, ["b"]),
        ({"a": victims(pod("v", priority=-5)), "b": victims(pod("w", priority=-5), pod("x", priority=-5))}, ["a"]),
        ({"a": victims(old("v", 1, 5)), "b": victims(old("w", 1, 7))}, ["b"]),
        ({"a": victims(old("v", 1, 5)), "b": victims(old("w", 1, None))}, ["b"]),
        ({"a": victims(pod("v")), "b": victims()}, ["b"]),
        ({"a": victims(pod("v")), "b": victims(pod("w"))}, ["a", "b"]),
        ({}, []),
    ],
)
def test_nodes_are_compared_by_budgets_highest_priority_sum_number_and_start(
    found: dict[str, Victims], chosen: list[str]
) -> None:
    assert picked(found) == chosen


def test_a_budget_with_an_empty_selector_or_a_pod_without_labels_is_not_guarded() -> None:
    none_left = PodDisruptionBudget("b", selector=LabelSelector(WEB))
    assert violates(pod("p", labels=WEB), [none_left])
    assert not violates(pod("p"), [replace(none_left, selector=LabelSelector())])
    assert not violates(pod("p", labels=WEB), [replace(none_left, selector=LabelSelector())])
    assert not violates(pod("p", labels=WEB), [replace(none_left, disruptions_allowed=1)])
    assert not violates(pod("p", labels=WEB, namespace="other"), [none_left])


def told(scheduler: Scheduler, *things: Pod | Node) -> Scheduler:
    for each in things:
        if isinstance(each, Node):
            scheduler.node(None, each)
        else:
            scheduler.pod(None, each)
    return scheduler


def test_all_nodes_of_the_highest_sum_are_hosts() -> None:
    least = Classic(priorities=(Weighted("LeastRequestedPriority", 3),))
    scheduler = told(Scheduler(least), node("n1", 4), node("n2", 2), node("n3", 4))
    found = scheduler.schedule(pod("p", 1))
    # 7 of 10 tenths of the cpu are left on 4 cpus, 5 on 2; there is no memory. Half of 7 and of 5, cut, times 3.
    assert (found.hosts, found.scores.totals) == (("n1", "n3"), {"n1": 9, "n2": 6, "n3": 9})


def test_without_priorities_every_node_scores_1() -> None:
    scheduler = told(Scheduler(Classic(priorities=())), node("n1", 1), node("n2", 2))
    assert scheduler.schedule(pod("p", 1)).scores.totals == {"n1": 1, "n2": 1}


def test_a_cluster_without_nodes_has_its_own_message() -> None:
    assert Scheduler(Classic()).schedule(pod("p")).message == "no nodes available to schedule pods"


def test_a_pod_of_no_lower_priority_keeps_the_room_to_which_it_is_nominated() -> None:
    scheduler = told(Scheduler(Classic()), node("n1", 1), pod("first", 1, nominated_node_name="n1"))
    assert scheduler.schedule(pod("p", 1)).hosts == ()
    higher = scheduler.schedule(pod("p", 1, priority=1))
    assert (higher.hosts, higher.nominated) == (("n1",), ())
    assert scheduler.schedule(pod("first", 1, nominated_node_name="n1")).hosts == ("n1",)


def test_a_preemptor_takes_the_nomination_of_pods_of_lower_priority() -> None:
    scheduler = told(
        Scheduler(Classic()), node("n1", 1), pod("v", 1, on="n1"), pod("low", 1, priority=1, nominated_node_name="n1")
    )
    found = scheduler.schedule(pod("p", 1, priority=2))
    assert found.nominated == ("n1",) and [each.name for each in found.outranked["n1"]] == ["low"]
    assert [each.name for each in found.tried["n1"].pods] == ["v"]


def test_evictions_that_do_not_suffice_clear_no_nomination() -> None:
    scheduler = told(Scheduler(Classic()), node("n1", 1), pod("v", 1, on="n1"))
    assert not scheduler.schedule(pod("p", 2, priority=2, nominated_node_name="n1")).cleared
    unready = told(Scheduler(Classic()), replace(node("n1", 1), ready="False"))
    assert unready.schedule(pod("p", 1, priority=2, nominated_node_name="n1")).cleared
