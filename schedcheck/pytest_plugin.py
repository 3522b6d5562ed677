"""The pytest plugin: options, and the fixtures `scheduler_command`, `scheduler_program` and `start_scheduler`.

pytest loads it in every environment in which schedcheck is installed, so nothing of schedcheck is imported until a
fixture is used.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from schedcheck.testing.driven import Driven

STRICTNESSES = ("feasible", "best", "exact")
MARKER = "scheduler_program"
OPTIONS = (
    ("scheduler", "CMD", "the scheduler of the fixture scheduler_program: a program that answers questions line by line"),
    ("strictness", "NAME", "how its decisions are judged by default: feasible, best or exact (best without it)"),
    ("profile", "NAME", "the profile by which they are judged (kubernetes without it)"),
    ("answer-time", "SECONDS", "how long the program may take for an answer (10 without it)"),
)  # fmt: skip
"""Name, value and help of each option; in a configuration file the names have underscores."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, and the same to the configuration file."""
    group = parser.getgroup("schedcheck", "schedulers judged by schedcheck")
    for name, value, told in OPTIONS:
        group.addoption(f"--schedcheck-{name}", metavar=value, default=None, help=told)
        parser.addini(f"schedcheck_{name.replace('-', '_')}", told, default="")


def pytest_configure(config: pytest.Config) -> None:
    """Describe the marker, and refuse a wrong value before any test runs. Raises: pytest.UsageError."""
    config.addinivalue_line("markers", f"{MARKER}: drives a scheduler; every test with the fixture has it")
    strictness = _option(config, "strictness")
    if strictness and strictness not in STRICTNESSES:
        raise pytest.UsageError(f"schedcheck-strictness: '{strictness}': expected one of {', '.join(STRICTNESSES)}")
    seconds = _option(config, "answer-time")
    if seconds and not _positive(seconds):
        raise pytest.UsageError(f"schedcheck-answer-time: '{seconds}': expected a number of seconds above 0")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that drive a scheduler, so that `-m "not scheduler_program"` leaves them out."""
    for item in items:
        if {MARKER, "start_scheduler"} & set(getattr(item, "fixturenames", ())):
            item.add_marker(MARKER)


def _option(config: pytest.Config, name: str) -> str:
    """Return the option of the command line, else that of the configuration file; empty without either."""
    given = config.getoption(f"--schedcheck-{name}")
    return str(given if given is not None else config.getini(f"schedcheck_{name.replace('-', '_')}"))


def _positive(text: str) -> bool:
    try:
        return 0 < float(text) < float("inf")
    except ValueError:
        return False


@pytest.fixture(scope="session")
def scheduler_command(pytestconfig: pytest.Config) -> str | Sequence[str]:
    """The command of the scheduler, from --schedcheck-scheduler or the configuration file.

    A project with one scheduler overrides this fixture in its conftest.py.
    """
    return _option(pytestconfig, "scheduler")


@pytest.fixture(scope="session")
def start_scheduler(pytestconfig: pytest.Config) -> "Iterator[Callable[..., Driven]]":
    """Start programs: `start_scheduler(COMMAND, answer_time=…, strictness=…, profile=…)`; they end with the session."""
    from schedcheck.testing.driven import Driven

    started: list[Driven] = []

    def start(command: str | Sequence[str], **chosen: Any) -> Driven:
        usual: dict[str, Any] = {
            "strictness": _option(pytestconfig, "strictness") or "best",
            "profile": _option(pytestconfig, "profile") or None,
        }
        if seconds := _option(pytestconfig, "answer-time"):
            usual["answer_time"] = float(seconds)
        started.append(Driven(command, **{**usual, **chosen}))
        return started[-1]

    yield start
    for each in started:
        each.close()


@pytest.fixture(scope="session")
def scheduler_program(scheduler_command: str | Sequence[str], start_scheduler: "Callable[..., Driven]") -> "Driven":
    """The scheduler that is a program, started with its first question, once for all tests.

    `scheduler_program.assert_allowed(cluster, pod)` asks it and judges its decision; `decide` only asks.
    """
    if not scheduler_command:
        pytest.fail(
            "no scheduler: set --schedcheck-scheduler, schedcheck_scheduler in the configuration, "
            "or the fixture scheduler_command",
            pytrace=False,
        )
    return start_scheduler(scheduler_command)
