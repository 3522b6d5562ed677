"""Tables whose words are too wide for their columns: no word is broken, none is lost, and nothing overlaps."""

import io
import random

import pytest
from rich.text import Text

from schedcheck.report.text import layout
from schedcheck.report.text.lines import flowing
from schedcheck.report.text.terminal import Terminal, facts, table

NODE = "ip-10-0-{}-{}.eu-west-1.compute.internal"
POD = "kube-system/aws-load-balancer-controller-ff866bbd58-{}"


def text(chance: random.Random) -> str:
    made = [
        "Insufficient cpu",
        "cannot help",
        NODE.format(chance.randrange(9), chance.randrange(200)),
        POD.format(chance.randrange(10_000)),
        "node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }",
        f"{chance.randrange(10**9)}Ki/{chance.randrange(10**9)}Ki",
        "n1",
        "",
    ]
    return " ".join(chance.choices(made, k=chance.randrange(1, 4)))


def written(thing: object, width: int) -> list[str]:
    file = io.StringIO()
    console = Terminal(file=file, width=width, markup=False, highlight=False, emoji=False, no_color=True)
    console.show(thing)
    return file.getvalue().splitlines()


def rows(seed: int) -> list[list[str]]:
    chance = random.Random(seed)
    return [[text(chance) for _ in range(4)] for _ in range(chance.choice((1, 5, 130)))]


def here(found: list[list[str]]) -> object:
    made = table("Nodes", "Verdict", "Amount", "Why", numbers=["Amount"])
    for row in found:
        made.add_row(*(Text(cell) for cell in row))
    return made


def broken(width: int) -> int:
    """Return in how many of some random tables a word is not written whole, or a line is longer than the terminal."""
    number = 0
    for seed in range(12):
        found = rows(seed)
        lines = written(here(found), width)
        said = sorted(word for line in lines[1:] for word in line.split())
        wanted = sorted(word for row in found for cell in row for word in cell.split())
        number += said != wanted or any(len(line) > width for line in lines)
    return number


@pytest.mark.parametrize("width", [62, 80, 100, 160])
def test_words_are_whole_in_a_table_of_any_width_that_holds_them(width: int) -> None:
    assert broken(width) == 0


def test_words_that_fit_in_no_line_are_broken_at_a_mark() -> None:
    lines = written(here([[NODE.format(1, 2), "", "", ""]]), 24)
    assert [line for line in lines if "ip-" in line] == ["ip-10-0-1-2.eu-west-1."]
    assert "".join(lines[-2:]).replace(" ", "") == NODE.format(1, 2)


def test_each_cell_is_below_or_beside_the_cells_before_it() -> None:
    found = [[NODE.format(1, 2), "refused", "1", "Insufficient cpu"], ["n1", "feasible", "20", POD.format(1)]]
    lines = written(here(found), 62)
    assert lines[0].split() == ["Nodes", "Verdict", "Amount", "Why"]
    places = [next(n for n, line in enumerate(lines) if cell in line) for row in found for cell in row if len(cell) > 2]
    assert places == sorted(places)


def test_facts_keep_a_long_word_whole_below_their_heading() -> None:
    assert written(facts([("Heading", POD.format(12345))]), 62) == ["Heading", f"    {POD.format(12345)}"]


@pytest.mark.parametrize(
    ("name", "twin"),
    [
        ("longest_word", lambda text: 0),
        ("GAP", -1),
        ("_lines", lambda block: [[(0, 0, "")]]),
    ],
)
def test_a_wrong_layout_is_detected(name: str, twin: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, name, twin)
    assert broken(80)


def test_facts_go_on_beside_their_heading_after_a_long_word() -> None:
    said = f"one {POD.format(12345)} two"
    assert written(facts([("Heading", said)]), 62) == ["Heading  one", f"    {POD.format(12345)}", "         two"]


def test_a_long_word_of_a_flowing_text_begins_further_left() -> None:
    lines = flowing(f"one {POD.format(12345)} two", 62, "Heading  ", " " * 9)
    assert lines == ["Heading  one", f"    {POD.format(12345)}", "         two"]
