"""The profile of a Scenario is that of the question, whatever gates or configuration are given beside it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from schedcheck.api import preparing
from schedcheck.cli import main

OBJECTS = """
---
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: default}, spec: {containers: [{name: c, image: i}]}}
"""
POD = """
{apiVersion: v1, kind: Pod, metadata: {name: q, namespace: default}, spec: {containers: [{name: c, image: i}]}}
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
    with pytest.raises(schedcheck.InputError, match=r"spec\.profile: 'classic': expected kubernetes"):
        getattr(schedcheck, name)(cluster, *words, profile=None)


CONFIGURED = "examples/compare/most-allocated.yaml"
COMMANDS = {
    "capacity": ("capacity", "p", "{}"),
    "capacity --empty": ("capacity", "--empty", "{}"),
    "capacity --nodes": ("capacity", "--nodes", "cpu=1", "{}"),
    "drain": ("drain", "n1", "{}"),
    "drain --in-turn": ("drain", "n1,n2", "{}", "--in-turn"),
    "fail": ("fail", "n1", "{}"),
    "compare": ("compare", "--config", CONFIGURED, "{}"),
    "deploy": ("deploy", "{pod}", "--onto", "{}"),
    "replay": ("replay", "examples/replay/trace.jsonl", "--onto", "{}"),
    "explain": ("explain", "p", "{}"),
    "optimum": ("optimum", "{}"),
}
"""The words of each command whose answer names its profile."""

REFUSED_WITHOUT_NAME = sorted({*COMMANDS} - {"explain", "optimum"})


def words_of(name: str, file: str) -> list[str]:
    """Return the words of a command about a file; a pod lies beside the file for `deploy`."""
    pod = Path(file).with_name("pod.yaml")
    pod.write_text(POD)
    return [word.format(file, pod=pod) for word in COMMANDS[name]]


def profile_told(answer: Any) -> str:
    """Return the profile that an answer names."""
    told = answer if "profile" in answer else answer["first"]
    return str(told["profile"])


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_command_without_a_profile_takes_that_of_the_scenario(
    given: Callable[[str], str], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = words_of(name, given("kubernetes-1.35"))
    assert main([*words, "--format", "json"]) in {0, 1}
    assert profile_told(json.loads(capsys.readouterr().out)) == "kubernetes-1.35"


@pytest.mark.parametrize("name", sorted({*COMMANDS} - {"compare"}))
def test_a_command_with_a_profile_takes_that_one(
    given: Callable[[str], str], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = words_of(name, given("kubernetes-1.35"))
    assert main([*words, "--format", "json", "--profile", "kubernetes-1.36"]) in {0, 1}
    assert profile_told(json.loads(capsys.readouterr().out)) == "kubernetes-1.36"


@pytest.mark.parametrize("profile", ["classic", "corrected"])
@pytest.mark.parametrize("name", [*REFUSED_WITHOUT_NAME, "simulate"])
def test_a_command_about_kube_scheduler_refuses_a_scenario_of_another_scheduler_in_one_line(
    given: Callable[[str], str], name: str, profile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = given(profile)
    assert main(["simulate", file] if name == "simulate" else words_of(name, file)) == 3
    out, told = capsys.readouterr()
    (line,) = told.splitlines()
    assert line.startswith(f"schedcheck: {file}: document 1: spec.profile: '{profile}': expected kubernetes")
    assert not out


def test_simulate_refuses_a_scenario_of_another_version(
    given: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", given("kubernetes-1.35")]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("spec.profile: 'kubernetes-1.35': expected kubernetes, whose scheduler is simulated")


def test_diff_takes_the_early_scheduler_of_a_scenario_and_refuses_the_published_model(
    given: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    cluster = schedcheck.read(given("classic"))
    assert schedcheck.diff(cluster).aside.profile == "classic"
    assert main(["diff", given("classic")]) == 0
    assert main(["diff", given("corrected")]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert "spec.profile: 'corrected': expected kubernetes or classic" in line


def test_lint_says_that_it_looks_as_kube_scheduler_at_a_scenario_of_another_scheduler(
    given: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lint", given("classic")]) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert "the profile classic" in line


@pytest.mark.parametrize("name", [*sorted(COMMANDS), "diff", "lint", "simulate"])
def test_a_command_takes_the_gates_of_the_scenario(
    given: Callable[[str], str], name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = given("kubernetes, featureGates: [VolumeLimitScaling=true]")
    seen: list[tuple[str, ...]] = []
    switched = preparing._switched
    monkeypatch.setattr(preparing, "_switched", lambda profile: seen.append(profile.feature_gates) or switched(profile))
    assert main([name, file] if name in {"diff", "lint", "simulate"} else words_of(name, file)) in {0, 1}
    assert ("VolumeLimitScaling=true",) in seen
    capsys.readouterr()


@pytest.mark.parametrize("name", [*sorted(COMMANDS), "diff", "lint", "simulate"])
def test_a_command_refuses_a_wrong_gate_of_the_scenario_in_one_line(
    given: Callable[[str], str], name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = given("kubernetes, featureGates: [VolumeLimitScalin=true]")
    assert main([name, file] if name in {"diff", "lint", "simulate"} else words_of(name, file)) == 3
    out, told = capsys.readouterr()
    (line,) = told.splitlines()
    assert "spec.featureGates" in line and "VolumeLimitScaling" in line
    assert not out
