"""Pods with resource claims make capacity, drain, fail, optimum, victims, deploy and simulate unknown, with exit code 2"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from schedcheck.cli import main

DRIVER = "gpu.example.com"
CLAIMS = [{"name": "gpu", "resourceClaimName": "gpu"}]
DEVICES: list[dict[str, Any]] = [
    {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}},
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "gpu", "uid": "c"},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}},
    },
    *(
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": node},
            "spec": {
                "driver": DRIVER,
                "nodeName": node,
                "pool": {"name": node, "generation": 1, "resourceSliceCount": 1},
                "devices": [{"name": "gpu-0"}],
            },
        }
        for node in ("n1", "n2")
    ),
]


def node(name: str) -> dict[str, Any]:
    status = {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}
    labels = {"kubernetes.io/hostname": name}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "status": status}


def pod_spec(cpu: str, claims: bool) -> dict[str, Any]:
    container = {"name": "c", "image": "x", "resources": {"requests": {"cpu": cpu}}}
    return {"containers": [container], **({"resourceClaims": CLAIMS} if claims else {})}


def workload(name: str, cpu: str, claims: bool) -> dict[str, Any]:
    """A ReplicaSet with one pod."""
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": pod_spec(cpu, claims)}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    return {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {"name": name, "uid": f"rs-{name}"},
        "spec": spec,
    }


def pod(name: str, cpu: str, claims: bool, on: str = "", priority: int = 0) -> dict[str, Any]:
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": name, "uid": f"rs-{name}", "controller": True}
    about = {"name": f"{name}-0", "uid": f"pod-{name}", "labels": {"app": name}, "ownerReferences": [owner]}
    spec = {**pod_spec(cpu, claims), "priority": priority, **({"nodeName": on} if on else {})}
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]} if on else {}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": about, "spec": spec, "status": status}


def pending(cpu: str, claims: bool) -> list[dict[str, Any]]:
    """The pod gpu waits, beside a bound pod."""
    return [
        pod("gpu", cpu, claims, priority=10),
        workload("gpu", cpu, claims),
        pod("web", "3", False, "n1"),
        workload("web", "3", False),
    ]


def bound(cpu: str, claims: bool) -> list[dict[str, Any]]:
    """The pod gpu runs on n1."""
    return [pod("gpu", cpu, claims, "n1"), workload("gpu", cpu, claims)]


def competing(cpu: str, claims: bool) -> list[dict[str, Any]]:
    """The pod gpu waits for room that the pod web needs when it is created again."""
    return [
        pod("gpu", cpu, claims),
        workload("gpu", cpu, claims),
        pod("web", "3", False, "n1"),
        workload("web", "3", False),
    ]


QUESTIONS: dict[str, tuple[Any, str, tuple[str, ...]]] = {
    "capacity": (pending, "1", ("capacity", "gpu-0", "FILE")),
    "capacity of a workload": (bound, "1", ("capacity", "rs/gpu", "FILE")),
    "capacity with a number": (bound, "1", ("capacity", "rs/gpu", "FILE", "--count", "1")),
    "drain": (bound, "1", ("drain", "n1", "FILE")),
    "drain beside": (competing, "2", ("drain", "n1", "FILE")),
    "fail": (bound, "1", ("fail", "n1", "FILE")),
    "fail beside": (competing, "2", ("fail", "n1", "FILE")),
    "optimum": (pending, "1", ("optimum", "FILE")),
    "victims": (pending, "4", ("victims", "gpu-0", "FILE")),
    "victims where none is needed": (pending, "1", ("victims", "gpu-0", "FILE")),
    "deploy": (lambda cpu, claims: [], "1", ("deploy", "APPLIED", "--onto", "FILE")),
    "simulate": (pending, "1", ("simulate", "FILE", "--runs", "1")),
}  # fmt: skip


@pytest.fixture
def written(tmp_path: Path) -> Any:
    """The words of a question, with a cluster of two nodes whose pods have claims or not, and which may have devices."""

    def made(question: str, *, claims: bool, devices: bool) -> list[str]:
        there, cpu, words = QUESTIONS[question]
        cluster, applied = tmp_path / "cluster.yaml", tmp_path / "applied.yaml"
        objects = [node("n1"), node("n2"), *there(cpu, claims), *(DEVICES if devices else [])]
        cluster.write_text("---\n".join(map(json.dumps, objects)).replace("---\n", "\n---\n"))
        applied.write_text(yaml.safe_dump(workload("gpu", cpu, claims)))
        return [{"FILE": str(cluster), "APPLIED": str(applied)}.get(word, word) for word in words]

    return made


def answered(capsys: pytest.CaptureFixture[str], words: list[str]) -> tuple[int, str, int, str]:
    """Return the exit code and the text of a question, and those of its JSON."""
    capsys.readouterr()
    code = main(words)
    said = capsys.readouterr()
    coded = main([*words, "--format", "json"])
    out = capsys.readouterr().out
    json.loads(out)
    return code, said.out + said.err, coded, out


FOLLOWED = {"drain": 0, "fail": 0, "drain beside": 1, "fail beside": 1, "deploy": 0}
"""What is explored with the claims of the pods, if the input has the devices: both nodes have a free one."""


@pytest.mark.parametrize("devices", [False, True], ids=["without devices", "with devices"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_pod_with_claims_makes_the_answer_unknown(
    question: str, devices: bool, written: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    code, text, coded, out = answered(capsys, written(question, claims=True, devices=devices))
    if devices and question in FOLLOWED:
        assert code == coded == FOLLOWED[question]
        return
    assert (code, coded) == (2, 2)
    assert "unknown" in text.lower()
    assert "resource claims" in " ".join(text.split())
    assert "unknown" in out.lower()
    assert "resource claims" in out
    assert "Not decided: ." not in text


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_same_pod_without_claims_has_a_known_answer(
    question: str, written: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """The broken twin: without claims no answer is unknown."""
    code, text, coded, _ = answered(capsys, written(question, claims=False, devices=False))
    assert code == coded != 2
    assert "resource claims" not in text


@pytest.mark.parametrize("command", ["drain", "fail"])
@pytest.mark.parametrize("held", [False, True], ids=["free", "held"])
def test_a_pod_moves_only_where_a_device_is_free(
    command: str, held: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The only device of the other node is free, or held by a pod there."""
    claim = json.loads(json.dumps(DEVICES[1]))
    claim["metadata"] = {"name": "taken", "uid": "t"}
    claim["status"] = {
        "allocation": {"devices": {"results": [{"request": "r", "driver": DRIVER, "pool": "n2", "device": "gpu-0"}]}},
        "reservedFor": [{"resource": "pods", "name": "holder-0", "uid": "pod-holder"}],
    }
    holder = pod("holder", "1", True, "n2", priority=10)
    holder["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimName": "taken"}]
    there = [holder, workload("holder", "1", True), claim] if held else []
    file = tmp_path / "cluster.yaml"
    file.write_text("\n---\n".join(map(json.dumps, [node("n1"), node("n2"), *bound("1", True), *DEVICES, *there])))
    code, _, coded, out = answered(capsys, [command, "n1", str(file)])
    assert code == coded == int(held)
    assert json.loads(out)["cases"][0]["by"] == "exploration"


@pytest.mark.parametrize(
    "resource", [None, "example.com/gpu", "deviceclass.resource.kubernetes.io/gpu"], ids=["claim", "named", "implicit"]
)
@pytest.mark.parametrize("judge", ["0", "10"])
def test_a_simulation_with_a_pod_that_needs_devices_is_unknown_whatever_is_judged(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, resource: str | None, judge: str
) -> None:
    code, unknown = simulated(capsys, tmp_path, resource, judge, backed=True)
    assert code == 2
    assert unknown[0]["decision"] == 1
    if judge == "0":
        assert [each["why"] for each in unknown] == ["default/gpu-0 needs devices, whose allocation is not simulated"]


@pytest.mark.parametrize("resource", ["example.com/gpu", "deviceclass.resource.kubernetes.io/gpu"])
def test_a_simulation_with_an_extended_resource_that_no_class_backs_is_known(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, resource: str
) -> None:
    assert simulated(capsys, tmp_path, resource, "10", backed=False) == (0, [])


def simulated(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, resource: str | None, judge: str, *, backed: bool
) -> tuple[int, Any]:
    """The exit code and the unknown decisions of a simulation, with a pod that has claims or requests a resource."""
    made = pod("gpu", "1", resource is None)
    if resource is not None:
        made["spec"]["containers"][0]["resources"] = {"requests": {resource: "1"}, "limits": {resource: "1"}}
    device_class = {**DEVICES[0], "spec": {"extendedResourceName": "example.com/gpu"}}
    devices = [device_class, *DEVICES[1:]] if backed else []
    file = tmp_path / "cluster.yaml"
    file.write_text(yaml.safe_dump_all([node("n1"), node("n2"), made, *devices]), encoding="utf-8")
    code = main(["simulate", str(file), "--runs", "1", "--judge", judge, "--format", "json"])
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    return code, run["judged"]["unknown"]
