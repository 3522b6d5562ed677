"""A defect is searched for in a process of its own; the table counts what was found, by area and in all"""

import json
import re
from pathlib import Path

import pytest

from tests.checker.differential.search.parts import PARTS, Part
from tests.power import __main__ as power
from tests.power.fresh import FRESH, Fresh
from tests.power.held_back_again import HELD_BACK_AGAIN
from tests.power.held_back_fourth import HELD_BACK_FOURTH
from tests.power.held_back_third import HELD_BACK_THIRD
from tests.power.table import BEGIN, END, PAGE, Measured, analog, area, areas, table
from tests.power.trial import Tried, tried


def test_an_obvious_defect_is_found_and_has_no_effect_here() -> None:
    (defect,) = (each for name, each in power.chosen(None) if name == "kubernetes/kubernetes#129319")
    assert tried(defect, 20.0, 0, ("clusters",)).found
    assert not tried((defect[0], lambda patch: None, defect[2]), 0.3, 0, ("clusters",)).found


def test_what_is_found_without_the_defect_as_well_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    (defect,) = (each for name, each in power.chosen(None) if name == "kubernetes/kubernetes#129319")

    def failing(start: str) -> None:
        raise AssertionError(start)

    monkeypatch.setitem(PARTS, "clusters", Part(failing, 1.0))  # type: ignore[arg-type]
    result = tried(defect, 1.0, 0, ("clusters",))
    assert not result.found and result.how.startswith("without the defect as well: clusters 0 0: ")


def test_the_smallest_run_prints_a_table_and_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--seconds", "0.2", "--count", "1", "--jobs", "1", "--kept", str(tmp_path / "kept")]
    power.main(given)
    first = capsys.readouterr().out
    assert re.search(r"\| \*\*all\*\* \| [01] of 1 \| 1 of 1 \| [01] of 1 \|  \|  \|", first)
    power.main(given)
    assert capsys.readouterr().out == first
    (kept,) = (tmp_path / "kept").iterdir()
    assert len(kept.read_text().splitlines()) == 1


def test_a_kind_alone_has_its_share_of_the_time_and_its_misses_are_not_kept(tmp_path: Path) -> None:
    given = ["--only", "budgets do not count", "--jobs", "1", "--kept", str(tmp_path)]
    power.main([*given, "--seconds", "1", "--parts", "expansions"])
    assert (tmp_path / "0.jsonl").read_text() == ""
    power.main([*given, "--seconds", "600", "--parts", "ties"])
    name, (found, seconds, how) = json.loads((tmp_path / "0.jsonl").read_text())
    assert (name, found) == ("budgets do not count", True)
    assert how.startswith("ties 0 ") and 1 < seconds < 600


def test_a_name_that_no_defect_has_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        power.main(["--only", "135719", "--parts", "small"])
    assert "--only: no defect is named 135719" in capsys.readouterr().err


def test_the_table_counts_by_area_and_names_what_was_missed() -> None:
    measured = [
        Measured("kubernetes/kubernetes#89092", True, Tried(True, 1.0)),
        Measured("volcano-sh/volcano#3003", False, Tried(False, 1.0)),
        Measured("minDomains is ignored", None, Tried(True, 1.0)),
    ]
    said = table(measured, "in a second")
    assert "| **all** | 2 of 3 | 1 of 1 | 1 of 1 | 0 of 1 | 0 of 1 |" in said
    assert "| **fresh** | 1 of 1 |  |  |  |  |" in said
    assert "| volcano-sh/volcano#3003 | other object |" in said and said.count("| no | no |") == 1
    assert said.endswith("Not found: volcano-sh/volcano#3003 (analog).")


def test_every_defect_has_an_area_and_the_page_has_the_table() -> None:
    names = [name for name, _ in power.chosen(None)]
    assert len(names) == len(set(names)) >= 97 + 80
    assert all(area(name) for name in names)
    assert analog("volcano-sh/volcano#3003") and not analog("kubernetes/kubernetes#89092")
    assert {each.name for each in (*FRESH, *HELD_BACK_AGAIN, *HELD_BACK_THIRD, *HELD_BACK_FOURTH)}.isdisjoint(areas())
    assert BEGIN in (page := PAGE.read_text(encoding="utf-8")) and END in page


@pytest.mark.parametrize("name", [each.name for each in (*FRESH, *HELD_BACK_AGAIN)])
def test_a_defect_can_be_put_in_and_taken_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (defect,) = (each.defect for each in (*FRESH, *HELD_BACK_AGAIN) if each.name == name)
    before = len(monkeypatch._setattr)
    defect(monkeypatch)
    assert len(monkeypatch._setattr) > before


@pytest.mark.parametrize(
    ("which", "some"), [("again", HELD_BACK_AGAIN), ("third", HELD_BACK_THIRD), ("fourth", HELD_BACK_FOURTH)]
)
def test_a_set_can_be_asked_for_alone(
    which: str, some: tuple[Fresh, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(power, "searched", lambda *_: Tried(True, 1.0))
    power.main([f"--held-back-{which}", "--jobs", "1", "--kept", str(tmp_path)])
    tried_now = [json.loads(line)[0] for line in (tmp_path / "0.jsonl").read_text().splitlines()]
    assert tried_now == [each.name for each in some]
    assert len(tried_now) == 40
