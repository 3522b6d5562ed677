"""The driver of programs: every way in which one fails is named, the next question is asked, and no process is left."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from schedcheck.checker.foreign.program import CannotStart, Failure, Program

RIGHT = 'print(json.dumps({"kind": "unschedulable", "id": q["id"]}), flush=True)'


def scheduler(on_two: str, first: str = "") -> list[str]:
    """A program that answers every question rightly, except that it does `on_two` with one whose name is "two"."""
    text = f"""
import json, os, subprocess, sys, time
{first}
for line in sys.stdin:
    q = json.loads(line)
    if q.get("name") == "two":
        {on_two}
    else:
        {RIGHT}
"""
    return [sys.executable, "-S", "-c", text]


def asked(program: Program) -> tuple[object, object, object]:
    """The answers to three questions, of which the second is named two."""
    first, second, third = (program.ask({"name": name}) for name in ("one", "two", "three"))
    return first, second, third


@pytest.mark.parametrize(
    ("on_two", "kind", "why"),
    [
        ("time.sleep(60)", "hangs", "no line"),
        ("print('{\"kind\"', end='', flush=True); time.sleep(60)", "hangs", "only a part of a line: '{\"kind\"'"),
        ("sys.exit(7)", "ends", "exit status 7"),
        ("os.kill(os.getpid(), 11)", "ends", "SIGSEGV"),
        ("os.close(1); time.sleep(60)", "ends", "closed its standard output and runs on"),
        ("print('{}', end='', flush=True); os._exit(0)", "ends", "exit status 0, after '{}'"),
        ("print('no json', flush=True)", "garbage", "'no json'"),
        ("print('[1]', flush=True)", "garbage", "no JSON object: '[1]'"),
        ("print('[' * 100000, flush=True)", "garbage", "…"),
        ("print('1' * 5000, flush=True)", "garbage", "no JSON"),
        ("os.write(1, bytes([255, 10]))", "garbage", "no JSON"),
        ("os.write(1, b'{}\\n{}\\n')", "too much", "more than one reply: '{}'"),
        ("print('x' * 200001, flush=True)", "too much", "more than 200000 bytes"),
        ("print('{\"id\": 1}', flush=True)", "other id", "question '1', not 2"),
        ("print('{\"id\": true}', flush=True)", "other id", "'true'"),
    ],
)
def test_program_that_fails_is_named_and_asked_again(on_two: str, kind: str, why: str) -> None:
    spoken = f"print('about to fail', file=sys.stderr, flush=True); {on_two}"
    with Program(scheduler(spoken), answer_time=1.0 if kind == "hangs" else 20.0, longest=200_000) as program:
        first, second, third = asked(program)
    assert first == {"kind": "unschedulable", "id": 1}
    assert isinstance(second, Failure) and second.kind == kind and why in second.why
    assert second.stderr == "about to fail" and second.question == 2
    assert "standard error ends with: about to fail" in str(second)
    assert third == {"kind": "unschedulable", "id": 3}
    assert program.starts == 2


def test_program_without_a_failure_runs_once_and_may_leave_out_the_id() -> None:
    with Program(scheduler('print(\'\\n  {"kind": "bind"}  \', flush=True)')) as program:
        assert asked(program)[1] == {"kind": "bind"}
    assert program.starts == 1 and program.late == []


def test_second_line_that_comes_late_is_named_and_no_answer_to_the_next_question() -> None:
    late = RIGHT + '; time.sleep(0.3); print(\'{"kind": "bind"}\', flush=True)'
    with Program(scheduler(late)) as program:
        program.ask({})
        assert program.ask({"name": "two"}) == {"kind": "unschedulable", "id": 2}
        time.sleep(1.0)
        assert program.ask({}) == {"kind": "unschedulable", "id": 3}
    assert [(each.kind, each.question) for each in program.late] == [("too much", 2)]


def test_loud_program_is_not_blocked_and_the_end_of_its_error_is_kept() -> None:
    loud = "sys.stderr.write('x' * 5_000_000 + '\\nthe end\\n'); " + RIGHT
    with Program(scheduler(loud + "; sys.exit(3)")) as program:
        assert isinstance(program.ask({"name": "two"}), dict)
        failed = program.ask({})
    assert isinstance(failed, Failure) and failed.kind == "ends"
    assert failed.stderr.endswith("the end") and len(failed.stderr) <= 4096


def test_program_that_writes_without_end_is_ended() -> None:
    with Program(["/bin/sh", "-c", "yes >&2 & exec yes"]) as program:
        failed = program.ask({})
    assert isinstance(failed, Failure) and failed.kind == "too much"


def test_question_larger_than_a_pipe_to_a_program_that_reads_late_arrives() -> None:
    with Program(scheduler("pass", first="time.sleep(0.3)")) as program:
        assert program.ask({"padding": "x" * 1_000_000}) == {"kind": "unschedulable", "id": 1}


def test_question_larger_than_a_pipe_to_a_program_that_never_reads_ends_in_time() -> None:
    with Program([sys.executable, "-S", "-c", "import time; time.sleep(60)"], answer_time=0.5) as program:
        failed = program.ask({"padding": "x" * 1_000_000})
    assert isinstance(failed, Failure) and failed.kind == "hangs"


@pytest.mark.parametrize(
    ("command", "why"),
    [("/nowhere/at/all", "No such file"), ("'", "no closing quotation"), ("", "expected a command"), ("/", "denied")],
)
def test_command_that_cannot_be_started_is_said_so(command: str, why: str) -> None:
    with pytest.raises(CannotStart, match=why), Program(command) as program:
        program.ask({})


def alive(pid: int) -> bool:
    """Whether the process runs: one that has ended and is not waited for yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def gone(*pids: int) -> bool:
    """Whether the processes end within some seconds."""
    for _ in range(200):
        if not any(alive(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


WITH_A_CHILD = (
    "signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.signal(signal.SIGINT, signal.SIG_IGN); "
    "child = subprocess.Popen(['/bin/sleep', '600']); "
    'print(json.dumps({"pids": [os.getpid(), child.pid]}), flush=True); time.sleep(600)'
)
FIRST = "import signal"


def pids_of(reply: object) -> list[int]:
    assert isinstance(reply, dict)
    return [int(each) for each in reply["pids"]]


def test_close_ends_the_program_and_its_children() -> None:
    with Program(scheduler(WITH_A_CHILD, FIRST)) as program:
        pids = pids_of(program.ask({"name": "two"}))
        assert all(map(alive, pids))
    assert gone(*pids)


def test_failure_ends_the_children_too() -> None:
    with Program(scheduler(WITH_A_CHILD, FIRST), answer_time=5.0) as program:
        pids = pids_of(program.ask({"name": "two"}))
        program.answer_time = 0.2
        assert isinstance(program.ask({}), Failure)
        assert gone(*pids)


def test_program_that_ends_by_itself_is_waited_for(tmp_path: Path) -> None:
    after = tmp_path / "ended"
    text = f"import sys\nfor line in sys.stdin: print('{{}}', flush=True)\nopen({str(after)!r}, 'w')"
    with Program([sys.executable, "-S", "-c", text]) as program:
        program.ask({})
    assert after.exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_end_of_the_driving_process_ends_the_program(number: signal.Signals) -> None:
    driver = f"""
import time
from schedcheck.checker.foreign.program import Program
with Program({scheduler(WITH_A_CHILD, FIRST)!r}) as program:
    print(program.ask({{"name": "two"}})["pids"], flush=True)
    program.ask({{}})
"""
    with subprocess.Popen(
        [sys.executable, "-c", driver], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        pids = json.loads(process.stdout.readline())
        assert all(map(alive, pids))
        os.kill(process.pid, number)
        process.wait(20)
    assert gone(*pids)


def test_an_interrupt_while_waiting_ends_the_program() -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt), Program(scheduler(WITH_A_CHILD, FIRST), answer_time=60) as program:
            pids = pids_of(program.ask({"name": "two"}))
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            program.ask({})
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert gone(*pids)
