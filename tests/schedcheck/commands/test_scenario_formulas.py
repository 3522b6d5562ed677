"""Properties of a scenario: names, TLA+ formulas, and operators of a file beside the scenario"""

import json
from pathlib import Path
from typing import Any

import pytest

from schedcheck.cli import main

NODE = """
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "1", pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
---
"""
SCENARIO = """
apiVersion: schedcheck/v1alpha1
kind: Scenario
metadata: {name: asked}
spec:
  profile: PROFILE
  events: [arrive, complete]
  properties:
"""
OWN = r"""
---- MODULE Own ----
EXTENDS Properties
Placed == {Pod \in Pods(Objects) : Pod.Spec.NodeName # ""}
AtMostOne == Cardinality(Placed) <= 1
Nobody == Placed = {}
====
"""


def written(folder: Path, *properties: str, profile: str = "corrected") -> Path:
    """Write a scenario with these properties, and the file Own.tla beside it."""
    folder.mkdir(exist_ok=True)
    asked = "".join(f"  - {json.dumps(each)}\n" for each in properties)
    (folder / "scenario.yaml").write_text(NODE + SCENARIO.replace("PROFILE", profile) + asked, encoding="utf-8")
    (folder / "Own.tla").write_text(OWN, encoding="utf-8")
    return folder / "scenario.yaml"


def verdicts(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, str]]:
    """The exit code, and the verdict of each property."""
    code = main(["check", *arguments, "--quiet", "--tables", "none", "--format", "json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, {each["name"]: each["verdict"] for each in found["properties"]}


ALL = ("no_overcommit", r"Cardinality(Unbound) <= 1", "Own.tla!AtMostOne", "Turn # {} ~> Turn = {}", "never_evicted")


@pytest.mark.parametrize("engine", ["direct", "both"])
@pytest.mark.parametrize("profile", ["corrected", "kubernetes"])
def test_a_scenario_may_mix_names_formulas_and_operators_of_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], engine: str, profile: str
) -> None:
    asked = [each for each in ALL if profile == "corrected" or "Turn" not in each]
    code, found = verdicts(capsys, str(written(tmp_path / "a", *asked, profile=profile)), "--engine", engine)
    assert code == 0
    assert {*found} == {each.replace("never_evicted", "never_evicted(web)") for each in asked}
    # No pod is evicted here, so that the last property holds vacuously.
    assert found.pop("never_evicted(web)") == "holds, vacuously"
    assert {*found.values()} == {"holds"}


@pytest.mark.parametrize(
    "broken", ["Turn = {}", "Own.tla!Nobody", r"[][\A p \in Pods : p \in Pods']_Objects", "[]<>(Pods # {})"]
)
@pytest.mark.parametrize("engine", ["direct", "both"])
def test_a_violated_formula_of_a_scenario_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], broken: str, engine: str
) -> None:
    code, found = verdicts(capsys, str(written(tmp_path / "a", broken)), "--engine", engine)
    assert (code, found) == (1, {broken: "violated"})


def test_a_formula_has_the_same_verdict_in_a_scenario_and_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for each in ("Turn = {}", "Cardinality(Pods) <= 1", "[]<>(Turn = {})"):
        in_scenario = verdicts(capsys, str(written(tmp_path / "a", each)))
        on_line = verdicts(capsys, str(written(tmp_path / "b", "no_overcommit")), "--property", each)
        assert in_scenario == on_line


def test_properties_on_the_command_line_replace_those_of_the_scenario(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "a", "Podds = {}")
    assert verdicts(capsys, str(path), "--property", "no_overcommit") == (0, {"no_overcommit": "holds"})
    code, found = verdicts(capsys, str(path), "--pod", "web")
    assert code == 0
    assert [*found] == ["pod_can_still_be_bound(web)"]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("Podds = {}", "spec.properties[1]: formula:1:1: unknown operator: Podds"),
        ("Own.tla!Missing", "spec.properties[1]: Own:1:1: module Own does not define Missing"),
        ("None.tla!Safe", "spec.properties[1]: "),
        ("no_overcomit", "no such property; did you mean no_overcommit?"),
        ("Cardinality(Pods)", "spec.properties[1]: formula:1:1: "),
    ],
)
def test_an_invalid_property_is_refused_with_file_document_and_field(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], wrong: str, says: str
) -> None:
    path = written(tmp_path / "a", "no_overcommit", wrong)
    assert main(["check", str(path), "--quiet", "--tables", "none"]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"schedcheck: {path}: document 3: spec.properties")
    assert says in line
