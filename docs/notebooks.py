"""The example notebooks and their outputs: `make docs` rewrites the outputs, a test compares them.

A cell is run as Jupyter runs it: its statements, then the text of its last expression. Its output is that text, or what it
printed; pages of answers are not stored.
"""

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted(ROOT.glob("examples/**/*.ipynb"))

Json = dict[str, Any]


def outputs(notebook: Json) -> list[str]:
    """Run the cells of code in order, in the folder of the process; return the output of each."""
    there: dict[str, Any] = {}
    return [ran("".join(cell["source"]), there) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def ran(source: str, there: dict[str, Any]) -> str:
    """Run a cell with these names, and return its output."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        exec(compile(tree, "cell", "exec"), there)
        found = eval(compile(ast.Expression(last.value), "cell", "eval"), there) if last is not None else None
    return told.getvalue() + ("" if found is None else f"{found!r}\n")


def stored(notebook: Json) -> list[str]:
    """Return the output of each cell of code as it is in the file."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return ["".join(line for output in cell["outputs"] for line in output["text"]) for cell in cells]


def rewritten(notebook: Json) -> Json:
    """Return the notebook with the present outputs."""
    present = iter(outputs(notebook))
    cells = []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            lines = next(present).splitlines(keepends=True)
            told = [{"name": "stdout", "output_type": "stream", "text": lines}] if lines else []
            cells.append({**cell, "execution_count": None, "outputs": told})
        else:
            cells.append(cell)
    return {**notebook, "cells": cells}


def main() -> None:
    """Rewrite the outputs that differ."""
    for path in NOTEBOOKS:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        if outputs(notebook) != stored(notebook):
            path.write_text(json.dumps(rewritten(notebook), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
            print(f"rewritten: {path.relative_to(ROOT)}", file=sys.stderr)


if __name__ == "__main__":
    main()
