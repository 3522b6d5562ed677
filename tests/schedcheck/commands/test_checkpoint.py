"""`schedcheck check --checkpoint` and `--resume`: what is saved, resumed from, and refused in one line"""

import errno
import json
import re
from pathlib import Path
from typing import Any

import pytest

from schedcheck.checker.limits import durable
from schedcheck.cli import main

EXAMPLES = Path(__file__).parents[3] / "examples"
HOLDS, VIOLATED = str(EXAMPLES / "gpu-small"), str(EXAMPLES / "gpu-small-without-taints")


def said(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, str, str]:
    """Run `check` and return its exit code, standard output and standard error."""
    code = main(["check", *map(str, argv), "--quiet"])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def answered(capsys: pytest.CaptureFixture[str], *argv: object) -> Any:
    """Run `check` and return its JSON without the fields that depend on the clock."""
    code, out, err = said(capsys, *argv, "--format", "json")
    assert err == ""
    answer = json.loads(re.sub(r'"(seconds|elapsedSeconds)": [-+0-9.e]+', '"seconds": 0', out))
    assert answer["exitCode"] == code
    return answer


@pytest.mark.parametrize("example", [HOLDS, VIOLATED])
def test_a_resumed_run_gives_the_answer_of_an_uninterrupted_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], example: str
) -> None:
    whole = answered(capsys, example, "--engine", "tabulated")
    assert answered(capsys, example, "--checkpoint", tmp_path, "--depth", 2)["exitCode"] == 2
    assert sorted(path.name for path in tmp_path.glob("level-*.json")) == ["level-000001.json", "level-000002.json"]
    assert answered(capsys, example, "--resume", tmp_path) == whole
    assert answered(capsys, example, "--resume", tmp_path) == whole


def refused(capsys: pytest.CaptureFixture[str], *argv: object) -> str:
    """The single line with which the command is refused."""
    code, out, err = said(capsys, *argv)
    assert (code, out, err.count("\n")) == (3, "", 1)
    return err


def test_a_folder_that_cannot_be_resumed_from_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    none, other = tmp_path / "none", tmp_path / "other"
    assert "there is no level to resume from" in refused(capsys, HOLDS, "--resume", none)
    assert not none.exists()
    assert "cannot be given together" in refused(capsys, HOLDS, "--resume", none, "--checkpoint", none)
    assert said(capsys, VIOLATED, "--checkpoint", other)[0] == 1
    assert f"{other}: belongs to another run: not the same scenario" in refused(capsys, HOLDS, "--resume", other)
    (other / "level-000002.states").write_bytes(b"")
    assert f"{other}/level-000002.states: damaged" in refused(capsys, VIOLATED, "--resume", other)
    assert "the direct explorer keeps no levels" in refused(capsys, HOLDS, "--engine", "direct", "--checkpoint", none)
    walk = refused(capsys, HOLDS, "--search", "walk", "--checkpoint", none)
    assert "--checkpoint" in walk and "--search walk belongs to the direct explorer" in walk


def test_a_full_disk_ends_a_run_like_a_limit_and_earlier_levels_remain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = answered(capsys, HOLDS, "--engine", "tabulated")
    assert said(capsys, HOLDS, "--checkpoint", tmp_path, "--depth", 3)[0] == 2

    def write(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(durable, "write", write)
        ended = said(capsys, HOLDS, "--resume", tmp_path)
    why = "cannot be written: No space left on device; complete levels remain, and the same command continues from them"
    assert ended == (2, "", f"schedcheck: gave up: {tmp_path}/level-000004.states: {why}\n")
    assert len(list(tmp_path.glob("level-*"))) == 6
    assert answered(capsys, HOLDS, "--resume", tmp_path) == whole


def test_a_folder_that_cannot_be_written_to_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(*_: Any) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(durable, "write", write)
    assert "run.json: cannot be written: Input/output error" in refused(capsys, HOLDS, "--checkpoint", tmp_path)
