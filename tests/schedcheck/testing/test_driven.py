"""A scheduler that is a program is asked and judged; a program that fails is named, with its standard error"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from schedcheck import InputError
from schedcheck.testing import Driven, NotAllowed, SchedulerFailed
from tests.schedcheck.testing.test_asserting import TWO, pod

ASKING = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    nodes = [each["metadata"]["name"] for each in question["cluster"]["items"] if each["kind"] == "Node"]
    reply = {}
    print(json.dumps({{"id": question["id"], **reply}}), flush=True)
"""
Start = Callable[[str], Sequence[str]]


@pytest.fixture
def scheduler(tmp_path: Path) -> Start:
    """The command of a program that answers each question with this reply, an expression over the question."""

    def command(reply: str) -> Sequence[str]:
        file = tmp_path / "scheduler.py"
        file.write_text(ASKING.format("{}", reply=reply).replace("reply = {}", f"reply = {reply}"))
        return [sys.executable, str(file)]

    return command


def test_a_program_is_asked_with_the_cluster_and_the_whole_pod(scheduler: Start) -> None:
    reply = '{"kind": "bind", "node": nodes[0], "message": question["pod"]["metadata"]["name"]}'
    with Driven(scheduler(reply)) as program:
        assert program.decide(TWO, pod("web"))["message"] == "web"
        assert program.decide({"items": TWO}, pod("web"))["id"] == 2
        assert program.assert_allowed(TWO, pod("web")).verdict == "allowed"


def test_a_wrong_decision_of_a_program_is_refused_as_strictly_as_asked(scheduler: Start) -> None:
    command = scheduler('{"kind": "bind", "node": nodes[1]}')
    with Driven(command) as program:
        with pytest.raises(NotAllowed, match=r"^web: bind to n2 is not allowed"):
            program.assert_allowed(iter(TWO), pod("web"))
        assert program.assert_allowed(TWO, pod("web"), strictness="feasible").strictness == "feasible"
    with Driven(command, strictness="feasible", profile="corrected") as program:
        assert program.assert_allowed(TWO, pod("web")).profile == "corrected"


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        ("sys.exit('no room')", "it ended with exit status 1\nstandard error ends with:\n  no room"),
        ("[][1]", "IndexError: list index out of range"),
        ('{"kind": "bnd"}', "wrote no reply: reply.kind: 'bnd': expected one of bind, nominate"),
        ('{"kind": "bind"}', "wrote no reply: reply.node: "),
        ('print("debug", flush=True) or __import__("time").sleep(60)', "wrote a line that is no JSON: 'debug'"),
    ],
)
def test_a_program_without_a_decision_fails_with_its_standard_error(scheduler: Start, reply: str, message: str) -> None:
    with Driven(scheduler(reply)) as program, pytest.raises(SchedulerFailed) as failed:
        program.assert_allowed(TWO, pod("web"))
    assert message in str(failed.value)
    assert str(failed.value).startswith(program.command[0])


def test_a_program_that_hangs_is_ended(scheduler: Start) -> None:
    begun = '__import__("pathlib").Path(sys.argv[0] + ".begun")'
    reply = f'{{"kind": "unschedulable"}} if {begun}.exists() else {begun}.touch() or __import__("time").sleep(60)'
    program = Driven(scheduler(reply), answer_time=2)
    with program, pytest.raises(SchedulerFailed, match="wrote within 2 s no line"):
        program.decide(TWO, pod("web"))
    with Driven(program.command) as again:
        assert again.decide(TWO, pod("web"))["kind"] == "unschedulable"


@pytest.mark.parametrize("command", ["", "'", "/nowhere/scheduler --fast"])
def test_a_command_that_cannot_be_started_is_an_input_error(command: str) -> None:
    with pytest.raises(InputError, match=r"^command: "):
        Driven(command).decide(TWO, pod("web"))
