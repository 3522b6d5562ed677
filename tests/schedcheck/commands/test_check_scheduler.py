"""`check --scheduler`: a program decides in every state, its failures are no verdict about the cluster"""

import shlex
import sys
from pathlib import Path

import pytest

from schedcheck import Verdict, check, check_scheduler, kubernetes, read
from schedcheck.api.asking import MOST_AGAIN
from schedcheck.cli import main
from tests.schedcheck.commands.test_diff_scheduler import scheduler

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "examples" / "schedulers"
CLUSTER = str(EXAMPLE / "cluster")
PROMISE = ("--config", str(EXAMPLE / "promise.yaml"))
RIGHT = shlex.join([sys.executable, str(EXAMPLE / "scheduler.py")])
WAITS = scheduler('say(kind="unschedulable")')


def run(*argv: str) -> int:
    return main(["check", *argv])


def test_right_scheduler_reaches_what_the_specification_reaches_if_nothing_is_tied() -> None:
    cluster, profile = read(ROOT / "examples" / "budget-broken"), kubernetes(config=EXAMPLE / "promise.yaml")
    driven = check_scheduler(cluster, RIGHT, profile=profile)
    specified = check(cluster, profile=profile)
    assert driven.verdict is specified.verdict is Verdict.VIOLATED
    assert [len(each.trace) for each in driven.violations] == [len(each.trace) for each in specified.violations]
    assert {each.name for each in driven.properties} == {each.name for each in specified.properties} | {
        "decides_as_allowed"
    }


def test_answer_is_asked_once_for_each_knowledge(tmp_path: Path) -> None:
    log = tmp_path / "log"
    counting = scheduler(f'print(line, file=open({str(log)!r}, "a"), end="")\nsay(kind="unschedulable")')
    found = check_scheduler(read(CLUSTER), counting, profile=kubernetes(), properties=["no_overcommit"])
    questions = [line.rpartition('"id"')[0] for line in log.read_text("utf-8").splitlines()]
    again = len(questions) - len({*questions})
    assert found.asked == len({*questions}) > 10
    # The 1st, 2nd, 4th, 8th, … and the first that are refused are asked again, of another process.
    assert found.asked.bit_length() <= again <= found.asked.bit_length() + MOST_AGAIN


def test_idle_scheduler_is_refused_unless_only_other_properties_are_asked() -> None:
    profile = kubernetes(config=EXAMPLE / "promise.yaml")
    refused = check_scheduler(read(CLUSTER), WAITS, profile=profile)
    assert refused.verdict is Verdict.VIOLATED and refused.why is not None
    assert [step.action for step in refused.violations[0].trace[1:]] == ["Arrive(urgent)", "Wait(urgent)"]
    other = check_scheduler(read(CLUSTER), WAITS, profile=profile, properties=["no_overcommit"])
    assert [each.name for each in other.properties] == ["no_overcommit"]
    assert other.verdict is Verdict.HOLDS
    alone = check_scheduler(read(CLUSTER), WAITS, profile=profile, properties=["decides_as_allowed"])
    assert [each.name for each in alone.properties] == ["decides_as_allowed"]
    assert alone.verdict is Verdict.VIOLATED


def test_overcommitting_scheduler_breaks_a_property_of_the_cluster() -> None:
    careless = scheduler('say(kind="bind", node=nodes[0])')
    found = check_scheduler(read(CLUSTER), careless, profile=kubernetes(), properties=["no_overcommit"])
    assert [each.property for each in found.violations] == ["no_overcommit"]
    assert [step.action for step in found.violations[0].trace[1:]] == ["Arrive(urgent)", "Bind(urgent, node-1)"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("sys.exit(4)", "ended with exit status 4"),
        ('print("?", flush=True)', "no JSON"),
        ('say(kind="bind")', "expected the name of a node"),
    ],
)
def test_failure_of_the_program_is_unknown_and_named(body: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = shlex.join(scheduler(body))
    assert run(*PROMISE, "--scheduler", command, CLUSTER) == 2
    told = capsys.readouterr().out
    assert "\nUNKNOWN\n" in told and why in " ".join(told.split()) and "Traceback" not in told


def test_failure_in_some_states_hides_no_violation_in_others() -> None:
    some = scheduler('sys.exit(4) if q["pod"]["metadata"]["name"] == "small" else say(kind="unschedulable")')
    found = check_scheduler(read(CLUSTER), some, profile=kubernetes(config=EXAMPLE / "promise.yaml"))
    assert found.verdict is Verdict.VIOLATED and found.failed
    assert {each.pod.name for each in found.failed} == {"small"}


@pytest.mark.medium
def test_scheduler_that_is_not_stateless_is_named_and_nothing_holds() -> None:
    """It takes another node in each second process."""
    of_this_process = scheduler("say(kind='bind', node=f'node-{os.getpid() % 2 + 1}')")
    many = [
        check_scheduler(read(CLUSTER), of_this_process, properties=["only_lower_priority_evicted"]) for _ in range(3)
    ]
    found = next(each for each in many if each.differing)
    assert found.differing != ()
    assert found.verdict is Verdict.UNKNOWN
    assert "answers a question otherwise" in str(found.properties[0].unknown)


@pytest.mark.parametrize(
    ("argv", "error"),
    [
        (["--scheduler", RIGHT, "--pod", "small", CLUSTER], "--pod: not possible with --scheduler"),
        (["--scheduler", RIGHT, "--search", "walk", CLUSTER], "--search: not possible with --scheduler"),
        (["--scheduler", "/nowhere", CLUSTER], "--scheduler: '/nowhere': cannot be started"),
        (["--strictness", "best", CLUSTER], "--strictness: belongs to --scheduler"),
        (["--scheduler", RIGHT, "--property", "nothing", CLUSTER], "--property: nothing"),
    ],
)
def test_wrong_use_is_one_line(argv: list[str], error: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*argv) == 3
    told = capsys.readouterr()
    assert told.out == "" and error in told.err.splitlines()[-1]


def test_limit_of_states_gives_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*PROMISE, "--scheduler", RIGHT, "--max-states", "20", CLUSTER) == 2
    assert "GAVE UP" in capsys.readouterr().out
