"""The option `--html` of the commands that answer, and how they end: `HtmlFile`, `paged`, `ended`."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec

from cyclopts import Parameter

from schedcheck.commands.groups import OUTPUT

if TYPE_CHECKING:
    from schedcheck.api.answer import Answer

HtmlFile = Annotated[
    Path | None,
    Parameter(group=OUTPUT, name="--html", help="Write the answer as a page too, to this file, which loads nothing."),
]

Arguments = ParamSpec("Arguments")
UNKNOWN = 2


def paged(command: Callable[Arguments, int]) -> Callable[Arguments, int]:
    """The command, which refuses a file for its page before it works, and writes a page also if the answer is unknown.

    Raises: InputError for a file that cannot be written, and without Jinja2.
    """

    @wraps(command)
    def run(*given: Arguments.args, **named: Arguments.kwargs) -> int:
        from schedcheck.errors import Unanswerable

        file: Any = signature(command).bind(*given, **named).arguments.get("html")
        if file is None:
            return command(*given, **named)
        _fitting(file)
        try:
            return command(*given, **named)
        except Unanswerable as why:
            unknown(str(why), command.__name__, file)
            raise

    return run


def ended(found: "Answer", file: Path | None, code: int) -> int:
    """Write the page of an answer, if there is to be one, and return the exit code."""
    if file is not None:
        _write(found.to_html(), file)
    return code


def unknown(why: str, command: str, file: Path) -> None:
    """Write the page of an answer that is unknown as a whole."""
    from schedcheck.report.html.page import page
    from schedcheck.report.json.pieces import unknown_json

    _write(page(unknown_json(why, UNKNOWN), command), file)


def _write(text: str, file: Path) -> None:
    from schedcheck.report.text.terminal import tell

    file.write_text(text, encoding="utf-8")
    tell(f"written: {file}")


def _fitting(file: Path) -> None:
    """Raises: InputError for a file that cannot be written, and without Jinja2."""
    from schedcheck.errors import InputError
    from schedcheck.report.html.page import needed

    needed()
    if file.is_dir():
        raise InputError("is a folder", path="--html", value=str(file))
    if not file.parent.is_dir():
        raise InputError("its folder does not exist", path="--html", value=str(file))
