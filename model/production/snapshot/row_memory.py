"""Numbers of nodes that are computed again only after a node has changed: `RowMemory`."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

import numpy as np

from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.node_table import NodeTable
from schedcheck.model.production.snapshot.snapshot import Nodes

MOST_REMEMBERED = 64
"""How many functions are remembered before all are forgotten."""
A_FEW = 8
"""Up to how many changed rows are looked up by their amounts; more are computed together."""
MOST_AMOUNTS = 4096
"""How many amounts are remembered for a function before all are forgotten."""


@dataclass(eq=False)
class Remembered:
    """The numbers of one function by row, as of a version of the table, and by the amounts of a row."""

    values: Numbers
    version: int = -1
    by_amounts: dict[Hashable, int] = field(default_factory=dict)


class RowMemory:
    """Functions of nodes, by keys, whose number for a node depends on the amounts in the node's row alone.

    Nodes with the same amounts are equivalent: after a change a node mostly has amounts that another one had before.
    """

    def __init__(self) -> None:
        self._table: NodeTable | None = None
        self._known: dict[Hashable, Remembered] = {}

    def of(self, key: Hashable, nodes: Nodes, function: Callable[[Nodes], Numbers]) -> Numbers:
        """Return the function's number for each node. In a trial, rows are not all that counts: nothing is remembered."""
        if nodes.trial is not None or nodes.bare:
            return function(nodes)
        table = nodes.table
        known = self._remembered(key, table)
        if known.version != table.version:
            rows = table.changed_since(known.version)
            if len(rows) > A_FEW:
                known.values[rows] = function(Nodes(table, rows))
            else:
                for row in rows.tolist():
                    known.values[row] = _by_amounts(known, table, row, function)
            known.version = table.version
        found: Numbers = known.values[nodes.rows]
        return found

    def _remembered(self, key: Hashable, table: NodeTable) -> Remembered:
        if table is not self._table or (key not in self._known and len(self._known) >= MOST_REMEMBERED):
            self._table, self._known = table, {}
        known = self._known.get(key)
        if known is None or len(known.values) < table.room:
            known = self._known[key] = Remembered(np.zeros(table.room, np.int64))
        return known


def _by_amounts(known: Remembered, table: NodeTable, row: int, function: Callable[[Nodes], Numbers]) -> int:
    """Return the number of one row, computed unless it is known for another row with the same amounts."""
    amounts = table.requested[row].tobytes(), table.allocatable[row].tobytes(), table.rated[row].tobytes()
    number = known.by_amounts.get(amounts)
    if number is None:
        if len(known.by_amounts) >= MOST_AMOUNTS:
            known.by_amounts.clear()
        number = known.by_amounts[amounts] = int(function(Nodes(table, np.array([row], np.int64)))[0])
    return number
