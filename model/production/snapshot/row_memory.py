"""Numbers of nodes that are computed again only after a node has changed: `RowMemory`."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np

from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.node_table import NodeTable
from schedcheck.model.production.snapshot.snapshot import Nodes

MOST_REMEMBERED = 64
"""How many functions are remembered before all are forgotten."""


@dataclass(eq=False)
class Remembered:
    """The numbers of one function by row, and the version of each row for which they were computed, 0 for none."""

    values: Numbers
    seen: Numbers


class RowMemory:
    """Functions of nodes, by keys, whose number for a node depends on the node's row in the table alone."""

    def __init__(self) -> None:
        self._table: NodeTable | None = None
        self._known: dict[Hashable, Remembered] = {}

    def of(self, key: Hashable, nodes: Nodes, function: Callable[[Nodes], Numbers]) -> Numbers:
        """Return the function's number for each node. In a trial, rows are not all that counts: nothing is remembered."""
        if nodes.trial is not None or nodes.bare:
            return function(nodes)
        known, now = self._remembered(key, nodes.table), nodes.table.changed[nodes.rows]
        old = known.seen[nodes.rows] != now
        if old.any():
            rows = nodes.rows[old]
            known.values[rows], known.seen[rows] = function(Nodes(nodes.table, rows)), now[old]
        found: Numbers = known.values[nodes.rows]
        return found

    def _remembered(self, key: Hashable, table: NodeTable) -> Remembered:
        if table is not self._table or (key not in self._known and len(self._known) >= MOST_REMEMBERED):
            self._table, self._known = table, {}
        known = self._known.get(key)
        if known is None or len(known.seen) < table.room:
            known = self._known[key] = Remembered(np.zeros(table.room, np.int64), np.zeros(table.room, np.int64))
        return known
