"""What a search has done is kept whole, and a later run goes on after it"""

from itertools import count
from pathlib import Path

import pytest

from tests.checker.differential.search import __main__ as search
from tests.checker.differential.search import parts
from tests.checker.differential.search.effort import Kept, kept, of_sources
from tests.checker.differential.search.parts import PARTS, Part, searched


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The seeds of the cases of the kind `clusters`, which do nothing."""
    told: list[str] = []
    monkeypatch.setitem(PARTS, "clusters", Part(told.append, 1))
    return told


def run(folder: Path | str, seconds: int = 5) -> int:
    ticks = count()
    done, found = searched("7-0", seconds, ("clusters",), lambda: next(ticks), before=kept(str(folder), "7-0"))
    assert found is None
    return done["clusters"]


def test_a_later_run_goes_on_with_the_next_case(tmp_path: Path, tried: list[str]) -> None:
    first, both = run(tmp_path), run(tmp_path, 3)
    assert 0 < first < both
    assert tried == [f"7-0 {number}" for number in range(both)]


def test_without_a_folder_each_run_begins_again(tried: list[str]) -> None:
    assert run("") == run("") == len(tried) // 2


def test_a_run_that_is_killed_loses_what_was_done_since_its_file_was_written(tmp_path: Path, tried: list[str]) -> None:
    made = kept(str(tmp_path), "7-0")
    made.effort.done["clusters"] = 3
    made.save()
    made.effort.done["clusters"] = 9
    (path,) = tmp_path.iterdir()
    path.with_suffix(".written").write_text("{")
    run(tmp_path)
    assert tried[0] == "7-0 3"


def test_the_file_is_written_now_and_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = kept(str(tmp_path), "7-0")
    made.now_and_then()
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr("tests.checker.differential.search.effort.BETWEEN", 0.0)
    made.now_and_then()
    assert len(list(tmp_path.iterdir())) == 1


def test_an_interrupt_keeps_what_was_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(seed: str) -> None:
        if seed == "7-0 2":
            raise KeyboardInterrupt

    monkeypatch.setitem(PARTS, "clusters", Part(interrupted, 1))
    assert run(tmp_path) == 2
    assert kept(str(tmp_path), "7-0").effort.done == {"clusters": 2}


def test_the_seconds_of_the_processor_are_those_of_all_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter((1.0, 4.0, 10.0, 15.0))
    monkeypatch.setattr("time.process_time", lambda: next(now))
    for seconds in (3.0, 8.0):
        made = kept(str(tmp_path), "7-0")
        made.save()
        assert made.effort.processor == seconds


def test_other_sources_have_a_file_of_their_own(tmp_path: Path) -> None:
    source = tmp_path / "spec" / "a.py"
    source.parent.mkdir()
    source.write_text("A = 1\n")
    before = of_sources(tmp_path)
    assert of_sources(tmp_path) == before
    source.write_text("A = 2\n")
    assert of_sources(tmp_path) != before


def test_a_difference_of_an_earlier_run_is_told_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def differs(seed: str) -> None:
        assert seed != "3-0 1", "they differ"

    with monkeypatch.context() as patched:
        patched.setitem(PARTS, "clusters", Part(differs, 1))
        given = ["--seconds", "60", "--seed", "3", "--jobs", "1", "--parts", "clusters", "--kept", str(tmp_path)]
        assert search.main(given) == 1
        assert "clusters 3-0 1: AssertionError: they differ" in capsys.readouterr().out
    assert search.main(["--seconds", "0.1", *given[2:]]) == 1
    assert "clusters 3-0 1: differed in an earlier run" in capsys.readouterr().out


def test_a_damaged_file_is_refused_before_the_search(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"{of_sources()}-3-1.json"
    for text in ("{", "[]", '{"others": 1}'):
        path.write_text(text)
        with pytest.raises(SystemExit) as end:
            search.main(["--seconds", "60", "--seed", "3", "--kept", str(tmp_path)])
        assert end.value.code == 3
        assert capsys.readouterr().err == f"{path}: expected what an earlier search has kept\n"


def test_a_folder_with_a_number_of_cases_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        search.main(["--cases", "1", "--kept", "somewhere"])
    assert end.value.code == 2
    assert "--kept: not possible with --cases" in capsys.readouterr().err


def test_nothing_is_written_without_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Kept(kept("", "7-0").effort).save()
    assert parts.Effort() == kept("", "7-0").effort
    assert not list(tmp_path.iterdir())
