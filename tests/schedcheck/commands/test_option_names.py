"""Messages name parameters as Python does, and options on the command line"""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from schedcheck.checker.limits.parameters import parameter
from schedcheck.cli import main
from schedcheck.commands.application import LIMITED, application
from schedcheck.commands.option_names import OPTIONS

ROOT = Path(__file__).parents[3]
SMALL = str(ROOT / "examples" / "gpu-small")
LEAST = str(ROOT / "examples" / "least-casualty")
VALUES = {
    "address": schedcheck.Address, "asking": schedcheck.Asking, "service": schedcheck.Service,
    "limits": schedcheck.Limits, "profile": schedcheck.Profile, "sample": schedcheck.Sample, "search": schedcheck.Search, "storage": schedcheck.Storage,
}  # fmt: skip
FUNCTIONS = tuple(each for name in schedcheck.__all__ if inspect.isfunction(each := getattr(schedcheck, name)))
WRITTEN_BY_THE_COMMAND_ALONE = {"graph"}


def in_python() -> set[str]:
    """The parameters of the functions of the API, the fields of their values, and `diff_explored`."""
    found = {"diff_explored", "about pod", "about budget"}
    for function in FUNCTIONS:
        found |= set(inspect.signature(function).parameters)
    return found | {f"{name}.{each.name}" for name, value in VALUES.items() for each in fields(value)}


def test_every_named_parameter_exists_in_the_api() -> None:
    assert set(OPTIONS) - in_python() == WRITTEN_BY_THE_COMMAND_ALONE


def test_every_option_exists_in_a_command() -> None:
    there = {
        word
        for command in (*LIMITED, "serve")
        for argument in application(command)[command].assemble_argument_collection()
        for name in argument.names
        for word in name.split()
    }
    assert {each for option in OPTIONS.values() for each in option.split(" or ")} <= there


def texts(path: Path) -> Iterator[str]:
    """Every string of a module, docstrings apart."""
    tree = ast.parse(path.read_text())
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value


def test_no_string_behind_the_api_names_an_option() -> None:
    folders = ("spec", "model", "checker", "schedcheck/api", "schedcheck/manifests", "schedcheck/tla_export",
               "schedcheck/report/files", "schedcheck/recordings")  # fmt: skip
    options = re.compile(
        "|".join(rf"{each}\b" for option in OPTIONS.values() for each in option.split(" or ") if each[0] == "-")
    )
    named = {
        str(path.relative_to(ROOT)): text
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        for text in texts(path)
        if options.search(text)
    }
    assert named == {}


def test_every_parameter_that_a_message_names_has_an_option() -> None:
    called = re.compile(r"\bparameter\(\s*['\"]([^'\"]+)['\"]\s*\)")
    named = {
        name
        for folder in ("checker", "schedcheck")
        for path in (ROOT / folder).rglob("*.py")
        for name in called.findall(path.read_text())
    }
    assert len(named) > 20
    assert named <= set(OPTIONS)


def cluster() -> Any:
    return schedcheck.read(SMALL)


CASES: list[tuple[tuple[str, ...], str, Callable[[], object], str]] = [
    (
        ("explain", "nothing", SMALL), "POD: 'nothing': no pod has this name",
        lambda: schedcheck.explain(cluster(), "nothing"), "pod: 'nothing': no pod has this name",
    ),
    (
        ("check", SMALL, "--pod", "nothing"), "--pod: 'nothing': no pod has this name",
        lambda: schedcheck.check(cluster(), about="pod/nothing"), "about pod: 'nothing': no pod has this name",
    ),
    (
        ("check", SMALL, "--property", "nonsense"), "--property: nonsense: no such property",
        lambda: schedcheck.check(cluster(), properties=["nonsense"]), "properties: nonsense: no such property",
    ),
    (
        ("check", SMALL, "--property", "Bind("), "--property: formula:1:6: expected",
        lambda: schedcheck.check(cluster(), properties=["Bind("]), "properties: formula:1:6: expected",
    ),
    (
        ("check", SMALL, "--by-allocatable"), "--by-allocatable: belongs to --profile classic",
        lambda: schedcheck.check(cluster(), profile=schedcheck.Profile(by_allocatable=True)),
        "profile.by_allocatable: belongs to profile classic",
    ),
    (
        ("explain", "web-1", SMALL, "--ask-extenders"), "--ask-extenders: belongs to --config",
        lambda: schedcheck.explain(cluster(), "web-1", profile=schedcheck.Profile(ask_extenders=True)),
        "profile.ask_extenders: belongs to profile.config",
    ),
    (
        ("explain", "web-1", SMALL, "--plugin", "nothing"), "--plugin: 'nothing': expected package.module:name",
        lambda: schedcheck.explain(cluster(), "web-1", profile=schedcheck.Profile(plugins=("nothing",))),
        "profile.plugins: 'nothing': expected package.module:name",
    ),
    (
        ("check", SMALL, "--fault", "nonsense"), "--fault: 'nonsense': no fault has this name",
        lambda: schedcheck.check(cluster(), profile=schedcheck.Profile(faults=("nonsense",))),
        "profile.faults: 'nonsense': no fault has this name",
    ),
    (
        ("victims", "platform", LEAST, "--node", "nothing"), "--node: 'nothing': no node has this name",
        lambda: schedcheck.victims(schedcheck.read(LEAST), "platform", node="nothing"),
        "node: 'nothing': no node has this name",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("argv", "on_the_command_line", "call", "from_python"), CASES, ids=[each[1] for each in CASES])
def test_an_error_names_the_option_on_the_command_line_and_the_parameter_in_python(
    argv: tuple[str, ...],
    on_the_command_line: str,
    call: Callable[[], object],
    from_python: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(argv) == 3
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"schedcheck: {on_the_command_line}")
    with pytest.raises(schedcheck.InputError) as error:
        call()
    assert str(error.value).startswith(from_python)


def test_a_limit_is_named_as_an_option_on_the_command_line_and_as_a_parameter_in_python(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["check", SMALL, "--quiet", "--max-states", "10"]) == 2
    assert "Gave up at --max-states 10:" in capsys.readouterr().out
    found = schedcheck.check(cluster(), limits=schedcheck.Limits(states=10))
    assert found.to_json()["bounds"]["stopped"] == "limits.states 10"
    assert parameter("limits.states") == "limits.states"
