"""The example of a plugin with its rules: it is as short as it is said to be, and its page shows it as it is."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "plugins"
PAGE = (ROOT / "docs" / "plugins.md").read_text()
SHOWN = re.findall(r"^```(?:python|yaml)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
FILES = ("teams.py", "team_rules.py", "deaf.py", "pairs.py", "one-each.yaml")


@pytest.mark.parametrize("name", FILES)
def test_the_page_shows_the_file_as_it_is_and_that_is_short(name: str) -> None:
    text = (FOLDER / name).read_text()
    assert text in SHOWN
    assert len(text.splitlines()) <= 30


def test_the_page_shows_no_source_beside() -> None:
    assert len(SHOWN) == len(FILES)
