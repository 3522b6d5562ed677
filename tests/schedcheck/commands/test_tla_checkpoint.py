"""`schedcheck tla check --checkpoint` and `--resume`: what is resumed from, and refused in one line"""

import errno
import json
import re
from pathlib import Path
from typing import Any

import pytest

from schedcheck.checker.language.checking.exploring import Exploration
from schedcheck.checker.limits import durable
from schedcheck.cli import main

MODULE = r"""---- MODULE Own ----
EXTENDS Naturals, Added
VARIABLES x, y
Init == x = 0 /\ y = 0
Next == \/ x < Most /\ x' = x + 1 /\ y' = y
        \/ y < Most /\ y' = y + 1 /\ x' = x
Small == x + y < 6
===="""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "Added.tla").write_text("---- MODULE Added ----\nMost == 4\n====")
    (tmp_path / "Own.cfg").write_text("INIT Init NEXT Next INVARIANT Small CHECK_DEADLOCK FALSE")
    (tmp_path / "Own.tla").write_text(MODULE)
    return tmp_path


def said(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, str, str]:
    """Run `tla check` and return its exit code, standard output and standard error."""
    code = main(["tla", "check", *map(str, argv), "--quiet"])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def answered(capsys: pytest.CaptureFixture[str], *argv: object) -> Any:
    code, out, err = said(capsys, *argv, "--format", "json")
    assert err == (f"schedcheck: the exploration is kept: --resume {argv[2]} goes on from there\n" if code == 2 else "")
    answer = json.loads(re.sub(r'"(seconds|elapsedSeconds)": [-+0-9.e]+', '"seconds": 0', out))
    assert answer["exitCode"] == code
    return answer


def refused(capsys: pytest.CaptureFixture[str], *argv: object) -> str:
    """The single line with which the command is refused."""
    code, out, err = said(capsys, *argv)
    assert (code, out, err.count("\n")) == (3, "", 1)
    return err


@pytest.mark.parametrize("limit", [("--time", "1"), ("--memory", "0.001"), ("--max-states", "9"), ("--depth", "3")])
def test_a_limit_leaves_a_folder_and_a_line_that_says_how_to_go_on(
    own: Path,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    limit: tuple[str, str],
) -> None:
    module, folder = own / "Own.tla", tmp_path / "kept"
    whole = answered(capsys, module)
    with monkeypatch.context() as patched:
        patched.setattr("schedcheck.checker.language.checking.exploring.end_after", lambda seconds: 0.0)
        stopped = answered(capsys, module, "--checkpoint", folder, *limit)
    assert (stopped["exitCode"], whole["exitCode"]) == (2, 1)
    assert answered(capsys, module, "--resume", folder) == whole


def test_an_interrupt_leaves_a_folder_and_a_line_that_says_how_to_go_on(
    own: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, folder, step, calls = own / "Own.tla", tmp_path / "kept", Exploration._expand, iter(range(5))

    def interrupted(*given: Any) -> list[int]:
        if next(calls, None) is None:
            raise KeyboardInterrupt
        return step(*given)

    with monkeypatch.context() as patched:
        patched.setattr(Exploration, "_expand", interrupted)
        stopped = answered(capsys, module, "--checkpoint", folder)
    assert stopped["exitCode"] == 2
    assert answered(capsys, module, "--resume", folder) == answered(capsys, module)


def test_a_full_disk_ends_a_check_like_a_limit_and_earlier_parts_remain(
    own: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, folder = own / "Own.tla", tmp_path / "kept"
    answered(capsys, module, "--checkpoint", folder, "--depth", 3)

    def write(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(durable, "write", write)
        code, out, err = said(capsys, module, "--resume", folder)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "No space left on device; complete parts remain" in err
    assert answered(capsys, module, "--resume", folder) == answered(capsys, module)


def test_a_resumed_check_gives_the_answer_of_an_undisturbed_one(
    own: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    module, folder = own / "Own.tla", tmp_path / "kept"
    whole = answered(capsys, module)
    assert whole["exitCode"] == 1
    assert answered(capsys, module, "--checkpoint", folder, "--depth", 3)["exitCode"] == 2
    assert sorted(path.name for path in folder.glob("part-*.json")) == ["part-000001.json", "part-000002.json"]
    assert answered(capsys, module, "--resume", folder) == whole
    assert answered(capsys, module, "--resume", folder) == whole


def test_an_exploration_that_only_the_constraints_end_is_not_continued(
    own: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    config = "SPECIFICATION Spec PROPERTY Ends CONSTRAINT Few CHECK_DEADLOCK FALSE"
    spec = "Spec == Init /\\ [][Next]_<<x, y>> /\\ WF_<<x, y>>(Next)\nEnds == <>(x + y = 8)\nFew == x + y < 7\n===="
    (own / "Own.cfg").write_text(config)
    (own / "Own.tla").write_text(MODULE.replace("====", spec))
    command = own / "Own.tla", "--resume", tmp_path / "kept"
    whole = said(capsys, own / "Own.tla", "--checkpoint", tmp_path / "kept")
    assert whole[0] == 2
    line = f"the exploration is kept: --resume {tmp_path / 'kept'} --within-constraints judges what is within them"
    assert whole[2] == f"schedcheck: {line}\n"
    assert "the constraints cut off states" in said(capsys, *command)[1]
    within = said(capsys, *command, "--within-constraints")
    assert (within[0], within[2]) == (said(capsys, own / "Own.tla", "--within-constraints")[0], "")


@pytest.mark.parametrize(
    ("name", "text", "options", "different"),
    [
        ("Own.tla", MODULE.replace("< 6", "< 7"), (), "modules"),
        ("Added.tla", "---- MODULE Added ----\nMost == 3\n====", (), "modules"),
        ("Own.cfg", "INIT Init NEXT Next CHECK_DEADLOCK FALSE", (), "configuration"),
        ("Own.cfg", "INIT Init NEXT Next INVARIANT Small", (), "configuration"),
        (None, "", ("--deadlock",), "configuration"),
        (None, "", ("--continue",), "search"),
    ],
)
def test_a_folder_of_another_check_is_refused(
    own: Path,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    name: str | None,
    text: str,
    options: tuple[str, ...],
    different: str,
) -> None:
    folder = tmp_path / "kept"
    said(capsys, own / "Own.tla", "--checkpoint", folder)
    if name is not None:
        (own / name).write_text(text)
    error = refused(capsys, own / "Own.tla", "--checkpoint", folder, *options)
    assert error.endswith(f"{folder}: belongs to another run: not the same {different}\n")


def test_a_folder_of_another_version_is_refused(
    own: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(capsys, own / "Own.tla", "--checkpoint", tmp_path / "kept")
    monkeypatch.setattr("schedcheck.api.tla.sources", lambda root: "others")
    assert "not the same version" in refused(capsys, own / "Own.tla", "--checkpoint", tmp_path / "kept")


@pytest.mark.parametrize("reads", ["IOEnv.HOME", 'JsonDeserialize("a.json")', 'Out!IOEnv["HOME"]'])
def test_a_module_whose_states_depend_on_files_or_the_environment_is_refused(
    own: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path, reads: str
) -> None:
    added = f"---- MODULE Added ----\nEXTENDS IOUtils, Json\nOut == INSTANCE IOUtils\nMost == 4\nRead == {reads}\n===="
    (own / "Added.tla").write_text(added)
    assert said(capsys, own / "Own.tla")[0] == 1
    assert "keeps no module that reads" in refused(capsys, own / "Own.tla", "--checkpoint", tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_what_cannot_be_resumed_is_refused(own: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    module, none, folder = own / "Own.tla", tmp_path / "none", tmp_path / "kept"
    assert "there is no part to resume from" in refused(capsys, module, "--resume", none)
    assert not none.exists()
    assert "cannot be given together" in refused(capsys, module, "--resume", none, "--checkpoint", none)
    assert "not random behaviours" in refused(capsys, module, "--simulate", 3, "--checkpoint", none)
    said(capsys, module, "--checkpoint", folder)
    part = folder / "part-000002.lines"
    part.write_bytes(part.read_bytes()[:-1])
    assert f"{part}: damaged: not what was written" in refused(capsys, module, "--resume", folder)
