"""Defaults of options from schedcheck.toml and pyproject.toml: where they are found, what they set, and what they may not"""

import json
import os
from pathlib import Path

import pytest
import yaml

from schedcheck.cli import main
from schedcheck.commands.application import LIMITED, OTHERS, application
from schedcheck.commands.settings import NEVER, settings
from tests.support.linting import deployment, guard, host

COMMANDS = (*LIMITED, *OTHERS)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a cluster that has one error and one warning, and the working folder in it."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "sub").mkdir()
    manifests = [deployment(), host("a"), guard(minAvailable=1), guard(name="none", app="x", minAvailable=1)]
    (tmp_path / "sub" / "cluster.yaml").write_text(yaml.safe_dump_all(manifests))
    monkeypatch.chdir(tmp_path / "sub")
    return tmp_path


def lint(*more: str) -> int:
    return main(["lint", "cluster.yaml", *more])


def test_options_come_from_the_nearest_file_up_to_the_root_of_the_repository(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lint() == 1
    own = folder / "schedcheck.toml"
    own.write_text('[lint]\nignore = ["budget-blocks-drain"]\n[check]\ntime = 1\n')
    capsys.readouterr()
    assert lint() == 0
    assert f"note: --ignore from {os.path.join('..', 'schedcheck.toml')}" in capsys.readouterr().err
    (folder / "sub" / "pyproject.toml").write_text("[tool.schedcheck.lint]\nstrict = true\n")
    assert lint("--ignore", "budget-blocks-drain") == 1, "the nearest file is pyproject.toml now, which is strict"
    (folder / "sub" / "schedcheck.toml").write_text("")
    assert lint("--ignore", "budget-blocks-drain") == 0, "schedcheck.toml goes before pyproject.toml"


def test_a_file_above_the_root_of_the_repository_is_not_read(folder: Path) -> None:
    (folder / "schedcheck.toml").write_text('[lint]\nignore = ["budget-blocks-drain"]\n')
    (folder / "sub" / ".git").write_text("gitdir: elsewhere")
    assert lint() == 1


def test_a_pyproject_without_the_table_is_passed_over(folder: Path) -> None:
    (folder / "sub" / "pyproject.toml").write_text("[tool.other]\nname = 'schedcheck'\n")
    (folder / "pyproject.toml").write_text('[tool.schedcheck.lint]\nignore = ["budget-blocks-drain"]\n')
    assert lint() == 0


def test_the_command_line_wins_and_no_config_ignores_the_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "schedcheck.toml").write_text(
        '[lint]\nformat = "json"\nstrict = true\nignore = ["budget-blocks-drain"]\n'
    )
    capsys.readouterr()
    assert lint() == 1
    assert json.loads(capsys.readouterr().out)["strict"] is True
    assert lint("--format", "text", "--ignore", "budget-selects-nothing") == 1
    out = capsys.readouterr().out
    assert "[budget-blocks-drain]" in out and "[budget-selects-nothing]" not in out
    for argv in (["--no-config", "lint", "cluster.yaml"], ["lint", "--no-config", "cluster.yaml"]):
        assert main(argv) == 1
        told = capsys.readouterr()
        assert "[budget-blocks-drain]" in told.out and "schedcheck.toml" not in told.err


def test_paths_are_relative_to_the_file(folder: Path) -> None:
    assert lint("--write-baseline", "../known.json") == 0
    (folder / "schedcheck.toml").write_text('[lint]\nbaseline = "known.json"\n')
    assert lint() == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[lint]\nstrct = true", "lint.strct: no option has this name; did you mean 'strict'?"),
        ("[lnt]\nstrict = true", "lnt: no command has this name; did you mean 'lint'?"),
        ("strict = true", "strict: expected a table with the options of the command"),
        ("[lint]\nstrict = [true, false]", "lint.strict: expected one value"),
        ('[lint]\nstrict = "yes"', "lint.strict: expected true or false"),
        ("[lint]\nstrict = 1", "lint.strict: expected true or false"),
        ('[lint]\ntime = "60"', "lint.time: expected a number"),
        ("[lint]\ntime = true", "lint.time: expected a number"),
        ('[lint]\nignore = "priority-evicts"', "lint.ignore: expected a list"),
        ("[lint]\nignore = [{a = 1}]", "lint.ignore: expected a text, a number, true or false"),
        ("[lint]\nformat = 'xml'", "xml"),
        ("[lint]\nFILES = 'x'", "lint.FILES: no option has this name"),
        ("[lint", "not TOML: "),
        *(
            (f"[{command}]\n{name} = 'x'", f"{command}.{name}: only on the command line")
            for command, name in (("lint", "plugin"), ("lint", "rule"), ("lint", "write_baseline"))
        ),
    ],
)
def test_what_a_file_has_wrong_is_one_line(
    text: str, said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "schedcheck.toml").write_text(text)
    assert lint() == 3
    lines = [each for each in capsys.readouterr().err.splitlines() if ": note: " not in each]
    assert len(lines) == 1 and said.replace("_", "-") in lines[0].replace("_", "-")
    assert lint("--no-config") == 1


def test_the_help_says_where_defaults_come_from(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "schedcheck.toml").write_text("[lint]\nstrict = true\n")
    assert main(["lint", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"Defaults from {os.path.join('..', 'schedcheck.toml')}: --strict" in said
    assert main(["check", "--help"]) == 0
    assert "Defaults from" not in capsys.readouterr().out


def test_every_option_that_runs_code_or_writes_files_is_kept_from_files() -> None:
    writing = {"write-baseline", "output", "into", "html", "graph", "trace", "checkpoint", "resume", "tables"}
    running = {"plugin", "rule", "scheduler", "ask-extenders"}
    assert {*NEVER} == writing | running
    names = {
        name[2:]
        for command in COMMANDS
        if command != "tla"
        for argument in application(command)[command].assemble_argument_collection()
        for name in argument.names
    }
    assert {*NEVER} - names <= {"into"}, "an option was renamed"


def test_without_a_file_there_are_no_defaults(folder: Path) -> None:
    assert settings(folder / "sub", COMMANDS) is None
