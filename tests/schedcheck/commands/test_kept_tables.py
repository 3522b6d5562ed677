"""`schedcheck check --tables`: answers are cached, and unusable caches are recomputed with a note"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import schedcheck
from schedcheck.checker.tabulated.answers.oracle import Oracle
from schedcheck.cli import main

SMALL = Path(__file__).parents[3] / "examples" / "reference-small"
EXAMPLE = str(Path(__file__).parents[3] / "examples" / "gpu-small-without-taints")
ASKS = ["check", EXAMPLE, "--profile", "kubernetes", "--engine", "tabulated", "--quiet", "--format", "json"]


def timeless(text: str) -> str:
    """The answer without what depends on the clock."""
    return re.sub(r'"(seconds|elapsedSeconds)": [-+0-9.e]+', '"seconds": 0', text)


def said(capsys: pytest.CaptureFixture[str], *argv: object) -> tuple[int, str, str]:
    """The exit code, the answer, and the standard error."""
    code = main([*ASKS, *map(str, argv)])
    captured = capsys.readouterr()
    return code, timeless(captured.out), captured.err


def test_answers_are_cached_and_a_damaged_cache_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    without = said(capsys, "--tables", "none")
    assert without[2] == ""
    assert said(capsys, "--tables", tmp_path) == without
    (kept,) = tmp_path.glob("*.tables")
    content = kept.read_bytes()
    assert said(capsys, "--tables", tmp_path) == without
    assert kept.read_bytes() == content
    kept.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    code, out, error = said(capsys, "--tables", tmp_path)
    assert (code, out) == without[:2]
    assert error == f"schedcheck: {kept}: is damaged, or no file of answers; its answers are recomputed\n"
    assert said(capsys, "--tables", tmp_path) == without


@pytest.mark.slow
def test_two_concurrent_processes_give_the_same_answer(tmp_path: Path) -> None:
    environment = {**os.environ, "SCHEDCHECK_TABLES": str(tmp_path)}
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "schedcheck", *ASKS],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    ended = [(timeless(process.communicate(timeout=300)[0]), process.returncode) for process in running]
    assert ended[0] == ended[1]
    assert len(list(tmp_path.glob("*.tables"))) == 1


def interrupted(folder: Path) -> tuple[int, int]:
    """The states and generated states of a run that has the tables of a run that was stopped early."""
    cluster = schedcheck.read(SMALL)
    kept = schedcheck.Storage(tables=str(folder))
    schedcheck.check(cluster, limits=schedcheck.Limits(states=10_000), storage=kept)
    found = schedcheck.check(cluster, storage=kept).checked
    assert found.engine == "tabulated"
    return found.result.distinct, found.result.generated


def test_tables_of_a_run_that_was_stopped_early_are_gone_on_with(tmp_path: Path) -> None:
    # The counts are pinned in tests/examples/expected.yaml.
    assert interrupted(tmp_path / "tables") == (19_912, 181_975)


def test_questions_about_answers_that_were_dropped_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    never = property(lambda self: False, lambda self, value: None)
    monkeypatch.setattr(Oracle, "_stale", never, raising=False)
    with pytest.raises((AssertionError, IndexError)):
        interrupted(tmp_path / "tables")
