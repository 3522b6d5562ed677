"""`check` on a cluster with pods that can never be bound: the pods, the reasons on each node, and the trace"""

import json
from pathlib import Path
from typing import Any

import pytest

from schedcheck.cli import main

NODE = """
apiVersion: v1
kind: Node
metadata: {{name: {name}}}
spec: {{unschedulable: {cordoned}}}
status: {{allocatable: {{cpu: "4", memory: 8Gi, pods: "110"}}}}
---
"""
WEB = """
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  replicas: 2
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      containers:
      - {{name: c, resources: {{requests: {{cpu: "{cpu}"}}}}}}
"""
PROFILES = ("corrected", "classic", "kubernetes")


def cluster(folder: Path, cpu: int, *nodes: tuple[str, bool]) -> str:
    """A Deployment with two replicas that request this many cpus, and nodes of 4 cpus."""
    there = "".join(NODE.format(name=name, cordoned=str(cordoned).lower()) for name, cordoned in nodes)
    (folder / "cluster.yaml").write_text(there + WEB.format(cpu=cpu))
    return str(folder)


def answered(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, Any]:
    code = main(["check", *argv, "--format", "json", "--quiet"])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_deployment_too_large_for_every_node_is_violated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], profile: str
) -> None:
    code, found = answered(capsys, cluster(tmp_path, 8, ("n1", False)), "--profile", profile)
    assert (code, found["verdict"]) == (1, "violated")
    (violation,) = found["violations"]
    assert violation["property"].startswith("pod_can_still_be_bound(web-")
    assert len(violation["trace"]) == 2


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("engine", ["direct", "tabulated"])
def test_the_nearest_stuck_state_lists_each_pod_with_the_rejections_of_each_node(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], profile: str, engine: str
) -> None:
    path = cluster(tmp_path, 8, ("n1", False), ("n2", False), ("n3", True))
    _, found = answered(capsys, path, "--profile", profile, "--engine", engine)
    stuck = found["stuck"]
    assert (stuck["states"], len(stuck["trace"])) == (found["counts"]["stuck"], 3)
    assert [each["pod"]["name"] for each in stuck["waitingBecause"]] == ["web-0", "web-1"]
    for each in stuck["waitingBecause"]:
        refused = {tuple(group["nodes"]): len(group["refusals"]) for group in each["nodes"]}
        assert {*refused} == {("n1", "n2"), ("n3",)}
        assert refused["n1", "n2"] == 1 and refused["n3",] >= 1
        assert "cpu" in each["nodes"][0]["refusals"][0]["reason"]
        assert each["said"]


def test_the_text_describes_the_stuck_state(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = cluster(tmp_path, 8, *((f"n{number}", False) for number in range(1, 31)))
    assert main(["check", path, "--profile", "kubernetes", "--quiet"]) == 1
    out = capsys.readouterr().out
    assert "In 1 state no step changes anything, and a pod waits." in out
    _, _, stuck = out.partition("\nStuck")
    assert "Create(web-0)" in stuck and "Create(web-1)" in stuck
    assert "NodeResourcesFit" in stuck and "Insufficient cpu" in stuck
    assert " and 6 more" in " ".join(stuck.split())
    assert "web-0 web-1: 0/30 nodes are available: 30 Insufficient cpu." in " ".join(stuck.split())


def test_a_deployment_that_fits_holds_without_a_stuck_state(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = answered(capsys, cluster(tmp_path, 2, ("n1", False)), "--profile", "kubernetes")
    assert (code, found["verdict"], found["counts"]["stuck"], found["stuck"]) == (0, "holds", 0, None)


def test_a_stuck_state_already_shown_by_a_trace_is_not_repeated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = NODE.format(name="n1", cordoned="false") + (
        "{kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, resources: {requests: {cpu: 8}}}]}}"
    )
    (tmp_path / "pod.yaml").write_text(text)
    assert main(["check", str(tmp_path), "--profile", "kubernetes", "--quiet"]) == 1
    out = capsys.readouterr().out
    assert "The trace above ends in the nearest one." in out
    assert out.count("(initial state)") == 1


def test_a_property_that_was_never_tested_holds_vacuously(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = cluster(tmp_path, 2, ("n1", False))
    code, found = answered(capsys, path, "--property", "only_lower_priority_evicted")
    assert (code, found["verdict"]) == (0, "holds vacuously")
    assert [(each["verdict"], each["vacuous"]) for each in found["properties"]] == [
        ("holds, vacuously", "no eviction was ever decided on")
    ]
    assert len(found["warnings"]) == 1
    assert main(["check", path, "--property", "only_lower_priority_evicted", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert "\nHOLDS VACUOUSLY\n" in out and "\nHOLDS\n" not in out
    assert "Warning: 1 property holds only because its premise was never met" in " ".join(out.split())


def test_the_default_table_marks_properties_that_were_never_tested(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, found = answered(capsys, cluster(tmp_path, 2, ("n1", False)))
    assert (found["verdict"], found["warnings"]) == ("holds", [])
    assert {each["name"]: each["vacuous"] for each in found["properties"] if each["vacuous"]} == {
        "no_wait_while_feasible": "no pod was ever left waiting",
        "only_lower_priority_evicted": "no eviction was ever decided on",
        "no_eviction_while_feasible": "no eviction was ever decided on",
    }


@pytest.mark.parametrize(
    ("says", "blocks"),
    [
        ("minAvailable: 2", True),
        ("minAvailable: 1", False),
        ("minAvailable: 3", True),
        ('minAvailable: "100%"', True),
        ('minAvailable: "50%"', False),
        ("maxUnavailable: 0", True),
        ("maxUnavailable: 1", False),
    ],
)
def test_a_budget_that_can_never_allow_a_disruption_is_reported_as_blocking_drains(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], says: str, blocks: bool
) -> None:
    path = cluster(tmp_path, 1, ("n1", False))
    budget = f"{{metadata: {{name: web}}, spec: {{{says}, selector: {{matchLabels: {{app: web}}}}}}}}"
    (tmp_path / "budget.yaml").write_text(f"{{apiVersion: policy/v1, kind: PodDisruptionBudget, {budget[1:]}")
    _, found = answered(capsys, path)
    assert [each["blocksEveryDrain"] for each in found["scenario"]["budgets"]] == [blocks]
    main(["check", path, "--quiet"])
    assert ("web blocks every drain: " in capsys.readouterr().out) == blocks


def test_budgets_that_block_drains_are_named_below_the_budgets_and_before_ignored_fields(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cluster(tmp_path, 1, ("n1", False))
    budget = (
        "kind: PodDisruptionBudget, metadata: {name: web}, spec: {minAvailable: 2, selector: {matchLabels: {app: web}}}"
    )
    lost = "kind: Pod, metadata: {name: lost}, spec: {nodeName: gone}, status: {phase: Running}"
    (tmp_path / "more.yaml").write_text(f"{{{budget}}}\n---\n{{{lost}}}\n")
    main(["check", path, "--quiet"])
    lines = capsys.readouterr().out.splitlines()
    place = next(number for number, line in enumerate(lines) if line.startswith("Budgets "))
    assert lines[place + 1].strip().startswith("web blocks every drain: ")
    assert lines[place + 2].startswith("Lost ")
