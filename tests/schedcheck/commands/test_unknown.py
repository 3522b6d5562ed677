"""Features that are not modelled give the answer unknown with exit code 2, never rejected, agreed or holds"""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from schedcheck.cli import main

CLUSTER = """
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: "1", memory: 8Gi, pods: "110"}}}
---
apiVersion: v1
kind: Pod
metadata: {name: gpu, uid: "1"}
spec:
  priority: 10
  resourceClaims: [{name: gpu, resourceClaimName: gpu}]
  containers: [{name: c, resources: {requests: {cpu: "CPU"}}}]
---
apiVersion: v1
kind: Pod
metadata: {name: web, uid: "2"}
spec:
  nodeName: "NODE"
  resourceClaims: [{name: gpu, resourceClaimName: other}]
  containers: [{name: c, resources: {requests: {cpu: "3"}}}]
"""
RECORDED = Path(__file__).parents[2] / "data" / "conformance" / "ports.jsonl.gz"
WHY = "resource claims are not modelled"


@pytest.fixture
def cluster(tmp_path: Path) -> Any:
    """A folder with a pending pod that claims a device and requests this many cpus, and a bound pod that may be
    evicted.
    """

    def made(cpu: str, bound: str = "n1") -> str:
        (tmp_path / "cluster.yaml").write_text(CLUSTER.replace("CPU", cpu).replace("NODE", bound))
        return str(tmp_path)

    return made


def answered(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, Any]:
    code = main([*argv, "--format", "json"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("cpu", ["1", "4"], ids=["fits", "fits after an eviction"])
def test_a_pod_with_resource_claims_that_might_fit_is_unknown(
    cluster: Any, capsys: pytest.CaptureFixture[str], cpu: str
) -> None:
    path = cluster(cpu)
    code, explained = answered(capsys, "explain", "gpu", path)
    assert (code, explained["choice"]["kind"], explained["unmodelled"]) == (2, "unknown", WHY)
    code, compared = answered(capsys, "diff", path)
    assert (code, compared["agreed"], len(compared["unknown"])) == (2, [], 1)
    code, checked = answered(capsys, "check", path, "--quiet")
    assert (code, checked["verdict"], checked["violations"]) == (2, "unknown", [])
    assert {each["verdict"] for each in checked["properties"]} == {"unknown"}
    assert {each["unknown"] for each in checked["properties"]} == {WHY}
    assert checked["coverage"]["Unknown"] > 0
    assert checked["counts"]["stuck"] == 0
    code, found = answered(capsys, "victims", "gpu", path, "--quiet")
    assert (code, found["unmodelled"]) == (2, WHY)
    code, best = answered(capsys, "optimum", path, "--quiet")
    assert (code, best["unknown"]) == (2, [WHY])
    assert main(["diff", path, "--explore", "--quiet"]) == 2


def test_a_pod_with_resource_claims_rejected_by_other_filters_is_unschedulable(
    cluster: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cluster("9")
    code, explained = answered(capsys, "explain", "gpu", path)
    assert (code, explained["choice"]["kind"], explained["unmodelled"]) == (0, "unschedulable", None)
    assert {each["refusals"][0]["plugin"] for each in explained["nodes"]} == {"NodeResourcesFit"}
    assert main(["diff", path]) == 0
    capsys.readouterr()
    code, checked = answered(capsys, "check", path, "--quiet")
    assert (code, checked["verdict"]) == (1, "violated")
    assert [each["property"] for each in checked["violations"]] == ["pod_can_still_be_bound(gpu)"]


def test_a_bound_pod_with_resource_claims_leaves_nothing_unknown(
    cluster: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(cluster("1"))
    text = (path / "cluster.yaml").read_text().replace("  resourceClaims: [{name: gpu, resourceClaimName: gpu}]\n", "")
    (path / "cluster.yaml").write_text(text)
    code, checked = answered(capsys, "check", str(path), "--quiet")
    assert (code, checked["verdict"], checked["coverage"]["Unknown"]) == (0, "holds", 0)


def test_a_violation_independent_of_unknown_features_is_violated(
    cluster: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cluster("1", "")
    (Path(path) / "plain.yaml").write_text("{apiVersion: v1, kind: Pod, metadata: {name: plain, uid: '3'}}")
    asked = "check", path, "--quiet", "--property"

    code, checked = answered(capsys, *asked, "stays_on(!app, gpu)")
    assert (code, checked["verdict"]) == (1, "violated")
    code, checked = answered(capsys, *asked, "pod_sometimes_bound(plain)")
    assert (code, checked["verdict"], checked["properties"][0]["verdict"]) == (0, "holds", "holds")
    code, checked = answered(capsys, *asked, "pod_sometimes_bound(gpu)")
    assert (code, checked["verdict"], checked["properties"][0]["verdict"]) == (2, "unknown", "unknown")


def test_the_tabulated_engine_refuses_unknown_features(cluster: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", cluster("1"), "--engine", "tabulated", "--quiet"]) == 3
    assert WHY in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(("memory", "code"), [("92233720368547758", 0), ("92233720368547759", 2), ("1000P", 2)])
@pytest.mark.parametrize("command", [("explain", "gpu"), ("check",), ("victims", "gpu"), ("optimum",), ("diff",)])
def test_an_amount_whose_hundredfold_overflows_int64_is_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...], memory: str, code: int
) -> None:
    text = CLUSTER.partition("---\n")[0].replace("8Gi", f'"{memory}"')
    (tmp_path / "cluster.yaml").write_text(text + "---\n{apiVersion: v1, kind: Pod, metadata: {name: gpu, uid: '1'}}")
    assert main([*command, str(tmp_path)]) == code
    assert ("unknown: node n1 has" in capsys.readouterr().err) == (code == 2)
    if command == ("check",):
        assert main([*command, str(tmp_path), "--profile", "corrected", "--quiet"]) == 0


@pytest.mark.parametrize("format", [("--format", "json"), ("--format=json",)])
@pytest.mark.parametrize("command", [("explain", "p"), ("check",), ("victims", "p"), ("optimum",), ("diff",)])
def test_an_uncountable_amount_is_unknown_in_json_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...], format: tuple[str, ...]
) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text(
        "{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {memory: 200Pi, pods: 9}}}\n---\n"
        "{apiVersion: v1, kind: Pod, metadata: {name: p, uid: '1'}, spec: {containers: [{name: c, image: x}]}}"
    )
    assert main([*command, str(file), *format]) == 2
    said = json.loads(capsys.readouterr().out)
    assert (said["verdict"], said["exitCode"]) == ("unknown", 2)
    assert "node n1 has 225179981368524800 of memory" in said["unknown"]


def test_requests_whose_hundredfold_overflows_int64_are_unknown(
    cluster: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path(cluster("1"))
    for number in (1, 2):
        requests = "resources: {requests: {memory: 50000T}}"
        pod = f"{{apiVersion: v1, kind: Pod, metadata: {{name: p{number}}}, spec: {{containers: [{{name: c, {requests}}}]}}}}"
        (path / f"p{number}.yaml").write_text(pod)
    assert main(["diff", str(path)]) == 2
    assert "unknown: the pods request more than" in capsys.readouterr().err


def test_a_record_that_depends_on_resource_claims_is_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with gzip.open(RECORDED, "rt") as lines:
        line = next(each for each in map(json.loads, lines) if each["expected"]["feasible"])
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps(line) + "\n")
    assert main(["conformance", "--profile", "kubernetes-1.34.1", str(file), "--quiet"]) == 0
    assert "not compared" not in capsys.readouterr().out
    line["case"]["pod"]["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimName": "gpu"}]
    file.write_text(json.dumps(line) + "\n")
    with file.open("a") as more:
        more.write(json.dumps(line | {"id": "again-1"}) + "\n")
    assert main(["conformance", "--profile", "kubernetes-1.34.1", str(file), "--quiet"]) == 2
    told = capsys.readouterr().out
    assert f"not compared, as resource claims are not modelled: 2 records ({line['id']}, again-1)\n" in told
    assert "no value was compared" in told
    assert "all" not in told
    assert main(["conformance", "--profile", "kubernetes-1.34.1", str(file), "--quiet", "--format", "json"]) == 2
    said = json.loads(capsys.readouterr().out)
    assert (said["verdict"], said["exitCode"], said["records"], said["compared"]) == ("unknown", 2, 2, [])
    why = "resource claims are not modelled"
    assert [(each["id"], each["why"]) for each in said["notCompared"]["records"]] == [
        (line["id"], why),
        ("again-1", why),
    ]


EXTENDED = """
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}}
---
{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu}, spec: {extendedResourceName: example.com/gpu}}
---
{apiVersion: v1, kind: Pod, metadata: {name: gpu, uid: "1"}, spec: {containers: [{name: c, resources: {requests: {cpu: "CPU", example.com/gpu: "1"}}}]}}
"""


WITHOUT_A_NODE = {
    "explain gpu": 0, "check": 1, "lint": 1, "optimum": 0, "victims gpu": 0, "capacity gpu": 0, "diff": 0,
}  # fmt: skip
"""The exit code of each command for a pod that fits on no node, which only `check` and `lint` hold against the cluster."""


@pytest.mark.parametrize("command", WITHOUT_A_NODE)
def test_an_extended_resource_that_a_device_class_backs_is_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    file = tmp_path / "cluster.yaml"

    def code(text: str) -> int:
        file.write_text(text)
        return main([*command.split(), str(file), "--quiet"])

    backed = EXTENDED.replace("CPU", "1")
    assert code(backed) == 2
    assert (
        code(backed.replace("extendedResourceName: example", "extendedResourceName: other")) == WITHOUT_A_NODE[command]
    )
    # The pod fits on no node whatever devices there are, but optimum and diff are unknown while any pod needs devices.
    expected = 2 if command in ("optimum", "diff") else WITHOUT_A_NODE[command]
    assert code(EXTENDED.replace("CPU", "5")) == expected
