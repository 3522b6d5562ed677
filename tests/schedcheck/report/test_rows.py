"""Tables of many rows have the same text as with rich, for any cells, where the terminal is wide enough for each word"""

import io
import random
from collections import Counter

import pytest
from rich.table import Table
from rich.text import Text

from schedcheck.report.text import rows
from schedcheck.report.text.rows import FEW, Rows
from schedcheck.report.text.terminal import Terminal, table

WORDS = ("a", "node-17", "team-3/app-180-6", "0,", "21474836480,", "x" * 12, "héé", "節点", "[b]", "does", "👍", "")
WIDTHS = (72, 80, 120, 200)


def text(chance: random.Random) -> str:
    lines = (" ".join(chance.choices(WORDS, k=chance.randrange(4))) for _ in range(chance.choice((1, 1, 1, 2, 4))))
    return "\n".join(lines)


def filled(made: Table, seed: int, number: int = FEW + 20) -> Table:
    chance = random.Random(seed)
    for _ in range(number):
        made.add_row(*(Text(text(chance)) if chance.random() < 0.7 else text(chance) for _ in made.columns))
    return made


def in_rich(seed: int) -> Table:
    """The same table, formatted by rich."""
    made = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    for place, heading in enumerate(("Node", "A heading of words", "n", "Casualty")):
        made.add_column(Text(heading), justify="right" if place == 2 else "left", overflow="fold")
    return filled(made, seed)


def here(seed: int) -> Table:
    return filled(table("Node", "A heading of words", "n", "Casualty", numbers=["n"]), seed)


def written(made: Table, width: int, *, terminal: bool = False) -> str:
    file = io.StringIO()
    console = Terminal(
        file=file,
        width=width,
        markup=False,
        highlight=False,
        emoji=False,
        force_terminal=terminal,
        no_color=not terminal,
    )
    console.show(made)
    return file.getvalue()


def differing() -> int:
    return sum(written(in_rich(seed), width) != written(here(seed), width) for seed in range(4) for width in WIDTHS)


def test_many_rows_have_the_same_text_as_with_rich() -> None:
    assert differing() == 0


def test_the_random_tables_wrap_at_some_widths_only() -> None:
    lines: Counter[bool] = Counter()
    for width in (20, 80, 400):
        lines[len(written(here(1), width).splitlines()) > len(written(here(1), 1000).splitlines())] += 1
    assert lines[True] and lines[False]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "twin"),
    [
        ("_deciding", lambda columns: [["" for _ in columns] for _ in columns]),
        ("cell_len", len),
        ("GAP", 1),
    ],
)
def test_a_wrongly_measured_table_is_detected(name: str, twin: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, name, twin)
    assert differing()


def test_styled_cells_and_few_rows_are_formatted_by_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    styled = filled(table("Node", "Why"), 1)
    styled.add_row(Text("n", style="red"), "x")
    few = filled(table("Node", "Why"), 1, number=FEW)
    monkeypatch.setattr(Rows, "_lines", None)
    for made in (styled, few):
        assert "Node" in written(made, 80)
    with pytest.raises(TypeError):
        written(here(1), 80)


def test_headings_are_bold_on_a_terminal() -> None:
    first = written(here(1), 200, terminal=True).splitlines()[0]
    assert "\x1b[1m" in first and "\x1b[1m" not in written(here(1), 200)
