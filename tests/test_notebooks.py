"""The example notebooks: their cells run, and the stored outputs are those of now; answers show themselves in notebooks"""

import copy
import json
import sys
from pathlib import Path

import pytest

import schedcheck
from docs.notebooks import NOTEBOOKS, outputs, ran, rewritten, stored

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_stored_outputs_are_those_of_now(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    notebook = json.loads(path.read_text())
    found = outputs(notebook)
    assert found == stored(notebook) and any(found)
    wrong = copy.deepcopy(notebook)
    wrong["cells"][1]["outputs"] = []
    assert stored(wrong) != found
    assert rewritten(wrong) == notebook


def test_a_cell_gives_what_it_prints_and_its_last_value() -> None:
    there: dict[str, object] = {}
    assert ran("x = 2\nprint(x)\nx + 1", there) == "2\n3\n"
    assert ran("x = 3", there) == "" and ran("x", there) == "3\n"


def test_an_answer_shows_itself_as_a_page_in_a_frame() -> None:
    found = schedcheck.explain(schedcheck.read(ROOT / "examples/dump"), "data/db-2")
    shown = found._repr_html_()
    assert shown is not None and shown.startswith('<iframe sandbox="allow-scripts"')
    assert shown.count("<") == 2 and "&lt;!doctype html&gt;" in shown


def test_without_jinja_an_answer_shows_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert schedcheck.explain(schedcheck.read(ROOT / "examples/dump"), "data/db-2")._repr_html_() is None


def test_a_frame_has_a_row_for_each_node() -> None:
    found = schedcheck.explain(schedcheck.read(ROOT / "examples/gpu-small"), "web-1", profile="kubernetes")
    frame = found.to_frame()
    assert list(frame.index) == list(found.nodes)
    for name, node in found.nodes.items():
        row = frame.loc[name]
        assert row["feasible"] == node.feasible
        if node.feasible:
            assert row["total"] == sum(row[plugin] for plugin in node.scores or {}) == node.total
        else:
            assert row["plugin"] == node.refusals[0].plugin and row[["total"]].isna().all()


def test_without_pandas_a_frame_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(schedcheck.InputError, match=r"schedcheck\[notebook\]"):
        schedcheck.explain(schedcheck.read(ROOT / "examples/dump"), "data/db-2").to_frame()
