"""The findings of `lint` as text: `show`.

Names are never broken in the middle: a line is wrapped between words, and a word wider than the line stands alone.
"""

import textwrap
from collections.abc import Iterator, Sequence

from schedcheck.errors import printable
from schedcheck.findings.baseline import Known
from schedcheck.findings.finding import Finding, Severity, Undecided
from schedcheck.findings.words import names
from schedcheck.report.text.terminal import Terminal, counted

INDENT = "  "
FEWEST = 40
MOST_LINES = 12
"""The most facts shown for one finding; `--format json` has all."""


def show(
    found: Sequence[Finding],
    undecided: Sequence[Undecided],
    stopped: str,
    console: Terminal,
    known: Sequence[Finding] = (),
    gone: Sequence[Known] | None = None,
) -> None:
    """Print every finding, what is unknown, what has gone since a baseline, and the totals."""
    for each in found:
        for line in finding_lines(each, console.width):
            console.out(line, highlight=False)
        console.out("", highlight=False)
    for open_ in undecided:
        for line in wrapped(f"unknown  {open_.thing}  [{open_.rule}]: {open_.why}", console.width, ""):
            console.out(line, highlight=False)
    for one in gone or ():
        for line in wrapped(f"gone  {one}", console.width, ""):
            console.out(line, highlight=False)
    console.out(totals(found, undecided, known, gone), highlight=False)
    if stopped:
        console.out(f"Not all rules were asked ({stopped}).", highlight=False)


def finding_lines(each: Finding, width: int) -> Iterator[str]:
    """Yield the lines of a finding: severity, object, rule; field; sentence; facts; the smallest change."""
    yield from wrapped(f"{each.severity.value}  {each.thing}  [{each.rule}]", width, "")
    if each.field:
        yield from wrapped(each.field, width, INDENT)
    yield from wrapped(each.sentence, width, INDENT)
    for fact in each.witness[:MOST_LINES]:
        yield from wrapped(f"- {fact}", width, INDENT, hanging="  ")
    if len(each.witness) > MOST_LINES:
        yield f"{INDENT}- and {len(each.witness) - MOST_LINES:,} more"
    for number, change in enumerate(each.changes):
        what = "Smallest change" if not number else "or"
        yield from wrapped(f"{what} (on {names(change.nodes)}): {'; '.join(change.steps)}.", width, INDENT)


def wrapped(text: str, width: int, indent: str, hanging: str = "") -> list[str]:
    """Return the text in lines of at most this width where words allow it; no word is broken."""
    return textwrap.wrap(
        printable(text),
        max(width, FEWEST),
        initial_indent=indent,
        subsequent_indent=indent + hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )


def totals(
    found: Sequence[Finding],
    undecided: Sequence[Undecided],
    known: Sequence[Finding] = (),
    gone: Sequence[Known] | None = None,
) -> str:
    """Return how many findings there are of each severity, how much is unknown, and what a baseline knows."""
    number = {severity: sum(each.severity is severity for each in found) for severity in Severity}
    parts = [counted(number[severity], severity.value) for severity in Severity]
    parts += [f"{len(undecided):,} unknown"] if undecided else []
    parts += [] if gone is None else [f"{len(known):,} known", f"{len(gone):,} gone"]
    return ", ".join(parts)
