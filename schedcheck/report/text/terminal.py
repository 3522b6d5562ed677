"""Where the text goes: standard output for what was asked, standard error for progress, notes and errors.

Nothing is marked up, so that a name in brackets is shown as it is. Colours are left out where the output is no
terminal or NO_COLOR is set.
"""

import os
import re
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from schedcheck.checker.limits.timer import answer
from schedcheck.manifests.errors import printable

MOST_NAMES = 24
BLANKS = re.compile(r" +$", re.MULTILINE)


class Terminal(Console):
    """A console that falls silent once its reader has closed the pipe, so that the exit code stays that of the verdict."""

    def on_broken_pipe(self) -> None:
        """Give up writing, here and in the flush at the end of the process."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), self.file.fileno())

    def show(self, thing: RenderableType = "") -> None:
        """Print a text or table, without the spaces that would only fill up its lines."""
        with self.capture() as captured:
            self.print(thing)
        self.out(BLANKS.sub("", captured.get()), end="", highlight=False)


def output() -> Terminal:
    """Standard output. Who asks for it has an answer, which no limit cuts off any more."""
    answer()
    clear()
    return Terminal(markup=False, highlight=False, emoji=False)


def errors() -> Terminal:
    """Standard error."""
    return Terminal(stderr=True, markup=False, highlight=False, emoji=False)


class _Passing:
    """Whether the last line of standard error is one that passes."""

    drawn = False


def draw(line: str) -> None:
    """Show a line on standard error that the next one takes the place of; straight away, whatever else is being written."""
    _Passing.drawn = True
    with suppress(OSError):
        os.write(2, f"\r\x1b[2K{line}".encode(errors="replace"))


def clear() -> None:
    """Take that line away."""
    if _Passing.drawn:
        draw("")
        _Passing.drawn = False


def tell(line: str) -> None:
    """One line on standard error, as it is."""
    clear()
    errors().out(f"schedcheck: {printable(' '.join(line.split()))}", highlight=False)


def never_fail_on_a_letter() -> None:
    """Let what the encoding of the output cannot write be shown as its escape."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def table(*columns: str, numbers: Iterable[str] = ()) -> Table:
    """An empty table with these columns; those of `numbers` are set to the right. No text is ever cut off."""
    made = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    for column in columns:
        made.add_column(Text(column), justify="right" if column in numbers else "left", overflow="fold")
    return made


def facts(rows: Iterable[tuple[str, str]]) -> Table:
    """Pairs of a heading and what there is to say of it."""
    made = Table(box=None, padding=(0, 2, 0, 0), show_header=False, pad_edge=False)
    made.add_column(style="bold", no_wrap=True)
    made.add_column(overflow="fold")
    for heading, said in rows:
        made.add_row(Text(heading), Text(printed(said)))
    return made


def printed(text: str) -> str:
    """The text with what a terminal would obey, and not show, written as its escape; its lines are kept."""
    return "\n".join(printable(line) for line in text.split("\n"))


def listed(names: Sequence[str], separator: str = " ") -> str:
    """The names, or the first of them and how many more there are."""
    more = len(names) - MOST_NAMES
    return separator.join(names) if more <= 1 else f"{separator.join(names[:MOST_NAMES])} and {more:,} more"


def counted(count: int, noun: str, nouns: str = "") -> str:
    """A number of things, in words."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def joined(words: Sequence[str]) -> str:
    """The words as a sentence lists them."""
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)
