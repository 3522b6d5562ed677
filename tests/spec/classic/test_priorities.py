"""The priorities: the cases of Kubernetes' own tests of 1.2 to 1.6, and a boundary case for each clause"""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.spec.classic.predicates.no_volume_zone_conflict import REGION, STABLE, ZONE
from schedcheck.spec.classic.priorities.balanced_resource_allocation import balanced_resource_allocation
from schedcheck.spec.classic.priorities.image_locality import bucket, image_locality
from schedcheck.spec.classic.priorities.least_requested import least_requested
from schedcheck.spec.classic.priorities.node_affinity import node_affinity
from schedcheck.spec.classic.priorities.selector_spread import selector_spread, service_spreading
from schedcheck.spec.classic.priorities.service_anti_affinity import service_anti_affinity
from schedcheck.spec.objects import Container, Controller, Node, NodeImage, Pod, Service, Snapshot
from schedcheck.spec.terms import Affinity, LabelSelector, NodeSelectorTerm, PreferredNodeTerm, Requirement
from tests.support.building import UNIT, node, node_term, pod, selector, snapshot

MEBIBYTE = 1024 * 1024


def sized(name: str, cpu: int, memory: int, **fields: object) -> Node:
    return node(name, allocatable={"cpu": cpu, "memory": memory}, **fields)


def asking(name: str, *requests: tuple[int, int], on: str = "") -> Pod:
    """A pod with one container for each pair of requests, in thousandths of a cpu and bytes."""
    made = (Container(frozendict(cpu=cpu * 10**6, memory=memory * UNIT)) for cpu, memory in requests)
    return pod(name, on=on, containers=tuple(made))


BOTH = ((1000, 2000), (2000, 3000))
CPU = ((1000, 0), (2000, 0))


@pytest.mark.parametrize(
    ("wanted", "nodes", "there", "least", "balanced"),
    [
        ((), ((4000, 10000), (4000, 10000)), (), (10, 10), (10, 10)),
        (BOTH, ((4000, 10000), (6000, 10000)), (), (3, 5), (7, 10)),
        ((), ((10000, 20000), (10000, 20000)), ((0, CPU), (0, CPU), (1, CPU), (1, BOTH)), (7, 5), (4, 6)),
        (BOTH, ((10000, 20000), (10000, 20000)), ((0, CPU), (1, BOTH)), (5, 4), (6, 9)),
        (BOTH, ((10000, 20000), (10000, 50000)), ((0, CPU), (1, BOTH)), (5, 6), (6, 6)),
        (CPU, ((4000, 10000), (4000, 10000)), ((0, CPU), (1, BOTH)), (5, 2), (0, 0)),
        ((), ((0, 0), (0, 0)), ((0, CPU), (1, BOTH)), (0, 0), (0, 0)),
    ],
)
def test_least_requested_and_balanced_allocation_match_the_upstream_cases(
    wanted: tuple[tuple[int, int], ...],
    nodes: tuple[tuple[int, int], ...],
    there: tuple[tuple[int, tuple[tuple[int, int], ...]], ...],
    least: tuple[int, int],
    balanced: tuple[int, int],
) -> None:
    """LeastRequested: the mean of the free tenths of cpu and memory, each truncated; Balanced: 10 minus ten times their
    difference.
    """
    where = [sized(f"n{number}", *size) for number, size in enumerate(nodes)]
    held = [asking(f"p{number}", *each, on=f"n{on}") for number, (on, each) in enumerate(there)]
    known = snapshot(*where, *held)
    assert tuple(least_requested(asking("new", *wanted), where, known, False).values()) == least
    assert tuple(balanced_resource_allocation(asking("new", *wanted), where, known, False).values()) == balanced


def test_a_missing_request_counts_as_a_tenth_of_a_cpu_and_200_mebibytes() -> None:
    where = [sized("n", 1000, 2000 * MEBIBYTE)]
    silent, nothing = pod(containers=(Container(),) * 3), asking("p", (0, 0))
    assert least_requested(silent, where, snapshot(*where), False) == {"n": 7}
    assert least_requested(nothing, where, snapshot(*where), False) == {"n": 10}
    assert least_requested(pod(containers=(), init_containers=(Container(),)), where, snapshot(*where), False) == {
        "n": 10
    }
    there = snapshot(*where, pod("there", on="n", containers=(Container(),) * 3))
    assert least_requested(nothing, where, there, False) == {"n": 7}


def test_scores_use_capacity_by_default_and_allocatable_if_so_configured() -> None:
    where = [sized("n", 1000, 1000, capacity=frozendict(cpu=2000, memory=1000))]
    wanted = asking("p", (500, 500))
    assert least_requested(wanted, where, snapshot(*where), False) == {"n": (7 + 5) // 2}
    assert least_requested(wanted, where, snapshot(*where), True) == {"n": 5}
    assert balanced_resource_allocation(wanted, where, snapshot(*where), False) == {"n": 7}
    assert balanced_resource_allocation(wanted, where, snapshot(*where), True) == {"n": 10}


def test_a_fully_requested_node_scores_0_for_balance() -> None:
    where = [sized("n", 1000, 1000)]
    assert balanced_resource_allocation(asking("p", (1000, 1000)), where, snapshot(*where), False) == {"n": 0}
    assert balanced_resource_allocation(asking("p", (999, 999)), where, snapshot(*where), False) == {"n": 10}
    assert least_requested(asking("p", (1000, 1001)), where, snapshot(*where), False) == {"n": 0}


ONE, TWO = {"foo": "bar", "baz": "blah"}, {"bar": "foo", "baz": "blah"}


def serving(*selectors: dict[str, str], namespace: str = "default") -> tuple[Service, ...]:
    return tuple(Service(f"s{number}", namespace, frozendict(each)) for number, each in enumerate(selectors))


def replicating(kind: str, **labels: str) -> Controller:
    return Controller(kind, "c", "default", LabelSelector(frozendict(labels)))


def with_selectors(
    there: Snapshot, services: Iterable[Service] = (), controllers: Iterable[Controller] = ()
) -> Snapshot:
    return replace(there, services=tuple(services), controllers=tuple(controllers))


def labelled(*there: tuple[str, dict[str, str]], namespace: str = "default") -> list[Pod]:
    return [
        pod(f"p{number}-{namespace}", on=on, labels=labels, namespace=namespace)
        for number, (on, labels) in enumerate(there)
    ]


M = [node("m1"), node("m2")]


@pytest.mark.parametrize(
    ("there", "services", "controllers", "expected"),
    [
        ([], [], [], (10, 10)),
        ([("m1", {})], [], [], (10, 10)),
        ([("m1", TWO)], [{"key": "value"}], [], (10, 10)),
        ([("m1", TWO)], [ONE], [], (10, 10)),
        ([("m1", TWO), ("m2", ONE)], [ONE], [], (10, 0)),
        ([("m1", TWO), ("m1", ONE), ("m2", ONE)], [ONE], [], (0, 0)),
        ([("m1", TWO), ("m1", ONE), ("m2", ONE), ("m2", ONE)], [ONE], [], (5, 0)),
        ([("m1", TWO), ("m1", ONE), ("m2", ONE)], [{"baz": "blah"}], [], (0, 5)),
        ([("m1", TWO), ("m1", ONE), ("m2", ONE)], [{"baz": "blah"}], ["foo"], (0, 5)),
        ([("m1", TWO), ("m1", ONE), ("m2", ONE)], [], ["foo"], (0, 0)),
        ([("m1", TWO), ("m1", ONE), ("m2", ONE)], [], ["baz"], (0, 5)),
    ],
)
@pytest.mark.parametrize("kind", ["ReplicationController", "ReplicaSet"])
def test_selector_spread_matches_the_upstream_cases(
    there: list[tuple[str, dict[str, str]]],
    services: list[dict[str, str]],
    controllers: list[str],
    expected: tuple[int, int],
    kind: str,
) -> None:
    known = with_selectors(
        snapshot(*M, *labelled(*there)),
        serving(*services),
        [replicating(kind, **{key: ONE[key]}) for key in controllers],
    )
    assert tuple(selector_spread(pod(labels=ONE), M, known).values()) == expected


def test_selector_spread_counts_only_running_pods_of_the_same_namespace() -> None:
    there = snapshot(
        *M,
        *labelled(("m1", ONE), namespace="other"),
        pod("deleted", on="m1", labels=ONE, terminating=True),
        pod("ended", on="m1", labels=ONE, phase="Succeeded"),
        pod("there", on="m2", labels=ONE),
    )
    known = with_selectors(there, serving(ONE))
    assert selector_spread(pod(labels=ONE), M, known) == {"m1": 10, "m2": 0}
    elsewhere = with_selectors(there, serving(ONE, namespace="other"))
    assert selector_spread(pod(labels=ONE), M, elsewhere) == {"m1": 10, "m2": 10}


def test_an_empty_or_purely_negative_selector_selects_no_pod() -> None:
    there = snapshot(*M, *labelled(("m1", ONE)))
    everybody = Controller("ReplicaSet", "c", "default", LabelSelector())
    lacking = Controller("ReplicaSet", "c", "default", selector(Requirement("x", "DoesNotExist")))
    for known in (
        with_selectors(there, serving({})),
        with_selectors(there, controllers=[everybody]),
        with_selectors(there, controllers=[replace(everybody, selector=None)]),
        with_selectors(there, controllers=[replace(replicating("StatefulSet", foo="bar"))]),
    ):
        assert selector_spread(pod(labels=ONE), M, known) == {"m1": 10, "m2": 10}
    assert selector_spread(pod(labels=ONE), M, with_selectors(there, controllers=[lacking])) == {"m1": 0, "m2": 10}
    assert selector_spread(pod(), M, with_selectors(there, controllers=[lacking])) == {"m1": 10, "m2": 10}


def test_service_spreading_ignores_controllers() -> None:
    there = snapshot(*M, *labelled(("m1", ONE)))
    known = with_selectors(there, controllers=[replicating("ReplicaSet", foo="bar")])
    assert selector_spread(pod(labels=ONE), M, known) == {"m1": 0, "m2": 10}
    assert service_spreading(pod(labels=ONE), M, known) == {"m1": 10, "m2": 10}
    assert service_spreading(pod(labels=ONE), M, with_selectors(there, serving(ONE))) == {"m1": 0, "m2": 10}


def zoned(**zones: str) -> list[Node]:
    return [node(name, labels={ZONE: zone} if zone else {}) for name, zone in zones.items()]


def test_the_zone_weighs_two_thirds_and_the_node_one_third() -> None:
    """a: (5 + 2·5)/3 = 5; b: (10 + 2·5)/3 = 6 2/3; c: 0; e: (10 + 2·10)/3 = 10; d has no zone: its own 10."""
    where = zoned(a="1", b="1", c="2", d="", e="3")
    known = with_selectors(snapshot(*where, *labelled(("a", ONE), ("c", ONE), ("c", ONE))), serving(ONE))
    assert selector_spread(pod(labels=ONE), where, known) == {"a": 5, "b": 6, "c": 0, "d": 10, "e": 10}


def test_every_zone_scores_10_when_no_zone_has_a_matching_pod() -> None:
    where = zoned(a="1", b="2", c="")
    known = with_selectors(snapshot(*where, *labelled(("c", ONE))), serving(ONE))
    assert selector_spread(pod(labels=ONE), where, known) == {"a": 10, "b": 10, "c": 0}


def test_zones_of_different_regions_are_different_zones() -> None:
    regions = [node(name, labels={ZONE: "1", REGION: name}) for name in ("r", "s")]
    known = with_selectors(snapshot(*regions, *labelled(("r", ONE))), serving(ONE))
    assert selector_spread(pod(labels=ONE), regions, known) == {"r": 0, "s": 10}
    one = [node(name, labels={REGION: "r"}) for name in ("r", "s")]
    known = with_selectors(snapshot(*one, *labelled(("r", ONE))), serving(ONE))
    assert selector_spread(pod(labels=ONE), one, known) == {"r": 0, "s": 3}


def test_stable_zone_labels_count_like_the_beta_labels() -> None:
    """As above, with beta labels on a and b, stable labels on c and e, and both on d: the beta label takes precedence."""
    old, stable = (
        zoned(a="1", b="1"),
        [node(name, labels={STABLE[ZONE]: zone}) for name, zone in (("c", "2"), ("e", "3"))],
    )
    both = node("d", labels={ZONE: "3", STABLE[ZONE]: "2"})
    where = [*old, *stable, both]
    known = with_selectors(snapshot(*where, *labelled(("a", ONE), ("c", ONE), ("c", ONE))), serving(ONE))
    assert selector_spread(pod(labels=ONE), where, known) == {"a": 5, "b": 6, "c": 0, "d": 10, "e": 10}


def test_infeasible_nodes_do_not_count_for_the_spread() -> None:
    where = zoned(a="1", b="1", c="2")
    known = with_selectors(snapshot(*where, *labelled(("b", ONE), ("b", ONE), ("a", ONE))), serving(ONE))
    assert selector_spread(pod(labels=ONE), where, known) == {"a": 1, "b": 0, "c": 10}
    without = [each for each in where if each.name != "b"]
    assert selector_spread(pod(labels=ONE), without, known) == {"a": 0, "c": 10}


Z = [node(name, labels={"zone": name[1]}) for name in ("m11", "m12", "m21", "m22")] + [node("m01"), node("m02")]


@pytest.mark.parametrize(
    ("there", "services", "first", "second"),
    [
        ([], [], 10, 10),
        ([("m11", {})], [], 10, 10),
        ([("m11", TWO)], [{"key": "value"}], 10, 10),
        ([("m01", TWO), ("m11", TWO), ("m21", ONE)], [ONE], 10, 0),
        ([("m11", TWO), ("m11", ONE), ("m21", ONE)], [ONE], 5, 5),
        ([("m11", TWO), ("m11", ONE), ("m21", ONE), ("m21", ONE)], [ONE], 6, 3),
        ([("m11", TWO), ("m11", ONE), ("m21", ONE)], [{"baz": "blah"}], 3, 6),
        ([("m01", ONE), ("m11", ONE), ("m21", ONE), ("m21", ONE)], [ONE], 7, 5),
    ],
)
def test_service_anti_affinity_matches_the_upstream_cases(
    there: list[tuple[str, dict[str, str]]], services: list[dict[str, str]], first: int, second: int
) -> None:
    known = with_selectors(snapshot(*Z, *labelled(*there)), serving(*services))
    expected = {"m11": first, "m12": first, "m21": second, "m22": second, "m01": 0, "m02": 0}
    assert service_anti_affinity(pod(labels=ONE), Z, known, "zone") == expected


def test_service_anti_affinity_ignores_the_other_services_of_the_pod() -> None:
    both = {**ONE, "tier": "a"}
    there = snapshot(*Z, *labelled(("m11", ONE), ("m21", {"tier": "a"}), ("m21", {"tier": "a"})))
    known = with_selectors(there, serving(ONE, {"tier": "a"}))
    assert service_anti_affinity(pod(labels=both), Z[:4], known, "zone") == {"m11": 0, "m12": 0, "m21": 10, "m22": 10}


def test_service_anti_affinity_counts_the_first_service_on_all_nodes() -> None:
    there = snapshot(*Z, *labelled(("m11", ONE), ("gone", ONE)), *labelled(("m21", ONE), namespace="other"))
    known = with_selectors(there, serving(ONE, {"baz": "blah"}))
    assert service_anti_affinity(pod(labels=ONE), Z[:4], known, "zone") == {"m11": 5, "m12": 5, "m21": 10, "m22": 10}
    deleted = replace(known, pods=tuple(replace(each, terminating=True) for each in known.pods))
    assert service_anti_affinity(pod(labels=ONE), Z[:4], deleted, "zone")["m11"] == 5
    waiting = replace(known, pods=tuple(replace(each, node_name="") for each in known.pods))
    assert service_anti_affinity(pod(labels=ONE), Z[:4], waiting, "zone")["m11"] == 10


@pytest.mark.parametrize(
    ("size", "score"),
    [
        (0, 0),
        (23 * MEBIBYTE - 1, 0),
        (23 * MEBIBYTE, 1),
        (40 * MEBIBYTE, 1),
        (23 * MEBIBYTE + 977 * MEBIBYTE // 10, 1),
        (23 * MEBIBYTE + 977 * MEBIBYTE // 10 + 1, 2),
        (300 * MEBIBYTE, 3),
        (1000 * MEBIBYTE - 1, 10),
        (1000 * MEBIBYTE, 10),
        (2000 * MEBIBYTE, 10),
    ],
)
def test_image_sizes_from_23_to_1000_mebibytes_fall_into_ten_buckets(size: int, score: int) -> None:
    assert bucket(size) == score


def with_image(*names: str) -> Pod:
    return pod(containers=tuple(Container(image=name) for name in names))


def test_each_container_counts_an_image_only_under_its_exact_name() -> None:
    images = (
        NodeImage(("gcr.io/40", "gcr.io/40:latest"), 40 * MEBIBYTE),
        NodeImage(("gcr.io/140:v1",), 140 * MEBIBYTE),
    )
    other = (NodeImage(("gcr.io/250:latest",), 250 * MEBIBYTE), NodeImage(("gcr.io/250:latest",), 2000 * MEBIBYTE))
    where = [node("m1", images=images), node("m2", images=other)]
    known = snapshot(*where)
    assert image_locality(with_image("gcr.io/40", "gcr.io/250:latest"), where, known) == {"m1": 1, "m2": 3}
    assert image_locality(with_image("gcr.io/140"), where, known) == {"m1": 0, "m2": 0}
    assert image_locality(with_image("gcr.io/40:latest", "gcr.io/40"), where, known) == {
        "m1": bucket(80 * MEBIBYTE),
        "m2": 0,
    }
    at_first = pod(init_containers=with_image("gcr.io/140:v1").containers)
    assert image_locality(at_first, where, known) == {"m1": 0, "m2": 0}


def preferring(*terms: tuple[int, NodeSelectorTerm]) -> Affinity:
    return Affinity(node_preferred=tuple(PreferredNodeTerm(weight, each) for weight, each in terms))


def test_node_affinity_scores_are_tenths_of_the_best_sum_of_weights() -> None:
    foo, az = (node_term(Requirement(key, "In", ("a",))) for key in ("foo", "az"))
    where = [node("both", labels={"foo": "a", "az": "a"}), node("one", labels={"foo": "a"}), node("none")]
    affinity = preferring((2, foo), (4, az))
    for wanted in (pod(affinity=affinity), pod(annotated_affinity=affinity)):
        assert node_affinity(wanted, where, snapshot(*where)) == {"both": 10, "one": 3, "none": 0}
        assert node_affinity(wanted, where[1:], snapshot(*where)) == {"one": 10, "none": 0}
        assert node_affinity(wanted, where[2:], snapshot(*where)) == {"none": 0}
    assert node_affinity(pod(), where, snapshot(*where)) == {"both": 0, "one": 0, "none": 0}


def test_a_preferred_term_without_label_expressions_matches_no_node() -> None:
    where = [node("n", labels={"foo": "a"})]
    for each in (node_term(), node_term(fields=(Requirement("metadata.name", "In", ("n",)),))):
        assert node_affinity(pod(affinity=preferring((1, each))), where, snapshot(*where)) == {"n": 0}


def test_a_resource_that_the_node_does_not_offer_scores_0() -> None:
    bare = node("n", allocatable={"cpu": 4000})
    assert least_requested(asking("p", (0, 0)), [bare], snapshot(bare), False) == {"n": 5}
    assert least_requested(asking("p", (2000, 0)), [bare], snapshot(bare), True) == {"n": 2}
