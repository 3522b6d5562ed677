"""A defect is searched for in a process of its own; the table counts what was found, by area and in all"""

import argparse
from pathlib import Path

import pytest

from tests.power import __main__ as power
from tests.power.table import BEGIN, END, PAGE, analog, areas, table
from tests.power.trial import Tried, tried


def test_an_obvious_defect_is_found_and_has_no_effect_here() -> None:
    (defect,) = (each for name, each in power.chosen(None) if name == "kubernetes/kubernetes#119782")
    assert tried(defect, "swarm", 20.0, 0).found
    assert not tried((defect[0], lambda patch: None, defect[2]), "swarm", 2.0, 0).found


def test_the_smallest_run_prints_a_table_and_resumes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--seconds", "0.5", "--count", "1", "--jobs", "1", "--kept", str(tmp_path / "kept")]
    power.main(given)
    first = capsys.readouterr().out
    assert "| **all** | 1 | 0 | 1 |" in first
    power.main(given)
    assert capsys.readouterr().out == first
    (kept,) = (tmp_path / "kept").iterdir()
    assert len(kept.read_text().splitlines()) == 2


def test_the_table_counts_by_area_and_names_what_was_missed() -> None:
    own = {"kubernetes/kubernetes#89092": True, "volcano-sh/volcano#3003": False}
    found = {name: {"swarm": Tried(name in own and own[name], 1.0)} for name in own}
    said = table(own, found, argparse.Namespace(searches=["swarm"], seconds=1.0, seed=0))
    assert "| **all** | 2 | 1 | 1 | 1 |" in said
    assert said.endswith("Not found by `swarm`: volcano-sh/volcano#3003 (analog).")


def test_every_defect_has_an_area_and_the_page_has_the_table() -> None:
    assert len(power.chosen(None)) >= 97
    assert all(name.partition(" (")[0] in areas() for name, _ in power.chosen(None))
    assert analog("volcano-sh/volcano#3003")
    assert BEGIN in (page := PAGE.read_text(encoding="utf-8")) and END in page
