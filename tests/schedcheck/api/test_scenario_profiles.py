"""The profile of a Scenario is that of the question, whatever gates or configuration are given beside it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from schedcheck.cli import main

OBJECTS = """
---
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default}, spec: {containers: [{name: c, image: i}]}}
"""
SCENARIO = "{{apiVersion: schedcheck/v1alpha1, kind: Scenario, metadata: {{name: s}}, spec: {{profile: {}}}}}"
CONFIGURATION = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{plugins: {score: {disabled: [{name: ImageLocality}]}}}]
"""


@pytest.fixture
def given(tmp_path: Path) -> Callable[[str], str]:
    """Return a function that writes a scenario of a profile, and returns its file; `cfg.yaml` lies beside it."""
    (tmp_path / "cfg.yaml").write_text(CONFIGURATION)

    def written(profile: str) -> str:
        file = tmp_path / "scenario.yaml"
        file.write_text(SCENARIO.format(profile) + OBJECTS)
        return str(file)

    return written


def options(kind: str, folder: Path) -> tuple[str, ...]:
    return ("--feature-gates", "VolumeLimitScaling=true") if kind == "gates" else ("--config", str(folder / "cfg.yaml"))


@pytest.mark.parametrize("kind", ["gates", "config"])
@pytest.mark.parametrize("command", ["check", "optimum"])
def test_gates_or_configuration_beside_a_scenario_keep_its_version(
    given: Callable[[str], str], tmp_path: Path, command: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = main([command, given("kubernetes-1.36"), *options(kind, tmp_path), "--format", "json"])
    answer = json.loads(capsys.readouterr().out)
    profile = answer["scenario"]["profile"] if "scenario" in answer else answer["profile"]
    assert (said, profile) == (0, "kubernetes-1.36")


@pytest.mark.parametrize("command", ["check", "explain"])
@pytest.mark.parametrize("profile", ["classic", "corrected"])
def test_gates_beside_a_scenario_of_another_scheduler_are_refused(
    given: Callable[[str], str],
    tmp_path: Path,
    command: str,
    profile: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ("p",) if command == "explain" else ()
    option = options("gates", tmp_path)
    assert main([command, *words, given(profile), *option]) == 3
    out, told = capsys.readouterr()
    (line,) = told.splitlines()
    assert line.startswith(f"schedcheck: {option[0]}: belongs to --profile kubernetes or ")
    assert line.endswith(f", not to {profile}")
    assert not out


def asked_of(name: str, cluster: schedcheck.Cluster, profile: Any) -> str:
    """Return the profile of which the API says that it answered for."""
    answers: dict[str, Callable[[], Any]] = {
        "drain": lambda: schedcheck.drain(cluster, ["n1"], profile=profile),
        "fail": lambda: schedcheck.fail(cluster, ["n1"], profile=profile),
        "capacity": lambda: schedcheck.capacity(cluster, "p", profile=profile),
    }
    return str(answers[name]().to_json()["profile"])


@pytest.mark.parametrize("name", ["drain", "fail", "capacity"])
def test_the_api_without_a_profile_takes_that_of_the_scenario(given: Callable[[str], str], name: str) -> None:
    cluster = schedcheck.read(given("kubernetes-1.35"))
    assert asked_of(name, cluster, None) == "kubernetes-1.35"
    assert asked_of(name, cluster, "kubernetes-1.36") == "kubernetes-1.36"


@pytest.mark.parametrize("name", ["drain", "fail", "capacity", "diff_explored"])
def test_the_api_without_a_profile_refuses_a_scenario_of_another_scheduler(
    given: Callable[[str], str], name: str
) -> None:
    cluster = schedcheck.read(given("classic"))
    words = {"drain": [["n1"]], "fail": [["n1"]], "capacity": ["p"]}.get(name, [])
    with pytest.raises(schedcheck.InputError, match=r"expected kubernetes .*classic|classic.*expected kubernetes"):
        getattr(schedcheck, name)(cluster, *words, profile=None)
