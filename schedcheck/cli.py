"""The command line: `main` runs a command and returns an exit code, however the command ends.

0 holds, 1 violated, 2 no answer, 3 wrong usage or input. Every error is one line on standard error, without a
traceback.
"""

import gc
import os
import signal
import sys
from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from schedcheck.checker.limits import aside, timer
from schedcheck.checker.limits.parameters import spelled
from schedcheck.commands import warm
from schedcheck.commands.option_names import option
from schedcheck.version import __version__

if TYPE_CHECKING:
    from schedcheck.commands.settings import Settings

GAVE_UP, BAD_INPUT = 2, 3
COLLECT_AFTER = 50_000
"""The new objects after which Python looks for unreachable ones. Of those that a start makes, nearly all stay."""

CI = ("junit", "sarif", "github")
"""The formats of continuous integration, which have a document also if a limit ended the command before its answer."""

COMMANDS = "expected a command: check, explain, victims, optimum, capacity, drain, fail, deploy, induct, simulate, replay, smallest, conformance, diff, compare, lint, oracle, serve, demo, properties, tla or report-bug; --help says more"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line, by default that of the process, and give its exit code."""
    if argv is None:
        gc.set_threshold(COLLECT_AFTER)
    code = _within_limits(argv)
    # After a Ctrl-C while text was executed, as dataclasses do, `python -m` would end as if killed; executing text prevents it.
    exec("")
    if argv is None and aside.unfinished():
        # The interpreter would take apart what the call still works with.
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
    return code


def _within_limits(argv: Sequence[str] | None) -> int:
    """Run the command line; a limit or Ctrl-C without a partial result is one line."""
    try:
        with timer.counted(), spelled(option):
            if argv is None:
                _watch()
            code = _ended(sys.argv[1:] if argv is None else argv, alone=argv is None)
            if argv is None:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            return code
    except KeyboardInterrupt as end:
        return _tell(timer.ended(end), GAVE_UP)


def _watch() -> None:
    """Let the first Ctrl-C end the current activity, and the second one the process."""
    pressed: list[int] = []

    def interrupt(number: int, _: FrameType | None) -> None:
        if pressed:
            # An exception here would be a traceback; the progress line hides the cursor.
            with suppress(OSError):
                os.write(2, (b"\x1b[?25h" if os.isatty(2) else b"") + b"schedcheck: interrupted\n")
            os._exit(GAVE_UP)
        pressed.append(number)
        timer.answer()
        raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, interrupt)


def _ended(argv: Sequence[str], *, alone: bool) -> int:
    """Run the command line; an unexpected error is one line. `alone`: it is all that the process does."""
    try:
        code = warm.answered(argv) if alone else None
        return _run(argv) if code is None else code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return GAVE_UP
    except MemoryError:
        return _tell("out of memory", GAVE_UP)
    except OSError as error:
        return _tell(": ".join(part for part in (error.filename, error.strerror or str(error)) if part), BAD_INPUT)
    except Exception as error:
        return _tell(_internal(error), BAD_INPUT)
    finally:
        warm.forget()


def _run(argv: Sequence[str]) -> int:
    """Run a command; wrong usage and wrong input are one line."""
    if list(argv) == ["--version"]:
        print(__version__)
        return 0
    from cyclopts import CycloptsError

    from schedcheck.commands.application import LIMITED, OTHERS, application
    from schedcheck.commands.options import DASH
    from schedcheck.commands.settings import settings
    from schedcheck.commands.settings_places import NO_CONFIG
    from schedcheck.errors import GaveUp, InputError, Unanswerable
    from schedcheck.report.text.terminal import never_fail_on_a_letter, output

    never_fail_on_a_letter()
    if sys.stdin is None:
        sys.stdin = open(os.devnull)  # noqa: SIM115  it stays open as long as the process
    tokens = [DASH if token == "-" else token for token in argv]
    end = tokens.index("--") if "--" in tokens else len(tokens)
    own = NO_CONFIG not in tokens[:end]
    tokens = [*(token for token in tokens[:end] if token != NO_CONFIG), *tokens[end:]]
    if not tokens:
        return _tell(COMMANDS, BAD_INPUT)
    if tokens.count(DASH) > 1:
        return _tell("standard input: it is read once, but - is given more often", BAD_INPUT)
    defaults = None
    try:
        defaults = settings(Path.cwd(), (*LIMITED, *OTHERS)) if own else None
        code = application(tokens[0], defaults)(
            tokens, console=output(), print_error=False, exit_on_error=False, help_on_error=False
        )
    except InputError as error:
        return _tell(str(error), BAD_INPUT)
    except Unanswerable as error:
        _write_unknown(str(error), tokens[0], _format(tokens, defaults), ("json", *CI))
        return _tell(f"unknown: {error}", GAVE_UP)
    except (GaveUp, timer.LimitReached) as error:
        said = timer.ended(error) if isinstance(error, timer.LimitReached) else str(error)
        timer.answer()
        _write_unknown(said, tokens[0], _format(tokens, defaults), CI)
        return _tell(said, GAVE_UP)
    except CycloptsError as error:
        return _tell(f"{error} (--help says more)", BAD_INPUT)
    return code if isinstance(code, int) else 0


def _format(tokens: Sequence[str], defaults: "Settings | None") -> str:
    """Return the format that a command line asks for, or its defaults."""
    preset = {} if defaults is None else defaults.of(tokens[0])
    words = ("", *tokens, f"--format={preset.get('format', 'text')}")
    given = (two[1] if two[0] == "--format" else two[1].removeprefix("--format=") for two in pairwise(words))
    return next((each for each in given if each in ("text", "json", *CI)), "text")


def _write_unknown(why: str, command: str, format: str, formats: Collection[str]) -> None:
    """Print that there is no answer as a whole, in a format that is one of these."""
    if format not in formats:
        return
    from schedcheck.report.ci.written import unknown, written
    from schedcheck.report.json import pieces
    from schedcheck.report.text.terminal import output

    made = (
        pieces.text(pieces.unknown_json(why, GAVE_UP)) if format == "json" else written(unknown(command, why), format)
    )
    output().out(made, highlight=False)


def _tell(line: str, code: int) -> int:
    """Print the line, if standard error is still open, and return the exit code."""
    from schedcheck.report.text.terminal import tell

    with suppress(OSError):
        tell(line)
    return code


def _internal(error: Exception) -> str:
    """Return the line about an internal error, with its place."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f" ({place.tb_frame.f_code.co_filename}:{place.tb_lineno})" if place is not None else ""
    return f"internal error, please report it: {type(error).__name__}: {error}{where}"
