"""Objects as they were read: later changes on top, and every other field unchanged"""

import json
from dataclasses import replace
from typing import Any

import pytest

from schedcheck.manifests.documents import Document
from schedcheck.manifests.objects import cluster
from schedcheck.model.production.extenders.as_read import NOT_READ, AsRead
from schedcheck.model.production.extenders.kubernetes_objects import node_object, pod_object
from schedcheck.spec.objects import HostPort, Pod, Taint
from tests.support.building import node, pod

STORED = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "namespace": "shop", "uid": "u-1", "annotations": {"a": "b"}, "labels": {"app": "web"}},
    "spec": {
        "schedulerName": "default-scheduler",
        "serviceAccountName": "builder",
        "volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}],
        "containers": [
            {
                "name": "c",
                "image": "web:1",
                "env": [{"name": "A", "value": "1"}],
                "resources": {"requests": {"cpu": "500m"}, "limits": {"cpu": "1"}},
                "ports": [{"name": "http", "containerPort": 80, "hostPort": 8080}],
            }
        ],
    },
    "status": {
        "phase": "Pending",
        "qosClass": "Burstable",
        "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}],
    },
}
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1", "uid": "u-n1", "annotations": {"x": "y"}, "labels": {"zone": "a"}},
    "spec": {"providerID": "kind://n1", "taints": [{"key": "t", "effect": "NoSchedule", "timeAdded": "2026-01-01T00:00:00Z"}]},
    "status": {
        "capacity": {"cpu": "4", "pods": "110"},
        "allocatable": {"cpu": "3900m", "pods": "110"},
        "nodeInfo": {"kubeletVersion": "v1.34.1"},
    },
}  # fmt: skip


def read(*objects: Any) -> tuple[AsRead, dict[str, Pod]]:
    found = cluster([Document("input", number, each) for number, each in enumerate(objects, 1)])
    return found.whole, {each.name: each for each in found.pods}


def with_fields(of: Any, part: str, **fields: Any) -> Any:
    return {**of, part: {**of[part], **fields}}


def test_a_pod_and_a_node_are_sent_as_they_were_read() -> None:
    found = cluster([Document("input", 1, STORED), Document("input", 2, NODE)])
    assert found.whole.pod_object(found.pods[0]) == STORED
    assert found.whole.node_object(found.nodes[0]) == NODE
    assert found.whole.uid(found.pods[0]) == "u-1" and found.whole.key("u-1") == ("shop", "p")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"node_name": "n1"}, with_fields(STORED, "spec", nodeName="n1")),
        ({"nominated_node_name": "n1"}, with_fields(STORED, "status", nominatedNodeName="n1")),
        ({"phase": "Running"}, with_fields(STORED, "status", phase="Running")),
        ({"terminating": True}, with_fields(STORED, "metadata", deletionTimestamp="1970-01-01T00:00:00Z")),
    ],
)
def test_only_the_changed_field_of_a_pod_differs(change: Any, expected: Any) -> None:
    whole, pods = read(STORED)
    assert whole.pod_object(replace(pods["p"], **change)) == expected


def test_a_condition_is_added_to_the_others_and_removed_alone() -> None:
    whole, pods = read(STORED)
    sent = whole.pod_object(replace(pods["p"], preempted=True))
    assert [each["type"] for each in sent["status"]["conditions"]] == ["PodScheduled", "DisruptionTarget"]
    whole, pods = read(with_fields(STORED, "status", conditions=sent["status"]["conditions"]))
    assert pods["p"].preempted
    assert whole.pod_object(replace(pods["p"], preempted=False)) == STORED


def test_a_removed_nomination_leaves_no_trace() -> None:
    whole, pods = read(with_fields(STORED, "status", nominatedNodeName="n1"))
    assert whole.pod_object(replace(pods["p"], nominated_node_name="")) == STORED


def test_a_resized_container_keeps_its_other_fields() -> None:
    whole, pods = read(STORED)
    container = replace(pods["p"].containers[0], requests=pods["p"].containers[0].requests.set("cpu", 700 * 10**6))
    (sent,) = whole.pod_object(replace(pods["p"], containers=(container,)))["spec"]["containers"]
    (given,) = STORED["spec"]["containers"]  # type: ignore[index]
    assert sent == {**given, "resources": {"requests": {"cpu": "700m"}, "limits": {"cpu": "1"}}}


@pytest.mark.parametrize("others", [[], [{"name": "metrics", "containerPort": 90}]])
def test_a_changed_host_port_is_sent_whatever_other_ports_the_container_has(others: list[Any]) -> None:
    """Of ports, the specification reads those of the host alone."""
    (given,) = STORED["spec"]["containers"]  # type: ignore[index]
    whole, pods = read(with_fields(STORED, "spec", containers=[{**given, "ports": [*given["ports"], *others]}]))
    container = replace(pods["p"].containers[0], ports=(HostPort(9090),))
    (sent,) = whole.pod_object(replace(pods["p"], containers=(container,)))["spec"]["containers"]
    assert [each["hostPort"] for each in sent["ports"] if "hostPort" in each] == [9090]


def test_a_cordoned_node_keeps_its_other_fields_and_a_removed_taint_is_gone() -> None:
    found = cluster([Document("input", 1, NODE)])
    cordoned = with_fields(NODE, "spec", unschedulable=True)
    assert found.whole.node_object(replace(found.nodes[0], unschedulable=True)) == cordoned
    assert found.whole.node_object(replace(found.nodes[0], taints=())) == with_fields(NODE, "spec", taints=[])
    new = Taint("k", "NoExecute", "")
    sent = found.whole.node_object(replace(found.nodes[0], taints=(new,)))
    assert sent["spec"]["taints"] == [{"key": "k", "effect": "NoExecute"}]


def test_what_was_not_read_has_the_fields_of_its_value() -> None:
    whole, _ = read(STORED, NODE)
    assert whole.pod_object(pod("q")) == pod_object(pod("q")) == NOT_READ.pod_object(pod("q"))
    assert whole.node_object(node("n2")) == node_object(node("n2")) == NOT_READ.node_object(node("n2"))
    assert whole.uid(pod("q")) == "default/q" and whole.key("default/q") == ("default", "q")


def test_a_pod_made_later_under_the_name_of_a_bound_one_is_another_pod() -> None:
    whole, pods = read(with_fields(STORED, "spec", nodeName="n1"))
    later = replace(pods["p"], node_name="", phase="Pending")
    assert whole.pod_object(later) == pod_object(later) and whole.uid(later) == "shop/p"
    named = replace(pods["p"], uid="another")
    assert whole.uid(named) == "shop/p"


def test_the_input_is_never_changed() -> None:
    before = json.dumps([STORED, NODE])
    whole, pods = read(STORED, NODE)
    whole.pod_object(replace(pods["p"], node_name="n1", preempted=True, terminating=True, nominated_node_name="n2"))
    assert json.dumps([STORED, NODE]) == before
