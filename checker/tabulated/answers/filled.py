"""The answers of the specification, as rows of numbers: `Filled`."""

from typing import Any

import numpy as np
import numpy.typing as npt

from schedcheck.checker.tabulated.answers.tables import Arrays
from schedcheck.checker.tabulated.loops.arrays import Answers
from schedcheck.checker.tabulated.loops.growing import Growing, GrowingTable

TABLES = ("admission", "eviction", "choice", "outcome")


class Filled:
    """The tables of the four questions and the rows of their answers, named like the fields of `Answers`.

    `words` is the number of words of a state, `kept` the number of budgets that must be kept.
    """

    def __init__(self, node_key: int, pod_key: int, words: int, kept: int) -> None:
        widths = (node_key, node_key, pod_key, pod_key)
        self.tables = {name: GrowingTable(width) for name, width in zip(TABLES, widths, strict=True)}
        self.rows: dict[str, Growing[Any]] = {
            "admitted": Growing(np.int64),
            "evicted": Growing(np.int64),
            "options": Growing(np.int64, first=[0]),
            "option_kind": Growing(np.int64),
            "option_moves_by": Growing(np.uint64, words),
            "option_healthy": Growing(np.int64, max(1, kept)),
            "option_evicts": Growing(np.uint64),
            "option_breaks": Growing(np.uint64),
            "asks_more": Growing(np.int64),
            "chosen": Growing(np.int64, first=[0]),
            "choice_kind": Growing(np.int64),
            "choice_moves_by": Growing(np.uint64, words),
            "choice_breaks": Growing(np.uint64),
            "outcomes": Growing(np.int64, first=[0]),
            "outcome_end": Growing(np.int64, 3),
            "outcome_moves_by": Growing(np.uint64, words),
            "outcome_breaks": Growing(np.uint64),
        }

    def seen(self) -> Answers:
        """Return the tables in the form that the compiled loops read."""
        tables: dict[str, Any] = {name: table.seen() for name, table in self.tables.items()}
        rows: dict[str, Any] = {name: each.seen() for name, each in self.rows.items()}
        return Answers(**tables, **rows)

    def add(self, **rows: Any) -> None:
        """Append a row to each of the named arrays."""
        for name, row in rows.items():
            self.rows[name].append(row)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return all keys and rows that are filled in."""
        keys = {name: table.keys() for name, table in self.tables.items()}
        return {**keys, **{name: rows.seen()[: len(rows)] for name, rows in self.rows.items()}}

    def take(self, arrays: Arrays) -> bool:
        """Fill these still empty tables from the arrays of another run; return whether names, types and widths fit."""
        own = self.arrays()
        if set(own) != set(arrays) or not all(_alike(own[name], arrays[name]) for name in own):
            return False
        for name, table in self.tables.items():
            table.extend(arrays[name])
        for name, rows in self.rows.items():
            rows.extend(arrays[name][len(rows) :])
        return True


def _alike(array: npt.NDArray[Any], other: npt.NDArray[Any]) -> bool:
    return array.dtype == other.dtype and array.shape[1:] == other.shape[1:]
