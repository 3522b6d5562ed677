"""The events caused by a change of a node or pod, and the plugins that an event concerns"""

from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.model.production.framework.events import Action, ClusterEvent, Resource, node_changes, pod_changes
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.objects import Node, Pod, Taint, Toleration
from tests.support.building import node, pod

A, B = frozendict({"app": "a"}), frozendict({"app": "b"})
GPU, OLD = Taint("gpu", "NoSchedule"), Taint("old", "NoSchedule")


@pytest.mark.parametrize(
    ("before", "after", "actions"),
    [
        (node(), node(), []),
        (node(unschedulable=True), node(), [Action.UPDATE_NODE_TAINT]),
        (node(), node(unschedulable=True), []),
        (node(cpu=1), node(cpu=2), [Action.UPDATE_NODE_ALLOCATABLE]),
        (node(cpu=2), node(cpu=1), [Action.UPDATE_NODE_ALLOCATABLE]),
        (node(labels=A), node(labels=B), [Action.UPDATE_NODE_LABEL]),
        (node(labels=B), node(labels=A), [Action.UPDATE_NODE_LABEL]),
        (node(taints=(GPU,)), node(), [Action.UPDATE_NODE_TAINT]),
        (node(), node(taints=(GPU,)), [Action.UPDATE_NODE_TAINT]),
        (node(unschedulable=True, taints=(GPU,)), node(), [Action.UPDATE_NODE_TAINT]),
        (node(cpu=1, labels=A), node(cpu=2), [Action.UPDATE_NODE_ALLOCATABLE, Action.UPDATE_NODE_LABEL]),
    ],
)
def test_a_node_change_yields_the_matching_node_events(before: Node, after: Node, actions: list[Action]) -> None:
    assert node_changes(before, after) == [ClusterEvent(Resource.NODE, action) for action in actions]


GATED = pod(scheduling_gates=("g",))
TOLERANT = pod(tolerations=(Toleration("gpu", "Exists"),))


@pytest.mark.parametrize(
    ("before", "after", "actions"),
    [
        (pod(), pod(), [Action.UPDATE_OTHER]),
        (pod(labels=A), pod(labels=frozendict({"app": "a"})), [Action.UPDATE_OTHER]),
        (pod(labels=A), pod(labels=B), [Action.UPDATE_POD_LABEL]),
        (pod(labels=B), pod(labels=A), [Action.UPDATE_POD_LABEL]),
        (pod(cpu=1), pod(cpu=1, labels=A), [Action.UPDATE_POD_LABEL]),
        (pod(cpu=2), pod(cpu=1), [Action.UPDATE_POD_SCALE_DOWN]),
        (pod(cpu=1), pod(cpu=2), [Action.UPDATE_OTHER]),
        (pod(cpu=1), pod(), [Action.UPDATE_POD_SCALE_DOWN]),
        (GATED, pod(), [Action.UPDATE_POD_GATES_ELIMINATED]),
        (pod(), GATED, [Action.UPDATE_OTHER]),
        (pod(scheduling_gates=("g", "h")), GATED, [Action.UPDATE_OTHER]),
        (pod(), TOLERANT, [Action.UPDATE_POD_TOLERATIONS]),
        (TOLERANT, pod(), [Action.UPDATE_POD_TOLERATIONS]),
        (GATED, TOLERANT, [Action.UPDATE_POD_GATES_ELIMINATED, Action.UPDATE_POD_TOLERATIONS]),
    ],
)
def test_a_pod_change_yields_the_matching_pod_events(before: Pod, after: Pod, actions: list[Action]) -> None:
    assert pod_changes(before, after, NEWEST.departures) == [
        ClusterEvent(Resource.UNSCHEDULED_POD, action) for action in actions
    ]
    placed = replace(before, node_name="n"), replace(after, node_name="n")
    assert pod_changes(*placed, NEWEST.departures) == [
        ClusterEvent(Resource.ASSIGNED_POD, action) for action in actions
    ]


SINGLE = [each for each in Action if each not in (Action.UPDATE, Action.ALL)]


def test_update_contains_every_update_action_and_all_contains_everything() -> None:
    changes = {each for each in SINGLE if each.name is not None and each.name.startswith("UPDATE_")}
    assert {each for each in SINGLE if each in Action.UPDATE} == changes
    assert {each for each in SINGLE if each in Action.ALL} == {*changes, Action.ADD, Action.DELETE}


@pytest.mark.parametrize(
    ("asked", "happened", "told"),
    [
        (ClusterEvent(Resource.NODE, Action.ADD), ClusterEvent(Resource.NODE, Action.ADD), True),
        (ClusterEvent(Resource.NODE, Action.ADD | Action.DELETE), ClusterEvent(Resource.NODE, Action.ADD), True),
        (ClusterEvent(Resource.NODE, Action.ADD), ClusterEvent(Resource.NODE, Action.DELETE), False),
        (ClusterEvent(Resource.NODE, Action.ADD), ClusterEvent(Resource.ASSIGNED_POD, Action.ADD), False),
        (ClusterEvent(Resource.POD, Action.ADD), ClusterEvent(Resource.ASSIGNED_POD, Action.ADD), True),
        (ClusterEvent(Resource.POD, Action.ADD), ClusterEvent(Resource.UNSCHEDULED_POD, Action.ADD), True),
        (ClusterEvent(Resource.POD, Action.ADD), ClusterEvent(Resource.NODE, Action.ADD), False),
        (ClusterEvent(Resource.ASSIGNED_POD, Action.ADD), ClusterEvent(Resource.UNSCHEDULED_POD, Action.ADD), False),
        (ClusterEvent(Resource.WILDCARD, Action.ALL), ClusterEvent(Resource.NODE, Action.DELETE), True),
        (ClusterEvent(Resource.WILDCARD, Action.ADD), ClusterEvent(Resource.NODE, Action.ADD), False),
    ],
)
def test_a_registered_event_covers_matching_events_only(
    asked: ClusterEvent, happened: ClusterEvent, told: bool
) -> None:
    assert asked.covers(happened) is told


def test_only_all_actions_on_any_resource_is_the_wildcard() -> None:
    assert ClusterEvent(Resource.WILDCARD, Action.ALL).wildcard
    assert not ClusterEvent(Resource.WILDCARD, Action.UPDATE).wildcard
    assert not ClusterEvent(Resource.NODE, Action.ALL).wildcard


def test_an_event_is_printed_as_in_kube_scheduler() -> None:
    assert str(ClusterEvent(Resource.WILDCARD, Action.ALL, "ForceActivate")) == "ForceActivate"
