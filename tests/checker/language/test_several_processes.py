"""Levels explored by several processes: the same counts, states, traces and errors as by one."""

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from schedcheck.checker.language.checking import ahead
from schedcheck.checker.language.checking.checking import Checked, check
from schedcheck.checker.language.checking.explored import Failed
from schedcheck.checker.language.checking.module_search import ModuleSearch
from schedcheck.checker.language.evaluation.evaluator import Session
from schedcheck.checker.result import Bounds
from tests.checker.language.modelling import model

ROOT = Path(__file__).parents[3]

MODULE = """---- MODULE M ----
EXTENDS Integers, Sequences, FiniteSets{extends}
CONSTANT Wide
VARIABLES place, seen
Init == place \\in {{[At |-> <<i, i>>, Kind |-> k] : i \\in 1 .. 3, k \\in {{"a", "b"}}}} /\\ seen = {{}}
Move(n) == place' = [place EXCEPT !.At[n] = (@ + n) % 12] /\\ seen' = seen \\cup {{Wide}}
Next == (\\E n \\in 1 .. 2 : Move(n)) {more}
Bounded == place.At[1] + place.At[2] < 20
Fine == {fine}
Steps == [][place'.At # <<0, 0>>]_place
Ends == <>(place.At = <<3, 3>>)
===="""

SHAPES: dict[str, tuple[str, str, str]] = {
    "holds": ("TRUE", "", ""),
    "violated": ("place.At # <<8, 9>>", "", ""),
    "constrained": ("TRUE", "", "CONSTRAINT Bounded"),
    "deadlock": ("TRUE", "/\\ place.At # <<9, 9>>", ""),
    "steps": ("TRUE", "", "PROPERTY Steps"),
    "temporal": ("TRUE", "", "PROPERTY Ends"),
}


def explored(shape: str, processes: int | None, *, extends: str = "", proceed: bool = False) -> Checked:
    fine, more, asked = SHAPES[shape]
    text = MODULE.format(fine=fine, more=more, extends=extends)
    asked = f"INIT Init\nNEXT Next\nINVARIANT Fine\nCONSTANT Wide = Wide\n{asked}"
    return check(
        model(text, asked), Bounds(seconds=60), None, ModuleSearch(processes=processes, proceed=proceed, edges=True)
    )


def everything(checked: Checked) -> Any:
    """Everything that a user may see of a check, and the order of its states."""
    of, result = checked.exploration, checked.result
    return (
        (result.verdict, result.distinct, result.generated, result.depth, result.done, result.coverage),
        (of.states, list(of.origin), of.edges, of.times),
        [(each.name, each.claim, each.trace, each.loop) for each in checked.found],
    )


@pytest.mark.parametrize("proceed", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_several_processes_explore_as_one_does(shape: str, proceed: bool) -> None:
    assert everything(explored(shape, 3, proceed=proceed)) == everything(explored(shape, 1, proceed=proceed))


def test_helpers_tell_some_states(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    keep = ahead.Ahead._keep

    def noted(of: ahead.Ahead, asked: range, answers: Any) -> None:
        told.extend(asked)
        keep(of, asked, answers)

    monkeypatch.setattr(ahead.Ahead, "_keep", noted)
    assert explored("holds", 2).result.distinct > len(told) > 0


def test_a_helper_that_calls_everything_fine_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead.Telling, "_fine_state", lambda of, state: True)
    monkeypatch.setattr(ahead.Ahead, "steps", _wait_for_all)
    assert everything(explored("constrained", 2)) != everything(explored("constrained", 1))


def _wait_for_all(of: ahead.Ahead, number: int) -> Any:
    """Leave as much as possible to the helpers."""
    while of._told and (of._busy or of._end - number > 20):
        of._ask(number)
        of._receive(None)
    return of._answers.pop(number, None)


def test_helpers_that_die_are_replaced_by_the_exploration(monkeypatch: pytest.MonkeyPatch) -> None:
    begin = ahead.Ahead._begin

    def begin_and_kill(of: ahead.Ahead) -> None:
        begin(of)
        of._idle[-1].process.kill()

    monkeypatch.setattr(ahead.Ahead, "_begin", begin_and_kill)
    assert everything(explored("violated", 3)) == everything(explored("violated", 1))


LEFT = """
import os, sys
from schedcheck.checker.language.checking import ahead
from tests.checker.language.test_several_processes import explored
begin = ahead.Ahead._begin
def then(of):
    begin(of)
    if len(of._idle) == 2:
        print(*(each.process.pid for each in of._idle), flush=True)
        os.kill(os.getpid(), 9)
ahead.Ahead._begin = then
explored("holds", 3)
"""


def test_helpers_end_with_an_exploration_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", LEFT], cwd=ROOT, stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout is not None
        helpers = [int(each) for each in killed.stdout.readline().split()]
        # Nobody else has the writing end of the pipe once they have ended, so that reading ends too.
        assert killed.stdout.read() == ""
    assert len(helpers) == 2
    assert killed.returncode == -9


def test_a_configuration_that_substitutes_an_operator_that_prints_is_explored_by_one_process() -> None:
    text = MODULE.replace("CONSTANT Wide", "CONSTANTS Wide, Say(_)").format(fine="TRUE", more="", extends=", TLC")
    asked = "INIT Init\nNEXT Next\nCONSTANT Wide = Wide\nCONSTANT Say <- PrintT"
    done = check(model(text, asked), Bounds(seconds=60), None, ModuleSearch(processes=2))
    assert ahead.depends_on_more(done.exploration)


@pytest.mark.parametrize("extends", [", TLC", ""])
def test_an_error_ends_with_the_trace_of_one_process(extends: str) -> None:
    text = MODULE.format(fine="place.At = <<7, 5>> => place.Missing = 1", more="", extends=extends)
    asked = "INIT Init\nNEXT Next\nINVARIANT Fine\nCONSTANT Wide = Wide\nCHECK_DEADLOCK FALSE"
    found = []
    for processes in (1, 3):
        with pytest.raises(Failed) as failed:
            check(model(text, asked), Bounds(seconds=60), None, ModuleSearch(processes=processes))
        found.append((str(failed.value), failed.value.trace))
    assert found[0] == found[1]


def test_a_module_that_prints_is_explored_by_one_process() -> None:
    printing = MODULE.replace("Fine ==", "Says == PrintT(place)\nFine ==")
    text = printing.format(fine="TRUE", more="", extends=", TLC")
    asked = "INIT Init\nNEXT Next\nCONSTANT Wide = Wide"
    done = check(model(text, asked), Bounds(seconds=60), None, ModuleSearch(processes=2))
    assert ahead.depends_on_more(done.exploration)
    assert not ahead.depends_on_more(explored("holds", 1).exploration)


@pytest.mark.parametrize(
    "text", ["TRUE", "<<1, TRUE>>", "{3, 1, 2}", "[a |-> {FALSE}, b |-> <<>>]", "{{}, {1}}", '[x \\in {0, 5} |-> "s"]']
)
def test_a_value_is_the_same_in_another_process(text: str) -> None:
    value = Session({}, None).value(text)
    again = pickle.loads(pickle.dumps(value))
    assert (again, type(again), hash(again)) == (value, type(value), hash(value))
    assert getattr(again, "ordered", None) == getattr(value, "ordered", None)
