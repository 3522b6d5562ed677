"""Lines that break between words alone, so that a name stays whole: `flowing`, `show_names`, `show_facts`."""

import textwrap
from collections.abc import Iterable

from schedcheck.report.text.layout import INDENT
from schedcheck.report.text.terminal import Terminal, listed, printed


def flowing(text: str, width: int, first: str = "", later: str = "") -> list[str]:
    """Return the lines of a text, each within the width unless a single word is longer; such a word begins further left."""
    lines = textwrap.wrap(
        printed(text),
        width,
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [
        line if len(line) <= width or number == 0 else _further_left(line, width) for number, line in enumerate(lines)
    ]


def _further_left(line: str, width: int) -> str:
    """Return a line with no more indentation than leaves room for its words."""
    words = line.lstrip(" ")
    return " " * min(INDENT, max(0, width - len(words))) + words


def hanging(text: str, width: int) -> list[str]:
    """Return the lines of a text, all with its indentation."""
    if len(text) <= width:
        return [printed(text)]
    indentation = " " * (len(text) - len(text.lstrip(" ")))
    return flowing(text.lstrip(" "), width, indentation, indentation)


def show_text(text: str, console: Terminal, first: str = "", later: str = "") -> None:
    """Print a text."""
    for line in flowing(text, console.width, first, later):
        console.out(line, highlight=False)


def show_names(names: Iterable[str], console: Terminal, indent: str = "  ") -> None:
    """Print names, or the first of them and how many more there are."""
    show_text(listed(list(names)), console, indent, indent)


def show_facts(rows: Iterable[tuple[str, str]], console: Terminal) -> None:
    """Print headings, each with a text beside it."""
    rows = list(rows)
    gap = max((len(heading) for heading, _ in rows), default=0) + 2
    for heading, said in rows:
        for number, line in enumerate(said.split("\n")):
            show_text(line, console, (heading if number == 0 else "").ljust(gap), " " * gap)
