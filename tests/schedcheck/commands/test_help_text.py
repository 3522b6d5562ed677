"""The help of a command: paragraphs wrapped by the terminal alone, and only lines that fit"""

import re
from itertools import pairwise

import pytest

from schedcheck.cli import main
from schedcheck.commands.application import LIMITED, OTHERS
from schedcheck.commands.groups import ORDER
from schedcheck.commands.help_text import help_of


def test_a_paragraph_of_a_docstring_is_one_line() -> None:
    def command() -> None:
        """Do this.

        A first line
        and its continuation.

        A second paragraph.
        """

    assert help_of(command) == "Do this.\n\nA first line and its continuation.\n\nA second paragraph."


@pytest.mark.parametrize("columns", [80, 160])
@pytest.mark.parametrize("command", [*LIMITED, *OTHERS])
def test_no_line_of_the_help_is_cut_or_broken_early(
    command: str, columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main([command, "--help"]) == 0
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert all(len(line) <= columns for line in lines)
    prose = lines[2 : next(number for number, line in enumerate(lines) if line.startswith(("╭", "FILES", "Exit")))]
    for line, following in pairwise(prose):
        assert not line or not following or len(line) + 1 + len(following.split()[0]) > columns


@pytest.mark.parametrize("command", LIMITED)
def test_the_options_of_a_command_are_shown_in_groups_in_one_order(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "--help"]) == 0
    shown = re.findall(r"^╭─ (.*?) ─", capsys.readouterr().out, re.MULTILINE)
    order = ["Arguments", *(group.name for group in ORDER)]
    assert shown == sorted(shown, key=order.index)
    assert "Output" in shown


def test_the_options_of_check_are_in_all_groups(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--help"]) == 0
    shown = capsys.readouterr().out
    places = [shown.index(f"╭─ {group.name} ─") for group in ORDER]
    assert places == sorted(places)
    assert shown.index("--fault") > shown.index("--quiet") > shown.index("--engine") > shown.index("--time")


def test_a_command_line_without_a_command_names_all_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 3
    listed = capsys.readouterr().err.partition("expected a command: ")[2].partition("; ")[0]
    assert set(listed.replace(" or ", ", ").split(", ")) == {*LIMITED, *OTHERS}


def test_the_commands_are_shown_in_groups(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    clusters, schedulers, definitions = (
        shown.index(f"─ {name} ─")
        for name in ("Questions about a cluster", "Questions about schedulers", "Definitions and examples")
    )
    assert clusters < shown.index("│ explain ") < schedulers < shown.index("│ diff ") < definitions
    assert definitions < shown.index("│ tla ")
    for command in (*LIMITED, *OTHERS):
        assert f"│ {command} " in shown
