"""The names of the decisions in the rows of the tables; they label the steps of a graph: `Names`."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from schedcheck.checker.tabulated.loops.growing import Growing
from schedcheck.spec.decisions import Decision, Nominate

OPTION, CHOICE, OUTCOME = "option", "choice", "outcome"
"""The kinds of rows: the evictions possible on a node, the bindings, and the other outcomes."""

COUNTED_BY = {OPTION: "option_kind", CHOICE: "choice_kind", OUTCOME: "outcome_end"}
"""For each kind of row, the array of answers with as many rows."""

NAMES = "names"

Name = tuple[str, str]
"""The kind of a decision and its text; without the pod for a nomination that several pods may share."""


def called(row: str, decision: Decision) -> Name:
    """Return the name of a decision in a row of this kind."""
    text = str(decision)
    if row == OPTION and isinstance(decision, Nominate):
        text = text.removeprefix(f"{Nominate.__name__}({decision.pod}, ").removesuffix(")")
    return type(decision).__name__, text


class Names:
    """The names of the decisions in all rows; equal names are stored once."""

    def __init__(self) -> None:
        self._numbers: dict[Name, int] = {}
        self._known: list[Name] = []
        self._rows: dict[str, Growing[Any]] = {row: Growing(np.int64) for row in COUNTED_BY}

    def add(self, row: str, decision: Decision) -> None:
        """Append this decision's name to the rows of this kind."""
        name = called(row, decision)
        if name not in self._numbers:
            self._numbers[name] = len(self._known)
            self._known.append(name)
        self._rows[row].append(self._numbers[name])

    def from_row(self, row: str, begin: int) -> Iterator[Name]:
        """Return the names of the rows of this kind, beginning with row `begin`."""
        rows = self._rows[row]
        return (self._known[number] for number in rows.seen()[begin : len(rows)].tolist())

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return all names and rows, as arrays of numbers."""
        numbers = {f"{row}_{NAMES}": rows.seen()[: len(rows)] for row, rows in self._rows.items()}
        return {**numbers, NAMES: np.frombuffer(json.dumps(self._known).encode(), np.uint8)}

    def take(self, arrays: Mapping[str, npt.NDArray[Any]], kinds: Iterable[type]) -> bool:
        """Fill these still empty names from the arrays of another run; return whether they fit.

        They fit if every decision is of one of these kinds and every row of answers has a name.
        """
        try:
            known = [(str(kind), str(text)) for kind, text in json.loads(arrays[NAMES].tobytes())]
            rows = {row: arrays[f"{row}_{NAMES}"] for row in COUNTED_BY}
            counts = {row: len(arrays[name]) for row, name in COUNTED_BY.items()}
        except (KeyError, ValueError, TypeError):
            return False
        fits = {kind for kind, _ in known} <= {kind.__name__ for kind in kinds} and all(
            each.dtype == np.int64 and each.shape == (counts[row],) and _below(each, len(known))
            for row, each in rows.items()
        )
        if fits:
            self._known, self._numbers = known, {name: number for number, name in enumerate(known)}
            for row, each in rows.items():
                self._rows[row].extend(each)
        return fits


def _below(numbers: npt.NDArray[Any], bound: int) -> bool:
    return len(numbers) == 0 or (int(numbers.min()) >= 0 and int(numbers.max()) < bound)
