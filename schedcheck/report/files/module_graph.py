"""The explored graph of a TLA+ module in the language of Graphviz: every stored state, and every step between two.

States are numbered in the order of discovery; initial ones have a double border. A step has the name of its action.
"""

import json
from pathlib import Path

from schedcheck.checker.language.checking.checking import Checked
from schedcheck.checker.language.checking.exploring import Exploration
from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError
from schedcheck.report.files.graph import LARGEST_TEXT

DOT = ".dot"


def fitting(path: Path) -> None:
    """Raises InputError for a file name that does not end in .dot."""
    if path.suffix != DOT:
        raise InputError(f"expected a file that ends in {DOT}", path=parameter("graph"), value=str(path))


def write(checked: Checked, path: Path) -> None:
    """Write the graph. Raises InputError if it is too large for a text."""
    explored = checked.exploration
    steps = sorted({(source, target, str(label or "")) for source, target, label in explored.edges})
    if len(explored.states) + len(steps) > LARGEST_TEXT:
        said = f"{len(explored.states):,} states and {len(steps):,} steps are too many for {DOT}"
        raise InputError(said, path=parameter("graph"), value=str(path))
    lines = [f"digraph {_quoted(explored.model.root.name)} {{", "  node [shape=box];"]
    lines += _states(explored)
    lines += [f"  {source} -> {target} [label={_quoted(label)}];" for source, target, label in steps]
    path.write_text("\n".join([*lines, "}", ""]), encoding="utf-8")


def _states(explored: Exploration) -> list[str]:
    initial, lines = set(explored.initial), []
    for number, state in enumerate(explored.states):
        text = "\n".join(f"/\\ {name} = {value}" for name, value in explored.system.shown(state).items())
        border = ", peripheries=2" if number in initial else ""
        lines.append(f"  {number} [label={_quoted(text)}{border}];")
    return lines


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
