"""What the decisions in the rows of the tables are called, which names the steps of a graph: `Names`."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from schedcheck.checker.tabulated.loops.growing import Growing
from schedcheck.spec.decisions import Decision, Nominate

OPTION, CHOICE, OUTCOME = "option", "choice", "outcome"
"""The rows: of whom a pod may evict on a node, of where it is bound, of what else is done."""

COUNTED_BY = {OPTION: "option_kind", CHOICE: "choice_kind", OUTCOME: "outcome_end"}
"""The array of the answers that has a row for each."""

NAMES = "names"

Name = tuple[str, str]
"""The kind of a decision, and its text; of a nomination that several pods may ask for alike, without the pod."""


def called(row: str, decision: Decision) -> Name:
    """What the decision in such a row is called."""
    text = str(decision)
    if row == OPTION and isinstance(decision, Nominate):
        text = text.removeprefix(f"{Nominate.__name__}({decision.pod}, ").removesuffix(")")
    return type(decision).__name__, text


class Names:
    """The names of all rows, each name written down once."""

    def __init__(self) -> None:
        self._numbers: dict[Name, int] = {}
        self._known: list[Name] = []
        self._rows: dict[str, Growing[Any]] = {row: Growing(np.int64) for row in COUNTED_BY}

    def add(self, row: str, decision: Decision) -> None:
        """The next row of these has this decision."""
        name = called(row, decision)
        if name not in self._numbers:
            self._numbers[name] = len(self._known)
            self._known.append(name)
        self._rows[row].append(self._numbers[name])

    def from_row(self, row: str, begin: int) -> Iterator[Name]:
        """The names of these rows, from that of this number on."""
        rows = self._rows[row]
        return (self._known[number] for number in rows.seen()[begin : len(rows)].tolist())

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All of them, as numbers."""
        numbers = {f"{row}_{NAMES}": rows.seen()[: len(rows)] for row, rows in self._rows.items()}
        return {**numbers, NAMES: np.frombuffer(json.dumps(self._known).encode(), np.uint8)}

    def take(self, arrays: Mapping[str, npt.NDArray[Any]], kinds: Iterable[type]) -> bool:
        """Take those that another run had, if none is there yet; whether there is one of these kinds for each row."""
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
