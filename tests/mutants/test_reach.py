"""Test files that are run together reach what each reaches by itself"""

from pathlib import Path

import pytest

from tests.mutants import reach
from tests.mutants.asked import Asked
from tests.mutants.reach import together
from tests.mutants.test_trial import made

REMEMBERED = "from functools import cache\n\n\n@cache\ndef remembered(number):\n    return number + 1\n"
ASKS = "from schedcheck.spec.more import remembered\n\n\ndef test_it():\n    assert remembered(1) == 2\n"
DISTURBS = "from schedcheck.spec import sums\n\n\ndef test_it():\n    sums.LEAST = 5\n"


def test_files_of_one_folder_are_run_together_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "AT_ONCE", 2)
    files = ["a/test_1.py", "a/test_2.py", "a/test_3.py", "b/test_1.py", "b/c/test_1.py"]
    assert list(together(files)) == [files[:2], files[2:3], files[3:4], files[4:]]


def test_a_folder_of_records_has_lines_of_the_same_folders_by_the_same_tests() -> None:
    usual = ("model/production", "spec")
    assert Asked(("tests/spec/",)).records(usual, usual) == Asked().records(usual, usual) == "reach"
    assert Asked(quick=True).records(usual, usual) == "reach-quick"
    assert Asked().records(("checker/judging",), usual) == "reach-checker.judging"


@pytest.mark.medium
def test_a_file_reaches_the_same_beside_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither what an earlier file has made a function remember, nor what it breaks for others, is left to the next."""
    project = made(tmp_path / "project")
    (project / "spec" / "more.py").write_text(REMEMBERED)
    for name, text in {"asks": ASKS, "asks_again": ASKS, "disturbs": DISTURBS}.items():
        (project / "tests" / "spec" / f"test_{name}.py").write_text(text)
    found = {each.name: each for each in reach.reach(project, project / ".mutants")}
    for name in ("asks", "asks_again"):
        assert found[f"tests/spec/test_{name}.py::test_it"].lines == {"spec/more.py": {6}}
    assert found["tests/spec/test_sums.py::test_halvings"].lines == {"spec/sums.py": {16, 17, 18, 19}}
    assert len(found) == 5 and "left out" not in capsys.readouterr().out
    assert len(list((project / ".mutants" / "reach").glob("*.json"))) == 4
