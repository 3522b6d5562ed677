"""Pods that no node could take, and the smallest change: judged by the specification with and without other pods"""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from frozendict import frozendict

from schedcheck.findings import fitting
from schedcheck.findings.finding import Finding, Found, Severity, Undecided
from schedcheck.findings.fitting import NEVER, RUNNING, UNAVAILABLE, of_fitting
from schedcheck.findings.subjects import subjects
from schedcheck.manifests import Cluster
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Node, Pod, SpreadConstraint, Taint, Toleration
from schedcheck.spec.profiles import feasible_nodes
from schedcheck.spec.terms import Affinity, LabelSelector, NodeSelectorTerm, Requirement
from tests.support.building import node, pod, snapshot
from tests.support.linting import deployment, found, host, linted, waiting

TAINTED = [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]


def test_a_pod_that_requests_more_than_any_node_has_is_an_error(tmp_path: Path) -> None:
    (one,) = found(tmp_path, deployment(replicas=3, cpu="6"), host("small", "2"), host("big", "4"))[NEVER]
    assert (one.severity, str(one.thing), one.field) == (
        Severity.ERROR,
        "Deployment default/web",
        "spec.template.spec.containers",
    )
    assert one.sentence == "3 pods, such as web-0, can be placed on none of 2 nodes, even without other pods."
    (change,) = one.changes
    assert (change.steps, change.nodes) == (("request 2 cpu less (4), or give the node 2 more",), ("big",))


def test_a_pod_that_fits_an_empty_node_only_is_no_finding(tmp_path: Path) -> None:
    assert found(tmp_path, waiting("p", "4"), waiting("q", "4", "big"), host("big", "4")) == {}


def test_an_untolerated_taint_and_a_missing_label_are_two_steps(tmp_path: Path) -> None:
    wants = waiting(nodeSelector={"disk": "ssd"})
    (one,) = found(tmp_path, wants, host("a", taints=TAINTED))[NEVER]
    (change,) = one.changes
    assert change.steps == (
        "let the pod tolerate the taint gpu=yes:NoSchedule",
        "give the node the label disk=ssd (or take it out of the pod's nodeSelector)",
    )
    assert found(tmp_path, wants, host("a", labels={"disk": "ssd"})) == {}


def test_a_pod_for_cordoned_or_unready_nodes_is_a_warning(tmp_path: Path) -> None:
    unready = [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]
    told = found(tmp_path, waiting(), host("a", unschedulable=True), host("b", taints=unready), host("c", "0"))
    (one,) = told[UNAVAILABLE]
    assert set(told) == {UNAVAILABLE}
    assert one.severity is Severity.WARNING
    assert one.sentence.endswith("tainted for their state: a, b.")


def test_a_running_pod_that_no_node_would_take_again_is_a_warning(tmp_path: Path) -> None:
    (one,) = found(tmp_path, waiting("p", "1", "a", nodeSelector={"disk": "ssd"}), host("a"))[RUNNING]
    assert one.severity is Severity.WARNING
    assert found(tmp_path, waiting("p", "1", "a"), host("a")) == {}


def test_a_static_pod_is_never_a_finding(tmp_path: Path) -> None:
    static = waiting("p", "1", "a", nodeSelector={"disk": "ssd"})
    static["metadata"]["ownerReferences"] = [
        {"apiVersion": "v1", "kind": "Node", "name": "a", "uid": "u", "controller": True}
    ]
    assert found(tmp_path, static, host("a")) == {}


def test_a_pod_with_resource_claims_is_unknown_unless_every_node_refuses_it(tmp_path: Path) -> None:
    claims = {"resourceClaims": [{"name": "gpu", "resourceClaimName": "gpu"}]}
    told = linted(tmp_path, waiting(**claims), host("a"))
    assert [type(each) for each in (*told.findings, *told.undecided)] == [Undecided]
    assert told.exit_code == 2
    told = linted(tmp_path, waiting(cpu="8", **claims), host("a"))
    assert ([each.rule for each in told.findings], told.undecided, told.exit_code) == ([NEVER], (), 1)


def test_a_pod_of_another_scheduler_is_no_finding(tmp_path: Path) -> None:
    assert found(tmp_path, waiting(cpu="8", schedulerName="other"), host("a")) == {}


def test_nothing_is_said_of_fitting_without_nodes(tmp_path: Path) -> None:
    told = linted(tmp_path, deployment(cpu="64"))
    assert told.findings == ()
    assert "no nodes in the input, so that no rule asks where a pod fits" in told.notes


KEYS = ("a", "b")
VALUES = ("x", "1", "5")
TAINTS = (Taint("t", "NoSchedule", "v"), Taint("t", "NoExecute"), Taint("u", "NoSchedule"), Taint("node.kubernetes.io/unschedulable", "NoSchedule"))  # fmt: skip


def some_node(draw: random.Random, name: str) -> Node:
    labels = {key: draw.choice(VALUES) for key in KEYS if draw.random() < 0.5}
    taints = tuple(taint for taint in TAINTS if draw.random() < 0.25)
    return node(name, draw.randint(0, 3), draw.choice((0, 110, 110)), labels=frozendict(labels), taints=taints, unschedulable=draw.random() < 0.3)  # fmt: skip


def some_requirement(draw: random.Random) -> Requirement:
    operator = draw.choice(("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))
    number = {"Exists": 0, "DoesNotExist": 0, "Gt": 1, "Lt": 1}.get(operator, draw.randint(1, 2))
    values = draw.sample(VALUES, number) if operator not in ("Gt", "Lt") else [draw.choice(("1", "4"))]
    return Requirement(draw.choice(KEYS), operator, tuple(values))


def some_pod(draw: random.Random) -> Pod:
    terms = tuple(
        NodeSelectorTerm(tuple(some_requirement(draw) for _ in range(draw.randint(1, 3))))
        for _ in range(draw.randint(0, 2))
    )
    selector = {key: draw.choice(VALUES) for key in KEYS if draw.random() < 0.25}
    tolerations = tuple(
        Toleration(key, "Exists") for key in ("t", "u", "node.kubernetes.io/unschedulable") if draw.random() < 0.2
    )
    spread = (SpreadConstraint(1, "b", True, LabelSelector(frozendict(app="p"))),) if draw.random() < 0.3 else ()
    return pod(
        "p",
        draw.randint(0, 4),
        labels=frozendict(app="p"),
        node_selector=frozendict(selector),
        affinity=Affinity(node_required=terms),
        tolerations=tolerations,
        spread=spread,
    )


def case(seed: int) -> tuple[Pod, tuple[Node, ...], list[Finding]]:
    """A random pod and two random nodes, and the findings about them."""
    draw = random.Random(seed)
    given, nodes = some_pod(draw), tuple(some_node(draw, name) for name in ("n1", "n2"))
    cluster = Cluster(pods=(given,), nodes=nodes)
    told = of_fitting(cluster, subjects(cluster), (DEFAULT_PLUGINS,))
    return given, nodes, [each for each in told if isinstance(each, Finding)]


def takes(given: Pod, nodes: tuple[Node, ...], *others: Pod) -> bool:
    return bool(feasible_nodes(given, snapshot(given, *nodes, *others), DEFAULT_PLUGINS))


@pytest.mark.parametrize("seed", range(150))
def test_a_finding_is_exactly_a_pod_that_the_specification_places_on_no_empty_node(seed: int) -> None:
    given, nodes, told = case(seed)
    assert bool(told) == (not takes(given, nodes))
    others = [pod(f"q{i}", 1, on=each.name, labels=frozendict(app="p")) for each in nodes for i in range(2)]
    if told:
        for size in (1, 2):
            assert not any(takes(given, nodes, *some) for some in combinations(others, size))


@pytest.mark.parametrize("seed", range(150))
def test_a_pod_fits_unavailable_nodes_only_if_it_fits_them_uncordoned_and_without_taints_of_state(seed: int) -> None:
    given, nodes, told = case(seed)
    state = "node.kubernetes.io/unschedulable"
    calm = [
        replace(each, unschedulable=False, taints=tuple(t for t in each.taints if t.key != state)) for each in nodes
    ]
    assert [each.rule for each in told] == (
        [] if takes(given, nodes) else [UNAVAILABLE if takes(given, tuple(calm)) else NEVER]
    )


REFUSING: dict[str, Any] = {
    "taints": (Taint("gpu", "NoSchedule"),),
    "unschedulable": True,
    "labels": frozendict(),
    "allocatable": frozendict(cpu=0, pods=9),
}


@pytest.mark.parametrize("part", sorted(REFUSING))
def test_a_question_that_overlooks_a_part_of_the_nodes_is_noticed(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = pod("p", 1, node_selector=frozendict(disk="ssd"))
    taking = node("n2", 2, labels=frozendict(disk="ssd"))
    refusing = replace(taking, name="n1", **{part: REFUSING[part]})
    cluster = Cluster(pods=(given,), nodes=(refusing, taking))

    def told() -> list[Found]:
        return list(of_fitting(cluster, subjects(cluster), (DEFAULT_PLUGINS,)))

    assert takes(given, cluster.nodes)
    assert not takes(given, (refusing,))
    assert told() == []
    whole = fitting.matters
    monkeypatch.setattr(
        fitting, "matters", lambda *asked: lambda node: whole(*asked)(replace(node, **{part: REFUSING[part]}))
    )
    assert told() != []


def fewer(node: Node, number: int) -> Iterator[Node]:
    """Every node that at most so many steps make of this one."""
    keys = sorted({taint.key for taint in node.taints})
    choices: list[tuple[Any, ...]] = [
        (None, *((key, value) for value in (*VALUES, "0", "2", "3", "6", None))) for key in KEYS
    ]
    choices += [(None, key) for key in keys]
    choices += [(None, "cordon"), (None, "cpu"), (None, "pods")]
    for some in product(*choices):
        if sum(each is not None for each in some) <= number:
            yield changed(node, some[:2], some[2:-3], some[-3:])


def changed(node: Node, labels: tuple[Any, ...], taints: tuple[Any, ...], rest: tuple[Any, ...]) -> Node:
    kept = dict(node.labels)
    for key, value in filter(None, labels):
        kept.pop(key, None)
        kept |= {key: value} if value is not None else {}
    gone = {*filter(None, taints), *(("node.kubernetes.io/unschedulable",) if "cordon" in rest else ())}
    amounts = {**({"cpu": 9000} if "cpu" in rest else {}), **({"pods": 9} if "pods" in rest else {})}
    return replace(
        node,
        labels=frozendict(kept),
        taints=tuple(taint for taint in node.taints if taint.key not in gone),
        unschedulable=node.unschedulable and "node.kubernetes.io/unschedulable" not in gone,
        allocatable=frozendict({**node.allocatable, **amounts}),
    )


NEVER_CASES = [seed for seed in range(150) if any(each.rule == NEVER for each in case(seed)[2])][:30]


def test_the_random_cases_have_changes_of_several_sizes() -> None:
    sizes = {len(each.changes[0].steps) if each.changes else 0 for seed in NEVER_CASES for each in case(seed)[2]}
    assert sizes >= {0, 1, 2, 3}


@pytest.mark.parametrize("seed", NEVER_CASES)
def test_no_smaller_change_lets_a_node_take_the_pod(seed: int) -> None:
    given, nodes, (one,) = case(seed)
    steps = len(one.changes[0].steps) if one.changes else 9
    assert not any(takes(given, (after,)) for each in nodes for after in fewer(each, steps - 1))
    for change in one.changes:
        assert len(change.steps) == steps
        named = [each for each in nodes if each.name in change.nodes]
        assert named
        assert all(any(takes(given, (after,)) for after in fewer(each, steps)) for each in named)


def test_a_change_that_is_larger_than_necessary_is_noticed() -> None:
    given, (first, *_) = pod("p", 2), (node("n1", 1),)
    assert any(takes(given, (after,)) for after in fewer(first, 1))
    assert not any(takes(given, (after,)) for after in fewer(first, 0))
