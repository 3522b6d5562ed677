"""The table of both rates by area, and the list of the defects that no search found: `table`, `written`"""

import argparse
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.power.trial import Tried

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "power.md"
BEGIN, END = "<!-- table -->", "<!-- end of table -->"
OWN = "kubernetes/kubernetes#"


def areas() -> dict[str, str]:
    """The area of each defect of the corpus, without its subdivisions."""
    listed = json.loads((ROOT / "tests" / "corpus" / "bugs.json").read_text(encoding="utf-8"))
    return {each["id"]: re.split(r":| \(| /", each["area"])[0] for each in listed}


def analog(name: str) -> bool:
    """Whether the defect is of another scheduler, and put back here as an analog."""
    return not name.startswith(OWN)


def table(own: Mapping[str, bool], found: Mapping[str, Mapping[str, Tried]], asked: argparse.Namespace) -> str:
    """Return the rates by area and in all, and what was not found."""
    of = areas()
    area = {name: of[re.sub(r" \(\d+\)$", "", name)] for name in own}
    searches = asked.searches
    lines = [
        f"{asked.seconds:g} seconds of CPU for each search of a defect, seed {asked.seed}.",
        "",
        f"| area | defects | analogs | on its scenario | {' | '.join(f'by `{each}`' for each in searches)} |",
        f"|---|---:|---:|---:|{'---:|' * len(searches)}",
    ]
    groups: list[tuple[str, Callable[[str], bool]]] = [
        (each, lambda name, each=each: area[name] == each) for each in sorted({*area.values()})
    ]
    groups += [("**of kube-scheduler**", lambda name: not analog(name)), ("**analogs**", analog)]
    groups += [("**all**", lambda name: True)]
    for title, holds in groups:
        names = [name for name in own if holds(name)]
        counts = [sum(found[name][each].found for name in names) for each in searches]
        cells = [len(names), sum(map(analog, names)), sum(own[name] for name in names), *counts]
        lines.append(f"| {title} | {' | '.join(map(str, cells))} |")
    for each in searches:
        missed = [f"{name}{' (analog)' if analog(name) else ''}" for name in own if not found[name][each].found]
        lines += ["", f"Not found by `{each}`: {', '.join(missed) or 'none'}."]
    return "\n".join(lines)


def written(said: str) -> None:
    """Replace the table of the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{said}\n{END}{after}", encoding="utf-8")
