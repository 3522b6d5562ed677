"""The table of both rates by area, and the list of the defects that no search found: `table`, `written`"""

import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.corpus.mechanisms import SAME, Mechanism, mechanisms
from tests.power.fresh import FRESH
from tests.power.held_back import HELD_BACK
from tests.power.held_back_again import HELD_BACK_AGAIN
from tests.power.held_back_fifth import HELD_BACK_FIFTH
from tests.power.held_back_fourth import HELD_BACK_FOURTH
from tests.power.held_back_third import HELD_BACK_THIRD
from tests.power.trial import Tried

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "power.md"
BEGIN, END = "<!-- table -->", "<!-- end of table -->"


SETS = (
    ("fresh", FRESH),
    ("held back", HELD_BACK),
    ("held back again", HELD_BACK_AGAIN),
    ("held back, third set", HELD_BACK_THIRD),
    ("held back, fourth set", HELD_BACK_FOURTH),
    ("held back, fifth set", HELD_BACK_FIFTH),
)
"""The defects that are not of the corpus, by the title of their set."""


class Measured(NamedTuple):
    """A defect: whether it is detected on its scenario (None: it has none), and by search."""

    name: str
    own: bool | None
    search: Tried


@cache
def _listed() -> dict[str, str]:
    found = json.loads((ROOT / "tests" / "corpus" / "bugs.json").read_text(encoding="utf-8"))
    return {each["id"]: each["area"] for each in found}


def areas() -> dict[str, str]:
    """The area of each defect of the corpus by its name, without its subdivisions."""
    from tests.corpus.__main__ import defects

    often: dict[str, int] = {}
    found: dict[str, str] = {}
    for name, *_ in defects():
        often[name] = often.get(name, 0) + 1
        found[name if often[name] == 1 else f"{name} ({often[name]})"] = re.split(r":| \(| /|/|-", _listed()[name])[0]
    return found


def area(name: str) -> str:
    """The area of a defect."""
    for title, some in SETS:
        known = {each.name: each.area for each in some}
        if name in known:
            return f"{title}: {known[name]}"
    return areas()[name].strip()


def mechanism(name: str) -> Mechanism | None:
    """How a defect of the corpus differs from the one it is named after; None for a fresh one."""
    return mechanisms()[name.partition(" (")[0]] if name in areas() else None


def analog(name: str) -> bool:
    """Whether the defect is put in by another mechanism than that of the one it is named after."""
    label = mechanism(name)
    return label is not None and label.kind != SAME


def same(name: str) -> bool:
    """Whether the defect is put in by the mechanism of the one it is named after."""
    label = mechanism(name)
    return label is not None and label.kind == SAME


def _of(some: Sequence[Measured], counts: Callable[[Measured], bool]) -> str:
    return f"{sum(map(counts, some))} of {len(some)}" if some else ""


def _row(title: str, some: Sequence[Measured]) -> str:
    """Return the rates of some defects: all by search, and those of each mechanism on their scenarios and by search."""
    cells = [_of(some, lambda each: each.search.found)]
    for kind in (same, analog):
        group = [each for each in some if kind(each.name)]
        cells += [_of(group, lambda each: each.own is True), _of(group, lambda each: each.search.found)]
    return f"| {title} | {' | '.join(cells)} |"


def table(all_of_them: Sequence[Measured], conditions: str) -> str:
    """Return the rates by area and in all, the analogs with their differences, and what was not found."""
    lines = [
        conditions,
        "",
        "| area | all by search | same mechanism: on its scenario | by search | analog: on its scenario | by search |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    groups: list[tuple[str, Callable[[str], bool]]] = [
        (each, lambda name, each=each: area(name) == each) for each in sorted({area(one.name) for one in all_of_them})
    ]
    corpus = areas()
    groups += [
        ("**corpus**", lambda name: name in corpus),
        *((f"**{title}**", lambda name, title=title: area(name).startswith(f"{title}: ")) for title, _ in SETS),
        ("**all**", lambda name: True),
    ]
    lines += [_row(title, [each for each in all_of_them if holds(each.name)]) for title, holds in groups]
    lines += ["", *_analogs([each for each in all_of_them if analog(each.name)])]
    missed = [f"{each.name}{' (analog)' if analog(each.name) else ''}" for each in all_of_them if not each.search.found]
    lines += ["", f"Not found: {', '.join(missed) or 'none'}."]
    return "\n".join(lines)


def _analogs(some: Sequence[Measured]) -> list[str]:
    """Return the table of the analogs: how each differs, and whether it was detected and found."""
    lines = ["| analog | what differs | in | on its scenario | by search |", "|---|---|---|---|---|"]
    for each in sorted(some):
        label = mechanism(each.name)
        assert label is not None, "an analog has a label"
        found = " | ".join("yes" if yes else "no" for yes in (each.own, each.search.found))
        lines.append(f"| {each.name} | {label.kind} | {label.difference} | {found} |")
    return lines if some else []


def written(said: str) -> None:
    """Replace the table of the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{said}\n{END}{after}", encoding="utf-8")
