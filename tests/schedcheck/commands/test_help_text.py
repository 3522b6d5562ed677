"""The help of a command: paragraphs wrapped by the terminal alone, and only lines that fit"""

from itertools import pairwise

import pytest

from schedcheck.cli import main
from schedcheck.commands.application import LIMITED, OTHERS
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
