"""DaemonSets: the nodes that they miss, each with its reason, and pods that do not fit on their nodes"""

from pathlib import Path
from typing import Any

from schedcheck.findings.daemons import MISSES, TOO_BIG
from schedcheck.findings.finding import Severity
from schedcheck.findings.waiting_daemons import WAITS
from tests.support.linting import Manifest, found, host, template, waiting, workload

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


def daemon_on(node: str, *, bound: bool = False, cpu: str = "1", **container: Any) -> Manifest:
    """A stored pod of the DaemonSet for a node."""
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "u", "controller": True}
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    main = {"name": "main", "image": "i", "resources": {"requests": {"cpu": cpu}}, **container}
    name = f"agent-{node}"
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "uid": name, "labels": {"app": "agent"}, "ownerReferences": [owner]},
        "spec": {"containers": [main], "affinity": affinity, **({"nodeName": node} if bound else {})},
        "status": {"phase": "Running" if bound else "Pending"},
    }


def test_a_daemon_that_other_pods_leave_too_little_waits(tmp_path: Path) -> None:
    other = waiting("other", "3", "full")
    there = (agent(), other, daemon_on("free", bound=True), host("free", "4"), host("full", "4"))
    # Boundary: of 4 cpus 3 are taken.
    assert found(tmp_path, *there, daemon_on("full", cpu="1")) == {}
    (one,) = found(tmp_path, *there, daemon_on("full", cpu="1001m"))[WAITS]
    assert (one.severity, one.sentence) == (
        Severity.WARNING, "On 1 node its pod waits, as the node refuses it now: full."
    )  # fmt: skip
    assert one.witness == ("full: Insufficient cpu (asked 1001m, free 1)",)


def test_a_daemon_whose_host_port_is_taken_waits_and_the_holder_is_named(tmp_path: Path) -> None:
    ports = {"ports": [{"containerPort": 80, "hostPort": 80}]}
    holder = daemon_on("a", bound=True, **ports) | {
        "metadata": {"name": "proxy", "namespace": "office", "uid": "u2", "labels": {"app": "proxy"}}
    }
    (one,) = found(tmp_path, agent("0"), holder, daemon_on("a", cpu="0", **ports), host("a", "4"))[WAITS]
    assert one.witness == ("a: host port 80 is held by office/proxy",)
    other = {"ports": [{"containerPort": 80, "hostPort": 81}]}
    assert found(tmp_path, agent("0"), holder, daemon_on("a", cpu="0", **other), host("a", "4")) == {}


def test_a_daemon_that_is_not_created_yet_does_not_wait(tmp_path: Path) -> None:
    assert found(tmp_path, agent("2"), waiting("other", "3", "full"), host("full", "4")) == {}


def test_nodes_that_are_missed_for_one_reason_are_one_line(tmp_path: Path) -> None:
    (one,) = found(tmp_path, agent(nodeSelector={"os": "linux"}), host("a"), host("b"))[MISSES]
    assert one.witness == ("a, b: left out by spec.template.spec.nodeSelector",)
