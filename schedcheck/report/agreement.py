"""How far the recorded answers and the specification agree, as text: `show`."""

import json
from collections.abc import Iterable

from rich.text import Text

from schedcheck.cluster.errors import printable
from schedcheck.oracle.conformance import Agreement, Difference
from schedcheck.report.terminal import Terminal, counted, table

LONGEST = 300
MOST_DIFFERENCES = 50


def show(agreement: Agreement, console: Terminal) -> None:
    """Print a table of fields and families, what was not compared, and the differences."""
    families = list(dict.fromkeys(family for family, _ in agreement.compared))
    fields = list(dict.fromkeys(field for _, field in agreement.compared))
    differing = [(each.family, each.compared.field) for each in agreement.differences]
    shown = table("Field", *families, numbers=families)
    for field in fields:
        shown.add_row(Text(field), *(_cell(agreement, differing, family, field) for family in families))
    console.show(shown)
    for field, number in sorted(agreement.not_compared.items()):
        console.show(f"not compared yet: {field} ({counted(number, 'record')})")
    console.show()
    for each in agreement.differences[:MOST_DIFFERENCES]:
        _show_difference(each, console)
    more = len(agreement.differences) - MOST_DIFFERENCES
    if more > 0:
        console.show(f"and {counted(more, 'difference')} more")
    console.show(_sum(agreement))


def _cell(agreement: Agreement, differing: Iterable[tuple[str, str]], family: str, field: str) -> Text:
    """How many of the values agree, of how many if not all do."""
    total = agreement.compared.get((family, field), 0)
    wrong = sum(1 for each in differing if each == (family, field))
    return Text("-" if not total else f"{total - wrong}/{total}" if wrong else str(total))


def _sum(agreement: Agreement) -> str:
    total = sum(agreement.compared.values())
    wrong = len(agreement.differences)
    return f"{total - wrong:,} of {total:,} values agree" if wrong else f"all {total:,} values agree"


def _show_difference(difference: Difference, console: Terminal) -> None:
    compared = difference.compared
    console.show(printable(f"{difference.id}: {compared.place or compared.field}"))
    if difference.note:
        console.show(printable(f"  note      {difference.note}"))
    console.show(f"  recorded  {_short(compared.recorded)}")
    console.show(f"  here      {_short(compared.said)}")


def _short(value: object) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return printable(text if len(text) <= LONGEST else text[:LONGEST] + "…")
