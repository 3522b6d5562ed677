"""DaemonSets: the nodes that they miss, each with its reason, and pods that do not fit on their nodes"""

from pathlib import Path
from typing import Any

from schedcheck.findings.daemons import MISSES, TOO_BIG
from schedcheck.findings.finding import Severity
from tests.support.linting import Manifest, found, host, template, workload

TAINT = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}


def agent(cpu: str = "1", **spec: Any) -> Manifest:
    return workload("DaemonSet", "agent", template(cpu, {"app": "agent"}, **spec))


def test_a_daemonset_misses_a_node_with_an_untolerated_taint(tmp_path: Path) -> None:
    (one,) = found(tmp_path, agent(), host("plain"), host("gpu", taints=[TAINT]))[MISSES]
    assert (one.severity, one.field) == (Severity.WARNING, "spec.template.spec.tolerations")
    assert one.sentence == "It has no pod on 1 of 2 nodes, which has a taint that it does not tolerate: gpu."
    assert one.witness == ("gpu: gpu=yes:NoSchedule",)


def test_a_daemonset_that_tolerates_the_taint_is_no_finding(tmp_path: Path) -> None:
    tolerating = agent(tolerations=[{"key": "gpu", "operator": "Exists"}])
    assert found(tmp_path, tolerating, host("plain"), host("gpu", taints=[TAINT])) == {}


def test_a_daemonset_is_not_kept_from_cordoned_or_unready_nodes(tmp_path: Path) -> None:
    states = [{"key": f"node.kubernetes.io/{state}", "effect": effect} for state, effect in (
        ("unschedulable", "NoSchedule"), ("not-ready", "NoExecute"), ("disk-pressure", "NoSchedule")
    )]  # fmt: skip
    assert found(tmp_path, agent(), host("a", unschedulable=True, taints=states)) == {}


def test_nodes_that_the_pod_leaves_out_itself_are_a_note(tmp_path: Path) -> None:
    (one,) = found(tmp_path, agent(nodeSelector={"os": "linux"}), host("a"), host("b", labels={"os": "linux"}))[MISSES]
    assert (one.severity, one.field) == (Severity.NOTE, "spec.template.spec.nodeSelector")
    assert one.witness == ("a: left out by spec.template.spec.nodeSelector",)


def test_a_node_that_should_have_a_pod_and_has_none_is_a_warning(tmp_path: Path) -> None:
    made = template("1", {"app": "agent"}, nodeName="a")
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "u", "controller": True}
    metadata = {"name": "agent-x", "ownerReferences": [owner], **made["metadata"]}
    running = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": made["spec"],
        "status": {"phase": "Running"},
    }
    (one,) = found(tmp_path, agent(), running, host("a"), host("b"))[MISSES]
    assert one.witness == ("b: should have a pod and has none",)
    assert found(tmp_path, agent(), running, host("a")) == {}


def test_a_daemon_that_is_larger_than_its_node_is_an_error(tmp_path: Path) -> None:
    (one,) = found(tmp_path, agent("3"), host("small", "2"), host("big", "3"))[TOO_BIG]
    assert one.severity is Severity.ERROR
    assert one.witness == ("small: has cpu 2 in all, the pod requests 3",)
    assert found(tmp_path, agent("2"), host("small", "2"), host("big", "3")) == {}
