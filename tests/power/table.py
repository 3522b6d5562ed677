"""The table of both rates by area, and the list of the defects that no search found: `table`, `written`"""

import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.power.fresh import FRESH
from tests.power.trial import Tried

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "power.md"
BEGIN, END = "<!-- table -->", "<!-- end of table -->"
OWN = "kubernetes/kubernetes#"


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
    fresh = {each.name: each.area for each in FRESH}
    return f"fresh: {fresh[name]}" if name in fresh else areas()[name].strip()


def analog(name: str) -> bool:
    """Whether the defect is of another scheduler, and put in here as an analog."""
    return name in areas() and not name.startswith(OWN)


def table(all_of_them: Sequence[Measured], conditions: str) -> str:
    """Return the rates by area and in all, and what was not found."""
    lines = [
        conditions,
        "",
        "| area | defects | analogs | with a scenario | on it | by search |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    groups: list[tuple[str, Callable[[str], bool]]] = [
        (each, lambda name, each=each: area(name) == each) for each in sorted({area(one.name) for one in all_of_them})
    ]
    corpus = areas()
    groups += [
        ("**of kube-scheduler**", lambda name: name in corpus and not analog(name)),
        ("**analogs**", analog),
        ("**fresh**", lambda name: name not in corpus),
        ("**all**", lambda name: True),
    ]
    for title, holds in groups:
        some = [each for each in all_of_them if holds(each.name)]
        cells = [
            len(some),
            sum(analog(each.name) for each in some),
            sum(each.own is not None for each in some),
            sum(each.own is True for each in some),
            sum(each.search.found for each in some),
        ]
        lines.append(f"| {title} | {' | '.join(map(str, cells))} |")
    missed = [f"{each.name}{' (analog)' if analog(each.name) else ''}" for each in all_of_them if not each.search.found]
    lines += ["", f"Not found: {', '.join(missed) or 'none'}."]
    return "\n".join(lines)


def written(said: str) -> None:
    """Replace the table of the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{said}\n{END}{after}", encoding="utf-8")
