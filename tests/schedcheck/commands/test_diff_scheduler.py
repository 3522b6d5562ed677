"""`diff --scheduler`: every answer of a program is judged, a program that fails is named, and the folder shows it again"""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from schedcheck import Asking, InputError, Limits, diff_scheduler, read
from schedcheck.cli import main
from tests.checker.foreign.test_program import gone

ROOT = Path(__file__).parents[3]
DUMP = str(ROOT / "examples" / "dump")

HEAD = """
import json, os, sys, time
for number, line in enumerate(sys.stdin, 1):
    q = json.loads(line)
    nodes = [each["metadata"]["name"] for each in q["cluster"]["items"] if each["kind"] == "Node"]
    def say(**reply): print(json.dumps({"id": q["id"], **reply}), flush=True)
"""


def scheduler(body: str) -> list[str]:
    """A program that runs this for each question `q`, the `number`th; `say` replies."""
    return [sys.executable, "-S", "-c", HEAD + "\n".join(f"    {line}" for line in body.splitlines())]


FIRST_NODE = scheduler('say(kind="bind", node=nodes[0])')


def run(*argv: str) -> int:
    return main(["diff", *argv])


@pytest.mark.medium
def test_scheduler_that_ignores_the_cluster_is_refused_in_the_smallest_one() -> None:
    found = diff_scheduler(FIRST_NODE, asking=Asking(kinds=["resources", "taints"], count=20, ends=4))
    first = next(each for each in found.complaints if each.clause == "filters")
    assert first.objects == 1 and first.confirmed
    # Every question is counted once, and the wrong ones are counted by clause.
    assert found.clusters == 20
    assert found.tallies.verdicts["refused"] == sum(each.questions for each in found.complaints)
    assert found.tallies.verdicts.total() == found.tallies.asked
    assert found.tallies.ends.total() == 4
    assert found.exit_code == 1


@pytest.mark.medium
def test_any_feasible_node_is_enough_if_the_scheduler_is_held_to_feasible() -> None:
    counts = {
        strictness: diff_scheduler(FIRST_NODE, strictness=strictness, asking=Asking(kinds=["affinity"], count=40, ends=0)).tallies.verdicts["refused"]
        for strictness in ("feasible", "best")
    }  # fmt: skip
    assert 0 < counts["feasible"] < counts["best"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("time.sleep(9)", "hangs"),
        ("print('why', file=sys.stderr, flush=True); sys.exit(3)", "ends"),
        ("print('what?', flush=True)", "garbage"),
        ('say(kind="bind")', "garbage"),
        ('say(kind="sleep")', "garbage"),
        ("os.write(1, b'{}\\n{}\\n')", "too much"),
        ('print(json.dumps({"id": 0, "kind": "unschedulable"}), flush=True)', "other id"),
    ],
)
def test_program_that_fails_now_and_then_is_named_and_asked_on(body: str, kind: str) -> None:
    fails = scheduler(f'if "taints" in line:\n    {body}\nelse:\n    say(kind="unschedulable")')
    found = diff_scheduler(fails, answer_time=0.6 if kind == "hangs" else 20, limits=Limits(), asking=Asking(kinds=["taints"], count=12, ends=0))  # fmt: skip
    (failed,) = (each for each in found.complaints if each.kind == "fails")
    assert failed.clause == kind and failed.answered.failure is not None
    assert failed.questions == found.tallies.verdicts["failed"] > 0
    assert found.tallies.asked == 12 > failed.questions
    if kind == "ends":
        assert failed.answered.failure.stderr == "why"


def test_program_that_remembers_is_told_apart_from_one_that_is_wrong() -> None:
    remembers = scheduler('say(kind="bind", node=nodes[0]) if number > 3 else say(kind="unschedulable")')
    found = diff_scheduler(remembers, asking=Asking(kinds=["taints"], count=20, ends=0))
    kinds = {each.kind: each for each in found.complaints}
    assert "remembers" in kinds and kinds["remembers"].confirmed
    assert len(kinds["remembers"].before) == 3


def test_unknown_is_apart_from_allowed(tmp_path: Path) -> None:
    pod: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "c", "image": "c"}], "resourceClaims": [{"name": "gpu"}]},
    }
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"pods": "1"}}}
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod, node]}))
    found = diff_scheduler(FIRST_NODE, read(file))
    assert dict(found.tallies.verdicts) == {"unknown": 1}
    assert found.exit_code == 2 and found.complaints == ()


def test_objects_of_files_are_asked_about_whole(tmp_path: Path) -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "p", "annotations": {"team": "shop"}},
        "spec": {"containers": [{"name": "c", "image": "c", "env": [{"name": "A", "value": "1"}]}]},
    }
    node = {
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "annotations": {"rack": "7"}},
        "status": {"allocatable": {"pods": "9"}, "nodeInfo": {"kubeletVersion": "v1.34.1"}},
    }  # fmt: skip
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod, node]}))
    wanted = (
        'right = q["pod"]["metadata"]["annotations"] == {"team": "shop"} and "env" in q["pod"]["spec"]["containers"][0]\n'
        'one = next(each for each in q["cluster"]["items"] if each["kind"] == "Node")\n'
        'right = right and one["metadata"]["annotations"] == {"rack": "7"} and "nodeInfo" in one["status"]\n'
        'right = right and q["pod"] in q["cluster"]["items"]\n'
        'say(kind="bind", node="n") if right else say(kind="unschedulable")'
    )
    found = diff_scheduler(scheduler(wanted), read(file))
    assert dict(found.tallies.verdicts) == {"allowed": 1}


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("command", "kinds"),
    [
        (FIRST_NODE, "taints"),
        (scheduler('say(kind="bind", node=nodes[0]) if number > 2 else say(kind="unschedulable")'), "taints"),
        (scheduler('sys.exit(5) if "taints" in line else say(kind="unschedulable")'), "taints"),
    ],
)
def test_written_command_shows_it_again(
    command: list[str], kinds: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = shlex.join(command)
    into = tmp_path / "wrong"
    assert run("--scheduler", text, "--kinds", kinds, "--count", "20", "--ends", "0", "--into", str(into)) == 1
    capsys.readouterr()
    folders = sorted(into.iterdir())
    assert folders
    for folder in folders:
        known = json.loads((folder / "result.json").read_text("utf-8"))
        again = shlex.split((folder / "README.md").read_text("utf-8").split("```sh\n")[1].split("\n```")[0])
        assert again[:2] == ["schedcheck", "diff"]
        assert main([*again[1:], "--format", "json"]) == 1
        shown = json.loads(capsys.readouterr().out)["complaints"]
        assert [
            (each["kind"], each["clause"], each["reply"]) for each in shown if each["clause"] == known["clause"]
        ] == [(known["kind"], known["clause"], known["reply"])]
        assert json.loads((folder / "reply.json").read_text("utf-8")) == known["reply"]


def test_pods_of_files_are_judged_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--scheduler", shlex.join(scheduler('say(kind="unschedulable")')), DUMP, "--format", "json") in (0, 1)
    told = json.loads(capsys.readouterr().out)
    assert told["questions"] == sum(told["verdicts"].values()) > 1
    assert run("--scheduler", shlex.join(FIRST_NODE), DUMP, "--pod", "data/db-2", "--format", "json") == 1
    assert json.loads(capsys.readouterr().out)["questions"] == 1


def test_limit_ends_the_questions_with_what_was_found(capsys: pytest.CaptureFixture[str]) -> None:
    slow = shlex.join(scheduler('time.sleep(0.05); say(kind="unschedulable")'))
    assert run("--scheduler", slow, "--kinds", "taints", "--time", "3", "--ends", "0", "--format", "json") in (1, 2)
    told = json.loads(capsys.readouterr().out)
    assert told["stopped"] == "--time 3" and 0 < told["clusters"] < 1000


def test_an_interrupt_keeps_what_was_found_and_ends_the_program(tmp_path: Path) -> None:
    log = tmp_path / "pid"
    interrupting = scheduler(
        f'open({str(log)!r}, "w").write(str(os.getpid()))\n'
        "if number == 8: os.kill(os.getppid(), 2); time.sleep(60)\n"
        'say(kind="unschedulable")'
    )
    argv = ["diff", "--scheduler", shlex.join(interrupting), "--kinds", "affinity", "--ends", "0", "--format", "json"]
    ended = subprocess.run(
        [sys.executable, "-m", "schedcheck", *argv], capture_output=True, text=True, timeout=120, check=False
    )
    told = json.loads(ended.stdout)
    assert told["stopped"] == "interrupted" and ended.returncode == told["exitCode"] in (1, 2)
    assert 0 < told["questions"] < 1000
    assert gone(int(log.read_text("utf-8")))


@pytest.mark.parametrize(
    ("argv", "error"),
    [
        (
            ["--scheduler", "/nowhere/at/all", "--count", "1"],
            "--scheduler: '/nowhere/at/all': cannot be started: No such",
        ),
        (["--scheduler", "'", "--count", "1"], "--scheduler: cannot be split into words"),
        (["--scheduler", "true", "--kinds", "gpus"], "--kinds: 'gpus': expected some of resources"),
        (["--scheduler", "true", "--count", "1", DUMP], "--count: belongs to random clusters"),
        (["--scheduler", "true", "--pod", "x"], "--pod: belongs to FILES"),
        (["--scheduler", "true", "--explore", DUMP], "--explore: not possible with --scheduler"),
        (["--kinds", "taints", DUMP], "--kinds: belongs to --scheduler"),
        (["--into", "x", DUMP], "--into: belongs to --scheduler"),
        (["--scheduler", "true", DUMP, "--pod", "nobody"], "--pod: "),
        ([], "FILES: expected files"),
    ],
)
def test_wrong_use_is_one_line(argv: list[str], error: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(*argv) == 3
    told = capsys.readouterr()
    assert told.out == "" and error in told.err.splitlines()[-1]
    assert "Traceback" not in told.err


def test_unknown_strictness_is_an_input_error() -> None:
    with pytest.raises(InputError, match="strictness: 'some': expected one of"):
        diff_scheduler(FIRST_NODE, strictness="some", asking=Asking(count=1))  # type: ignore[arg-type]
