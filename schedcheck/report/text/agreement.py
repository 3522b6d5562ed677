"""The agreement of recorded answers and specification, as text: `show`."""

import json
from collections import Counter

from schedcheck.errors import printable
from schedcheck.recordings.conformance import Agreement, Difference
from schedcheck.report.text.terminal import Terminal, counted, listed

LONGEST = 300
MOST_DIFFERENCES = 50


def show(agreement: Agreement, console: Terminal) -> None:
    """Print a table of fields and families, the fields not compared, and the differences.

    The table is as wide as its families need, as a wrapped row would be unreadable.
    """
    families = list(dict.fromkeys(family for family, _ in agreement.compared))
    fields = list(dict.fromkeys(field for _, field in agreement.compared))
    differing = Counter((each.family, each.compared.field) for each in (*agreement.differences, *agreement.doubtful))
    rows = [["Field", *families]]
    rows += [[field, *(_cell(agreement, differing, family, field) for family in families)] for field in fields]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        _line("  ".join([first.ljust(widths[0]), *cells]).rstrip(), console)
    for why, records in reasons(agreement).items():
        _line(f"not compared, as {why}: {counted(len(records), 'record')} ({listed(records, ', ')})", console)
    for field, number in sorted(agreement.not_compared.items()):
        _line(f"not compared yet: {field} ({counted(number, 'record')})", console)
    if agreement.not_told:
        told = ", ".join(
            f"{field} ({counted(number, 'record')})" for field, number in sorted(agreement.not_told.items())
        )
        _line(f"not told by the records: {told}", console)
    if agreement.doubtful:
        ids = ", ".join(dict.fromkeys(each.id for each in agreement.doubtful))
        _line(f"tagged as no ground truth, and different here: {ids}", console)
    _line("", console)
    for each in agreement.differences[:MOST_DIFFERENCES]:
        _show_difference(each, console)
    more = len(agreement.differences) - MOST_DIFFERENCES
    if more > 0:
        _line(f"and {counted(more, 'difference')} more", console)
    _line(_sum(agreement), console)
    if agreement.stopped:
        compared = counted(agreement.records, "record")
        _line(f"only {compared} were compared ({agreement.stopped})", console)


def reasons(agreement: Agreement) -> dict[str, list[str]]:
    """Return the reasons why records have no answer here, each with the records."""
    found: dict[str, list[str]] = {}
    for each in agreement.unknown:
        found.setdefault(each.why, []).append(each.id)
    return found


def _line(text: str, console: Terminal) -> None:
    console.out(printable(text), highlight=False)


def _cell(agreement: Agreement, differing: Counter[tuple[str, str]], family: str, field: str) -> str:
    """Return how many of the values agree, and of how many unless all do."""
    total = agreement.compared.get((family, field), 0)
    wrong = differing[family, field]
    return "-" if not total else f"{total - wrong}/{total}" if wrong else str(total)


def _sum(agreement: Agreement) -> str:
    total = sum(agreement.compared.values()) - len(agreement.doubtful)
    wrong = len(agreement.differences)
    left_out = agreement.unknown or agreement.not_compared
    if left_out and not total:
        return "no value was compared"
    of = "values that were compared" if left_out else "values"
    return f"{total - wrong:,} of {total:,} {of} agree" if wrong else f"all {total:,} {of} agree"


def _show_difference(difference: Difference, console: Terminal) -> None:
    compared = difference.compared
    _line(f"{difference.id}: {compared.place or compared.field}", console)
    if difference.note:
        _line(f"  note      {difference.note}", console)
    _line(f"  recorded  {_short(compared.recorded)}", console)
    _line(f"  here      {_short(compared.said)}", console)


def _short(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return text if len(text) <= LONGEST else text[:LONGEST] + "…"
