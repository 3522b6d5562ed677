"""The example plugin with its rules is short, and its page shows it unchanged"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "plugins"
PAGE = (ROOT / "docs" / "plugins.md").read_text()
SHOWN = re.findall(r"^```(?:python|yaml)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
FILES = ("teams.py", "team_rules.py", "deaf.py", "pairs.py", "one-each.yaml")


@pytest.mark.parametrize("name", FILES)
def test_the_page_shows_each_file_unchanged_and_the_file_is_short(name: str) -> None:
    text = (FOLDER / name).read_text()
    assert text in SHOWN
    assert len(text.splitlines()) <= 30


def test_the_page_shows_no_other_source() -> None:
    assert len(SHOWN) == len(FILES)
