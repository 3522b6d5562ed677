"""Options that take an integer refuse everything else: no rounding, no other base, no underscores"""

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from cyclopts import App

from schedcheck.cli import main
from schedcheck.commands.application import LIMITED, OTHERS, application

RACKS = str(Path(__file__).parents[3] / "examples" / "capacity")
NOT_INTEGERS = ("2.5", "3.0", "1e3", "abc", "", "0x10", "1_000", " 5", "٣", "5/1")


def options(app: App, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The integer options of a command and of its subcommands, each with the words that name the command."""
    if app.default_command is not None:
        for argument in app.assemble_argument_collection():
            if int in (argument.hint, *get_args(argument.hint)) and argument.parse:
                yield from ((words, name) for name in argument.names)
    for name in app:
        if not name.startswith("-"):
            yield from options(app[name], (*words, name))


INTEGERS = [
    each for command in (*LIMITED, *OTHERS) for each in options(application(command)[command], (command,))
]  # fmt: skip


def test_the_integer_options_are_found() -> None:
    named = {(words[0], option) for words, option in INTEGERS}
    assert named >= {
        ("capacity", "--count"), ("simulate", "--runs"), ("simulate", "--seed"), ("check", "--depth"), ("fail", "--any"),
        ("check", "--max-states"), ("diff", "--count"), ("smallest", "--objects"), ("serve", "--port"),
    }  # fmt: skip


@pytest.mark.parametrize(("words", "option"), INTEGERS, ids=[" ".join((*words, each)) for words, each in INTEGERS])
def test_what_is_not_an_integer_is_one_line(
    words: tuple[str, ...], option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for value in NOT_INTEGERS:
        assert main([*words, f"{option}={value}", "nothing"]) == 3
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err == (
            f"schedcheck: Invalid value for {option}: expected an integer, found {value!r} (--help says more)\n"
        )


@pytest.mark.parametrize("value", ["3", "+3", "03"])
def test_an_integer_is_read(value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["capacity", "deploy/web", RACKS, "--count", value]) == 1
    assert "Asked      3 pods" in capsys.readouterr().out
