"""The output streams: standard output for answers, standard error for progress, notes and errors.

Markup is off, so a name in brackets is shown as it is. Colours are left out if the output is no terminal or NO_COLOR is
set.
"""

import os
import re
import signal
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from schedcheck.checker.limits.timer import answer, quiet
from schedcheck.errors import printable
from schedcheck.report.text.layout import GAP
from schedcheck.report.text.rows import Rows

MOST_NAMES = 24
BLANKS = re.compile(r" +$", re.MULTILINE)


class Terminal(Console):
    """A console that stops writing once its reader has closed the pipe. The exit code stays that of the verdict.

    `written` has the texts that were written completely.
    """

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        self.written: list[str] = []

    def on_broken_pipe(self) -> None:
        """Stop writing, here and in the flush at the end of the process."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())

    def out(self, *objects: Any, **how: Any) -> None:
        """Write the texts completely, however slowly they are read."""
        # A write that the timer interrupts is incomplete if the output has no buffer.
        with quiet(signal.SIGALRM):
            super().out(*objects, **how)
        self.written.append(f"{' '.join(map(str, objects))}{how.get('end', chr(10))}")

    def show(self, thing: RenderableType = "") -> None:
        """Print a text or table without trailing spaces; an indented text keeps its indentation when it is wrapped."""
        if isinstance(thing, str):
            thing = Text(thing)
        if isinstance(thing, Text) and thing.plain.strip() and "\n" not in thing.plain:
            indentation = len(thing.plain) - len(thing.plain.lstrip(" "))
            thing = Padding(thing[indentation:], (0, 0, 0, indentation)) if indentation else thing
        with self.capture() as captured:
            self.print(thing)
        self.out(BLANKS.sub("", captured.get()), end="", highlight=False)


def output() -> Terminal:
    """Return standard output. A caller has an answer, so no time limit interrupts it any more."""
    answer()
    clear()
    return Terminal(markup=False, highlight=False, emoji=False)


def errors() -> Terminal:
    """Return standard error."""
    return Terminal(stderr=True, markup=False, highlight=False, emoji=False)


class _Passing:
    """Whether the last line of standard error is a temporary one, and whether lines were printed there that stay."""

    drawn = told = False


def draw(line: str) -> None:
    """Show a line on standard error that the next one replaces. It is written at once, past any buffer."""
    _Passing.drawn = True
    with suppress(OSError):
        os.write(2, f"\r\x1b[2K{line}".encode(errors="replace"))


def clear() -> None:
    """Remove the temporary line."""
    if _Passing.drawn:
        draw("")
        _Passing.drawn = False


def tell(line: str) -> None:
    """Print one line on standard error."""
    clear()
    _Passing.told = True
    errors().out(f"schedcheck: {printable(' '.join(line.split()))}", highlight=False)


def silent() -> bool:
    """Whether nothing was printed on standard error so far but temporary lines."""
    return not _Passing.told


def never_fail_on_a_letter() -> None:
    """Let characters that the output encoding lacks be shown as escapes."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def table(*columns: str, numbers: Iterable[str] = ()) -> Table:
    """Return an empty table with these columns; those of `numbers` are aligned right. No text is truncated."""
    made = Rows(box=None, padding=(0, GAP, 0, 0), header_style="bold", pad_edge=False)
    for column in columns:
        made.add_column(Text(column), justify="right" if column in numbers else "left", overflow="fold")
    return made


def facts(rows: Iterable[tuple[str, str]]) -> Table:
    """Return a table of headings and texts."""
    made = Rows(box=None, padding=(0, GAP, 0, 0), show_header=False, pad_edge=False)
    made.add_column(no_wrap=True)
    made.add_column(overflow="fold")
    for heading, said in rows:
        made.add_row(Text(heading, style="bold"), Text(printed(said)))
    return made


def printed(text: str) -> str:
    """Return the text with control characters as escapes; its line breaks are kept."""
    return "\n".join(printable(line) for line in text.split("\n"))


def listed(names: Sequence[str], separator: str = " ") -> str:
    """Return the names, or the first of them and how many more there are."""
    more = len(names) - MOST_NAMES
    return separator.join(names) if more <= 1 else f"{separator.join(names[:MOST_NAMES])} and {more:,} more"


def counted(count: int, noun: str, nouns: str = "") -> str:
    """Return a number with its noun, singular or plural."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def joined(words: Sequence[str]) -> str:
    """Return the words as a list in a sentence."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)
