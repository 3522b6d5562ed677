"""The search for loops as users see it: a published case of five nodes, a formula of TLA+, and the option against it"""

import json
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from benchmarks.kivi import CASES, written
from schedcheck.checker import check as checking
from schedcheck.cli import main
from schedcheck.report.json import state_graph


@pytest.fixture
def chased(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """RemoveDuplicates against the scheduler; the search begins early, to be quick."""
    monkeypatch.setattr(checking, "DIRECTED", 60)
    written(next(case for case in CASES if case.name == "c5"), 5, tmp_path)
    return str(tmp_path)


def answered(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    code = main(["check", "--format", "json", "--quiet", *arguments])
    return code, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("asked", [(), ("--property", "<>[](Unbound = {})")])
def test_a_loop_among_five_nodes_is_found_before_all_states(
    chased: str, asked: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    code, found = answered(capsys, *asked, chased)
    assert code == 1
    assert found["bounds"]["complete"] is False
    assert found["bounds"]["directed"] > 0
    assert "trace need not be the shortest" in found["bounds"]["statement"]
    (violation,) = found["violations"]
    kinds = {step["action"]["kind"] for step in violation["trace"][violation["loop"] :]}
    assert {"Deschedule", "EvictDescheduled", "Create", "Bind"} <= kinds


def test_a_loop_beyond_the_explored_levels_is_not_drawn(chased: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state_graph, "MOST_STATES", 100_000)
    found = schedcheck.check(schedcheck.read(chased))
    assert found.checked.result.directed
    assert state_graph.state_graph_json(found.checked) is None


def test_without_the_search_the_states_end_at_their_bound(chased: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = answered(capsys, "--no-directed", "--max-states", "200", chased)
    assert (code, found["verdict"], found["bounds"]["directed"]) == (2, "gave up", None)
    assert found["search"]["directed"] is False
