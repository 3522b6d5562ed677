"""PodFitsResources, PodFitsHostPorts, HostName, MatchNodeSelector, and the conditions, taints and labels of a node"""

from dataclasses import replace
from typing import Any

import pytest
from frozendict import frozendict

from schedcheck.spec.classic.failures import (
    HOST_NAME_NOT_MATCHED,
    HOST_PORTS_TAKEN,
    LABEL_PRESENCE_VIOLATED,
    NETWORK_UNAVAILABLE,
    NODE_SELECTOR_NOT_MATCHED,
    NOT_READY,
    OUT_OF_DISK,
    TAINTS_NOT_TOLERATED,
    UNDER_DISK_PRESSURE,
    UNDER_MEMORY_PRESSURE,
    UNDER_PID_PRESSURE,
    UNSCHEDULABLE,
    Failure,
    insufficient,
)
from schedcheck.spec.classic.predicates import (
    check_node_label_presence,
    general,
    host_name,
    match_node_selector,
    node_conditions,
    pod_fits_host_ports,
    pod_fits_resources,
    pod_tolerates_node_taints,
)
from schedcheck.spec.objects import Container, HostPort, Node, Pod, Taint, Toleration
from schedcheck.spec.terms import NO_AFFINITY, Affinity, PreferredNodeTerm, Requirement
from tests.support.building import UNIT, apart, container, node, node_term, pod, snapshot, term

GPU = "example.com/gpu"


def lacking(wanted: Pod, where: Node, *there: Pod, by_allocatable: bool = False) -> list[str]:
    found = pod_fits_resources.failures(wanted, where, snapshot(where, *there), by_allocatable)
    fits = pod_fits_resources.pod_fits_resources(wanted, where, snapshot(where, *there), by_allocatable)
    assert fits is (found == ())
    names = [each.name.removeprefix("Insufficient ") for each in found]
    assert found == tuple(insufficient(name) for name in names)
    return names


def test_free_resources_are_the_capacity_minus_the_requests_of_the_pods() -> None:
    where = node("n", cpu=4)
    assert lacking(pod(cpu=1), where, pod("a", 3, on="n")) == []
    assert lacking(pod(cpu=1.001), where, pod("a", 3, on="n")) == ["cpu"]
    assert lacking(pod(cpu=1), where, pod("a", 3.001, on="n")) == ["cpu"]


def test_fit_uses_capacity_by_default_and_allocatable_if_so_configured() -> None:
    where = node("n", cpu=4, capacity=frozendict(cpu=5000, pods=110))
    assert lacking(pod(cpu=5), where) == []
    assert lacking(pod(cpu=5), where, by_allocatable=True) == ["cpu"]
    assert lacking(pod(cpu=4), where, by_allocatable=True) == []


def test_capacity_and_allocatable_give_the_same_answer_when_equal() -> None:
    where = node("n", cpu=4)
    assert lacking(pod(cpu=5), where) == lacking(pod(cpu=5), where, by_allocatable=True) == ["cpu"]


def test_every_insufficient_resource_is_reported_pods_first() -> None:
    where = node("n", cpu=1, pods=0, allocatable={"memory": 1})
    wanted = pod(containers=(container(2, memory=2, **{GPU: 1}),))
    assert lacking(wanted, where) == ["pods", "cpu", "memory", GPU]


def test_a_pod_without_requests_needs_only_a_free_pod_slot() -> None:
    crowded = pod("a", 9, on="n")
    assert lacking(pod(), node("n", cpu=1, pods=2), crowded) == []
    assert lacking(pod(), node("n", cpu=1, pods=1), crowded) == ["pods"]


def test_a_pod_with_any_request_fails_on_a_node_overcommitted_in_any_resource() -> None:
    where = node("n", cpu=4, allocatable={"memory": 1})
    greedy = pod("a", on="n", containers=(container(memory=2),))
    assert lacking(pod(cpu=1), where, greedy) == ["memory"]
    full = pod("a", on="n", containers=(container(memory=1),))
    assert lacking(pod(cpu=1), where, full) == []


def test_an_extended_resource_matters_only_to_pods_that_name_it() -> None:
    where = node("n", cpu=4)
    greedy = pod("a", on="n", containers=(container(**{GPU: 1}),))
    assert lacking(pod(cpu=1), where, greedy) == []
    nothing_of_it = pod(containers=(Container(frozendict({GPU: 0})),))
    assert lacking(nothing_of_it, where, greedy) == [GPU]


def test_init_containers_need_the_largest_request_not_the_sum() -> None:
    where = node("n", cpu=3)
    assert lacking(pod(cpu=1, init_containers=(container(3), container(3))), where) == []
    assert lacking(pod(cpu=1, init_containers=(container(3.001),)), where) == ["cpu"]
    assert lacking(pod(containers=(container(2), container(1.001))), where) == ["cpu"]


def test_init_containers_of_pods_on_the_node_do_not_count() -> None:
    there = pod("a", 1, on="n", init_containers=(container(4),))
    assert lacking(pod(cpu=3), node("n", cpu=4), there) == []


def test_each_container_request_is_rounded_up_on_its_own() -> None:
    finest = Container(frozendict(cpu=1))
    assert lacking(pod(containers=(finest,) * 3), node("n", allocatable={"cpu": 3})) == []
    assert lacking(pod(containers=(finest,) * 3), node("n", allocatable={"cpu": 2})) == ["cpu"]


def test_overhead_sidecars_and_pod_level_requests_are_ignored() -> None:
    where = node("n", cpu=1)
    assert lacking(pod(cpu=1, overhead={"cpu": UNIT}), where) == []
    assert lacking(pod(cpu=1, init_containers=(container(1, sidecar=True),)), where) == []
    assert lacking(pod(cpu=1, pod_requests={"cpu": 2 * UNIT}), where) == []


def test_ended_pods_hold_no_resources() -> None:
    assert lacking(pod(cpu=1), node("n", cpu=1, pods=1), pod("a", 1, on="n", phase="Succeeded")) == []


def holding(name: str, *ports: HostPort, on: str = "") -> Pod:
    return pod(name, on=on, containers=(Container(ports=ports),))


def test_host_ports_conflict_whatever_the_protocol_and_address() -> None:
    where = node("n")
    there = snapshot(where, holding("a", HostPort(80, "TCP", "10.0.0.1"), on="n"), holding("b", HostPort(81), on="m"))
    for port, expected in {
        HostPort(80): (HOST_PORTS_TAKEN,),
        HostPort(80, "UDP", "10.0.0.2"): (HOST_PORTS_TAKEN,),
        HostPort(81): (),
    }.items():
        assert pod_fits_host_ports.failures(holding("new", port), where, there) == expected
        assert pod_fits_host_ports.pod_fits_host_ports(holding("new", port), where, there) is (expected == ())


def test_init_containers_hold_no_host_port() -> None:
    where = node("n")
    there = snapshot(where, pod("a", on="n", init_containers=(Container(ports=(HostPort(80),)),)))
    assert pod_fits_host_ports.failures(holding("new", HostPort(80)), where, there) == ()


def test_a_pod_that_names_its_node_fits_only_there() -> None:
    where = node("n")
    assert host_name.failures(pod(), where, snapshot(where)) == ()
    assert host_name.failures(pod(on="n"), where, snapshot(where)) == ()
    assert host_name.failures(pod(on="m"), where, snapshot(where)) == (HOST_NAME_NOT_MATCHED,)


def selected(wanted: Pod, **labels: str) -> bool:
    where = node("n", labels=labels)
    found = match_node_selector.failures(wanted, where, snapshot(where))
    assert found in ((), (NODE_SELECTOR_NOT_MATCHED,))
    assert match_node_selector.match_node_selector(wanted, where, snapshot(where)) is (found == ())
    return found == ()


SSD, ZONED = node_term(Requirement("disk", "In", ("ssd",))), node_term(Requirement("zone", "Exists"))


def test_a_node_must_have_every_label_of_the_node_selector() -> None:
    wanted = pod(node_selector={"disk": "ssd", "zone": "a"})
    assert selected(wanted, disk="ssd", zone="a", more="x")
    assert not selected(wanted, disk="ssd")
    assert not selected(wanted, disk="ssd", zone="b")


def test_one_required_node_term_suffices_in_the_field_or_the_annotation() -> None:
    for wanted in (
        pod(affinity=Affinity(node_required=(SSD, ZONED))),
        pod(annotated_affinity=Affinity(node_required=(SSD, ZONED))),
    ):
        assert selected(wanted, disk="ssd")
        assert selected(wanted, zone="a")
        assert not selected(wanted, disk="hdd")


def test_the_node_selector_and_the_required_terms_must_both_match() -> None:
    wanted = pod(node_selector={"zone": "a"}, annotated_affinity=Affinity(node_required=(SSD,)))
    assert selected(wanted, disk="ssd", zone="a")
    assert not selected(wanted, disk="ssd")
    assert not selected(wanted, zone="a")


def test_a_node_term_without_requirements_matches_no_node() -> None:
    assert not selected(pod(affinity=Affinity(node_required=(node_term(),))), disk="ssd")


def test_each_part_of_the_affinity_field_overrides_the_annotation() -> None:
    annotated = Affinity(node_required=(SSD,), anti_required=apart(term()).anti_required)
    preferring = Affinity(node_preferred=(PreferredNodeTerm(1, ZONED),))
    assert not selected(pod(affinity=NO_AFFINITY, annotated_affinity=annotated))
    assert selected(pod(affinity=preferring, annotated_affinity=annotated))
    assert not selected(pod(affinity=apart(term()), annotated_affinity=annotated))


def saying(condition: str, status: str = "True") -> Node:
    return node("n", conditions=frozendict({condition: status}))


REQUESTING = {
    "nothing": pod(containers=(Container(),)),
    "none of it": pod(containers=(Container(frozendict(cpu=0)),)),
    "a device": pod(containers=(container(**{GPU: 1}),)),
    "only at first": pod(containers=(), init_containers=(container(1),)),
}


@pytest.mark.parametrize("name", REQUESTING)
def test_memory_pressure_rejects_best_effort_pods(name: str) -> None:
    where = saying("MemoryPressure")
    wanted = REQUESTING[name]
    assert node_conditions.memory_pressure_failures(wanted, where, snapshot(where)) == (UNDER_MEMORY_PRESSURE,)
    assert node_conditions.memory_pressure_failures(wanted, node("n"), snapshot(where)) == ()


def test_a_pod_that_requests_cpu_or_memory_is_not_best_effort() -> None:
    where = saying("MemoryPressure")
    for requests in ({"cpu": 1}, {"memory": 1}):
        wanted = pod(containers=(Container(), Container(frozendict(requests))))
        assert node_conditions.memory_pressure_failures(wanted, where, snapshot(where)) == ()


def test_disk_and_pid_pressure_reject_all_pods() -> None:
    for condition, failures, expected in (
        ("DiskPressure", node_conditions.disk_pressure_failures, UNDER_DISK_PRESSURE),
        ("PIDPressure", node_conditions.pid_pressure_failures, UNDER_PID_PRESSURE),
    ):
        for wanted in (pod(), pod(cpu=1)):
            assert failures(wanted, saying(condition), snapshot()) == (expected,)
            assert failures(wanted, saying("MemoryPressure"), snapshot()) == ()
            assert failures(wanted, node("n"), snapshot()) == ()


@pytest.mark.parametrize("condition", ["MemoryPressure", "DiskPressure", "PIDPressure"])
def test_a_pressure_condition_of_unknown_rejects_no_pod(condition: str) -> None:
    where = saying(condition, "Unknown")
    assert node_conditions.memory_pressure_failures(pod(), where, snapshot()) == ()
    assert node_conditions.disk_pressure_failures(pod(), where, snapshot()) == ()
    assert node_conditions.pid_pressure_failures(pod(), where, snapshot()) == ()
    assert node_conditions.condition_failures(pod(), where, snapshot()) == ()


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (node("n"), ()),
        (node("n", ready="False"), (NOT_READY,)),
        (node("n", ready="Unknown"), (NOT_READY,)),
        (saying("OutOfDisk"), (OUT_OF_DISK,)),
        (saying("OutOfDisk", "Unknown"), (OUT_OF_DISK,)),
        (saying("NetworkUnavailable"), (NETWORK_UNAVAILABLE,)),
        (saying("NetworkUnavailable", "Unknown"), (NETWORK_UNAVAILABLE,)),
        (node("n", unschedulable=True), (UNSCHEDULABLE,)),
        (node("n", ready="False", unschedulable=True), (NOT_READY, UNSCHEDULABLE)),
    ],
)
def test_node_conditions_reject_pods_regardless_of_tolerations(where: Node, expected: tuple[Failure, ...]) -> None:
    tolerant = pod(tolerations=(Toleration(operator="Exists"),))
    for wanted in (pod(), tolerant):
        assert node_conditions.condition_failures(wanted, where, snapshot(where)) == expected
        assert node_conditions.check_node_condition(wanted, where) is (expected == ())


@pytest.mark.parametrize(("effect", "keeps"), [("NoSchedule", True), ("NoExecute", True), ("PreferNoSchedule", False)])
def test_no_schedule_and_no_execute_taints_must_be_tolerated(effect: str, keeps: bool) -> None:
    where = node("n", taints=(Taint("t", effect),))
    tolerant = pod(tolerations=(Toleration("t", "Exists"),))
    expected = (TAINTS_NOT_TOLERATED,) if keeps else ()
    assert pod_tolerates_node_taints.failures(pod(), where, snapshot(where)) == expected
    assert pod_tolerates_node_taints.failures(tolerant, where, snapshot(where)) == ()


def test_label_presence_requires_all_labels_present_or_all_absent() -> None:
    where = node("n", labels={"retiring": "2016", "zone": ""})
    both, one, none = ("retiring", "zone"), ("retiring", "rack"), ("rack",)
    for labels, when_present, when_absent in (
        (both, True, False),
        (one, False, False),
        (none, False, True),
        ((), True, True),
    ):
        for presence, passes in ((True, when_present), (False, when_absent)):
            assert check_node_label_presence.check_node_label_presence(where, labels, presence) is passes
            expected = () if passes else (LABEL_PRESENCE_VIOLATED,)
            assert check_node_label_presence.failures(where, labels, presence) == expected


def test_general_predicates_report_the_failures_of_all_four() -> None:
    where = node("n", cpu=1)
    there = snapshot(where, holding("a", HostPort(80), on="n"))
    wanted = pod(
        on="m", containers=(Container(frozendict(cpu=2 * UNIT), ports=(HostPort(80),)),), node_selector={"disk": "ssd"}
    )
    expected = (insufficient("cpu"), HOST_NAME_NOT_MATCHED, HOST_PORTS_TAKEN, NODE_SELECTOR_NOT_MATCHED)
    assert general.failures(wanted, where, there, False) == expected
    assert not general.general_predicates(wanted, where, there, False)
    assert general.failures(pod(cpu=1), where, snapshot(where), False) == ()
    assert general.general_predicates(pod(cpu=1), where, snapshot(where), False)


@pytest.mark.parametrize(
    "fields",
    [
        {"cpu": 5},
        {"on": "m"},
        {"containers": (replace(container(), ports=(HostPort(80),)),)},
        {"node_selector": {"zone": "b"}},
    ],
    ids=["resources", "name", "ports", "selector"],
)
def test_each_of_the_four_general_predicates_alone_can_fail(fields: dict[str, Any]) -> None:
    where = node("n", 4, labels={"zone": "a"})
    held = pod("held", on="n", containers=(replace(container(), ports=(HostPort(80),)),))
    there = snapshot(where, held)
    assert general.general_predicates(pod(cpu=1), where, there, False)
    assert not general.general_predicates(pod(**fields), where, there, False)
    assert len(general.failures(pod(**fields), where, there, False)) == 1
