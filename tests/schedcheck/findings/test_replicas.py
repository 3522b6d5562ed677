"""Replicas that cannot all be placed, compared with every sequence of placements that the specification allows"""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from frozendict import frozendict

from schedcheck.findings.apart import Apart, Question, Room, Spread, core, most, placed
from schedcheck.findings.filling import filled
from schedcheck.findings.finding import Severity, Thing
from schedcheck.findings.replicas import NEVER, UNAVAILABLE, question
from schedcheck.findings.subjects import Subject
from schedcheck.manifests import Cluster
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Node, Pod, SpreadConstraint, Taint
from schedcheck.spec.profiles import feasible_nodes
from schedcheck.spec.terms import Affinity, LabelSelector, PodAffinityTerm
from tests.schedcheck.findings.test_selector_rules import near, spread
from tests.support.building import HOSTNAME, node, pod, snapshot
from tests.support.linting import deployment, found, host

ZONE = "topology.kubernetes.io/zone"


def zoned(name: str, zone: str, cpu: str = "4", **spec: Any) -> dict[str, Any]:
    return host(name, cpu, {ZONE: zone}, **spec)


def apart(key: str) -> dict[str, Any]:
    return near("web", "podAntiAffinity", topologyKey=key)


def test_replicas_apart_by_zone_need_as_many_zones(tmp_path: Path) -> None:
    nodes = [zoned("a", "east"), zoned("b", "east"), zoned("c", "west"), zoned("d", "north", "0")]
    (one,) = found(tmp_path, deployment(replicas=3, **apart(ZONE)), *nodes)[NEVER]
    assert (one.severity, one.field) == (Severity.ERROR, "spec.template.spec.affinity.podAntiAffinity")
    assert one.sentence == (
        "At most 2 of 3 replicas can be placed, even without other pods: 3 replicas, each in its own zone, but only 2 zones"
        " (east, west) with nodes that take the pod."
    )
    assert found(tmp_path, deployment(replicas=2, **apart(ZONE)), *nodes) == {}


def test_a_zone_that_counts_and_takes_no_pod_holds_the_others_back(tmp_path: Path) -> None:
    nodes = [zoned("a", "east"), zoned("b", "west", taints=[{"key": "gpu", "effect": "NoSchedule"}])]
    (one,) = found(tmp_path, deployment(replicas=3, **spread("web", ZONE)), *nodes)[NEVER]
    assert one.sentence == (
        "At most 1 of 3 replicas can be placed, even without other pods: no zone may have over 1 more than the least filled"
        " one, and none can be in west, which counts too."
    )


def test_more_replicas_than_the_nodes_have_room_for_are_an_error(tmp_path: Path) -> None:
    (one,) = found(tmp_path, deployment(replicas=5), host("a", "2"), host("b", "2"))[NEVER]
    assert one.sentence == "At most 4 of 5 replicas can be placed, even without other pods: 2 nodes that can take the pod: room for 4 of it."  # fmt: skip
    assert found(tmp_path, deployment(replicas=4), host("a", "2"), host("b", "2")) == {}


def test_replicas_that_wait_for_a_cordoned_node_are_a_warning(tmp_path: Path) -> None:
    (one,) = found(tmp_path, deployment(replicas=2, **apart(HOSTNAME)), host("a"), host("b", unschedulable=True))[
        UNAVAILABLE
    ]
    assert one.severity is Severity.WARNING


def test_a_host_port_takes_one_replica_a_node(tmp_path: Path) -> None:
    made = deployment(replicas=2)
    made["spec"]["template"]["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 80}]
    assert set(found(tmp_path, made, host("a"))) == {NEVER}
    assert found(tmp_path, made, host("a"), host("b")) == {}


def test_a_constraint_that_counts_other_pods_too_is_left_out(tmp_path: Path) -> None:
    nodes = [zoned("a", "east"), zoned("b", "west", taints=[{"key": "gpu", "effect": "NoSchedule"}])]
    made = deployment(replicas=3, **spread("web", ZONE))
    other = {**deployment("other", 0)}
    other["spec"] = {**made["spec"], "replicas": 0}
    assert found(tmp_path, made, other, *nodes) == {}


def some(seed: int) -> tuple[Pod, tuple[Node, ...]]:
    """A pod with random constraints on copies of itself, and random nodes in zones."""
    draw = random.Random(seed)
    labels = frozendict(app="web")
    own = LabelSelector(labels)
    terms = tuple(PodAffinityTerm(key, own) for key in (HOSTNAME, ZONE) if draw.random() < 0.25)
    constraints = tuple(
        SpreadConstraint(draw.randint(1, 2), key, True, own, draw.choice((1, 1, 3)), taints_honored=draw.random() < 0.5)
        for key in (HOSTNAME, ZONE)
        if draw.random() < 0.5
    )
    nodes = []
    for name in ("n1", "n2", "n3"):
        zone = {ZONE: draw.choice(("east", "west", "north"))} if draw.random() < 0.85 else {}
        taints = (Taint("gpu", "NoSchedule"),) if draw.random() < 0.2 else ()
        nodes.append(node(name, draw.randint(0, 3), labels=frozendict({HOSTNAME: name, **zone}), taints=taints))
    return pod("web", 1, labels=labels, spread=constraints, affinity=Affinity(anti_required=terms)), tuple(nodes)


def reached(given: Pod, nodes: tuple[Node, ...], number: int) -> int:
    """The most copies, up to a number, that any sequence of placements allowed by the specification places."""
    layer: set[tuple[str, ...]] = {()}
    for count in range(number):
        after = set()
        for names in layer:
            there = [replace(given, name=f"web-{place}", node_name=name) for place, name in enumerate(names)]
            one = replace(given, name="next")
            after |= {tuple(sorted((*names, name))) for name in feasible_nodes(one, snapshot(one, *there, *nodes), DEFAULT_PLUGINS)}  # fmt: skip
        if not after:
            return count
        layer = after
    return number


@pytest.mark.parametrize("seed", range(120))
def test_the_bound_equals_the_number_that_the_specification_reaches(seed: int) -> None:
    given, nodes = some(seed)
    cluster = Cluster(pods=(given,), nodes=nodes)
    asked = question(Subject(Thing("Pod", "default", "web"), (given,)), given, nodes, cluster, DEFAULT_PLUGINS)
    assert most(asked, 6) == reached(given, nodes, 5)


@pytest.mark.parametrize("kind", [Apart, Spread, Room])
def test_a_bound_without_one_kind_of_demand_is_noticed(kind: type) -> None:
    assert any(lacks(kind, seed) for seed in range(60))


def lacks(kind: type, seed: int) -> bool:
    """Whether the bound without this kind of demand is wrong."""
    given, nodes = some(seed)
    cluster = Cluster(pods=(given,), nodes=nodes)
    asked = question(Subject(Thing("Pod", "default", "web"), (given,)), given, nodes, cluster, DEFAULT_PLUGINS)
    fewer = tuple(each for each in asked.demands if not isinstance(each, kind))
    bound = most(Question(asked.nodes, fewer), 6) if asked.nodes else 0
    return bound != reached(given, nodes, 5)


@pytest.mark.parametrize("seed", range(120))
def test_what_is_filled_without_a_solver_is_possible(seed: int) -> None:
    given, nodes = some(seed)
    cluster = Cluster(pods=(given,), nodes=nodes)
    asked = question(Subject(Thing("Pod", "default", "web"), (given,)), given, nodes, cluster, DEFAULT_PLUGINS)
    numbers = [number for number in range(1, 7) if filled(asked, number)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) <= reached(given, nodes, 6)


def test_what_is_filled_without_a_solver_is_mostly_all() -> None:
    short = 0
    for seed in range(120):
        given, nodes = some(seed)
        cluster = Cluster(pods=(given,), nodes=nodes)
        asked = question(Subject(Thing("Pod", "default", "web"), (given,)), given, nodes, cluster, DEFAULT_PLUGINS)
        best = most(asked, 6)
        short += best > 0 and not filled(asked, best)
    assert short < 12


@pytest.mark.parametrize("seed", range(40))
def test_a_core_is_unsatisfiable_and_each_of_its_demands_is_needed(seed: int) -> None:
    given, nodes = some(seed)
    cluster = Cluster(pods=(given,), nodes=nodes)
    asked = question(Subject(Thing("Pod", "default", "web"), (given,)), given, nodes, cluster, DEFAULT_PLUGINS)
    number = most(asked, 20) + 1
    if not asked.nodes:
        return
    kept = core(asked, number)
    assert not placed(Question(asked.nodes, kept), number)
    for each in kept:
        assert placed(Question(asked.nodes, tuple(other for other in kept if other is not each)), number)


def test_a_question_without_a_demand_is_answered_differently() -> None:
    domains = {"east": ("a",), "west": ("b",)}
    room = Room({"a": 3, "b": 0})
    assert most(Question(("a", "b"), (room,)), 9) == 3
    assert most(Question(("a", "b"), (room, Apart(ZONE, domains))), 9) == 1
    assert most(Question(("a", "b"), (room, Spread(ZONE, 2, domains, too_few=False))), 9) == 2
    assert most(Question(("a", "b"), (Room({"a": 3, "b": 3}), Spread(ZONE, 1, domains, too_few=True))), 9) == 2
