"""`schedcheck tla`: exit codes, output, and errors in one line"""

import io
import json
from pathlib import Path

import pytest

from schedcheck.cli import main

COUNTER = """
---- MODULE Counter ----
EXTENDS Naturals, TLC
CONSTANT N
VARIABLE x
Init == x = 0
Up(by) == x < N /\\ x' = x + by
Next == \\E by \\in {1} : Up(by)
Spec == Init /\\ [][Next]_x /\\ WF_x(Next)
Small == x <= N
Smaller == x < N
Top == <>(x = N)
Double(n) == 2 * n
Bad == x < 1 \\/ x = "a"
Few == TLCGet("distinct") = 3
====
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "Counter.tla").write_text(COUNTER, encoding="utf-8")
    for name, asked in (
        ("Counter", "INVARIANT Small PROPERTY Top"),
        ("Broken", "INVARIANT Smaller"),
        ("Failing", "INVARIANT Bad"),
        ("Unknown", "INVARIANT Nothing"),
        ("After", "CHECK_DEADLOCK FALSE POSTCONDITION Few ALIAS Top"),
    ):
        (tmp_path / f"{name}.cfg").write_text(f"SPECIFICATION Spec CONSTANT N = 3 {asked}", encoding="utf-8")
    return tmp_path


def run(*argv: object) -> int:
    return main(["tla", *map(str, argv)])


def test_a_module_whose_properties_hold_exits_with_0(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", folder / "Counter.tla", "--no-deadlock") == 0
    said = capsys.readouterr().out
    assert said.startswith("HOLDS")
    for line in ("States     4 distinct", "Generated  4 states", "Depth      4", "Small     holds", "Top       holds"):
        assert line in said


def test_a_deadlock_is_a_violation_unless_disabled(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", folder / "Counter.tla") == 1
    assert "no step is possible" in capsys.readouterr().out


def test_a_violation_exits_with_1_and_shows_the_trace(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", folder / "Counter.tla", "--config", folder / "Broken.cfg") == 1
    said = capsys.readouterr().out
    assert "Smaller does not hold" in said
    assert "4  Up(1)  (Counter:7:11)\n     x = 3\n" in said


def test_a_reached_bound_exits_with_2(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", folder / "Counter.tla", "--depth", "2") == 2
    assert "States were left unexplored: --depth 2" in capsys.readouterr().out


def test_a_postcondition_is_evaluated_after_the_exploration(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("check", folder / "Counter.tla", "--config", folder / "After.cfg")
    assert run(*asked) == 1
    said = capsys.readouterr().out
    assert "Few       violated" in said
    assert "ALIAS Top is not used" in said
    assert said.endswith("the postcondition Few is not true\n")
    assert run(*asked, "--format", "json") == 1
    assert json.loads(capsys.readouterr().out)["violations"][0]["trace"] == []
    assert run(*asked, "--depth", "2") == 2
    assert "Few       undecided" in capsys.readouterr().out


def test_json_reports_the_same_as_the_text(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("check", folder / "Counter.tla", "--config", folder / "Broken.cfg", "--format", "json") == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["verdict"], said["distinct"], said["exitCode"]) == ("violated", 4, 1)
    assert said["violations"][0]["trace"][-1] == {"action": "Up(1)  (Counter:7:11)", "state": {"x": "3"}}


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ("Failing.cfg", 'Counter:14:17: the integer 1 and the string "a" cannot be compared'),
        ("Unknown.cfg", "Unknown.cfg:1:45: Counter does not define Nothing"),
        ("Missing.cfg", "cannot read"),
    ],
)
def test_a_module_that_cannot_be_evaluated_exits_with_3(
    folder: Path, capsys: pytest.CaptureFixture[str], config: str, says: str
) -> None:
    assert run("check", folder / "Counter.tla", "--config", folder / config) == 3
    said = capsys.readouterr()
    assert says in said.err
    assert len(said.err.splitlines()) == 1
    if config == "Failing.cfg":
        assert "x = 1" in said.out


def test_the_value_of_an_expression_is_printed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("eval", "{x * x : x \\in 1..3}") == 0
    assert capsys.readouterr().out == "{1, 4, 9}\n"
    assert run("eval", "Double(21)", "--module", folder / "Counter.tla") == 0
    assert capsys.readouterr().out == "42\n"
    assert run("eval", "Double(N)", "--module", folder / "Counter.tla", "--config", folder / "Counter.cfg") == 0
    assert capsys.readouterr().out == "6\n"


@pytest.mark.parametrize(
    ("expression", "says"),
    [
        ("1 +", "input:1:4: "),
        ("x + 1", "the variable x is read before it has a value"),
        ("N", "N is a constant without a value"),
        ("SUBSET (1..40) = {x \\in SUBSET (1..40) : TRUE}", "has 1099511627776 elements"),
    ],
)
def test_an_expression_without_a_value_exits_with_3(
    folder: Path, capsys: pytest.CaptureFixture[str], expression: str, says: str
) -> None:
    assert run("eval", expression, "--module", folder / "Counter.tla") == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert says in said.err
    assert len(said.err.splitlines()) == 1


def test_an_expression_that_takes_too_long_exits_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("eval", "Cardinality({x \\in SUBSET (1..23) : 1 = 2})", "--time", "1") == 2
    assert capsys.readouterr().err.startswith("schedcheck: gave up at --time 1")


def test_the_repl_reads_line_by_line_and_continues_after_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = 'Triple(n) == 3 * n\nTriple(2)\n\nTriple("a")\n1 +\nTriple(n) == 4 * n\nTriple(2)\n'
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert run("repl") == 0
    said = capsys.readouterr()
    assert said.out == "6\n8\n"
    assert len(said.err.splitlines()) == 2
