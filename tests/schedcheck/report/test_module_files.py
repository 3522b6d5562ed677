"""The graph and the counterexample of a TLA+ module as files, and the options of `tla check` that ask for them"""

import json
import re
from pathlib import Path

import pytest

from schedcheck.cli import main

CHART = r"""
---- MODULE Chart ----
EXTENDS Naturals, TLC
CONSTANT a
VARIABLES x, of
Init == x = 0 /\ of = [at |-> {2, 1}, name |-> "n", pair |-> <<TRUE, a>>, map |-> (0 :> 1)]
Up == x < 2 /\ x' = x + 1 /\ UNCHANGED of
Back == x > 0 /\ x' = 0 /\ UNCHANGED of
Next == Up \/ Back \/ (x = 1 /\ UNCHANGED <<x, of>>)
Spec == Init /\ [][Next]_<<x, of>>
Small == x < 2
Low == x < 1
Ends == <>(x = 2)
====
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "Chart.tla").write_text(CHART, encoding="utf-8")
    (tmp_path / "Chart.cfg").write_text("SPECIFICATION Spec CONSTANT a = a INVARIANTS Small Low", encoding="utf-8")
    (tmp_path / "Ends.cfg").write_text("SPECIFICATION Spec CONSTANT a = a PROPERTY Ends", encoding="utf-8")
    return tmp_path


def run(folder: Path, *argv: object) -> int:
    return main(["tla", "check", str(folder / "Chart.tla"), *map(str, argv)])


def test_the_graph_has_every_state_and_every_step(folder: Path) -> None:
    assert run(folder, "--continue", "--graph", folder / "new" / "made.dot") == 1
    text = (folder / "new" / "made.dot").read_text(encoding="utf-8")
    assert text.startswith('digraph "Chart" {\n')
    assert re.findall(r'^  (\d) \[label="/\\\\ x = (\d)\\n', text, re.MULTILINE) == [("0", "0"), ("1", "1"), ("2", "2")]
    assert re.findall(r"^  0 .*peripheries=2", text, re.MULTILINE)
    steps = re.findall(r'^  (\d) -> (\d) \[label="(\w*)"\];', text, re.MULTILINE)
    assert steps == [("0", "1", "Up"), ("1", "0", "Back"), ("1", "1", "Next"), ("1", "2", "Up"), ("2", "0", "Back")]


def test_the_trace_has_the_values_in_the_informal_trace_format(folder: Path) -> None:
    assert run(folder, "--trace", folder / "made.itf.json") == 1
    made = json.loads((folder / "made.itf.json").read_text(encoding="utf-8"))
    assert made["vars"] == ["x", "of"]
    assert [each["x"] for each in made["states"]] == [{"#bigint": "0"}, {"#bigint": "1"}]
    assert [each["#meta"] for each in made["states"]] == [{"index": 0}, {"index": 1, "action": "Up"}]
    assert made["states"][0]["of"] == {
        "at": {"#set": [{"#bigint": "1"}, {"#bigint": "2"}]},
        "map": {"#map": [[{"#bigint": "0"}, {"#bigint": "1"}]]},
        "name": "n",
        "pair": [True, {"#unserializable": "a"}],
    }


def test_the_trace_of_a_cycle_says_where_it_goes_on(folder: Path) -> None:
    assert run(folder, "--config", folder / "Ends.cfg", "--trace", folder / "made.itf.json") == 1
    made = json.loads((folder / "made.itf.json").read_text(encoding="utf-8"))
    assert made["loop"] == len(made["states"]) - 1 == 0


def test_without_a_counterexample_no_trace_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "Chart.cfg").write_text("SPECIFICATION Spec CONSTANT a = a", encoding="utf-8")
    assert run(folder, "--trace", folder / "made.itf.json") == 0
    assert "no counterexample: nothing written" in capsys.readouterr().err
    assert not (folder / "made.itf.json").exists()


def test_a_search_that_goes_on_says_how_often_each_property_is_violated(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, "--continue") == 1
    said = capsys.readouterr().out
    assert re.search(r"^Small +violated$", said, re.MULTILINE)
    assert re.search(r"^Low +violated 2 times$", said, re.MULTILINE)
    assert "The search went on after the violations; every reachable state was explored" in said


def test_random_behaviours_without_a_violation_are_no_answer(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "Chart.cfg").write_text("SPECIFICATION Spec CONSTANT a = a", encoding="utf-8")
    assert run(folder, "--simulate", 3, "--seed", 7, "--depth", 9) == 2
    assert "3 random behaviours were followed, of at most 9 states" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--graph", "made.svg", "expected a file that ends in .dot"),
        ("--trace", "made.json", "expected a file that ends in .itf.json"),
        ("--seed", "1", "--seed: belongs to --simulate"),
        ("--simulate", "0", "--simulate"),
    ],
)
def test_an_option_that_does_not_fit_is_refused_in_one_line(
    folder: Path, option: str, value: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(folder, option, value) == 3
    said = capsys.readouterr().err.strip()
    assert says in said
    assert "\n" not in said
