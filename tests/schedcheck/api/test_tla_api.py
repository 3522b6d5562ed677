"""TLA+ from Python: modules checked, expressions evaluated, scenarios and traces written."""

from pathlib import Path

import pytest

import schedcheck

COUNTING = """---- MODULE Counting ----
EXTENDS Integers
VARIABLE x
Init == x = 0
Next == x < 3 /\\ x' = x + 1
Small == x < {least}
=========================
"""
CONFIGURATION = "INIT Init\nNEXT Next\nINVARIANT Small\nCHECK_DEADLOCK FALSE\n"


def counting(folder: Path, least: str) -> Path:
    module = folder / "Counting.tla"
    module.write_text(COUNTING.replace("{least}", least))
    module.with_suffix(".cfg").write_text(CONFIGURATION)
    return module


def test_a_module_holds_or_is_violated_by_the_least_counterexample(tmp_path: Path) -> None:
    holds = schedcheck.check_module(counting(tmp_path, "4"))
    assert (holds.verdict, holds.states, holds.exit_code) == (schedcheck.Verdict.HOLDS, 4, 0)
    violated = schedcheck.check_module(str(counting(tmp_path, "2")))
    assert (violated.verdict, violated.exit_code) == (schedcheck.Verdict.VIOLATED, 1)
    (found,) = violated.to_json()["violations"]
    assert [each["state"]["x"] for each in found["trace"]] == ["0", "1", "2"]


def test_a_deadlock_counts_if_it_is_asked_for(tmp_path: Path) -> None:
    assert schedcheck.check_module(counting(tmp_path, "4"), deadlock=True).verdict is schedcheck.Verdict.VIOLATED


def test_an_expression_that_fails_in_a_state_names_the_behaviour(tmp_path: Path) -> None:
    with pytest.raises(schedcheck.NotEvaluated, match="two") as caught:
        schedcheck.check_module(counting(tmp_path, '(IF x = 2 THEN "two" ELSE 9)'))
    assert isinstance(caught.value, schedcheck.InputError)
    assert [stage.state for stage in caught.value.failed.trace] == [(0,), (1,), (2,)]


def test_a_search_gives_up_at_its_limit(tmp_path: Path) -> None:
    found = schedcheck.check_module(counting(tmp_path, "4"), limits=schedcheck.Limits(states=2))
    assert (found.verdict, found.exit_code) == (schedcheck.Verdict.GAVE_UP, 2)


def test_an_evaluator_keeps_its_module_and_added_definitions(tmp_path: Path) -> None:
    asked = schedcheck.Evaluator(counting(tmp_path, "4"))
    assert asked.answer("Half(n) == n \\div 2") == ""
    assert asked.answer("Half(9)") == "4"
    with pytest.raises(schedcheck.InputError, match="unknown operator: Third"):
        asked.answer("Third(9)")


def test_a_module_that_cannot_be_read_is_an_input_error(tmp_path: Path) -> None:
    for question in (schedcheck.check_module, schedcheck.Evaluator):
        with pytest.raises(schedcheck.InputError):
            question(tmp_path / "None.tla")


def test_an_exported_scenario_is_a_module_that_can_be_checked(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    small = schedcheck.read(str(pytestconfig.rootpath / "examples" / "label-removed"))
    made = schedcheck.export(small, tmp_path)
    assert {made.module.suffix, made.configuration.suffix} == {".tla", ".cfg"}
    assert all(each.is_file() for each in made.extended) and len(made.extended) > 5
    assert schedcheck.check_module(made.module).verdict is schedcheck.check(small).verdict


def test_a_trace_and_a_graph_are_written_or_refused(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    violated = schedcheck.read(str(pytestconfig.rootpath / "examples" / "gpu-small-without-taints"))
    found = schedcheck.check(violated, storage=schedcheck.Storage(graph=True))
    module, configuration = found.write_trace(tmp_path / "Trace.tla")
    assert module.is_file() and configuration.is_file()
    found.write_graph(tmp_path / "graph.dot")
    assert (tmp_path / "graph.dot").read_text().startswith("digraph")
    for write in (found.write_trace, found.write_graph):
        with pytest.raises(schedcheck.InputError, match="expected a file that ends in"):
            write(tmp_path / "trace.xml")
