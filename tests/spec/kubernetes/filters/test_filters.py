"""The filters of kube-scheduler 1.34, one test for each clause: the boundary, just inside, just outside"""

import pytest
from frozendict import frozendict

from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES, NO_DEPARTURES, Departure, Departures
from schedcheck.spec.kubernetes.filter import Verdict, feasible, verdicts
from schedcheck.spec.kubernetes.filters import (
    node_affinity,
    node_name,
    node_ports,
    node_resources_fit,
    node_unschedulable,
    scheduling_gates,
    taint_toleration,
)
from schedcheck.spec.kubernetes.node_info import node_info
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Container, HostPort, Pod, Snapshot, SpreadConstraint, Taint, Toleration
from schedcheck.spec.refusal import Code, unresolvable, unschedulable
from schedcheck.spec.requests import counted
from schedcheck.spec.terms import Affinity, LabelSelector, NodeSelectorTerm, PodAffinityTerm, Requirement
from tests.support.building import HOSTNAME, namespace, node, pod, snapshot

APP = LabelSelector(frozendict(app="a"))
TOLERANT = Toleration("node.kubernetes.io/unschedulable", "Exists", "", "NoSchedule")


def names(asked: Pod, there: Snapshot, departures: Departures = ALL_DEPARTURES) -> tuple[str, ...]:
    return feasible(cycle(asked, there, DEFAULT_PLUGINS.departing(departures)))


def verdict(asked: Pod, there: Snapshot, on: str = "n") -> Verdict:
    return verdicts(cycle(asked, there, DEFAULT_PLUGINS))[on]


def holding(*ports: HostPort, sidecar: bool = False, init: bool = False, **fields: object) -> Pod:
    container = Container(ports=ports, sidecar=sidecar)
    return pod(**({"init_containers": (container,)} if init else {"containers": (container,)}), **fields)  # type: ignore[arg-type]


def named(*values: str) -> Requirement:
    return Requirement("metadata.name", "In", values)


def requiring(*terms: NodeSelectorTerm) -> Pod:
    return pod(affinity=Affinity(node_required=terms))


def test_a_cordoned_node_accepts_a_pod_that_tolerates_the_cordon_without_a_taint() -> None:
    cordoned = node(unschedulable=True)
    assert node_unschedulable.refusal(pod(), node()) is None
    assert node_unschedulable.refusal(pod(tolerations=(TOLERANT,)), cordoned) is None
    assert node_unschedulable.refusal(pod(), cordoned) == unresolvable(
        "NodeUnschedulable", "node(s) were unschedulable"
    )


def test_a_pod_with_a_node_name_passes_only_on_that_node() -> None:
    assert node_name.refusal(pod(on="n"), node("n")) is None
    refused = node_name.refusal(pod(on="n"), node("m"))
    assert refused == unresolvable("NodeName", "node(s) didn't match the requested node name")


def test_the_first_untolerated_taint_is_named_and_soft_taints_never_are() -> None:
    tainted = node(taints=(Taint("s", "PreferNoSchedule"), Taint("a", "NoExecute", "v"), Taint("b", "NoSchedule")))
    named = frozenset({Departure.UNTOLERATED_TAINT_NAMED})
    assert taint_toleration.refusal(pod(), tainted, named) == unresolvable(
        "TaintToleration", "node(s) had untolerated taint {a: v}"
    )
    assert taint_toleration.refusal(pod(), tainted, NO_DEPARTURES) == unresolvable(
        "TaintToleration", "node(s) had untolerated taint(s)"
    )
    tolerant = pod(tolerations=(Toleration("a", "Exists"),))
    assert taint_toleration.refusal(tolerant, tainted, named) == unresolvable(
        "TaintToleration", "node(s) had untolerated taint {b: }"
    )


@pytest.mark.parametrize(
    ("terms", "expected"),
    [
        ((), None),
        ((NodeSelectorTerm((), (named("a"),)),), {"a"}),
        ((NodeSelectorTerm((), (named("a"),)), NodeSelectorTerm((), (named("b"),))), {"a", "b"}),
        ((NodeSelectorTerm((), (named("a"), named("b"))),), set()),
        ((NodeSelectorTerm((), (named("a"), named("b"))), NodeSelectorTerm((), (named("b"),))), {"b"}),
        ((NodeSelectorTerm((), (named("a"),)), NodeSelectorTerm((Requirement("zone", "Exists"),))), None),
        ((NodeSelectorTerm((), (Requirement("metadata.name", "NotIn", ("a",)),)),), None),
    ],
)
def test_nodes_are_narrowed_only_if_every_term_names_some(
    terms: tuple[NodeSelectorTerm, ...], expected: set[str] | None
) -> None:
    assert node_affinity.named(requiring(*terms)) == expected


def test_contradictory_node_names_reject_the_pod_in_pre_filter() -> None:
    asked = requiring(NodeSelectorTerm((), (named("n"), named("m"))))
    rejected = unresolvable("NodeAffinity", "pod affinity terms conflict")
    assert verdict(asked, snapshot(node("n"))) == Verdict(rejected, "preFilter")


def test_a_node_outside_the_pre_filter_result_is_rejected_without_a_filter() -> None:
    asked = requiring(NodeSelectorTerm((), (named("m"),)))
    left_out = unresolvable("", "node(s) didn't satisfy plugin(s) [NodeAffinity]")
    assert verdict(asked, snapshot(node("n"), node("m"))) == Verdict(left_out, "preFilterResult")


def test_plugins_that_rejected_the_nominated_node_are_named_for_nodes_left_out() -> None:
    there = snapshot(node("m", pods=0), node("n"))
    asked = Pod("p", affinity=requiring(NodeSelectorTerm((), (named("m"),))).affinity, nominated_node_name="m")
    left_out = unresolvable("", "node(s) didn't satisfy plugin(s) [NodeAffinity NodeResourcesFit]")
    assert verdict(asked, there, "n").refusal == left_out
    outside = Pod("p", affinity=asked.affinity, nominated_node_name="n")
    assert verdict(outside, there, "n").source == "nominatedFirst"


@pytest.mark.parametrize(
    "requirement",
    [
        Requirement("cores", "Gt", ("-5",)),  # no label has this value
        Requirement("cores", "Gt", ("x",)),
        Requirement("cores", "NotIn", ("two words",)),
        Requirement("cores", "In", ("8", "a" * 64)),
    ],
)
def test_a_required_term_with_an_unparsable_value_matches_nothing(requirement: Requirement) -> None:
    eight = node("n", labels={"cores": "8"})
    unreadable = NodeSelectorTerm((requirement,))
    assert not node_affinity.required_node_affinity(requiring(unreadable), eight)
    other = NodeSelectorTerm((Requirement("cores", "Gt", ("5",)),))
    assert node_affinity.required_node_affinity(requiring(unreadable, other), eight)


def test_an_empty_but_present_node_selector_is_not_skipped() -> None:
    assert node_affinity.skipped(pod())
    assert not node_affinity.skipped(Pod("p", empty_node_selector=True))


@pytest.mark.parametrize(
    ("port", "other", "clashes"),
    [
        (HostPort(80), HostPort(80), True),
        (HostPort(80), HostPort(81), False),
        (HostPort(80), HostPort(80, "UDP"), False),
        (HostPort(80), HostPort(80, ip="10.0.0.1"), True),
        (HostPort(80, ip="0.0.0.0"), HostPort(80, ip="10.0.0.1"), True),
        (HostPort(80, ip="10.0.0.1"), HostPort(80, ip="10.0.0.2"), False),
        (HostPort(80, ip="::"), HostPort(80, ip="10.0.0.1"), False),
        (HostPort(80, ip="::"), HostPort(80, ip="::"), True),
        (HostPort(80, ip="::"), HostPort(80), True),
    ],
)
def test_host_ports_clash_by_port_protocol_and_address(port: HostPort, other: HostPort, clashes: bool) -> None:
    info = node_info(node(), (holding(other),))
    refused = node_ports.refusal(holding(port), info)
    said = unschedulable("NodePorts", "node(s) didn't have free ports for the requested pod ports")
    assert refused == (said if clashes else None)


def test_a_sidecar_holds_host_ports_and_a_plain_init_container_does_not() -> None:
    info = node_info(node(), (holding(HostPort(80)),))
    assert node_ports.refusal(holding(HostPort(80), init=True, sidecar=True), info) is not None
    assert node_ports.refusal(holding(HostPort(80), init=True), info) is None


def test_the_host_ports_of_a_node_are_a_set() -> None:
    first, second = holding(HostPort(80), name="a"), holding(HostPort(80), name="b")
    info = node_info(node(), (first, second))
    assert info.removed(first, ALL_DEPARTURES).ports == frozenset()
    assert info.removed(first, NO_DEPARTURES).ports == {HostPort(80, ip="0.0.0.0")}


def test_every_shortage_is_named_and_one_of_the_empty_node_is_unresolvable() -> None:
    info = node_info(node(cpu=4, pods=1), (pod("a", cpu=3),))
    refusal = node_resources_fit.refusal
    assert refusal(pod(cpu=1), info) == unschedulable("NodeResourcesFit", "Too many pods")
    assert refusal(pod(cpu=1.001), info) == unschedulable("NodeResourcesFit", "Too many pods", "Insufficient cpu")
    assert refusal(pod(cpu=4.001), info) == unresolvable("NodeResourcesFit", "Too many pods", "Insufficient cpu")


def test_a_zero_request_passes_on_an_overcommitted_node() -> None:
    info = node_info(node(cpu=1), (pod("a", cpu=2),))
    assert node_resources_fit.refusal(pod(), info) is None


@pytest.mark.parametrize(
    ("resource", "counts"),
    [
        ("cpu", True),
        ("ephemeral-storage", True),
        ("example.com/gpu", True),
        ("requests.example.com/gpu", False),
        ("hugepages-2Mi", True),
        ("attachable-volumes-csi", True),
        ("gpu", False),
        ("pods", False),
    ],
)
def test_a_resource_is_counted_according_to_its_name(resource: str, counts: bool) -> None:
    assert counted(resource) == counts


def test_scheduling_gates_keep_a_pod_out_of_the_queue() -> None:
    assert scheduling_gates.refusal(pod()) is None
    refused = scheduling_gates.refusal(pod(scheduling_gates=("a", "b")))
    assert refused == unresolvable("SchedulingGates", "waiting for scheduling gates: [a b]")


ZONES = (node("n1", labels={"zone": "1"}), node("n2", labels={"zone": "2"}), node("n3"))


def spreading(**fields: object) -> Pod:
    constraint = SpreadConstraint(**{"max_skew": 1, "topology_key": "zone", "selector": APP, **fields})  # type: ignore[arg-type]
    return pod(labels={"app": "a"}, spread=(constraint,))


def test_a_domain_may_exceed_the_emptiest_one_by_max_skew() -> None:
    there = snapshot(*ZONES, pod("a", on="n1", labels={"app": "a"}))
    assert names(spreading(), there) == ("n2",)
    assert names(spreading(max_skew=2), there) == ("n1", "n2")
    unequal = "node(s) didn't match pod topology spread constraints"
    assert verdict(spreading(), there, "n1").refusal == unschedulable("PodTopologySpread", unequal)
    lacking = unresolvable("PodTopologySpread", f"{unequal} (missing required label)")
    assert verdict(spreading(), there, "n3").refusal == lacking


def test_terminating_foreign_and_unselected_pods_do_not_count_for_spread() -> None:
    others = (
        pod("a", on="n1", labels={"app": "a"}, terminating=True),
        pod("b", on="n1", labels={"app": "a"}, namespace="other"),
        pod("c", on="n1", labels={"app": "b"}),
    )
    assert names(spreading(), snapshot(*ZONES, *others)) == ("n1", "n2")


def test_with_an_empty_selector_only_the_incoming_pod_counts() -> None:
    there = snapshot(*ZONES, pod("a", on="n1"), pod("b", on="n1"))
    assert names(spreading(selector=LabelSelector()), there) == ("n1", "n2")


def test_with_fewer_domains_than_min_domains_the_minimum_is_0() -> None:
    there = snapshot(*ZONES, *(pod(each, on=on, labels={"app": "a"}) for each, on in (("a", "n1"), ("b", "n2"))))
    assert names(spreading(min_domains=2), there) == ("n1", "n2")
    assert names(spreading(min_domains=3), there) == ()


def test_a_schedule_anyway_constraint_filters_no_node() -> None:
    assert names(spreading(required=False), snapshot(*ZONES, pod("a", on="n1", labels={"app": "a"}))) == (
        "n1",
        "n2",
        "n3",
    )


def near(key: str = "zone", **fields: object) -> Affinity:
    return Affinity(pod_required=(PodAffinityTerm(key, APP, **fields),))  # type: ignore[arg-type]


def test_the_first_pod_of_a_group_needs_the_key_and_the_second_joins_it() -> None:
    asked = pod(labels={"app": "a"}, affinity=near())
    assert names(asked, snapshot(*ZONES)) == ("n1", "n2")
    assert names(asked, snapshot(*ZONES, pod("a", on="n1", labels={"app": "a"}))) == ("n1",)
    assert names(pod(affinity=near()), snapshot(*ZONES)) == ()


def test_a_matching_pod_on_a_node_without_the_key_satisfies_no_affinity() -> None:
    there = snapshot(*ZONES, pod("a", on="n3", labels={"app": "a"}))
    asked = pod(labels={"app": "a"}, affinity=near())
    assert names(asked, there) == ("n1", "n2")
    assert names(asked, there, ALL_DEPARTURES - {Departure.FIRST_OF_GROUP_BY_PAIRS}) == ()


def test_inter_pod_affinity_rejects_for_three_reasons() -> None:
    apart = Affinity(anti_required=(PodAffinityTerm("zone", APP),))
    there = snapshot(*ZONES, pod("a", on="n1", labels={"app": "a"}, affinity=apart))
    refused = verdict(pod(affinity=near()), there, "n2").refusal
    assert refused == unresolvable("InterPodAffinity", "node(s) didn't match pod affinity rules")
    refused = verdict(pod(affinity=apart), there, "n1").refusal
    assert refused == unschedulable("InterPodAffinity", "node(s) didn't match pod anti-affinity rules")
    refused = verdict(pod(labels={"app": "a"}), there, "n1").refusal
    assert refused == unschedulable("InterPodAffinity", "node(s) didn't satisfy existing pods anti-affinity rules")


def test_a_negative_namespace_selector_of_the_incoming_pod_selects_every_namespace() -> None:
    selector = LabelSelector(match_expressions=(Requirement("team", "DoesNotExist"),))
    apart = Affinity(anti_required=(PodAffinityTerm("zone", APP, namespace_selector=selector),))
    there = snapshot(*ZONES, pod("a", on="n1", labels={"app": "a"}, namespace="s"), namespace("s", team="x"))
    assert names(pod(affinity=apart), there) == ("n2", "n3")
    assert names(pod(affinity=apart), there, NO_DEPARTURES) == ("n1", "n2", "n3")


def test_nominated_pods_of_equal_or_higher_priority_count_as_placed() -> None:
    for priority, expected in ((0, ()), (1, ()), (-1, ("n",))):
        other = Pod("other", nominated_node_name="n", priority=priority, containers=pod(cpu=4).containers)
        assert names(pod(cpu=1), snapshot(node("n", cpu=4), other)) == expected


def test_a_nominated_pod_does_not_satisfy_affinity() -> None:
    other = Pod("other", nominated_node_name="n1", labels=frozendict(app="a"))
    assert names(pod(affinity=near()), snapshot(*ZONES, other)) == ()


def test_a_skipped_plugin_ignores_nominated_pods() -> None:
    apart = Affinity(anti_required=(PodAffinityTerm(HOSTNAME, APP),))
    other = Pod("other", nominated_node_name="n", affinity=apart)
    there = snapshot(node("n", labels={HOSTNAME: "n"}), other)
    assert names(pod(labels={"app": "a"}), there) == ("n",)
    assert names(pod(labels={"app": "a"}), there, NO_DEPARTURES) == ()


def test_codes_have_the_names_of_the_framework() -> None:
    assert [code.value for code in Code] == ["Unschedulable", "UnschedulableAndUnresolvable", "Error"]
