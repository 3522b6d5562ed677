"""The node in the template of a pod is read from its owner in the input, and from the pod only where necessary"""

from collections.abc import Callable

import pytest

from schedcheck.manifests import Cluster, scenario
from schedcheck.spec.faults import NO_FAULTS

Read = Callable[[str], Cluster]

NODE = "{kind: Node, metadata: {name: n1}, status: {capacity: {cpu: 9}}}\n---\n"
SELECTOR = "selector: {matchLabels: {app: web}}"


def template(node: str) -> str:
    named = f"nodeName: {node}, " if node else ""
    return f"template: {{metadata: {{labels: {{app: web}}}}, spec: {{{named}containers: [{{}}]}}}}"


def workload(kind: str, name: str = "web", node: str = "n1") -> str:
    return f"{{kind: {kind}, metadata: {{name: {name}}}, spec: {{{SELECTOR}, {template(node)}}}}}\n---\n"


def pod(owner: str, name: str, more: str = "") -> str:
    controller = f"ownerReferences: [{{kind: {owner}, name: {name}, controller: true}}]"
    return (
        f"{{kind: Pod, metadata: {{name: web-x, uid: u, labels: {{app: web}}, {controller}}},"
        f" spec: {{nodeName: n1, {more} containers: [{{}}]}}}}\n---\n"
    )


def only(cluster: Cluster) -> tuple[str, str]:
    """The node of the only pod, and the node that its template names."""
    (found,) = cluster.pods
    return found.node_name, found.template_node_name


@pytest.mark.parametrize("kind", ["Deployment", "ReplicaSet", "StatefulSet"])
def test_a_pod_created_from_a_workload_keeps_the_node_of_its_template(read_text: Read, kind: str) -> None:
    assert only(read_text(NODE + workload(kind))) == ("n1", "n1")
    assert only(read_text(NODE + workload(kind, node=""))) == ("", "")


@pytest.mark.parametrize("kind", ["ReplicaSet", "StatefulSet", "DaemonSet"])
def test_a_pod_of_a_dump_has_the_node_of_its_owners_template(read_text: Read, kind: str) -> None:
    own = "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [n1]}]}]}}},"
    given = pod(kind, "web", own if kind == "DaemonSet" else "")
    assert only(read_text(NODE + workload(kind) + given)) == ("n1", "n1")
    assert only(read_text(NODE + workload(kind, node="") + given)) == ("n1", "")


def test_a_pod_with_a_missing_owner_is_assumed_to_be_placed_by_the_scheduler(read_text: Read) -> None:
    assert only(read_text(NODE + pod("ReplicaSet", "web"))) == ("n1", "")


def test_a_deployment_stands_in_for_a_missing_replica_set(read_text: Read) -> None:
    given = pod("ReplicaSet", "web-5d7fcc9c4b")
    assert only(read_text(NODE + workload("Deployment") + given)) == ("n1", "n1")
    both = workload("Deployment") + workload("ReplicaSet", "web-5d7fcc9c4b", node="") + given
    assert only(read_text(NODE + both)) == ("n1", "")


def test_a_static_pod_belongs_to_its_node(read_text: Read) -> None:
    assert only(read_text(NODE + pod("Node", "n1"))) == ("n1", "n1")


def test_a_daemon_set_pod_belongs_to_its_node_without_node_affinity(read_text: Read) -> None:
    assert only(read_text(NODE + pod("DaemonSet", "web"))) == ("n1", "n1")


def test_a_bare_pod_has_no_template(read_text: Read) -> None:
    assert only(read_text(NODE + "{kind: Pod, metadata: {name: p}, spec: {nodeName: n1}}")) == ("n1", "")


def test_a_pod_that_is_never_recreated_has_no_template_in_a_scenario(read_text: Read) -> None:
    static = scenario(read_text(NODE + pod("Node", "n1")), NO_FAULTS)
    owned = scenario(read_text(NODE + workload("ReplicaSet")), NO_FAULTS)
    assert [each.template_node_name for each in (*static.pods, *owned.pods)] == ["", "n1"]
