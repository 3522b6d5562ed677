"""docs/testing.md: its Python examples run, and its other code is that of examples/testing"""

import doctest
import re
from pathlib import Path

import pytest

import schedcheck.testing
from schedcheck.pytest_plugin import OPTIONS
from tests.test_python_page import failed

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "testing.md").read_text()
BLOCKS = re.findall(r"^```(python|go|javascript)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
RECIPES = "".join(
    path.read_text()
    for path in sorted((ROOT / "examples" / "testing").rglob("*.*"))
    if path.suffix in (".go", ".js", ".py")
)


def test_every_python_example_gives_what_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = "".join(block for language, block in BLOCKS if block.startswith(">>>"))
    wrong, attempted = failed(text)
    assert (wrong, attempted) == (0, len(doctest.DocTestParser().get_examples(text)))
    assert attempted >= 8


def test_code_on_the_page_is_that_of_the_recipes() -> None:
    shown = [block for _, block in BLOCKS if not block.startswith(">>>")]
    assert len(shown) == 5
    assert [block for block in shown if block not in RECIPES] == []


def test_the_page_names_every_option_and_every_strategy() -> None:
    assert [name for name, _, _ in OPTIONS if f"`--schedcheck-{name} " not in PAGE] == []
    names = [name for name in schedcheck.testing.__all__ if name[0].islower() and name != "cluster_of"]
    assert [name for name in names if f"`{name}" not in PAGE] == []
