"""Queueing hints: for each plugin, whether an event may make a pod schedulable that the plugin rejected

Kubernetes 1.34: isSchedulableAfterNodeChange and the like in pkg/scheduler/framework/plugins.
"""

from typing import Any

import pytest

from schedcheck.model.production.framework.events import Action, ClusterEvent, Resource
from schedcheck.spec.objects import HostPort, Namespace, Node, Pod, SpreadConstraint, Taint, Toleration
from schedcheck.spec.terms import Requirement
from tests.model.production.cluster import cluster
from tests.support.building import apart, container, near, node, pod, selector, snapshot, term

ZONE = "zone"
RED, BLUE = selector(app="red"), selector(app="blue")
WANTS_RED, SHUNS_RED = near(term(ZONE, RED)), apart(term(ZONE, RED))

Case = tuple[Pod, Any, Any, bool]
"""A rejected pod, an object before and after an event, and whether the event is worth a retry."""


def worth(plugin: str, event: ClusterEvent, refused: Pod, before: Any, after: Any) -> bool:
    """Whether the plugin registers for the event and its hint says that the pod may now fit."""
    known = [Namespace(each.namespace) for each in (before, after) if isinstance(each, Pod)]
    made = cluster(snapshot(*{each.name: each for each in known}.values()), pending=[refused])
    return any(
        interest.event.covers(event) and (interest.hint is None or interest.hint(refused, before, after))
        for interest in made.framework.plugin(plugin).events()
    )


def red(name: str = "other", on: str = "n", **fields: Any) -> Pod:
    return pod(name, on=on, labels={"app": "red"}, **fields)


def blue(name: str = "other", on: str = "n", **fields: Any) -> Pod:
    return pod(name, on=on, labels={"app": "blue"}, **fields)


def placed(zone: str | None = "a", name: str = "n", cpu: int = 4, **fields: Any) -> Node:
    labels = {} if zone is None else {ZONE: zone}
    return node(name, cpu, labels=labels, **fields)


def pod_event(before: Pod | None, after: Pod | None) -> ClusterEvent:
    """The event of a pod that was added, deleted or relabelled."""
    action = Action.ADD if before is None else Action.DELETE if after is None else Action.UPDATE_POD_LABEL
    return ClusterEvent(Resource.ASSIGNED_POD, action)


def node_event(before: Node | None, after: Node | None, changed: Action = Action.UPDATE_NODE_LABEL) -> ClusterEvent:
    """The event of a node that was added, deleted or changed."""
    return ClusterEvent(Resource.NODE, Action.ADD if before is None else Action.DELETE if after is None else changed)


@pytest.mark.parametrize(
    ("affinity", "before", "after", "tried"),
    [
        (WANTS_RED, None, red(), True),
        (WANTS_RED, None, blue(), False),
        (WANTS_RED, red(), None, False),
        (WANTS_RED, blue(), red(), True),
        (WANTS_RED, red(), blue(), False),
        (WANTS_RED, red(), red(), False),
        (WANTS_RED, blue("p", ""), blue("p", ""), True),
        (WANTS_RED, None, red("p", namespace="elsewhere"), False),
        (near(term(ZONE, RED), term(ZONE, selector(Requirement("tier", "Exists")))), None, red(), False),
        (SHUNS_RED, red(), None, True),
        (SHUNS_RED, blue(), None, False),
        (SHUNS_RED, red(), blue(), True),
        (SHUNS_RED, blue(), red(), False),
        (SHUNS_RED, red(), red(), False),
        (apart(term(ZONE, RED), term(ZONE, BLUE)), blue(), None, True),
        (near(), red(affinity=apart(term(ZONE, BLUE))), None, True),
        (near(), red(affinity=SHUNS_RED), None, False),
        (near(), red("p2", affinity=apart(term(ZONE, BLUE))), red("p2"), False),
        (SHUNS_RED, red("a"), red("a"), False),
        (SHUNS_RED, red("z"), red("z"), False),
    ],
)
def test_a_pod_event_wakes_pods_whose_affinity_or_anti_affinity_it_may_change(
    affinity: Any, before: Pod | None, after: Pod | None, tried: bool
) -> None:
    refused = blue("p", "", affinity=affinity)
    assert worth("InterPodAffinity", pod_event(before, after), refused, before, after) is tried


@pytest.mark.parametrize(("own", "tried"), [(red, True), (blue, False)])
def test_a_relabelled_pod_may_have_been_the_last_company_of_a_pod_that_matches_its_own_terms(
    own: Any, tried: bool
) -> None:
    """Kubernetes 1.34: isSchedulableAfterPodChange compares whether all terms match before and after."""
    refused = own("p", "", affinity=WANTS_RED)
    assert worth("InterPodAffinity", pod_event(red(), blue()), refused, red(), blue()) is tried


@pytest.mark.parametrize(
    ("affinity", "before", "after", "tried"),
    [
        (WANTS_RED, None, placed("a"), True),
        (WANTS_RED, None, placed(None), False),
        (SHUNS_RED, None, placed(None), True),
        (near(), None, placed(None), True),
        (WANTS_RED, placed("a"), placed("b"), True),
        (WANTS_RED, placed("a"), placed("a"), False),
        (WANTS_RED, placed("a"), placed(None), False),
        (WANTS_RED, placed(None), placed("a"), True),
        (SHUNS_RED, placed("a"), placed("b"), True),
        (SHUNS_RED, placed("a"), placed(None), True),
        (SHUNS_RED, placed(None), placed("a"), False),
        (near(term("rack", RED)), placed("a"), placed("b"), False),
        (apart(term("rack", RED)), placed("a"), placed("b"), False),
        (near(term("rack", RED)), None, placed("a"), False),
        (near(), placed("a"), placed("a"), True),
    ],
)
def test_a_node_event_wakes_pods_with_affinity_over_its_domain(
    affinity: Any, before: Node | None, after: Node, tried: bool
) -> None:
    refused = blue("p", "", affinity=affinity)
    assert worth("InterPodAffinity", node_event(before, after), refused, before, after) is tried


def spreading(**fields: Any) -> Pod:
    """A red pod with a zone spread constraint over red pods."""
    return red("p", "", spread=(SpreadConstraint(1, ZONE, selector=RED),), **fields)


@pytest.mark.parametrize(
    ("before", "after", "tried"),
    [
        (None, red(), True),
        (None, blue(), False),
        (red(), None, True),
        (blue(), None, False),
        (red(), blue(), True),
        (blue(), red(), True),
        (red(), red(), False),
        (blue(), blue(), False),
        (None, red(namespace="elsewhere"), False),
        (red(namespace="elsewhere"), None, False),
        (red("a"), red("a"), False),
        (red("z"), red("z"), False),
        (blue("p", ""), red("p", ""), True),
        (red("p", ""), red("p", ""), True),
    ],
)
def test_a_pod_event_wakes_pods_spread_among_matching_pods(before: Pod | None, after: Pod | None, tried: bool) -> None:
    assert worth("PodTopologySpread", pod_event(before, after), spreading(), before, after) is tried


@pytest.mark.parametrize(
    ("before", "after", "tried"),
    [
        (None, placed("a"), True),
        (None, placed(None), False),
        (placed("a"), None, True),
        (placed(None), None, False),
        (placed("a"), placed("b"), True),
        (placed("a"), placed("a"), False),
        (placed("a"), placed(None), True),
        (placed(None), placed("a"), True),
        (placed(None), placed(None), False),
        (placed(None, taints=(Taint("gpu", "NoSchedule"),)), placed(None), False),
        (placed("a", taints=(Taint("gpu", "NoSchedule"),)), placed("a"), True),
    ],
)
def test_a_node_event_wakes_pods_spread_over_its_domain(before: Node | None, after: Node | None, tried: bool) -> None:
    assert worth("PodTopologySpread", node_event(before, after), spreading(), before, after) is tried


def test_a_node_must_have_the_keys_of_all_constraints_to_wake_a_pod() -> None:
    both = red("p", "", spread=(SpreadConstraint(1, ZONE, selector=RED), SpreadConstraint(1, "rack", selector=RED)))
    whole = node(labels={ZONE: "a", "rack": "1"})
    assert worth("PodTopologySpread", node_event(None, whole), both, None, whole)
    for before, after in ((None, placed("a")), (placed("a"), placed("b")), (placed("a"), None)):
        assert not worth("PodTopologySpread", node_event(before, after), both, before, after)


@pytest.mark.parametrize(
    ("before", "after", "tried"),
    [
        (None, node(cpu=2), True),
        (None, node(cpu=1), False),
        (None, node(cpu=3), True),
        (None, node(cpu=2, pods=0), False),
        (None, node(cpu=2, pods=1), True),
        (node(cpu=1), node(cpu=2), True),
        (node(cpu=2), node(cpu=2), False),
        (node(cpu=3), node(cpu=2), False),
        (node(cpu=2, pods=1), node(cpu=2, pods=2), True),
        (node(cpu=2, pods=2), node(cpu=2, pods=1), False),
        (node(cpu=2), node(cpu=2, allocatable={"memory": 1}), False),
        (node(cpu=2, allocatable={"cpu": 0}), node(cpu=1), False),
    ],
)
def test_a_node_with_more_room_than_before_that_is_enough_wakes_a_pod(
    before: Node | None, after: Node, tried: bool
) -> None:
    event = node_event(before, after, Action.UPDATE_NODE_ALLOCATABLE)
    assert worth("NodeResourcesFit", event, pod("p", 2), before, after) is tried


@pytest.mark.parametrize(
    ("before", "after", "tried"),
    [
        (pod("other", 2, "n"), pod("other", 1, "n"), True),
        (pod("other", 1, "n"), pod("other", 1, "n"), False),
        (pod("other", 1, "n"), pod("other", 2, "n"), False),
        (pod("other", 2), pod("other", 1), False),
        (pod("p", 2), pod("p", 1), True),
        (pod("p", 2), pod("p", 2), True),
        (pod("a", 2), pod("a", 2), False),
        (pod("z", 2), pod("z", 2), False),
        (
            pod("other", on="n", containers=(container(1, memory=2),)),
            pod("other", on="n", containers=(container(1, memory=1),)),
            False,
        ),
    ],
)
def test_a_scaled_down_pod_wakes_pods_that_request_the_freed_resource(before: Pod, after: Pod, tried: bool) -> None:
    resource = Resource.ASSIGNED_POD if after.node_name else Resource.UNSCHEDULED_POD
    event = ClusterEvent(resource, Action.UPDATE_POD_SCALE_DOWN)
    assert worth("NodeResourcesFit", event, pod("p", 2), before, after) is tried


@pytest.mark.parametrize(
    ("gone", "tried"),
    [(pod("other", 1, "n"), True), (pod("other", 1), False), (pod("other", 1, nominated_node_name="n"), True)],
)
def test_a_deleted_pod_that_was_bound_or_nominated_wakes_pods(gone: Pod, tried: bool) -> None:
    assert worth("NodeResourcesFit", pod_event(gone, None), pod("p", 2), gone, None) is tried


def holding(port: int, on: str = "n", **fields: Any) -> Pod:
    return pod("other", on=on, containers=(container(), container_with(port)), **fields)


def container_with(port: int) -> Any:
    from dataclasses import replace

    return replace(container(), ports=(HostPort(port),))


@pytest.mark.parametrize(
    ("gone", "tried"),
    [
        (holding(80), True),
        (holding(81), False),
        (holding(80, ""), False),
        (holding(80, "", nominated_node_name="n"), True),
        (holding(81, "", nominated_node_name="n"), False),
    ],
)
def test_a_deleted_pod_wakes_pods_that_need_its_host_ports(gone: Pod, tried: bool) -> None:
    refused = pod("p", containers=(container_with(80),))
    assert worth("NodePorts", pod_event(gone, None), refused, gone, None) is tried


@pytest.mark.parametrize(
    ("before", "after", "tried"),
    [
        (None, placed("a"), True),
        (None, placed("b"), False),
        (placed("b"), placed("a"), True),
        (placed("a"), placed("a"), False),
        (placed("a"), placed("b"), False),
    ],
)
def test_a_node_wakes_pods_whose_node_affinity_it_newly_matches(before: Node | None, after: Node, tried: bool) -> None:
    refused = pod("p", node_selector={ZONE: "a"})
    assert worth("NodeAffinity", node_event(before, after), refused, before, after) is tried


GPU, OLD = Taint("gpu", "NoSchedule"), Taint("old", "PreferNoSchedule")


@pytest.mark.parametrize(
    ("before", "after", "tried"),
    [
        (None, node(), True),
        (None, node(taints=(GPU,)), False),
        (None, node(taints=(OLD,)), True),
        (node(taints=(GPU,)), node(), True),
        (node(), node(taints=(GPU,)), False),
        (node(taints=(OLD,)), node(), False),
        (node(taints=(GPU,)), node(taints=(GPU, OLD)), False),
    ],
)
def test_a_node_wakes_pods_that_newly_tolerate_its_taints(before: Node | None, after: Node, tried: bool) -> None:
    event = node_event(before, after, Action.UPDATE_NODE_TAINT)
    assert worth("TaintToleration", event, pod("p"), before, after) is tried


CORDON = Toleration("node.kubernetes.io/unschedulable", "Exists")


def test_only_an_uncordoned_node_wakes_a_pod() -> None:
    for before in (None, node(unschedulable=True)):
        for after in (node(), node(unschedulable=True)):
            event = node_event(before, after, Action.UPDATE_NODE_TAINT)
            said = worth("NodeUnschedulable", event, pod("p"), before, after)
            assert said is not after.unschedulable


@pytest.mark.parametrize(
    ("plugin", "after", "tried"),
    [
        ("NodeUnschedulable", pod("p", tolerations=(CORDON,)), True),
        ("NodeUnschedulable", pod("p", tolerations=(Toleration("gpu", "Exists"),)), False),
        ("NodeUnschedulable", pod("a", tolerations=(CORDON,)), False),
        ("NodeUnschedulable", pod("z", tolerations=(CORDON,)), False),
        ("TaintToleration", pod("p", tolerations=(CORDON,)), True),
        ("TaintToleration", pod("a", tolerations=(CORDON,)), False),
        ("TaintToleration", pod("z", tolerations=(CORDON,)), False),
    ],
)
def test_a_toleration_added_to_the_pod_itself_wakes_it(plugin: str, after: Pod, tried: bool) -> None:
    event = ClusterEvent(Resource.UNSCHEDULED_POD, Action.UPDATE_POD_TOLERATIONS)
    assert worth(plugin, event, pod("p"), pod(after.name), after) is tried


@pytest.mark.parametrize(("name", "tried"), [("p", True), ("a", False), ("z", False)])
def test_removed_gates_wake_only_the_pod_itself(name: str, tried: bool) -> None:
    event = ClusterEvent(Resource.UNSCHEDULED_POD, Action.UPDATE_POD_GATES_ELIMINATED)
    assert worth("SchedulingGates", event, pod("p"), pod(name), pod(name)) is tried


@pytest.mark.parametrize(
    ("plugin", "told"),
    [
        ("NodeName", {"Node ADD"}),
        ("NodePorts", {"Node ADD", "AssignedPod DELETE"}),
        ("NodeAffinity", {"Node ADD", "Node UPDATE_NODE_LABEL"}),
        ("NodeUnschedulable", {"Node ADD", "Node UPDATE_NODE_TAINT", "UnschedulablePod UPDATE_POD_TOLERATIONS"}),
        ("TaintToleration", {"Node ADD", "Node UPDATE_NODE_TAINT", "UnschedulablePod UPDATE_POD_TOLERATIONS"}),
        ("SchedulingGates", {"UnschedulablePod UPDATE_POD_GATES_ELIMINATED"}),
        ("DefaultPreemption", {"AssignedPod DELETE"}),
        (
            "NodeResourcesFit",
            {
                "Node ADD",
                "Node UPDATE_NODE_ALLOCATABLE",
                "AssignedPod DELETE",
                "AssignedPod UPDATE_POD_SCALE_DOWN",
                "UnschedulablePod UPDATE_POD_SCALE_DOWN",
            },
        ),
        (
            "InterPodAffinity",
            {
                "Node ADD",
                "Node UPDATE_NODE_LABEL",
                *(f"{kind} {action}" for kind in ("AssignedPod", "UnschedulablePod")
                  for action in ("ADD", "DELETE", "UPDATE_POD_LABEL")),
            },
        ),
        (
            "PodTopologySpread",
            {
                "Node ADD",
                "Node DELETE",
                "Node UPDATE_NODE_LABEL",
                "Node UPDATE_NODE_TAINT",
                "UnschedulablePod UPDATE_POD_TOLERATIONS",
                *(f"{kind} {action}" for kind in ("AssignedPod", "UnschedulablePod")
                  for action in ("ADD", "DELETE", "UPDATE_POD_LABEL")),
            },
        ),
    ],
)  # fmt: skip
def test_each_plugin_registers_for_the_events_that_concern_it(plugin: str, told: set[str]) -> None:
    kinds = (Resource.ASSIGNED_POD, Resource.UNSCHEDULED_POD, Resource.NODE, Resource.OTHER)
    single = [each for each in Action if each not in (Action.UPDATE, Action.ALL)]
    events = cluster(snapshot()).framework.plugin(plugin).events()
    assert told == {
        f"{kind.value} {action.name}"
        for kind in kinds
        for action in single
        if any(each.event.covers(ClusterEvent(kind, action)) for each in events)
    }


@pytest.mark.parametrize("plugin", ["VolumeZone", "VolumeBinding"])
@pytest.mark.parametrize(
    ("action", "registered"),
    [
        (Action.ADD, True),
        (Action.UPDATE_NODE_LABEL, True),
        (Action.UPDATE_NODE_TAINT, False),
        (Action.UPDATE_NODE_ALLOCATABLE, False),
        (Action.DELETE, False),
    ],
)
def test_filters_of_volumes_are_told_of_new_and_relabelled_nodes_alone(
    plugin: str, action: Action, registered: bool
) -> None:
    """Kubernetes 1.34: EventsToRegister of both in volume_zone.go and volume_binding.go, without preCheck."""
    events = cluster(snapshot()).framework.plugin(plugin).events()
    assert any(each.event.covers(ClusterEvent(Resource.NODE, action)) for each in events) is registered
