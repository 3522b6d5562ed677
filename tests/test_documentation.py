"""Executable documentation: each command on a page is run, and its shown output is compared"""

import re
import shlex
from collections import defaultdict
from pathlib import Path

import pytest

from docs import outputs
from docs.outputs import PAGES, Shown, comparable, printed, rewritten, shown

COMMANDS = [each for page in PAGES for each in shown(page) if each.command.startswith("schedcheck ")]
WHERE: dict[str, list[Shown]] = {each.command: [] for each in COMMANDS}
"""Where each command is shown: a command that several pages show is run once."""
for each in COMMANDS:
    WHERE[each.command].append(each)
LARGE = "examples/reference"


@pytest.mark.parametrize("given", WHERE.values(), ids=lambda given: f"{given[0].page}: {given[0].command}")
def test_a_command_in_the_documentation_prints_the_shown_output(
    given: list[Shown], monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    command = given[0].command
    if LARGE in shlex.split(command):
        pytest.skip("a million states: make reference runs it")
    monkeypatch.chdir(request.config.rootpath)
    monkeypatch.setenv("COLUMNS", "80")
    code, output = printed(command)
    assert code in (0, 1, 2)
    for each in given:
        if each.output:
            assert comparable(output) == comparable(each.output), each.page


def test_the_readme_shows_one_output_and_other_pages_show_the_rest() -> None:
    readme = [each for each in COMMANDS if each.page == "README.md"]
    elsewhere = {each.command for each in COMMANDS if each.page != "README.md" and each.output}
    assert [bool(each.output) for each in readme] == [True, *[False] * (len(readme) - 1)]
    assert len(readme) > 5
    assert {each.command for each in readme[1:]} - elsewhere == set()


def without(named: set[tuple[str, str]], root: Path) -> set[tuple[str, str]]:
    """The tests among these, each with the name of its file, that do not exist."""
    there: defaultdict[str, str] = defaultdict(str)
    for file in (root / "tests").rglob("test_*.py"):
        there[file.name] += file.read_text()
    return {(file, test) for file, test in named if not re.search(rf"^def {test}\(", there[file], re.MULTILINE)}


def test_every_test_named_in_the_errata_exists(request: pytest.FixtureRequest) -> None:
    root = request.config.rootpath
    named = set(re.findall(r"`(test_\w+\.py)::(\w+)`", (root / "docs/errata.md").read_text()))
    assert len(named) > 50
    assert without(named, root) == set()
    wrong = {
        ("test_http.py", "test_that_is_not_there"),
        ("test_nowhere.py", "test_an_unreachable_extender_is_an_error"),
    }
    assert without(named | wrong, root) == wrong


def test_a_wrong_output_is_detected() -> None:
    assert comparable("States  480\nTime  1.0 s, 5 a second") == comparable("States  480\nTime  2.0 s, 9 a second")
    assert comparable("States  480") != comparable("States  481")


def test_only_outputs_that_differ_by_more_than_times_are_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outputs, "ROOT", tmp_path)
    monkeypatch.setattr(outputs, "printed", lambda command: (0, "States  7\nTime  9.0 s, 1 a second"))
    page, shape = tmp_path / "page.md", "# Page\n\n```console\n$ schedcheck check a\n{}```\n"
    page.write_text(shape.format("States  7\nTime  1.0 s, 5 a second\n"))
    assert rewritten(page) == page.read_text()
    assert rewritten(page, shape.format("…\n")) == page.read_text()
    page.write_text(shape.format("States  6\nTime  1.0 s, 5 a second\n"))
    now = shape.format("States  7\nTime  9.0 s, 1 a second\n")
    assert rewritten(page) == rewritten(page, shape.format("…\n")) == now
    page.write_text(shape.format(""))
    assert rewritten(page) == page.read_text()
