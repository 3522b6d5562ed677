"""The default profile: every command answers for kube-scheduler and reports what it does not consider"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from schedcheck.cli import main

Manifest = dict[str, Any]


def node(name: str, **labels: str) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}},
    }


def pod(name: str, on: str = "", ports: int = 0, **spec: Any) -> Manifest:
    container: Manifest = {"name": "main", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}
    if ports:
        container["ports"] = [{"containerPort": 80, "hostPort": ports}]
    placed = {"nodeName": on} if on else {}
    labels = {"app": "web"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": labels},
        "spec": {"restartPolicy": "Always", "containers": [container], **placed, **spec},
    }


SPREAD = [
    {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
]
MISSING = [{"name": "data", "persistentVolumeClaim": {"claimName": "nobody-made-it"}}]


def written(folder: Path, *objects: Manifest) -> str:
    file = folder / "cluster.yaml"
    file.write_text(yaml.safe_dump_all(objects))
    return str(file)


def answered(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    """The exit code and the JSON of a command."""
    code = main([*words, "--format", "json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_pod_whose_host_port_is_taken_is_not_reported_as_bound(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cluster = written(tmp_path, node("n1"), pod("old", "n1", ports=80), pod("new", ports=80))
    assert main(["explain", "new", cluster]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "would be bound" not in text
    assert "didn't have free ports" in text
    assert "kubernetes (1.37.2)" in text


STRANDING: dict[str, list[Manifest]] = {
    # Zone b has no room for a pod besides its own two, and zone a would exceed the skew.
    "spread": [
        node("n1", zone="a"), {**node("n2", zone="b"), "spec": {"unschedulable": True}},
        pod("web", topologySpreadConstraints=SPREAD), pod("first", "n1"),
    ],
    "port": [node("n1"), pod("old", "n1", ports=80), pod("web", ports=80)],
    "claim": [node("n1"), pod("web", volumes=MISSING)],
}  # fmt: skip


@pytest.mark.parametrize("why", [*STRANDING, "all"])
def test_a_pod_stranded_by_spread_port_or_claim_is_not_reported_as_holds(
    why: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    objects = STRANDING.get(why) or [
        node("n1", zone="a"), {**node("n2", zone="b"), "spec": {"unschedulable": True}}, pod("old", "n1", ports=80),
        pod("web", ports=80, topologySpreadConstraints=SPREAD, volumes=MISSING),
    ]  # fmt: skip
    scenario = {
        "apiVersion": "schedcheck/v1alpha1", "kind": "Scenario", "metadata": {"name": "s"}, "spec": {"events": []},
    }  # fmt: skip
    code, answer = answered(capsys, "check", "--quiet", "--pod", "web", written(tmp_path, *objects, scenario))
    assert (code, answer["verdict"]) == (1, "violated")
    code, answer = answered(
        capsys, "check", "--quiet", "--pod", "web", written(tmp_path, *objects, scenario), "--profile", "corrected"
    )
    assert (code, answer["verdict"]) == (0, "holds"), "the published model looks at none of these"


def test_a_pod_that_is_never_stranded_passes_the_check(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    cluster = written(tmp_path, node("n1", zone="a"), pod("old", "n1", ports=80), pod("web", ports=81))
    assert answered(capsys, "check", "--quiet", "--pod", "web", cluster)[0] == 0


@pytest.mark.parametrize(
    "words", [("check", "--quiet"), ("check", "--quiet", "--pod", "web"), ("optimum",), ("explain", "web")]
)
def test_every_command_that_reads_files_uses_the_kubernetes_profile(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    _, answer = answered(capsys, *words, written(tmp_path, node("n1"), pod("web")))
    assert answer.get("profile", answer.get("scenario", {}).get("profile")) == "kubernetes"


def test_victims_are_those_of_kube_scheduler(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    # The port is free once its lower-priority holder is gone; the published model ignores ports and sees enough room.
    cluster = written(tmp_path, node("n1"), pod("old", "n1", ports=80), pod("new", ports=80, priority=1))
    assert main(["victims", "new", cluster]) == 0
    assert "Least, and proved so, on n1: old." in capsys.readouterr().out


def test_an_export_is_of_kube_scheduler(tmp_path: Path) -> None:
    assert main(["tla", "export", written(tmp_path, node("n1"), pod("web")), "--output", str(tmp_path / "out")]) == 0
    assert any("Kube" in file.name for file in (tmp_path / "out").iterdir())


def test_a_scenario_that_names_its_profile_keeps_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    scenario = {
        "apiVersion": "schedcheck/v1alpha1",
        "kind": "Scenario",
        "metadata": {"name": "s"},
        "spec": {"profile": "corrected"},
    }
    _, answer = answered(capsys, "check", "--quiet", written(tmp_path, node("n1"), pod("web"), scenario))
    assert answer["scenario"]["profile"] == "corrected"


def test_a_fault_without_a_profile_selects_the_published_model(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cluster = written(tmp_path, node("n1"), pod("web"))
    _, answer = answered(capsys, "check", "--quiet", cluster, "--fault", "sum-over-set")
    assert (answer["scenario"]["profile"], answer["scenario"]["faults"]) == ("corrected", ["sum-over-set"])


@pytest.mark.parametrize("profile", ["kubernetes", "kubernetes-documented", "classic"])
@pytest.mark.parametrize(
    "words", [("check",), ("explain", "web"), ("victims", "web"), ("optimum",)], ids=lambda words: str(words[0])
)
def test_a_fault_with_another_scheduler_is_refused(
    words: tuple[str, ...], profile: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cluster = written(tmp_path, node("n1"), pod("web"))
    assert main([*words, cluster, "--profile", profile, "--fault", "sum-over-set"]) == 3
    line = capsys.readouterr().err.splitlines()[-1]
    assert line == (f"schedcheck: --fault: 'sum-over-set': belongs to --profile article or corrected, not to {profile}")


def test_a_repair_with_kube_scheduler_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    cluster = written(tmp_path, node("n1"), pod("web"))
    assert main(["check", cluster, "--repair", "sum-over-set"]) == 3
    assert "--repair: 'sum-over-set': belongs to --profile article or corrected" in capsys.readouterr().err


def test_faults_of_a_scenario_are_reported_as_unused_with_kube_scheduler(
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = str(Path(__file__).parents[3] / "examples" / "faults" / "sum-over-set")
    main(["check", "--quiet", folder, "--profile", "kubernetes", "--format", "json"])
    said = capsys.readouterr()
    assert json.loads(said.out)["scenario"]["faults"] == []
    assert "note: the scenario's faults are those of the published model; the profile kubernetes has none" in said.err
