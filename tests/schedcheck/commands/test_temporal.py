"""`schedcheck check` of temporal properties: output of cycles, stuttering and fairness"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from schedcheck.api.values import GRAPH_GIGABYTES
from schedcheck.checker.result import Bounds
from schedcheck.cli import main
from schedcheck.manifests import read, scenario

EXAMPLES = Path(__file__).parents[3] / "examples"
FLICKERING = str(EXAMPLES / "node-failure")
BLOCKED = str(EXAMPLES / "head-of-line")


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    """The exit code, standard output in one line, and standard error."""
    code = main(["check", *argv])
    captured = capsys.readouterr()
    return code, " ".join(captured.out.split()), captured.err


def answered(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    main(["check", *argv, "--format", "json"])
    return json.loads(capsys.readouterr().out)


def test_a_cycle_and_the_fairness_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capsys, FLICKERING, "--property", "never_starves(db)")
    assert (code, err) == (1, "")
    assert "Fairness weak: an action that is enabled continuously is taken infinitely often, if the" in out
    assert "From here on it repeats forever: step 3 leads back to the state of step 1." in out
    assert "never_starves(db) infinitely_often violated" in out


@pytest.mark.parametrize(
    ("fair", "code", "told"),
    [
        ("none", 1, "Fairness none: no action need ever be taken"),
        ("weak", 1, "Fairness weak: "),
        ("strong", 0, "Fairness strong: an action that is enabled infinitely often is taken infinitely often"),
    ],
)
def test_the_given_fairness_decides_the_verdict(
    capsys: pytest.CaptureFixture[str], fair: str, code: int, told: str
) -> None:
    found, out, _ = said(capsys, FLICKERING, "--property", "never_starves", "--fair", fair)
    assert found == code
    assert told in out


def test_a_stuttering_end_is_shown_and_its_loop_is_the_last_step(capsys: pytest.CaptureFixture[str]) -> None:
    asked = (BLOCKED, "--property", "bound_once_feasible(web)")
    code, out, _ = said(capsys, *asked)
    assert code == 1
    assert "No further step need happen: the behaviour may stay in this state forever." in out
    answer = answered(capsys, *asked)
    (violation,) = answer["violations"]
    assert violation["loop"] == len(violation["trace"]) - 1 == 2
    assert (violation["kind"], answer["scenario"]["fairness"]) == ("leads_to", "weak")
    assert answer["bounds"]["complete"]


def test_without_temporal_properties_fairness_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert "Fairness" not in said(capsys, FLICKERING, "--property", "no_overcommit")[1]


def test_a_graph_beyond_its_memory_limit_exits_with_2_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, FLICKERING, "--property", "never_starves(db)", "--graph-memory", "1e-6")
    assert code == 2
    assert "Gave up at --graph-memory 1e-06: 48 states and " in out
    assert "never_starves(db) infinitely_often undecided" in out


def test_the_default_graph_memory_is_defined_once() -> None:
    assert Bounds().graph == GRAPH_GIGABYTES


def test_a_scenario_may_set_the_fairness(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def given(fairness: object) -> str:
        document = {
            "apiVersion": "schedcheck/v1alpha1",
            "kind": "Scenario",
            "metadata": {"name": "x"},
            "spec": {"fairness": fairness},
        }
        node = {"kind": "Node", "metadata": {"name": "n1"}}
        (tmp_path / "scenario.yaml").write_text(yaml.safe_dump_all([node, document]))
        return str(tmp_path)

    assert scenario(read([Path(given("strong"))]), frozenset()).fairness == "strong"
    assert main(["check", given("fair")]) == 3
    assert "spec.fairness: 'fair': expected one of none, weak, strong" in capsys.readouterr().err


def test_the_list_of_properties_states_their_fairness_assumption(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["properties"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "never_starves(POD) infinitely_often POD does not wait forever while some node" in out
    assert "properties of whole behaviours, under the fairness of --fair." in out
