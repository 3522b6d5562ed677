"""The benchmark of filling tables counts the questions of its scenes and compares checkouts."""

import pytest

from benchmarks import filling


def test_a_run_prints_counts_and_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    filling.main(["--alone", "mixed", "--more", "-1"])
    *counts, seconds = capsys.readouterr().out.split()
    assert len(counts) == 6 and all(int(each) > 0 for each in counts) and float(seconds) > 0


def test_checkouts_that_ask_other_questions_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = iter([((1, 2, 3), 0.5), ((1, 2, 4), 0.5)])
    monkeypatch.setattr(filling, "ran", lambda *given: next(asked))
    with pytest.raises(ValueError, match="too many values"):
        filling.measured("mixed", 0, 1, 1, filling.ROOT)


def test_medians_and_their_ratio_are_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    took = iter([0.5, 2.0, 0.9, 1.0, 0.7, 1.4])
    monkeypatch.setattr(filling, "ran", lambda *given: ((1000, 2000, 7, 3), next(took)))
    filling.measured("mixed", 0, 1, 3, filling.ROOT)
    assert capsys.readouterr().out == "mixed: 1,000 states, 10 questions (7 3): 0.70 s, before 1.40 s, 2.0 times\n"
