"""The benchmark beside Kivi, once without it: it says what is skipped, and the first case is violated here"""

import json
from pathlib import Path

import pytest

from benchmarks import kivi
from schedcheck.cli import main


def test_without_the_peer_it_is_skipped_by_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kivi, "RUNS", 1)
    monkeypatch.setattr(kivi, "CASES", kivi.CASES[:1])
    kivi.main(["nowhere", "3"])
    told = capsys.readouterr().out
    assert "Kivi: skipped: nowhere" in told and "schedcheck" in told and "violated, " in told


@pytest.mark.parametrize("case", kivi.CASES, ids=[case.name for case in kivi.CASES])
def test_each_case_of_three_nodes_is_violated(
    case: kivi.Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kivi.written(case, 3, tmp_path)
    assert main(["check", "--format", "json", "--quiet", str(tmp_path)]) == 1
    assert json.loads(capsys.readouterr().out)["verdict"] == "violated"


def test_what_kivi_tells_is_read() -> None:
    assert kivi.told_by_kivi("Violating intent: a\nViolating intent: b\n") == "violated: a, b"
    assert kivi.told_by_kivi("No failure is found!") == "no failure found" and kivi.told_by_kivi("") == "no answer"
